import { useSignal } from '@preact/signals';
import { lazy, Suspense } from 'preact/compat';
import { useMemo } from 'preact/hooks';
import { announce } from '../../announce.ts';
import { newestDecision, type PlanAnswer, readDecision, type StoredDecision } from '../../api/decisions.ts';
import { loadLocations, type Place } from '../../api/locations.ts';
import { movesOf } from '../../api/moves.ts';
import { readPlan } from '../../api/plans.ts';
import { zoneOf } from '../../city-time.ts';
import { count, kilometres, percent } from '../../format.ts';
import type { Lit } from '../../map/draw.ts';
import { Legend } from '../../map/legend.tsx';
import { drawnMoves } from '../../map/scene.ts';
import { sceneOf } from '../../map/scene-of.ts';
import { addressOf, changeQuery, query } from '../../router.ts';
import { SERVICE } from '../../service.ts';
import { texts } from '../../texts.ts';
import { Conflict } from '../../ui/conflict.tsx';
import { useEscape } from '../../ui/escape.ts';
import { useLoad } from '../../ui/load.ts';
import { Running } from '../../ui/running.tsx';
import { isSetting, merged, type Setting } from '../../ui/settings.ts';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { LocationPanel } from './location-panel.tsx';
import { SLIDERS, type SliderName, Sliders, type SliderValues } from './sliders.tsx';
import { canPlanAgain, isUncertain, looksAhead, useWhatIf } from './what-if.ts';
import { WorkList } from './work-list.tsx';

const MapCanvas = lazy(() => import('../../map/canvas.tsx'));
const words = texts.map;

type Base = { decision: StoredDecision | undefined; plan: PlanAnswer; planId: string; places: Place[] };

/** The plan that the address names, else that of the newest decision, with the decision that it belongs to. */
async function loadBase(planId: string | undefined, decisionId: string | undefined, signal: AbortSignal) {
  const places = await loadLocations();
  if (planId !== undefined) {
    const { job_id, ...plan } = await readPlan(planId, signal);
    const decision = job_id.startsWith('dec_')
      ? await readDecision(job_id, signal).catch(() => undefined)
      : undefined;
    return { decision, plan, planId, places } satisfies Base;
  }
  const decision = decisionId ? await readDecision(decisionId, signal) : await newestDecision(signal);
  const plan = decision?.result?.data?.plan;
  if (!decision?.plan_id || !plan) return undefined;
  return { decision, plan, planId: decision.plan_id, places } satisfies Base;
}

/** The vehicles, the places that need them, and the moves between them. */
export default function MapPage() {
  const planId = query.value.get('plan') ?? undefined;
  const decisionId = query.value.get('decision') ?? undefined;
  const { data, error, isLoading, reload } = useLoad(
    (signal) => loadBase(planId, decisionId, signal),
    [planId, decisionId],
  );
  if (error !== undefined) return <Failure error={error} onRetry={reload} />;
  if (isLoading && !data) return <Loading />;
  if (!data) {
    const command = `curl ${SERVICE}/api/v1/decisions -H 'content-type: application/json' -d '{}'`;
    return <Empty title={texts.today.empty} advice={texts.today.emptyAdvice} command={command} />;
  }
  return <PlanMap key={data.planId} base={data} />;
}

function slidersOf(search: URLSearchParams): SliderValues {
  const values = SLIDERS.map((name) => [name, search.get(name)] as const);
  const known = values.filter(([, text]) => text !== null && Number.isFinite(Number(text)));
  return Object.fromEntries(known.map(([name, text]) => [name, Number(text)]));
}

/** The values that relaxations have set and that have no slider, as in the address; undefined if none is readable. */
function alsoOf(text: string | null): Setting[] | undefined {
  try {
    const also: unknown = JSON.parse(text ?? 'null');
    const known = Array.isArray(also) ? also.filter(isSetting) : [];
    return known.length > 0 ? known : undefined;
  } catch {
    return undefined;
  }
}

function PlanMap({ base }: { base: Base }) {
  const search = query.value;
  const also = useMemo(() => alsoOf(search.get('also')), [search.get('also')]);
  const sliders = useMemo(
    () => ({ ...slidersOf(search), ...(also && { also }) }),
    [SLIDERS.map((name) => search.get(name)).join(), also],
  );
  const zone = zoneOf(base.places);
  const again = canPlanAgain(base.decision) ? base.decision : undefined;
  const isAhead = looksAhead(base.decision);
  const whatIf = useWhatIf(again, sliders, zone);
  const plan = whatIf.plan ?? base.plan;
  const planId = whatIf.planId ?? base.planId;
  const moves = useMemo(() => movesOf(plan.allocation_plan), [plan]);
  const scene = useMemo(() => sceneOf(plan, moves, base.places), [plan]);
  const hovered = useSignal<Lit>({});
  const pinned: Lit = {
    location: search.has('location') ? Number(search.get('location')) : undefined,
    move: search.get('move') ?? undefined,
  };
  const pick = ({ location, move }: Lit) =>
    changeQuery({ location: location === undefined ? undefined : String(location), move });
  useEscape(() => pick({}));
  const isHovering = hovered.value.location !== undefined || hovered.value.move !== undefined;
  const lit = isHovering ? hovered.value : pinned;
  const change = (name: SliderName, value: number | undefined) =>
    changeQuery({ [name]: value === undefined ? undefined : String(value) });
  /** Puts the sliders back to what the shown plan keeps; the one that was asked for is cancelled by that. */
  const cancel = () => {
    const { also: alsoKept, ...kept } = whatIf.changes ?? {};
    const back = SLIDERS.map((name) => [name, kept[name] === undefined ? undefined : String(kept[name])]);
    changeQuery({ ...Object.fromEntries(back), also: alsoKept && JSON.stringify(alsoKept) });
    announce(texts.today.cancelled);
  };
  const relax = (settings: Setting[]) => changeQuery(addressWith(settings, also));
  const spot = pinned.location === undefined ? undefined : scene.spots.get(pinned.location);
  const isUnknown =
    pinned.location !== undefined &&
    !spot &&
    !moves.some(({ from, to }) => from === pinned.location || to === pinned.location);
  return (
    <div class="map-page">
      <div class="picture">
        <Suspense fallback={<div class="map" />}>
          <MapCanvas
            label={words.picture}
            scene={scene}
            lit={lit}
            onHover={(found) => (hovered.value = found)}
            onPick={pick}
          />
        </Suspense>
        <Legend drawn={drawnMoves(moves)} moves={moves} />
        {(whatIf.plan?.shortfall || whatIf.faults) && (
          <div class="notice">
            <Conflict shortfall={whatIf.plan?.shortfall} faults={whatIf.faults ?? []} onApply={relax} />
          </div>
        )}
      </div>
      <div class="side">
        <h1>{sentenceOf(plan)}</h1>
        {isAhead && (
          <p>
            {isUncertain(base.decision) ? words.uncertain : words.firstStep}{' '}
            <a href={addressOf('ahead', { decision: base.decision?.decision_id })}>{texts.today.toAhead}</a>
          </p>
        )}
        {again && (
          <Sliders
            values={sliders}
            defaults={defaultsOf(base)}
            ranges={rangesOf(base)}
            onChange={change}
            also={also}
            onResetAlso={() => changeQuery({ also: undefined })}
          />
        )}
        <div class="news">
          {whatIf.isRunning && <Running progress={whatIf.progress} onCancel={cancel} />}
          {whatIf.error !== undefined && <Failure error={whatIf.error} />}
        </div>
        {spot && (
          <LocationPanel
            spot={spot}
            moves={moves}
            scene={scene}
            decision={base.decision}
            again={isAhead ? undefined : again}
            sliders={sliders}
            zone={zone}
          />
        )}
        {isUnknown && <p>{words.unknownPlace(search.get('location')!)}</p>}
        <WorkList
          planId={planId}
          moves={moves}
          scene={scene}
          location={isUnknown ? undefined : pinned.location}
          lit={lit}
          onHover={(key) => (hovered.value = key === undefined ? {} : { move: key })}
          onPick={(key) => pick({ move: key === pinned.move ? undefined : key })}
        />
        {base.plan.shortfall && plan === base.plan && !whatIf.faults && (
          <div class="notice">
            <Conflict shortfall={base.plan.shortfall} onApply={relax} />
          </div>
        )}
      </div>
    </div>
  );
}

const SLIDER_OF: Record<string, SliderName> = {
  min_service_level: 'service',
  max_distance: 'distance',
  max_rebalancing_cost: 'ceiling',
};

/** The parts of the address that hold settings: sliders where there is one, the others beside those already there. */
function addressWith(settings: readonly Setting[], also: readonly Setting[] = []) {
  const slid = settings.flatMap(({ name, value }) =>
    SLIDER_OF[name] ? [[SLIDER_OF[name], String(value)]] : [],
  );
  const others = settings.filter(({ name }) => !SLIDER_OF[name]);
  const all = new Map<string, Setting>();
  for (const setting of [...also, ...others]) {
    const before = all.get(setting.name);
    all.set(setting.name, before ? merged(before, setting) : setting);
  }
  return { ...Object.fromEntries(slid), ...(all.size > 0 && { also: JSON.stringify([...all.values()]) }) };
}

function sentenceOf({ kpis, locations = [] }: PlanAnswer): string {
  const short = locations.filter(({ unmet }) => unmet > 0).length;
  const km = kpis.total_distance_km === null ? '' : kilometres(kpis.total_distance_km);
  return words.sentence(percent(kpis.demand_coverage), count(kpis.rebalanced_count), km, count(short));
}

/** The sliders at the decision's own values; those that it leaves to the service are at their defaults. */
function defaultsOf({ decision, plan }: Base): Record<SliderName, number> {
  const constraints = decision?.inputs?.request.constraints ?? {};
  const price = constraints.unmet_demand_cost;
  return {
    service: constraints.min_service_level ?? plan.shortfall?.requested ?? 0.95,
    distance: Math.min(constraints.max_distance ?? 100, rangesOf({ plan } as Base).distance.to),
    ceiling: constraints.max_rebalancing_cost ?? rangesOf({ plan } as Base).ceiling.to,
    price: typeof price === 'number' ? price : 0,
  };
}

function rangesOf({ plan }: Pick<Base, 'plan'>) {
  // Room for twice the plan's cost, in about a hundred steps of a round size.
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, plan.total_cost))) - 1);
  const most = Math.max(10, Math.ceil((plan.total_cost * 2.5) / step)) * step;
  return {
    service: { from: 0.5, to: 1, step: 0.005 },
    distance: { from: 0.5, to: 30, step: 0.5 },
    ceiling: { from: 0, to: most, step },
    price: { from: 0, to: 20, step: 0.5 },
  };
}
