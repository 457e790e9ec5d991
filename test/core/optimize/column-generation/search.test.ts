import { describe, expect, test } from 'vitest';
import { solveProblem } from '../../../../src/core/optimize/solve.ts';
import { seeds } from '../../../helpers/depth.ts';
import { buildCached as buildProblem, optimizeCached as optimize } from '../cached.ts';
import { startCpuClock } from '../compute.ts';
import { cityInstance, createRandom, SETTINGS } from '../instances.ts';

const settings = { ...SETTINGS, maxRebalancingCost: null };
const everyday = cityInstance(21, { locations: 263, perLocation: 20, fractional: true });
const classes = cityInstance(22, {
  locations: 120,
  perLocation: 10,
  fractional: true,
  capacities: [1, 2, 4],
});

describe('the search over few moves', () => {
  test('proves the everyday case within a percent without branching, with few of its moves', async () => {
    const outcome = await optimize({ ...everyday, settings });
    if (outcome.status !== 'optimal') throw new Error(outcome.status);
    expect(outcome.certificate.nodes).toBe(0);
    expect(outcome.certificate.gap).toBeLessThan(0.01);
    expect(outcome.certificate.columns).toBeLessThan(5000);
  });

  test('proves several classes within a percent', async () => {
    const outcome = await optimize({ ...classes, settings });
    if (outcome.status !== 'optimal') throw new Error(outcome.status);
    expect(outcome.certificate.gap).toBeLessThanOrEqual(0.01);
  });

  test.for([
    { docks: 'that are nearly full', max: 3, min: 0 },
    { docks: 'for demand and a few more', max: 4, min: 0 },
    { docks: 'for demand and many more, and a least presence', max: 8, min: 2 },
  ])('proves several classes with docks $docks within a percent, without branching', async ({ max, min }) => {
    const { request, locations } = classes;
    const capacity = 7 / 3;
    const most = Object.entries(request.demand_forecast).map(([id, [demand]]) => [
      id,
      Math.ceil(demand / capacity) + max,
    ]);
    const constraints = {
      ...request.constraints,
      max_vehicles_per_location: Object.fromEntries(most),
      min_vehicles_per_location: min,
    };
    const outcome = await optimize({ request: { ...request, constraints }, locations, settings });
    if (outcome.status !== 'optimal') throw new Error(outcome.status);
    expect(outcome.certificate.gap).toBeLessThanOrEqual(0.01);
    expect(outcome.certificate.nodes).toBe(0);
  });

  test('proves several classes with pinned vehicles that compete for the fleet size, without branching', async () => {
    const { request, locations } = classes;
    const vehicles = request.fleet_state.vehicles.map((vehicle, v) => ({ ...vehicle, pinned: v % 2 === 0 }));
    const constraints = {
      ...request.constraints,
      min_service_level: 0.88,
      total_fleet_size: Math.floor(0.95 * vehicles.length),
    };
    const pinned = { ...request, fleet_state: { vehicles }, constraints };
    const outcome = await optimize({ request: pinned, locations, settings });
    if (outcome.status !== 'optimal') throw new Error(outcome.status);
    expect(outcome.certificate.gap).toBeLessThanOrEqual(0.01);
    expect(outcome.certificate.nodes).toBe(0);
  });

  test('gives the same plan for the same request', async () => {
    for (const instance of [everyday, classes]) {
      const first = await optimize({ ...instance, settings });
      expect(await optimize({ ...structuredClone(instance), settings })).toEqual(first);
    }
  });

  test('finds the same cost whatever the order of vehicles and locations', { tags: 'slow' }, async () => {
    for (const seed of seeds(1, 10)) {
      const size = { locations: 9, perLocation: 4, fractional: true, capacities: seed % 2 ? [1] : [1, 2, 4] };
      const { request, locations } = cityInstance(seed, size);
      const random = createRandom(seed);
      const vehicles = request.fleet_state.vehicles
        .map((vehicle) => ({ vehicle, key: random.next() }))
        .sort((a, b) => a.key - b.key)
        .map(({ vehicle }) => vehicle);
      const options = { optimality_gap: 0 };
      const one = await optimize({ request: { ...request, options }, locations, settings });
      const other = await optimize({
        request: { ...request, options, fleet_state: { vehicles } },
        locations: locations.toReversed(),
        settings,
      });
      if (one.status !== 'optimal' || other.status !== 'optimal')
        throw new Error(`${one.status} ${other.status}`);
      expect(other.result.total_cost).toBe(one.result.total_cost);
    }
  });

  test('keeps a time limit of a few hundred milliseconds, with a plan and a bound', async () => {
    const problem = buildProblem(classes.request, classes.locations, settings);
    await solveProblem(problem, 0.05, { deadlineMs: performance.now() + 10_000 });
    const cpuMs = startCpuClock();
    const outcome = await solveProblem(problem, 0, { deadlineMs: performance.now() + 400 });
    if (outcome.kind !== 'solved') throw new Error(outcome.kind);
    expect(cpuMs()).toBeLessThan(1000);
    expect(outcome.solution.proved).toBe(false);
    expect(outcome.solution.boundUnits).toBeGreaterThan(0);
  });
});
