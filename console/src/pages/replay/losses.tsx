import { useSignal } from '@preact/signals';
import { lazy, Suspense } from 'preact/compat';
import { useMemo } from 'preact/hooks';
import type { Place } from '../../api/locations.ts';
import type { Replay, ReplayedPolicy } from '../../api/types.ts';
import { count, percent } from '../../format.ts';
import type { Lit } from '../../map/draw.ts';
import type { Scene } from '../../map/scene.ts';
import { changeQuery, query } from '../../router.ts';
import { texts } from '../../texts.ts';
import { useEscape } from '../../ui/escape.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { hourFormat, startOf } from './period.ts';
import { titleOf } from './policies.ts';

const MapCanvas = lazy(() => import('../../map/canvas.tsx'));
const words = texts.replay;

type Loss = {
  id: number;
  name: string;
  demand: number;
  lost: number;
  /** With the policy that others are compared with. */
  lostBefore: number;
};

type Props = { replay: Replay; chosen: ReplayedPolicy; baseline: ReplayedPolicy; places: Place[] };

/** The locations with lost trips, the most first: a map and a table, which are one selection. */
export function Losses({ replay, chosen, baseline, places }: Props) {
  const hour = hourIn(replay);
  const losses = useMemo(
    () => lossesOf(replay, chosen, baseline, places, hour),
    [replay, chosen, baseline, places, hour],
  );
  const scene = useMemo(() => sceneOf(losses, places), [losses]);
  const hovered = useSignal<number | undefined>(undefined);
  const named = query.value.get('location');
  const pinned = named === null ? undefined : Number(named);
  const location = hovered.value ?? pinned;
  const pick = (id: number | undefined) =>
    changeQuery({ location: id === undefined || id === pinned ? undefined : String(id) });
  useEscape(() => changeQuery({ location: undefined }));
  const title = words.where(titleOf(chosen.name));
  const shown = losses.find(({ id }) => id === location);
  return (
    <section>
      <h2>{title}</h2>
      <HourChoice replay={replay} hour={hour} />
      <p>
        {shown ? sentenceOf(shown, chosen.name === baseline.name ? undefined : baseline) : words.pointAtOne}
      </p>
      <div class="columns even">
        {scene.spots.size > 0 && (
          <div class="compared above">
            <Suspense fallback={<div class="map" />}>
              <MapCanvas
                label={words.picture}
                scene={scene}
                isInPage
                lit={{ location } satisfies Lit}
                onHover={(found) => (hovered.value = found.location)}
                onPick={(found) => pick(found.location)}
              />
            </Suspense>
            <Legend baseline={chosen.name === baseline.name ? undefined : baseline} />
          </div>
        )}
        <Table
          caption={title}
          columns={columnsOf(losses, chosen, baseline)}
          rows={losses}
          keyOf={({ id }) => String(id)}
          selected={location === undefined ? undefined : String(location)}
          onHover={(key) => (hovered.value = key === undefined ? undefined : Number(key))}
          onSelect={(key) => pick(Number(key))}
        />
      </div>
    </section>
  );
}

/** The hour that the address names, counted from the first; undefined: all of them. */
function hourIn({ demand_by_hour_and_location: demand }: Replay): number | undefined {
  const named = query.value.get('hour');
  const hour = Number(named);
  return named !== null && demand?.[hour] ? hour : undefined;
}

/** All hours together, or one; nothing to choose in a replay that is too large to say it of each. */
function HourChoice({ replay, hour }: { replay: Replay; hour: number | undefined }) {
  const hours = replay.demand_by_hour_and_location?.length ?? 0;
  const options = useMemo(() => {
    const format = hourFormat(replay);
    return Array.from({ length: hours }, (_, at) => format.format(startOf(replay, at)));
  }, [replay]);
  if (hours === 0) return null;
  return (
    <div class="controls">
      <label>
        {words.hour}
        <select onChange={(event) => changeQuery({ hour: event.currentTarget.value || undefined })}>
          <option value="" selected={hour === undefined}>
            {words.allHours}
          </option>
          {options.map((text, at) => (
            <option key={at} value={String(at)} selected={at === hour}>
              {text}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function lossesOf(
  replay: Replay,
  chosen: ReplayedPolicy,
  baseline: ReplayedPolicy,
  places: Place[],
  hour: number | undefined,
): Loss[] {
  const names = new Map(places.map(({ id, name }) => [id, name]));
  const demandHere =
    hour === undefined ? replay.demand_by_location : replay.demand_by_hour_and_location?.[hour];
  const lostOf = ({ served_by_location: served, lost_by_hour_and_location: lost }: ReplayedPolicy) =>
    hour === undefined ? served.map((trips, i) => replay.demand_by_location[i] - trips) : lost?.[hour];
  const [lost, lostBefore] = [chosen, baseline].map(lostOf);
  const losses = replay.location_ids.map(
    (id, i): Loss => ({
      ...{ id, name: names.get(id) ?? String(id), demand: demandHere?.[i] ?? 0 },
      ...{ lost: lost?.[i] ?? 0, lostBefore: lostBefore?.[i] ?? 0 },
    }),
  );
  return losses.toSorted((a, b) => b.lost - a.lost);
}

/** Trips as discs and those that were served as rings within them: what is between them was lost. */
function sceneOf(losses: Loss[], places: Place[]): Scene {
  const known = new Map(places.map((place) => [place.id, place]));
  const spots: Scene['spots'] = new Map();
  for (const { id, name, demand, lost, lostBefore } of losses) {
    const place = known.get(id);
    // A replay names locations that may have been deleted since.
    if (!place) continue;
    const { longitude, latitude } = place;
    spots.set(id, {
      id,
      name,
      longitude,
      latitude,
      demand,
      before: demand - lostBefore,
      after: demand - lost,
    });
  }
  return { spots, arcs: new Map() };
}

function sentenceOf({ name, demand, lost, lostBefore }: Loss, baseline: ReplayedPolicy | undefined): string {
  const share = demand > 0 ? lost / demand : 0;
  const found = words.lostHere(name, count(lost), count(demand), percent(share));
  if (!baseline) return `${found}.`;
  const fewer = Math.round(lostBefore) - Math.round(lost);
  const compared = fewer < 0 ? words.lostMore : words.lostFewer;
  return `${found}; ${compared(count(Math.abs(fewer)), titleOf(baseline.name))}`;
}

function Legend({ baseline }: { baseline: ReplayedPolicy | undefined }) {
  return (
    <div class="legend">
      <span class="scale">
        {words.allServed} <i class="ramp lost" /> {words.allLost}
      </span>
      <span>
        <i class="disc" /> {words.tripsHere}
      </span>
      <span>
        <i class="ring" /> {words.served}
      </span>
      {baseline && (
        <span>
          <i class="ring dashed" /> {words.servedWith(titleOf(baseline.name))}
        </span>
      )}
    </div>
  );
}

function columnsOf(losses: Loss[], chosen: ReplayedPolicy, baseline: ReplayedPolicy): Column<Loss>[] {
  const amount = (name: string, value: (row: Loss) => number, write = count): Column<Loss> => ({
    name,
    value,
    cell: (row) => write(value(row)),
    isNumber: true,
  });
  const most = Math.max(1, ...losses.map(({ lost }) => lost));
  return [
    { name: words.location, value: ({ name }) => name, cell: ({ name }) => name },
    {
      name: words.lost,
      value: ({ lost }) => lost,
      cell: ({ lost }) => (
        <span class="share short">
          <i aria-hidden="true">
            <i style={{ width: `${(100 * lost) / most}%` }} />
          </i>
          {count(lost)}
        </span>
      ),
      isNumber: true,
    },
    ...(chosen.name === baseline.name
      ? []
      : [amount(words.lostWith(titleOf(baseline.name)), ({ lostBefore }) => lostBefore)]),
    amount(words.tripsHere, ({ demand }) => demand),
    amount(words.served, ({ demand, lost }) => (demand > 0 ? 1 - lost / demand : 1), percent),
  ];
}
