import { beforeAll, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { optimizeCached as optimize } from '../cached.ts';
import { cheapestByTryingAll, readFacts } from '../exhaustive.ts';
import { createRandom, randomInstance, SETTINGS } from '../instances.ts';
import { startSolverThread } from '../solver-thread.ts';
import { randomPrice } from '../unmet-prices.ts';

beforeAll(startSolverThread);

/** The cost of unmet demand is rounded up to 1e-4 in each of the two plans that a figure compares. */
const TOLERANCE = 2.1e-4;

test('insights weigh what unmet demand costs', { tags: 'slow' }, async () => {
  const seen = { more: 0, fewer: 0, demand: 0, moves: 0, partly: 0 };
  for (const seed of seeds(50_001, 50_100)) {
    const { request: asked, locations } = randomInstance(seed);
    const random = createRandom(seed);
    // One capacity, so it is clear which vehicle is added or removed; every vehicle is operational.
    const vehicles = asked.fleet_state.vehicles.slice(0, 4).map(({ id, location }) => ({ id, location }));
    const { min_demand_coverage: _, ...constraints } = asked.constraints ?? {};
    const request: OptimizeRequest = {
      ...asked,
      fleet_state: { vehicles },
      constraints: {
        ...constraints,
        min_service_level: random.pick([0, 0, 0.4]),
        unmet_demand_cost: randomPrice(random, readFacts(asked, locations).ids),
      },
      options: { ...asked.options, demand_aggregation: 'peak', explain: true },
    };
    const outcome = await optimize({ request, locations, settings: SETTINGS });
    if (outcome.status !== 'optimal' || vehicles.length === 0) continue;
    const { insights, kpis, total_cost } = outcome.result;
    const objective = total_cost + kpis.unmet_demand_cost!;
    expect(insights!.complete, `${seed}`).toBe(true);
    /** By how much a change of the request changes the objective; null if no plan is left. */
    const added = (changed: Partial<OptimizeRequest>) => {
      const found = cheapestByTryingAll({ ...request, ...changed }, locations);
      return found && found.costUnits / 1e4 - objective;
    };
    const compare = (found: number | null, expected: number | null, what: string) => {
      if (expected === null || found === null) expect(found, `${seed} ${what}`).toBe(expected);
      else expect(Math.abs(found - expected), `${seed} ${what}`).toBeLessThan(TOLERANCE);
    };
    const withVehicles = (list: typeof vehicles) => added({ fleet_state: { vehicles: list } });
    for (const { location_id, ...figures } of insights!.locations) {
      expect(figures.error_at_most, `${seed}`).toBeLessThan(TOLERANCE);
      const more = withVehicles([...vehicles, { id: 'new', location: location_id }]);
      compare(figures.one_more_saves, more === null ? null : -more, `more ${location_id}`);
      if (more !== null && more < 0) seen.more++;
      const at = vehicles.findIndex(({ location }) => location === location_id);
      if (at >= 0) {
        const fewer = withVehicles(vehicles.toSpliced(at, 1));
        compare(figures.one_fewer_costs, fewer, `fewer ${location_id}`);
        if (fewer !== null && fewer > 0) seen.fewer++;
      }
      const steps = request.demand_forecast[`${location_id}`];
      if (steps) {
        const raised = steps.map((step) => step + insights!.demand_step);
        const dearer = added({ demand_forecast: { ...request.demand_forecast, [location_id]: raised } });
        compare(figures.more_demand_costs, dearer, `demand ${location_id}`);
        seen.demand++;
      }
    }
    for (const { forbidding_costs } of insights!.moves) {
      expect(forbidding_costs ?? 0, `${seed}`).toBeGreaterThanOrEqual(0);
      seen.moves++;
    }
    if (kpis.unmet_demand_cost! > 0 && total_cost > 0) seen.partly++;
  }
  expect(seen.more).toBeGreaterThan(enough(20));
  expect(seen.fewer).toBeGreaterThan(enough(20));
  expect(seen.demand).toBeGreaterThan(enough(50));
  expect(seen.moves).toBeGreaterThan(enough(5));
  expect(seen.partly).toBeGreaterThan(enough(2));
});
