import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { confirmFlow } from '../../../../src/core/optimize/flow/flow-confirm.ts';
import { asFlowProblem, solvePureFlow } from '../../../../src/core/optimize/flow/pure-flow.ts';
import { solveFlow } from '../../../../src/core/optimize/flow/solve-flow.ts';
import { withNetwork } from '../../../../src/core/optimize/problem/variants.ts';
import { checkRequest } from '../../../../src/core/optimize/request/check.ts';
import { buildCached as buildProblem, optimizeCached as optimize, threadCache } from '../cached.ts';
import { cityInstance, createRandom, SETTINGS } from '../instances.ts';

const locations = [1, 2, 3].map((id) => ({ id, latitude: 40 + id / 10, longitude: -74 }));

/** Six vehicles at location 1; demand at locations 2 and 3. */
function request(change: Partial<OptimizeRequest> = {}, capacity = 1): OptimizeRequest {
  return {
    demand_forecast: { '1': [0], '2': [2 * capacity], '3': [capacity] },
    fleet_state: { vehicles: Array.from({ length: 6 }, (_, i) => ({ id: `v${i}`, location: 1, capacity })) },
    ...change,
  };
}
const isFlow = (body: OptimizeRequest) => asFlowProblem(buildProblem(body, locations, SETTINGS)) !== null;
const solve = (body: OptimizeRequest) => optimize({ request: body, locations, settings: SETTINGS });

describe('a problem is a pure flow', () => {
  test('with one capacity class and demand that is whole in vehicles, whatever the capacity', () => {
    expect(isFlow(request())).toBe(true);
    expect(isFlow(request({}, 2.5))).toBe(true);
    expect(
      isFlow(request({ constraints: { total_fleet_size: 4, max_distance: 12, max_rebalancing_cost: 50 } })),
    ).toBe(true);
  });

  test('and is none with fractional demand, several capacities or bounds per location', () => {
    expect(isFlow(request({ demand_forecast: { '2': [1.5] } }))).toBe(false);
    expect(isFlow(request({ demand_forecast: { '2': [3] } }, 2))).toBe(false);
    const mixed = request();
    mixed.fleet_state.vehicles[0].capacity = 2;
    expect(isFlow(mixed)).toBe(false);
    expect(isFlow(request({ constraints: { max_vehicles_per_location: 5 } }))).toBe(false);
    expect(isFlow(request({ constraints: { min_vehicles_per_location: 1 } }))).toBe(false);
  });
});

describe('its plan', () => {
  test('is proved optimal by the certificate on all arcs, and HiGHS confirms the tree', async () => {
    const outcome = await solve(request());
    expect(outcome).toMatchObject({
      status: 'optimal',
      certificate: { method: 'network_simplex', gap: 0, confirmed_within: 0 },
      result: { kpis: { rebalanced_count: 3, demand_coverage: 1 } },
    });
  });

  test('keeps to the distance limit, the fleet that may serve and the cost ceiling', async () => {
    const near = await solve(request({ constraints: { max_distance: 12, min_service_level: 0.6 } }));
    expect(near).toMatchObject({ status: 'optimal', result: { kpis: { rebalanced_count: 2 } } });
    const few = { min_service_level: 0.6 };
    expect((await solve(request({ constraints: { ...few, total_fleet_size: 2 } }))).status).toBe('optimal');
    expect((await solve(request({ constraints: { ...few, total_fleet_size: 1 } }))).status).toBe(
      'infeasible',
    );
    const cost = near.status === 'optimal' ? near.certificate.objective : Number.NaN;
    expect((await solve(request({ constraints: { ...few, max_rebalancing_cost: cost } }))).status).toBe(
      'optimal',
    );
    expect(
      (await solve(request({ constraints: { ...few, max_rebalancing_cost: cost - 1e-4 } }))).status,
    ).toBe('infeasible');
  });

  test('needs no more loads than the service level asks for, to the last decimal', async () => {
    for (const [level, moved] of [
      [1, 3],
      [0.67, 3],
      [2 / 3, 2],
      [0.34, 2],
      [1 / 3, 1],
      [0, 0],
    ]) {
      const outcome = await solve(request({ constraints: { min_service_level: level } }, 0.1));
      expect(outcome, String(level)).toMatchObject({
        status: 'optimal',
        result: { kpis: { rebalanced_count: moved } },
      });
    }
  });

  test('is contradicted by HiGHS where its cost is not the optimum', async () => {
    const random = createRandom(5);
    const n = 30;
    const problem = {
      n,
      supply: Int32Array.from({ length: n }, () => random.integer(0, 8)),
      demand: Int32Array.from({ length: n }, () => random.integer(0, 4)),
      required: 30,
      cost: {
        kind: 'dense' as const,
        units: Float64Array.from({ length: n * n }, () => random.integer(1, 90_000)),
      },
    };
    const solved = solveFlow(problem);
    if (solved.kind !== 'solved') throw new Error(solved.kind);
    const control = { deadlineMs: performance.now() + 60_000 };
    expect(await confirmFlow(threadCache, problem, solved, control)).toMatchObject({ kind: 'confirmed' });
    expect(await confirmFlow(threadCache, problem, { ...solved, cost: solved.cost + 100 }, control)).toEqual({
      kind: 'contradicted',
    });
    expect(await confirmFlow(threadCache, problem, solved, { deadlineMs: performance.now() - 1 })).toEqual({
      kind: 'unconfirmed',
    });
  });
});

describe('many locations and a tight distance limit', () => {
  const city = (n: number) => {
    const random = createRandom(n);
    return Array.from({ length: n }, (_, id) => ({
      id,
      latitude: 40 + random.integer(0, 1_000_000) / 1e6,
      longitude: -74 + random.integer(0, 1_000_000) / 1e6,
    }));
  };
  const body = (n: number, constraints: OptimizeRequest['constraints']): OptimizeRequest => {
    const random = createRandom(n);
    const vehicles = Array.from({ length: 2 * n }, (_, v) => ({
      id: `v${v}`,
      location: random.integer(0, n - 1),
    }));
    return {
      demand_forecast: Object.fromEntries(Array.from({ length: n }, (_, i) => [i, [i % 3]])),
      fleet_state: { vehicles },
      constraints,
    };
  };

  test('the moves within the limit are found without the matrices, and the plan costs the same', async () => {
    const places = city(300);
    for (const max_distance of [3, 8, 12]) {
      const asked = body(300, { max_distance, min_service_level: 0.8 });
      const problem = buildProblem(asked, places, SETTINGS);
      expect(problem.greatCircle?.near(max_distance)).not.toBeNull();
      const flow = asFlowProblem(problem)!;
      const dense = asFlowProblem(withNetwork(problem, problem.network))!;
      const costs = [flow, dense].map((p) => solveFlow(p)).map((o) => o.kind === 'solved' && o.cost);
      expect(costs[0]).toBeGreaterThan(0);
      expect(costs[0]).toBe(costs[1]);
      expect(await optimize({ request: asked, locations: places, settings: SETTINGS })).toMatchObject({
        status: 'optimal',
        result: { total_cost: Number(costs[0]) / 1e4 },
      });
    }
  });

  test('6,000 locations, whose matrices would not fit, are solved with a limit and without one', async () => {
    const places = city(6000);
    for (const max_distance of [2, 100]) {
      const asked = body(6000, { max_distance, min_service_level: 0.8, max_rebalancing_cost: null });
      const outcome = await optimize({ request: asked, locations: places, settings: SETTINGS });
      expect(outcome).toMatchObject({
        status: 'optimal',
        certificate: { method: 'network_simplex', gap: 0, confirmed_within: 0 },
      });
    }
  });

  test('and refused with the reason where the solution, or the explanation asked for, needs the matrices', async () => {
    const places = city(6000);
    const bounded = await optimize({
      request: body(6000, { max_vehicles_per_location: 50 }),
      locations: places,
      settings: SETTINGS,
    });
    expect(bounded).toMatchObject({
      status: 'refused',
      faults: [{ field: 'demand_forecast', message: expect.stringContaining('request has 6000') }],
    });
    const explained = { ...body(6000, { max_distance: 2 }), options: { explain: true } };
    const known = new Set(places.map(({ id }) => id));
    expect(checkRequest(explained, known, SETTINGS)).toMatchObject([{ field: 'options.explain' }]);
    const impossible = body(6000, { max_distance: 0, min_service_level: 1 });
    expect(await optimize({ request: impossible, locations: places, settings: SETTINGS })).toMatchObject({
      status: 'infeasible',
      errors: [{ code: 'INFEASIBLE_PROBLEM', detail: expect.stringContaining('6000 locations') }],
    });
  });
});

test('a pure flow whose time is up leaves the plan at hand, unproved', async () => {
  const city = cityInstance(6, { locations: 200, perLocation: 20, fractional: false });
  // The whole fleet is in one part of the town, so the first plan is far from the cheapest.
  for (const vehicle of city.request.fleet_state.vehicles)
    vehicle.location = 1 + (Number(vehicle.location) % 40);
  const problem = buildProblem(city.request, city.locations, { ...SETTINGS, maxRebalancingCost: null });
  const best = await solvePureFlow(problem, { deadlineMs: performance.now() + 60_000 });
  const late = await solvePureFlow(problem, { deadlineMs: performance.now() - 1 });
  if (best?.kind !== 'solved' || late?.kind !== 'solved') throw new Error(`${best?.kind} ${late?.kind}`);
  expect(late.solution).toMatchObject({ proved: false, boundUnits: 0, gap: 1 });
  expect(late.solution.costUnits).toBeGreaterThan(best.solution.costUnits);
});
