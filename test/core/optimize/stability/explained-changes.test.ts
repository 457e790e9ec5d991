/** @module-tag slow */
import { beforeAll, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { optimizeCached as optimize } from '../cached.ts';
import { cheapestByTryingAll, readFacts } from '../exhaustive.ts';
import { createRandom, randomInstance, SETTINGS } from '../instances.ts';
import { withPairRules } from '../pair-rules.ts';
import { startSolverThread } from '../solver-thread.ts';
import { withPrevious } from './previous-plans.ts';

beforeAll(startSolverThread);

const INSTANCES = 250;
/** Money; figures are multiples of 1e-4. */
const TOLERANCE = 1e-6;

test('insights weigh what changes cost: each is the difference of two cheapest plans, on random requests', async () => {
  const seen = {
    more: 0,
    fewer: 0,
    'fewer saves': 0,
    demand: 0,
    moves: 0,
    'no plan': 0,
    pairs: 0,
    binding: 0,
    changed: 0,
  };
  const wrong: unknown[] = [];
  // On a machine with much else to do, time may end first.
  let incomplete = 0;
  for (const seed of seeds(60_001, 60_000 + INSTANCES)) {
    const { request: asked, locations } = randomInstance(seed);
    const { ids } = readFacts(asked, locations);
    const random = createRandom(seed);
    // One capacity, so it is clear which vehicles may be added or removed; every vehicle is operational.
    const vehicles = asked.fleet_state.vehicles
      .slice(0, 4)
      .map(({ id, location }) => ({ id: id!, location }));
    if (vehicles.length === 0) continue;
    const { min_demand_coverage: _, ...constraints } = asked.constraints ?? {};
    const plain: OptimizeRequest = {
      ...asked,
      // Every location stays one, whichever vehicle is taken away.
      demand_forecast: { ...Object.fromEntries(ids.map((id) => [id, [0]])), ...asked.demand_forecast },
      fleet_state: { vehicles },
      constraints: { ...constraints, min_service_level: random.pick([0, 0.4, 0.8, 1]) },
      options: { ...asked.options, demand_aggregation: 'peak', explain: true, optimality_gap: 0 },
    };
    const rules = { vehicles: 2, pairs: 3, from: 2, cost: 10 };
    const ruled = seed % 2 === 0 ? withPairRules(plain, seed, rules) : plain;
    const { request, previous } = withPrevious(ruled, ids, seed, 20);
    const outcome = await optimize({ request, locations, settings: SETTINGS, previous });
    if (outcome.status !== 'optimal') continue;
    const { insights, stability, refinement } = outcome.result;
    const { objective } = outcome.certificate;
    if (!insights!.complete) {
      incomplete++;
      continue;
    }
    /** By how much a change of the request changes the objective; null if no plan is left. */
    const added = (changed: Partial<OptimizeRequest>) => {
      const found = cheapestByTryingAll({ ...request, ...changed }, locations, SETTINGS, null, previous);
      return found && found.costUnits / 1e4 - objective;
    };
    const compare = (found: number | null, expected: number | null, what: string) => {
      const isSame =
        expected === null || found === null ? found === expected : Math.abs(found - expected) < TOLERANCE;
      if (!isSame) wrong.push({ seed, what, found, expected });
      if (expected === null) seen['no plan']++;
    };
    const withVehicles = (list: typeof vehicles) => added({ fleet_state: { vehicles: list } });
    for (const { location_id, ...figures } of insights!.locations) {
      const more = withVehicles([...vehicles, { id: 'new', location: location_id }]);
      compare(figures.one_more_saves === null ? null : -figures.one_more_saves, more, `more ${location_id}`);
      if (figures.one_more_saves) seen.more++;
      // Which of its vehicles is taken away is free.
      const each = vehicles.flatMap(({ location }, at) =>
        location === location_id ? [withVehicles(vehicles.toSpliced(at, 1))] : [],
      );
      if (each.length > 0) {
        const most = Number.POSITIVE_INFINITY;
        const fewer = Math.min(...each.map((cost) => cost ?? most));
        compare(figures.one_fewer_costs, fewer === most ? null : fewer, `fewer ${location_id}`);
        if (figures.one_fewer_costs) seen[figures.one_fewer_costs < 0 ? 'fewer saves' : 'fewer']++;
      }
      const steps = request.demand_forecast[`${location_id}`];
      if (steps) {
        const raised = steps.map((step) => step + insights!.demand_step);
        const dearer = added({ demand_forecast: { ...request.demand_forecast, [location_id]: raised } });
        compare(figures.more_demand_costs, dearer, `demand ${location_id}`);
        seen.demand++;
      }
    }
    for (const { source_location: from, target_location: to, forbidding_costs } of insights!.moves) {
      const { costUnits } = readFacts(request, locations);
      const costOf = (i: number, j: number) =>
        (i === from && j === to) || costUnits(i, j) === Number.POSITIVE_INFINITY
          ? null
          : costUnits(i, j) / 1e4;
      const network = { location_ids: ids, costs: ids.map((i) => ids.map((j) => costOf(i, j))) };
      compare(forbidding_costs, added({ network }), `move ${from} ${to}`);
      seen.moves++;
    }
    for (const { constraint, relaxed_value, saves } of insights!.binding_constraints) {
      if (constraint !== 'min_service_level') continue;
      const relaxed = { ...request.constraints, min_service_level: relaxed_value };
      compare(saves === null ? null : -saves, added({ constraints: relaxed }), constraint);
      seen.binding++;
    }
    if (refinement?.pair_cost) seen.pairs++;
    if (stability!.changed_vehicles > 0) seen.changed++;
  }
  expect(wrong).toEqual([]);
  expect(incomplete).toBeLessThan(INSTANCES / 20);
  for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(enough(5));
});
