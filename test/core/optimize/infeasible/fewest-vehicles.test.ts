import { describe, expect, test, vi } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { findPlan } from '../../../../src/core/optimize/infeasible/feasibility.ts';
import { type Addition, fewestAdditions } from '../../../../src/core/optimize/infeasible/fewest-vehicles.ts';
import { findHighestServiceLevel } from '../../../../src/core/optimize/infeasible/highest-service-level.ts';
import { explainInfeasible } from '../../../../src/core/optimize/infeasible/infeasible.ts';
import {
  findByBisection,
  findVehiclesNeeded,
  withAdditions,
} from '../../../../src/core/optimize/infeasible/vehicles-needed.ts';
import { servedDemand } from '../../../../src/core/optimize/problem/evaluate.ts';
import type { Problem } from '../../../../src/core/optimize/problem/model.ts';
import { leastServed } from '../../../../src/core/optimize/problem/service-level.ts';
import { countVehicles } from '../../../../src/core/optimize/problem/variants.ts';
import { solveProblem } from '../../../../src/core/optimize/solve.ts';
import { casesOfDay, enough, seeds } from '../../../helpers/depth.ts';
import { buildCached as buildProblem, newCaches } from '../cached.ts';
import { cityInstance, createRandom, SETTINGS } from '../instances.ts';

const settings = { ...SETTINGS, maxRebalancingCost: null };
const control = (ms = 300_000) => ({ deadlineMs: performance.now() + ms });
const never = () => false;

/** One class, with few or many locations, and too few vehicles or too little reach. */
function randomProblem(seed: number, mostLocations: number, mostPerLocation: number): Problem {
  const random = createRandom(seed);
  const { request, locations } = cityInstance(seed, {
    locations: random.integer(2, mostLocations),
    perLocation: random.integer(1, mostPerLocation),
    fractional: random.chance(0.8),
    capacities: [random.pick([1, 2.5])],
    load: random.pick([0.8, 1.1, 1.6, 2.5]),
  });
  const constraints = {
    min_service_level: random.pick([0.6, 0.9, 0.95, 1]),
    max_distance: random.integer(0, 15),
    ...(random.chance(0.3) ? { total_fleet_size: random.integer(1, 2 * mostLocations) } : {}),
  };
  return buildProblem({ ...request, constraints }, locations, settings);
}

/** Whether a plan exists with these additional vehicles, by trying every distribution of all vehicles. */
function hasPlan(problem: Problem): boolean {
  const n = problem.locationIds.length;
  const { supply, limits, network } = problem;
  const required = leastServed(problem);
  const presence = new Int32Array(n);
  const place = (i: number, left: number, first: number): boolean => {
    if (i === n) return servedDemand(problem, presence, limits.totalFleetSize) >= required;
    if (left === 0) return place(i + 1, supply[i + 1] ?? 0, 0);
    for (let j = first; j < n; j++) {
      if (i !== j && network.distanceKm![i * n + j] > limits.maxDistanceKm) continue;
      presence[j]++;
      const found = place(i, left - 1, j);
      presence[j]--;
      if (found) return true;
    }
    return false;
  };
  return place(0, supply[0], 0);
}

/** All ways to add this many vehicles. */
function* waysToAdd(n: number, count: number, first = 0): Generator<Addition[]> {
  if (count === 0) {
    yield [];
    return;
  }
  for (let location = first; location < n; location++) {
    for (const rest of waysToAdd(n, count - 1, location)) yield [{ location, vehicles: 1 }, ...rest];
  }
}

describe('the fewest vehicles more with which enough can be served', () => {
  test('are as many as trying all ways to add them and all ways to move finds, for small random fleets', () => {
    const counts = new Map<number | string, number>();
    for (const seed of seeds(1, 400)) {
      const problem = randomProblem(seed, 4, 2);
      const n = problem.locationIds.length;
      const fewest = fewestAdditions(problem, never);
      if (fewest === 'out of time' || fewest === 'too many') throw new Error(fewest);
      const count = fewest === 'none' ? 3 : fewest.count;
      counts.set(fewest === 'none' ? fewest : count, (counts.get(count) ?? 0) + 1);
      if (fewest !== 'none') {
        expect(fewest.additions.reduce((sum, { vehicles }) => sum + vehicles, 0)).toBe(count);
        if (count <= 3) expect(hasPlan(withAdditions(problem, fewest.additions)), `seed ${seed}`).toBe(true);
      }
      for (const fewer of count > 0 && count <= 4 ? waysToAdd(n, count - 1) : []) {
        expect(hasPlan(withAdditions(problem, fewer)), `seed ${seed} ${JSON.stringify(fewer)}`).toBe(false);
      }
    }
    for (const count of [0, 1, 2, 3, 'none'])
      expect(counts.get(count) ?? 0, `${count}`).toBeGreaterThan(enough(5));
  });

  test('are those that bisection over solves finds, and solving with them finds a plan, for random fleets', async () => {
    let some = 0;
    let many = 0;
    for (const seed of seeds(1001, 1300)) {
      const problem = randomProblem(seed, 25, 4);
      if ((await solveProblem(problem, 1, control())).kind !== 'infeasible') continue;
      const fewest = await findVehiclesNeeded(problem, control());
      const bisected = await findByBisection(problem, 1, control());
      const { nearest, tooTight, proved } = bisected;
      expect(fewest, `seed ${seed}`).toMatchObject({ nearest, tooTight, proved: true });
      expect(proved).toBe(true);
      if (nearest === null) continue;
      some++;
      if (nearest > 10) many++;
      const after = await solveProblem(withAdditions(problem, fewest.additions), 1, control());
      expect(after.kind, `seed ${seed} ${JSON.stringify(fewest)}`).toBe('solved');
    }
    expect(some).toBeGreaterThan(enough(100));
    expect(many).toBeGreaterThan(enough(10));
  });

  test('are more where the ceiling is in the way of the plan with them', async () => {
    let dearer = 0;
    for (const seed of seeds(2001, 2060)) {
      const free = randomProblem(seed, 12, 3);
      const problem = { ...free, limits: { ...free.limits, maxDistanceKm: 100, maxCostUnits: 60_000 } };
      if ((await solveProblem(problem, 1, control())).kind !== 'infeasible') continue;
      const fewest = await findVehiclesNeeded(problem, control());
      const { nearest, tooTight, proved } = await findByBisection(problem, 1, control());
      expect(fewest, `seed ${seed}`).toMatchObject({ nearest, tooTight, proved });
      const byReach = fewestAdditions(withAdditions(problem, []), never);
      if (nearest === null || typeof byReach === 'string') continue;
      expect(nearest).toBeGreaterThanOrEqual(byReach.count);
      if (nearest > Math.max(1, byReach.count)) dearer++;
      const after = await solveProblem(withAdditions(problem, fewest.additions), 1, control());
      expect(after.kind, `seed ${seed}`).toBe('solved');
    }
    expect(dearer).toBeGreaterThan(enough(3));
  });

  test('within a ceiling are those that bisection finds, whatever was asked about other ceilings and levels before', async () => {
    const counts = { whole: 0, parts: 0 };
    for (const seed of seeds(3001, 3048)) {
      const any = randomProblem(seed, 8, 3);
      const [capacity] = any.capacities;
      // Most in whole loads, whose questions are quick.
      const kind = seed % 8 > 0 ? 'whole' : 'parts';
      const free =
        kind === 'whole'
          ? { ...any, demand: any.demand.map((d) => capacity * Math.round(d / capacity)) }
          : any;
      const asked = createRandom(seed);
      // One cache for all of them, as the questions of one explanation have.
      for (let question = 0; question < 3; question++) {
        const limits = { maxDistanceKm: 100, maxCostUnits: 20_000 * asked.integer(1, 20) };
        const minServiceLevel = asked.pick([0.8, 0.9, 1]);
        const problem = { ...free, limits: { ...free.limits, ...limits, minServiceLevel } };
        if ((await solveProblem(problem, 1, control())).kind !== 'infeasible') continue;
        await findHighestServiceLevel(problem, control(), undefined, asked.pick([0.02, 0.05]));
        const fewest = await findVehiclesNeeded(problem, control());
        const fresh = { ...problem, caches: newCaches() };
        const { nearest, tooTight, proved } = await findByBisection(fresh, 1, control());
        expect(fewest, `seed ${seed}`).toMatchObject({ nearest, tooTight, proved });
        if (nearest === null) continue;
        const { additions } = fewest;
        expect(additions.reduce((sum, { vehicles }) => sum + vehicles, 0)).toBe(nearest);
        const after = await solveProblem(withAdditions(fresh, additions), 1, control());
        expect(after.kind, `seed ${seed}`).toBe('solved');
        counts[kind]++;
      }
    }
    expect(counts.whole).toBeGreaterThan(enough(20));
    expect(counts.parts).toBeGreaterThan(enough(3));
  });
});

/** Far more than the 4 s of an explanation. Alone on a machine these take 1 to 3 s, but tests share one. */
const MAX_MS = 300_000;
/** Limit for looks at stop flag and clock, one per location and path: 12,000 to 54,000 were counted. */
const MAX_LOOKS = 100_000;

describe('2,000 locations', { tags: 'slow' }, () => {
  test.each(
    casesOfDay<[string, { load: number }, NonNullable<OptimizeRequest['constraints']>, string[]]>([
      ['too few vehicles', { load: 1.2 }, { min_service_level: 0.95 }, ['supply', 'min_service_level']],
      [
        'too short a distance',
        { load: 0.9 },
        { min_service_level: 1, max_distance: 0.5 },
        ['max_distance', 'supply', 'min_service_level'],
      ],
      [
        'too few vehicles and too short a distance',
        { load: 1.2 },
        { min_service_level: 0.95, max_distance: 0.5 },
        ['supply', 'min_service_level'],
      ],
      [
        'too small a fleet size',
        { load: 0.9 },
        { min_service_level: 1, total_fleet_size: 15_000 },
        ['total_fleet_size', 'min_service_level'],
      ],
    ]),
  )('and %s are explained in full, with little work', async (_, size, constraints, names) => {
    const { request, locations } = cityInstance(72, {
      locations: 2000,
      perLocation: 10,
      fractional: true,
      ...size,
    });
    const constrained = { ...request, constraints };
    const problem = buildProblem(constrained, locations, settings);
    const looking = vi.spyOn(Atomics, 'load');
    const stopFlag = new Int32Array(new SharedArrayBuffer(4));
    const { conflicts, sets } = await explainInfeasible(
      constrained,
      problem,
      { ...control(), stopFlag },
      { mostMs: MAX_MS },
    );
    const looks = looking.mock.calls.length;
    looking.mockRestore();
    expect(looks).toBeLessThan(MAX_LOOKS);
    expect(sets[0]).toEqual({ names, irreducible: true });
    for (const conflict of conflicts) expect(conflict.proved, JSON.stringify(conflict)).toBe(true);
    const { additions = [], relaxation } = conflicts.find(({ constraint }) => constraint === 'supply') ?? {};
    if (!names.includes('supply')) return;
    expect(additions.reduce((sum, { vehicles }) => sum + vehicles, countVehicles(problem))).toBe(relaxation);
    const more = additions.map(({ location_id, vehicles }) => ({
      location: problem.locationIds.indexOf(location_id),
      vehicles,
    }));
    expect((await findPlan(withAdditions(problem, more), control())).verdict).toBe('feasible');
  });
});
