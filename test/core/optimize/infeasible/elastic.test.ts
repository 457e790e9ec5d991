/** @module-tag slow */
import { describe, expect, test } from 'vitest';
import { findMostServed } from '../../../../src/core/optimize/infeasible/elastic.ts';
import { evaluateMoves, servedDemand } from '../../../../src/core/optimize/problem/evaluate.ts';
import type { Problem } from '../../../../src/core/optimize/problem/model.ts';
import { totalDemand } from '../../../../src/core/optimize/problem/service-level.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { boundEveryFifth } from '../bounds-by-location.ts';
import { buildCached as buildProblem } from '../cached.ts';
import { cityInstance, createRandom, SETTINGS } from '../instances.ts';
import { mostByAllMoves } from '../most-by-all-moves.ts';

const settings = { ...SETTINGS, maxRebalancingCost: null };
const control = (ms = 300_000) => ({ deadlineMs: performance.now() + ms });

/** Several classes with full or limited reach, with bounds per location, a fleet size, or neither. */
function randomProblem(seed: number, mostLocations: number, mostPerLocation: number): Problem {
  const random = createRandom(seed);
  const { request, locations } = cityInstance(seed, {
    locations: random.integer(2, mostLocations),
    perLocation: random.integer(1, mostPerLocation),
    fractional: random.chance(0.7),
    capacities: random.pick([
      [1, 2],
      [1, 2, 4],
      [0.5, 1.5],
      [4, 7, 12],
      [2, 3, 5, 8],
    ]),
    load: random.pick([0.8, 1, 1.3]),
  });
  const vehicles = request.fleet_state.vehicles.length;
  const constraints = {
    ...(random.chance(0.5) ? { max_distance: random.integer(0, 25) } : {}),
    ...(random.chance(0.3) ? { total_fleet_size: random.integer(1, vehicles + 1) } : {}),
    ...(random.chance(0.2) ? { min_vehicles_per_location: random.integer(1, 2) } : {}),
    ...(random.chance(0.2) ? { max_vehicles_per_location: random.integer(1, 4) } : {}),
  };
  const bounded = boundEveryFifth(seed, createRandom(seed + 1e6), constraints, locations, [2, 4]);
  return buildProblem({ ...request, constraints: bounded }, locations, settings);
}

/**
 * The most demand served by any distribution of the vehicles within the bounds per location; −∞ if none satisfies them.
 */
function mostByTryingAll(problem: Problem): number {
  const { supply, limits, bounds, network, capacities } = problem;
  const n = problem.locationIds.length;
  const presence = new Int32Array(supply.length);
  let most = Number.NEGATIVE_INFINITY;
  const isWithin = () => {
    for (let j = 0; j < n; j++) {
      let vehicles = 0;
      for (let k = 0; k < capacities.length; k++) vehicles += presence[k * n + j];
      const least = bounds?.least[j] ?? limits.minVehiclesPerLocation;
      const most = bounds?.most[j] ?? limits.maxVehiclesPerLocation;
      if (vehicles < least || vehicles > most) return false;
    }
    return true;
  };
  const place = (at: number, left: number, first: number): void => {
    if (at === supply.length) {
      if (isWithin()) most = Math.max(most, servedDemand(problem, presence, limits.totalFleetSize));
      return;
    }
    if (left === 0) {
      place(at + 1, supply[at + 1] ?? 0, 0);
      return;
    }
    const k = Math.floor(at / n);
    for (let j = first; j < n; j++) {
      if (at % n !== j && network.distanceKm![(at % n) * n + j] > limits.maxDistanceKm) continue;
      presence[k * n + j]++;
      place(at, left - 1, j);
      presence[k * n + j]--;
    }
  };
  place(0, supply[0], 0);
  return most;
}

const vehiclesOf = (problem: Problem) => problem.fleet.location.length;
const isBounded = ({ limits }: Problem) =>
  limits.minVehiclesPerLocation > 0 || limits.maxVehiclesPerLocation < Number.POSITIVE_INFINITY;

function expectProved(
  problem: Problem,
  seed: number,
  found: Awaited<ReturnType<typeof findMostServed>>,
): void {
  const total = totalDemand(problem.demand);
  const { served, broken } = evaluateMoves(problem, found.plan!.moves);
  expect(broken.filter((name) => name !== 'min_service_level')).toEqual([]);
  expect(found.plan!.served).toBe(served);
  expect(found.most, `seed ${seed}`).toBeGreaterThanOrEqual(served);
  expect(found.most - served, `seed ${seed}`).toBeLessThanOrEqual(2e-7 * total);
}

describe('the most demand that a fleet of several classes can serve, whatever it costs', () => {
  test('is what trying all ways to go finds, for small random fleets', { tags: 'slow' }, async () => {
    const seen = { none: 0, bounded: 0, fleetSize: 0, limited: 0 };
    for (const seed of seeds(1, 500)) {
      const problem = randomProblem(seed, 4, 2);
      if (vehiclesOf(problem) === 0 || vehiclesOf(problem) > 8) continue;
      const most = mostByTryingAll(problem);
      const found = await findMostServed(problem, control());
      if (most === Number.NEGATIVE_INFINITY) {
        expect(found, `seed ${seed}`).toEqual({ most, plan: null });
        seen.none++;
        continue;
      }
      expectProved(problem, seed, found);
      expect(found.plan!.served, `seed ${seed}`).toBeCloseTo(most, 6);
      if (isBounded(problem)) seen.bounded++;
      if (problem.limits.totalFleetSize < vehiclesOf(problem)) seen.fleetSize++;
      if (most < totalDemand(problem.demand) - 1e-6) seen.limited++;
    }
    for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(enough(20));
  });

  test('is what the formulation with all moves finds, for middling fleets', { tags: 'slow' }, async () => {
    let limited = 0;
    for (const seed of seeds(2001, 2060)) {
      const problem = randomProblem(seed, 15, 4);
      if (vehiclesOf(problem) === 0) continue;
      const direct = await mostByAllMoves(problem, control(10_000));
      const found = await findMostServed(problem, control(10_000));
      if (!direct.proved) continue;
      if (direct.plan === null) {
        expect(found).toEqual({ most: Number.NEGATIVE_INFINITY, plan: null });
        continue;
      }
      expectProved(problem, seed, found);
      const total = totalDemand(problem.demand);
      expect(Math.abs(found.plan!.served - direct.plan.served) / total, `seed ${seed}`).toBeLessThan(2e-7);
      if (direct.plan.served < total - 1e-6) limited++;
    }
    expect(limited).toBeGreaterThan(enough(15));
  });

  test('is not looked for any longer than until it is enough, or until it is proved not to be', {
    tags: 'slow',
  }, async () => {
    for (const seed of seeds(3001, 3060)) {
      const problem = randomProblem(seed, 10, 3);
      if (vehiclesOf(problem) === 0) continue;
      const { plan } = await findMostServed(problem, control());
      if (!plan) continue;
      const enough = await findMostServed(problem, control(), { enough: plan.served - 1e-9 });
      expect(enough.plan!.served, `seed ${seed}`).toBeGreaterThanOrEqual(plan.served - 1e-9);
      const tooMuch = plan.served + 1e-6 * totalDemand(problem.demand);
      const found = await findMostServed(problem, control(), { enough: tooMuch });
      expect(found.most, `seed ${seed}`).toBeLessThan(tooMuch);
    }
  });

  test('is known with as good a plan for 263 locations and four classes, demand in full precision', async () => {
    const { request, locations } = cityInstance(5, {
      locations: 263,
      perLocation: 5,
      fractional: true,
      capacities: [2, 3, 5, 8],
      load: 0.9,
    });
    const demand_forecast = Object.fromEntries(
      Object.entries(request.demand_forecast).map(([id, [d]]) => [
        id,
        [d * (1 + Math.sin(Number(id)) / 100)],
      ]),
    );
    const constraints = { total_fleet_size: Math.round(0.6 * request.fleet_state.vehicles.length) };
    const problem = buildProblem({ ...request, demand_forecast, constraints }, locations, settings);
    expectProved(problem, 5, await findMostServed(problem, control()));
  });

  test('is known with as good a plan where each of 263 locations has few others within reach', async () => {
    for (const capacities of [
      [1, 2],
      [1, 2, 4],
    ]) {
      const { request, locations } = cityInstance(6, {
        locations: 263,
        perLocation: 5,
        fractional: true,
        capacities,
        load: 0.95,
      });
      const constraints = { max_distance: 1.5 };
      const problem = buildProblem({ ...request, constraints }, locations, settings);
      expectProved(problem, 6, await findMostServed(problem, control()));
    }
  });
});
