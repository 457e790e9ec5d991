import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../src/contracts/optimize.ts';
import type { ProgressReport } from '../../../src/core/optimize/progress.ts';
import { seeds } from '../../helpers/depth.ts';
import { optimizeCached as optimize } from './cached.ts';
import {
  cityInstance,
  createRandom,
  type Instance,
  type Random,
  randomInstance,
  SETTINGS,
} from './instances.ts';
import { reordered } from './tiny-instances.ts';

const settings = { ...SETTINGS, maxRebalancingCost: null };

function withOptions(request: OptimizeRequest, options: OptimizeRequest['options']): OptimizeRequest {
  return { ...request, options };
}

/** Costs that violate the triangle inequality, differ by direction and forbid some moves; with distances. */
function randomNetwork(
  { locations }: Pick<Instance, 'locations'>,
  random: Random,
): NonNullable<OptimizeRequest['network']> {
  const location_ids = locations.map(({ id }) => id);
  const matrix = (cell: () => number | null) => location_ids.map(() => location_ids.map(cell));
  return {
    location_ids,
    costs: matrix(() => (random.chance(0.1) ? null : random.integer(0, 300_000) / 1e4)),
    distances_km: matrix(() => random.integer(0, 110)),
  };
}

describe('optimize', () => {
  test('proves a dense 263-location plan optimal without branching', async () => {
    const { request, locations } = cityInstance(1, { locations: 263, perLocation: 20, fractional: false });
    const outcome = await optimize({ request, locations, settings });
    if (outcome.status !== 'optimal') throw new Error(outcome.status);
    expect(outcome.certificate).toMatchObject({ method: 'network_simplex', gap: 0, nodes: 0 });
    expect(outcome.certificate.bound).toBe(outcome.certificate.objective);
    expect(outcome.result.kpis.demand_coverage).toBeGreaterThanOrEqual(0.95);
    expect(outcome.result.gap).toBeUndefined();
  });

  test('solves 73 locations with fractional demand to the gap', async () => {
    const { request, locations } = cityInstance(2, { locations: 73, perLocation: 20, fractional: true });
    const outcome = await optimize({ request, locations, settings });
    if (outcome.status !== 'optimal') throw new Error(outcome.status);
    expect(outcome.certificate.gap).toBeLessThanOrEqual(0.01);
    expect(outcome.certificate.bound).toBeGreaterThan(0);
    expect(outcome.certificate.bound).toBeLessThanOrEqual(outcome.certificate.objective);
  });

  test('solves several capacity classes to the gap', async () => {
    const size = { locations: 15, perLocation: 10, fractional: true, capacities: [1, 2, 4] };
    const { request, locations } = cityInstance(3, size);
    const outcome = await optimize({ request, locations, settings });
    if (outcome.status !== 'optimal') throw new Error(outcome.status);
    expect(outcome.certificate.gap).toBeLessThanOrEqual(0.01);
  });

  test('agrees with itself when the same vehicles come as two classes of one capacity each', {
    tags: 'slow',
  }, async () => {
    // A second, almost equal class turns the network into a mixed-integer programme with the same answer.
    for (const seed of seeds(1, 5)) {
      const { request, locations } = cityInstance(seed, { locations: 8, perLocation: 4, fractional: false });
      const vehicles = request.fleet_state.vehicles.map((v, at) =>
        at % 2 ? { ...v, capacity: 1 + 1e-9 } : v,
      );
      const options = { optimality_gap: 0 };
      const one = await optimize({ request: withOptions(request, options), locations, settings });
      const two = await optimize({
        request: { ...request, options, fleet_state: { vehicles } },
        locations,
        settings,
      });
      if (one.status !== 'optimal' || two.status !== 'optimal')
        throw new Error(`${one.status} ${two.status}`);
      expect(two.result.total_cost).toBe(one.result.total_cost);
    }
  });

  test('plans for 100,000 vehicles', async () => {
    const { request, locations } = cityInstance(4, { locations: 50, perLocation: 2000, fractional: false });
    const outcome = await optimize({ request, locations, settings });
    if (outcome.status !== 'optimal') throw new Error(outcome.status);
    expect(outcome.result.allocation_plan.length).toBe(request.fleet_state.vehicles.length);
    expect(outcome.result.allocation_plan.length).toBeGreaterThan(90_000);
  });

  test('gives the same plan for the same request', async () => {
    for (const seed of [11, 12, 13, 14, 15, 16, 17, 18]) {
      const { request, locations } = randomInstance(seed);
      const first = await optimize({ request, locations, settings });
      expect(await optimize({ request: structuredClone(request), locations, settings })).toEqual(first);
    }
    const city = cityInstance(5, { locations: 30, perLocation: 8, fractional: true });
    const first = await optimize({ ...city, settings });
    expect(await optimize({ ...city, locations: city.locations.toReversed(), settings })).toEqual(first);
  });

  test('costs the same whatever the order of vehicles, locations, demand, and the rows and columns of a network', {
    tags: 'slow',
  }, async () => {
    for (const seed of seeds(1, 60)) {
      const random = createRandom(seed);
      const shape = {
        locations: random.integer(5, seed % 3 === 2 ? 12 : 30),
        perLocation: 6,
        fractional: seed % 2 === 0,
        capacities: [[1], [2.5], [1, 2, 4]][seed % 3],
        load: 0.8,
      };
      const asked = cityInstance(seed, shape);
      if (seed > 30) asked.request.network = randomNetwork(asked, random);
      const ordered = await optimize({ ...asked, settings });
      const other = await optimize({ ...reordered(asked, random, 'same ids'), settings });
      if (ordered.status !== 'optimal') throw new Error(`seed ${seed}: ${ordered.status}`);
      expect(other, `seed ${seed}`).toMatchObject({
        status: 'optimal',
        result: { total_cost: ordered.result.total_cost },
      });
    }
  });

  test('costs the same whatever the ids of the locations, by which they are sorted', {
    tags: 'slow',
  }, async () => {
    for (const seed of seeds(1, 40)) {
      const random = createRandom(seed);
      const isMixed = seed % 4 === 0;
      const asked = cityInstance(seed, {
        locations: isMixed ? random.integer(4, 6) : random.integer(5, 30),
        perLocation: isMixed ? 2 : 6,
        fractional: seed % 2 === 0,
        capacities: isMixed ? [1, 2, 4] : [1],
        load: 0.7,
      });
      asked.request.options = { optimality_gap: 0 };
      if (seed > 20) asked.request.network = randomNetwork(asked, random);
      const first = await optimize({ ...asked, settings });
      const other = await optimize({ ...reordered(asked, random, 'other ids'), settings });
      if (first.status !== 'optimal') throw new Error(`seed ${seed}: ${first.status}`);
      expect(other, `seed ${seed}`).toMatchObject({
        status: 'optimal',
        result: { total_cost: first.result.total_cost },
      });
    }
  });

  test('moves the first vehicles of a group, to targets in order of their ids', async () => {
    const vehicles = ['d', 'a', 'c', 'b'].map((id) => ({ id, location: 3 }));
    const network = { location_ids: [3, 2, 1], costs: [3, 2, 1].map(() => [1, 1, 1]) };
    const request = { demand_forecast: { 1: [1], 2: [2] }, fleet_state: { vehicles }, network };
    const outcome = await optimize({ request, locations: [], settings });
    if (outcome.status !== 'optimal') throw new Error(outcome.status);
    expect(outcome.result.allocation_plan).toEqual([
      { vehicle_id: 'd', source_location: 3, target_location: 1, cost: 1, assignment: 'rebalance' },
      { vehicle_id: 'a', source_location: 3, target_location: 2, cost: 1, assignment: 'rebalance' },
      { vehicle_id: 'c', source_location: 3, target_location: 2, cost: 1, assignment: 'rebalance' },
      { vehicle_id: 'b', source_location: 3, target_location: 3, cost: 0, assignment: 'stay' },
    ]);
  });

  test('leaves vehicles that are not operational out of the plan', async () => {
    const vehicles = [
      { id: 'a', location: 1, status: 'downtime' as const },
      { id: 'b', location: 1, status: 'operational' as const },
      { vehicle_id: 'c', location_id: 1, status: 'maintenance' as const },
      { vehicle_id: 'd', location_id: 1 },
    ];
    const network = { location_ids: [1], costs: [[0]] };
    const outcome = await optimize({
      request: { demand_forecast: { 1: [2] }, fleet_state: { vehicles }, network },
      locations: [],
      settings,
    });
    if (outcome.status !== 'optimal') throw new Error(outcome.status);
    expect(outcome.result.allocation_plan.map((item) => item.vehicle_id)).toEqual(['b', 'd']);
  });

  test('solves what has more moves than fit one model', async () => {
    const random = createRandom(1);
    const n = 1800;
    const request: OptimizeRequest = { demand_forecast: {}, fleet_state: { vehicles: [] } };
    const locations = [];
    for (let id = 1; id <= n; id++) {
      locations.push({ id, latitude: 40 + random.next() * 0.5, longitude: -74 + random.next() * 0.5 });
      request.demand_forecast[id] = [1];
      request.fleet_state.vehicles.push({ id: `${id}`, location: id });
    }
    for (let id = 1; id <= n; id += 2) request.demand_forecast[id] = [id % 4 === 1 ? 0.5 : 0];
    for (let id = 2; id <= n; id += 20) request.demand_forecast[id] = [1.3];
    request.constraints = { min_service_level: 0.99 };
    const outcome = await optimize({ request, locations, settings });
    if (outcome.status !== 'optimal') throw new Error(outcome.status);
    expect(outcome.certificate.objective).toBeGreaterThan(0);
    expect(outcome.certificate.gap).toBeLessThanOrEqual(0.01);
    expect(outcome.certificate.columns).toBeLessThan(100_000);
  });

  test('names a stored location that is missing', async () => {
    const request = { demand_forecast: { 1: [1] }, fleet_state: { vehicles: [] } };
    await expect(optimize({ request, locations: [], settings })).rejects.toThrow(
      'location 1 has no stored coordinates',
    );
  });
});

describe('a stop flag', () => {
  const hard = cityInstance(6, {
    locations: 60,
    perLocation: 10,
    fractional: true,
    capacities: [1, 2, 3, 5, 7],
  });
  const input = { ...hard, request: withOptions(hard.request, { optimality_gap: 0 }), settings };

  test('that is set before cancels at once', async () => {
    const stopFlag = new Int32Array(new SharedArrayBuffer(4)).fill(1);
    expect(await optimize(input, { stopFlag })).toEqual({ status: 'cancelled' });
  });

  test('that is set while branching cancels', async () => {
    const stopFlag = new Int32Array(new SharedArrayBuffer(4));
    let reports = 0;
    const onProgress = ({ stage, bound }: ProgressReport) => {
      if (stage === 'solve' && typeof bound === 'number' && ++reports === 2) Atomics.store(stopFlag, 0, 1);
    };
    expect(await optimize(input, { stopFlag, onProgress, progressIntervalMs: 1 })).toEqual({
      status: 'cancelled',
    });
    expect(reports).toBeGreaterThanOrEqual(2);
  });

  test('that is set during the simplex method cancels', async () => {
    const { request, locations } = cityInstance(7, { locations: 150, perLocation: 20, fractional: false });
    const stopFlag = new Int32Array(new SharedArrayBuffer(4));
    const onProgress = ({ stage }: ProgressReport) => {
      if (stage === 'solve') Atomics.store(stopFlag, 0, 1);
    };
    const outcome = await optimize(
      { request, locations, settings },
      { stopFlag, onProgress, progressIntervalMs: 0 },
    );
    expect(outcome).toEqual({ status: 'cancelled' });
  });
});

test('a solve that fails says why, and where for the log', async () => {
  const { request, locations } = cityInstance(6, {
    ...{ locations: 60, perLocation: 10, fractional: true },
    capacities: [1, 2, 3, 5, 7],
  });
  const onProgress = ({ stage, bound }: ProgressReport) => {
    if (stage === 'solve' && typeof bound === 'number') throw new Error('nobody reads the progress');
  };
  const outcome = await optimize({ request, locations, settings }, { onProgress, progressIntervalMs: 1 });
  expect(outcome).toEqual({
    status: 'error',
    message: 'the solver failed: nobody reads the progress',
    stack: expect.stringContaining('optimize.test.ts'),
  });
});

describe('the time limit', () => {
  const hard = cityInstance(8, {
    locations: 60,
    perLocation: 10,
    fractional: true,
    capacities: [1, 2, 3, 5, 7],
  });

  test('leaves a feasible plan with its gap', async () => {
    const request = withOptions(hard.request, { optimality_gap: 0, time_limit_seconds: 0.5 });
    const outcome = await optimize({ ...hard, request, settings });
    if (outcome.status !== 'feasible') throw new Error(outcome.status);
    expect(outcome.result.solver_status).toBe('feasible');
    expect(outcome.result.gap).toBeGreaterThan(0);
    expect(outcome.result.gap).toBe(outcome.certificate.gap);
    expect(outcome.certificate.bound).toBeLessThan(outcome.certificate.objective);
  });

  test('that ends before the relaxation still leaves a plan', async () => {
    const request = withOptions(hard.request, { time_limit_seconds: 0.001 });
    const outcome = await optimize({ ...hard, request, settings });
    expect(outcome).toMatchObject({ status: 'feasible', certificate: { method: 'greedy' } });
  });

  test("is capped by the operator's", async () => {
    const request = withOptions(hard.request, { time_limit_seconds: 600 });
    const outcome = await optimize({
      ...hard,
      request,
      settings: { ...settings, maxTimeLimitSeconds: 0.001 },
    });
    expect(outcome).toMatchObject({ status: 'feasible', certificate: { method: 'greedy' } });
  });

  test('without any plan is an error that says what to do', async () => {
    const request: OptimizeRequest = {
      ...hard.request,
      constraints: { total_fleet_size: 20 },
      options: { time_limit_seconds: 0.001 },
    };
    expect(await optimize({ ...hard, request, settings })).toEqual({
      status: 'error',
      message:
        'no plan was found within the time limit of 0.001 s; raise options.time_limit_seconds, ' +
        'or ask for the plan that serves most with constraints.shortage "serve_most"',
    });
  });
});

describe('progress', () => {
  test('goes through its stages, never falls, ends at most at 1, and knows incumbent and bound', {
    tags: 'slow',
  }, async () => {
    const size = { locations: 25, perLocation: 10, fractional: true, capacities: [1, 2, 4] };
    const { request, locations } = cityInstance(9, size);
    const told: ProgressReport[] = [];
    const options = { optimality_gap: 0.001, time_limit_seconds: 2, explain: true };
    const outcome = await optimize(
      { request: withOptions(request, options), locations, settings },
      { onProgress: (p) => told.push(p), progressIntervalMs: 5 },
    );
    expect(['optimal', 'feasible']).toContain(outcome.status);
    expect([...new Set(told.map((p) => p.stage))]).toEqual(['build', 'solve', 'verify', 'explain']);
    for (let t = 1; t < told.length; t++)
      expect(told[t].progress).toBeGreaterThanOrEqual(told[t - 1].progress);
    expect(told[0].progress).toBe(0);
    expect(told.at(-1)!.progress).toBeLessThanOrEqual(1);
    const branching = told.filter((p) => p.stage === 'solve' && typeof p.bound === 'number');
    expect(branching.length).toBeGreaterThan(0);
    expect(branching.some(({ iterations }) => typeof iterations === 'number' && iterations > 0)).toBe(true);
    for (const { bound, incumbent } of branching) {
      if (typeof incumbent === 'number') expect(bound).toBeLessThanOrEqual(incumbent);
    }
  });
});
