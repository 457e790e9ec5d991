import { beforeAll, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { optimizeCached as optimize } from '../cached.ts';
import { cheapestAboveFloors, readFacts } from '../exhaustive.ts';
import { randomInstance, SETTINGS } from '../instances.ts';
import { startSolverThread } from '../solver-thread.ts';
import { withPriorities } from './instances.ts';

beforeAll(startSolverThread);

test('insights compare with the plans that serve as much of every level', { tags: 'slow' }, async () => {
  let compared = 0;
  let costly = 0;
  for (const seed of seeds(40_001, 40_120)) {
    const { request: asked, locations } = withPriorities(randomInstance(seed), seed);
    // One capacity, so it is clear which vehicle is added or removed; every vehicle is operational.
    const vehicles = asked.fleet_state.vehicles.slice(0, 4).map(({ id, location }) => ({ id, location }));
    const request: OptimizeRequest = {
      ...asked,
      fleet_state: { vehicles },
      options: { ...asked.options, explain: true },
    };
    const outcome = await optimize({ request, locations, settings: SETTINGS });
    if (outcome.status !== 'optimal' || !outcome.result.priorities || vehicles.length === 0) continue;
    const { total_cost, insights, priorities } = outcome.result;
    expect(insights!.complete).toBe(true);
    let served = 0;
    const floors = priorities.map((one) => {
      served += one.served;
      return { level: one.level, served };
    });
    const cost = (list: typeof vehicles) => {
      const found = cheapestAboveFloors({ ...request, fleet_state: { vehicles: list } }, locations, floors);
      return found === null ? null : found / 1e4;
    };
    const { ids } = readFacts(request, locations);
    for (const { location_id, one_more_saves, one_fewer_costs, error_at_most } of insights!.locations) {
      expect(error_at_most, `${seed}`).toBe(0);
      expect(ids).toContain(location_id);
      const more = cost([...vehicles, { id: 'new', location: location_id }]);
      const saved = more === null ? null : total_cost - more;
      compared++;
      expectClose(one_more_saves, saved, `${seed} more ${location_id}`);
      const at = vehicles.findIndex(({ location }) => location === location_id);
      const others = vehicles.filter(({ location }) => location === location_id).length;
      if (at < 0 || others === 1) continue;
      const fewer = cost(vehicles.toSpliced(at, 1));
      expectClose(
        one_fewer_costs,
        fewer === null ? null : fewer - total_cost,
        `${seed} fewer ${location_id}`,
      );
      if (fewer === null || fewer > total_cost) costly++;
    }
  }
  expect(compared).toBeGreaterThan(enough(50));
  expect(costly).toBeGreaterThan(enough(10));
});

function expectClose(found: number | null, expected: number | null, what: string): void {
  if (expected === null || found === null) expect(found, what).toBe(expected);
  else expect(found, what).toBeCloseTo(expected, 6);
}
