import { beforeAll, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { optimizeCached as optimize } from '../cached.ts';
import { cheapestByTryingAll } from '../exhaustive.ts';
import { createRandom, randomInstance, SETTINGS } from '../instances.ts';
import { startSolverThread } from '../solver-thread.ts';

beforeAll(startSolverThread);

const TOLERANCE = 1.1e-4;

test('insights count pinned vehicles among those that the fleet size lets serve', {
  tags: 'slow',
}, async () => {
  const seen = { more: 0, fewer: 0, demand: 0, onlyPinned: 0 };
  for (const seed of seeds(60_001, 60_200)) {
    const { request: asked, locations } = randomInstance(seed);
    const random = createRandom(seed);
    // One capacity, so it is clear which vehicle is added or removed; every vehicle is operational.
    const vehicles = asked.fleet_state.vehicles
      .slice(0, 5)
      .map(({ id, location }) => ({ id, location, pinned: random.chance(0.4) }));
    const request: OptimizeRequest = {
      ...asked,
      fleet_state: { vehicles },
      constraints: { ...asked.constraints, total_fleet_size: random.integer(1, vehicles.length + 1) },
      options: { ...asked.options, demand_aggregation: 'peak', explain: true },
    };
    const outcome = await optimize({ request, locations, settings: SETTINGS });
    if (outcome.status !== 'optimal' || vehicles.length === 0) continue;
    const { insights, total_cost, allocation_plan } = outcome.result;
    expect(insights!.complete, `${seed}`).toBe(true);
    expect(
      insights!.moves.reduce((sum, move) => sum + move.vehicles, 0),
      `${seed}`,
    ).toBe(allocation_plan.filter((item) => item.target_location !== item.source_location).length);
    /** By how much a change of the request changes the cost; null if no plan is left. */
    const added = (changed: Partial<OptimizeRequest>) => {
      const found = cheapestByTryingAll({ ...request, ...changed }, locations);
      return found && found.costUnits / 1e4 - total_cost;
    };
    const compare = (found: number | null, expected: number | null, what: string) => {
      if (expected === null || found === null) expect(found, `${seed} ${what}`).toBe(expected);
      else expect(Math.abs(found - expected), `${seed} ${what}`).toBeLessThan(TOLERANCE);
    };
    const withVehicles = (list: typeof vehicles) => added({ fleet_state: { vehicles: list } });
    for (const { location_id, ...figures } of insights!.locations) {
      const newcomer = { id: 'new', location: location_id, pinned: false };
      const more = withVehicles([...vehicles, newcomer]);
      compare(figures.one_more_saves, more === null ? null : -more, `more ${location_id}`);
      if (more !== null && more < 0) seen.more++;
      const at = vehicles.findIndex(({ location, pinned }) => location === location_id && !pinned);
      const fewer = at < 0 ? null : withVehicles(vehicles.toSpliced(at, 1));
      compare(figures.one_fewer_costs, fewer, `fewer ${location_id}`);
      if (fewer !== null && fewer > 0) seen.fewer++;
      if (at < 0 && vehicles.some(({ location }) => location === location_id)) seen.onlyPinned++;
      const steps = request.demand_forecast[`${location_id}`];
      if (!steps) continue;
      const raised = steps.map((step) => step + insights!.demand_step);
      const dearer = added({ demand_forecast: { ...request.demand_forecast, [location_id]: raised } });
      compare(figures.more_demand_costs, dearer, `demand ${location_id}`);
      seen.demand++;
    }
  }
  expect(seen.more).toBeGreaterThan(enough(15));
  expect(seen.fewer).toBeGreaterThan(enough(5));
  expect(seen.demand).toBeGreaterThan(enough(100));
  expect(seen.onlyPinned).toBeGreaterThan(enough(15));
});
