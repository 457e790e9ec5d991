import { beforeAll, describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { computeInsights } from '../../../../src/core/optimize/insights/insights.ts';
import type { ConstraintName } from '../../../../src/core/optimize/problem/constraints.ts';
import { solveProblem } from '../../../../src/core/optimize/solve.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { namedByBounds } from '../bounds-by-location.ts';
import { buildCached as buildProblem, optimizeCached as optimize } from '../cached.ts';
import { changed } from '../changed-requests.ts';
import { cheapestByTryingAll } from '../exhaustive.ts';
import { cityInstance, type Instance, randomInstance, SETTINGS } from '../instances.ts';
import { startSolverThread } from '../solver-thread.ts';

async function explained({ request, locations }: Pick<Instance, 'request' | 'locations'>) {
  const outcome = await optimize({
    request: { ...request, options: { ...request.options, explain: true } },
    locations,
    settings: SETTINGS,
  });
  return outcome.status === 'optimal' ? outcome.result : null;
}

const lifted = {
  min_service_level: 0,
  max_distance: 1e6,
  min_vehicles_per_location: 0,
  max_vehicles_per_location: 1e6,
  total_fleet_size: 1e6,
};

beforeAll(startSolverThread);

describe('insights', () => {
  test('are what trying every plan with one vehicle more or fewer gives', { tags: 'slow' }, async () => {
    let compared = 0;
    let binding = 0;
    for (const seed of seeds(30_001, 30_150)) {
      const instance = randomInstance(seed);
      const { request, locations } = instance;
      // One capacity, so it is clear which vehicle is added or removed; every vehicle is operational.
      const vehicles = request.fleet_state.vehicles.slice(0, 4).map(({ id, location }) => ({ id, location }));
      request.fleet_state = { vehicles };
      const result = await explained(instance);
      if (!result || vehicles.length === 0) continue;
      const insights = result.insights!;
      expect(insights.complete).toBe(true);
      expect(insights.bound).toBe(result.total_cost);
      const cost = (list: OptimizeRequest['fleet_state']['vehicles'], constraints = request.constraints) => {
        const found = cheapestByTryingAll(
          { ...request, constraints, fleet_state: { vehicles: list } },
          locations,
        );
        return found && found.costUnits / 1e4;
      };
      const constraintsWith = (name: string, value: number) =>
        changed(request, name as ConstraintName, value).constraints;
      for (const { location_id, one_more_saves, one_fewer_costs, error_at_most } of insights.locations) {
        expect(error_at_most).toBe(0);
        const more = cost([...vehicles, { id: 'new', location: location_id }]);
        const at = vehicles.findIndex((v) => v.location === location_id);
        // A location with only this vehicle and no demand would no longer be part of the problem: not comparable.
        const leaves =
          vehicles.filter((v) => v.location === location_id).length === 1 &&
          !request.network &&
          !(location_id in request.demand_forecast) &&
          !namedByBounds(request.constraints).includes(location_id);
        const fewer = at < 0 ? null : cost(vehicles.toSpliced(at, 1));
        expectClose(
          one_more_saves,
          more === null ? null : result.total_cost - more,
          `${seed} more ${location_id}`,
        );
        if (!leaves) {
          expectClose(
            one_fewer_costs,
            fewer === null ? null : fewer - result.total_cost,
            `${seed} fewer ${location_id}`,
          );
        }
        compared++;
      }
      for (const [name, value] of Object.entries(lifted)) {
        const without = cost(vehicles, constraintsWith(name, value))!;
        const found = insights.binding_constraints.find(({ constraint }) => constraint === name);
        expect(found !== undefined, `${seed} ${name}`).toBe(without < result.total_cost - 1e-6);
        if (!found) continue;
        binding++;
        const relaxed = cost(vehicles, constraintsWith(name, found.relaxed_value))!;
        expectClose(found.saves, result.total_cost - relaxed, `${seed} ${name} ${found.relaxed_value}`);
      }
    }
    expect(compared).toBeGreaterThan(enough(100));
    expect(binding).toBeGreaterThan(enough(10));
  });

  test('of a larger network and of the same problem solved anew agree', async () => {
    const { request, locations } = cityInstance(21, { locations: 20, perLocation: 5, fractional: false });
    const result = await explained({ request, locations });
    const insights = result!.insights!;
    expect(insights.complete).toBe(true);
    for (const { location_id, one_more_saves } of insights.locations.slice(0, 5)) {
      const vehicles = [...request.fleet_state.vehicles, { id: 'new', location: location_id }];
      const more = await optimize({
        request: { ...request, fleet_state: { vehicles } },
        locations,
        settings: SETTINGS,
      });
      if (more.status !== 'optimal') throw new Error(more.status);
      expect(one_more_saves).toBeCloseTo(result!.total_cost - more.result.total_cost, 6);
    }
  });

  test.each([
    ['a network', { locations: 60, perLocation: 10, fractional: false }],
    ['no network', { locations: 60, perLocation: 10, fractional: true, capacities: [1, 2, 3] }],
  ])('that the time limit leaves undone are said to be so: %s', async (_, size) => {
    const { request, locations } = cityInstance(22, size);
    const problem = buildProblem(request, locations, { ...SETTINGS, maxRebalancingCost: null });
    const outcome = await solveProblem(problem, 0.5, { deadlineMs: performance.now() + 60_000 });
    if (outcome.kind !== 'solved') throw new Error(outcome.kind);
    const insights = await computeInsights(problem, outcome.solution, { deadlineMs: performance.now() });
    expect(insights).toMatchObject({ complete: false, bound: outcome.solution.boundUnits / 1e4 });
    expect(insights.locations).toHaveLength(60);
    expect(insights.moves.length).toBeGreaterThan(10);
    for (const move of insights.moves) {
      if (move.forbidding_costs === null) expect(move.error_at_most).toBeNull();
    }
    expect(insights.moves.at(-1)!.forbidding_costs).toBeNull();
  });

  function expectClose(found: number | null, expected: number | null, what: string): void {
    if (expected === null || found === null) expect(found, what).toBe(expected);
    else expect(found, what).toBeCloseTo(expected, 6);
  }
});
