import { useSignal } from '@preact/signals';
import { lazy, Suspense } from 'preact/compat';
import { useMemo } from 'preact/hooks';
import { get } from '../../api/client.ts';
import type { PlanAnswer } from '../../api/decisions.ts';
import { loadLocations } from '../../api/locations.ts';
import { movesOf } from '../../api/moves.ts';
import { readPlan } from '../../api/plans.ts';
import type { PlanComparison } from '../../api/types.ts';
import { count, decimal, kilometres, points, signed } from '../../format.ts';
import type { Lit } from '../../map/draw.ts';
import { Legend } from '../../map/legend.tsx';
import { drawnMoves } from '../../map/scene.ts';
import { sceneOf } from '../../map/scene-of.ts';
import { texts } from '../../texts.ts';
import { Figure } from '../../ui/figure.tsx';
import { useLoad } from '../../ui/load.ts';
import { Failure, Loading } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';

const MapCanvas = lazy(() => import('../../map/canvas.tsx'));
const words = texts.plans;

type Change = NonNullable<PlanComparison['locations']>[number];

/** The differences of the second plan: on the map as a movement from the first to it, and by location. */
export function Comparison({ a, b }: { a: string; b: string }) {
  const { data, error, reload } = useLoad(
    async (signal) => {
      const path = `/api/v1/plans/${encodeURIComponent(a)}/compare/${encodeURIComponent(b)}?limit=1`;
      const [compared, planA, planB, places] = await Promise.all([
        get<PlanComparison>(path, signal),
        readPlan(a, signal),
        readPlan(b, signal),
        loadLocations(),
      ]);
      return { compared, planA, planB, places };
    },
    [a, b],
  );
  const isSecond = useSignal(true);
  const lit = useSignal<Lit>({});
  const sides = useMemo(() => {
    const sideOf = (plan: PlanAnswer) => {
      const moves = movesOf(plan.allocation_plan);
      return { moves, scene: sceneOf(plan, moves, data!.places) };
    };
    return data && { a: sideOf(data.planA), b: sideOf(data.planB) };
  }, [data]);
  if (!data || !sides) {
    return (
      <section class="comparison" aria-label={words.comparison}>
        {error === undefined ? <Loading /> : <Failure error={error} onRetry={reload} />}
      </section>
    );
  }
  const { scene, moves } = isSecond.value ? sides.b : sides.a;
  const { kpi_differences: kpis, vehicles, locations } = data.compared;
  return (
    <section class="comparison" aria-label={words.comparison}>
      <h2>{words.comparison}</h2>
      <dl class="figures">
        <Figure label={words.coverage} value={words.points(signed(kpis.demand_coverage, points))} />
        <Figure label={words.cost} value={signed(kpis.total_cost, decimal)} />
        <Figure label={words.moved} value={signed(kpis.rebalanced_count)} />
        {kpis.total_distance_km !== null && (
          <Figure label={words.distance} value={signed(kpis.total_distance_km, kilometres)} />
        )}
        <Figure
          label={words.different}
          value={count(vehicles.different)}
          note={words.same(count(vehicles.same))}
        />
      </dl>
      <div class="columns">
        <div class="compared">
          <fieldset class="toggle">
            <legend class="unseen">{words.shown}</legend>
            <button type="button" aria-pressed={!isSecond.value} onClick={() => (isSecond.value = false)}>
              {words.first}
            </button>
            <button type="button" aria-pressed={isSecond.value} onClick={() => (isSecond.value = true)}>
              {words.second}
            </button>
          </fieldset>
          <Suspense fallback={<div class="map" />}>
            <MapCanvas
              label={texts.map.picture}
              scene={scene}
              isInPage
              lit={lit.value}
              onHover={(found) => (lit.value = found)}
              onPick={() => {}}
            />
          </Suspense>
          <Legend drawn={drawnMoves(moves)} moves={moves} />
        </div>
        {locations && <Changes changes={locations} onHover={(location) => (lit.value = { location })} />}
      </div>
    </section>
  );
}

function Changes({ changes, onHover }: { changes: Change[]; onHover: (id: number | undefined) => void }) {
  const difference = ({ figures, other_figures: other }: Change, name: 'vehicles_after' | 'unmet') =>
    (other?.[name] ?? 0) - (figures?.[name] ?? 0);
  const unmet = (change: Change) => Math.round(difference(change, 'unmet'));
  const vehicles = (change: Change) => difference(change, 'vehicles_after');
  // Another demand changes a little everywhere; what would be written as no change is none.
  const changed = changes.filter((change) => vehicles(change) !== 0 || unmet(change) !== 0);
  const sorted = changed.toSorted(
    (x, y) => Math.abs(vehicles(y)) - Math.abs(vehicles(x)) || Math.abs(unmet(y)) - Math.abs(unmet(x)),
  );
  const columns: Column<Change>[] = [
    {
      name: texts.today.location,
      value: ({ name, location_id }) => name ?? String(location_id),
      cell: ({ name, location_id }) => name ?? location_id,
    },
    {
      name: words.vehiclesHere,
      value: vehicles,
      cell: (change) => signed(vehicles(change)),
      isNumber: true,
    },
    {
      name: words.unmetHere,
      value: unmet,
      cell: (change) => signed(unmet(change)),
      isNumber: true,
    },
  ];
  if (changed.length === 0) return <p>{words.noChange}</p>;
  return (
    <Table
      caption={words.changes}
      columns={columns}
      rows={sorted}
      keyOf={({ location_id }) => String(location_id)}
      most={12}
      onHover={(key) => onHover(key === undefined ? undefined : Number(key))}
      onSelect={(key) => onHover(Number(key))}
    />
  );
}
