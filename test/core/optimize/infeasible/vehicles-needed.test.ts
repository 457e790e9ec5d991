import { describe, expect, test, vi } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { findPlan } from '../../../../src/core/optimize/infeasible/feasibility.ts';
import { explainInfeasible } from '../../../../src/core/optimize/infeasible/infeasible.ts';
import {
  type Addition,
  findVehiclesNeeded,
  withAdditions,
} from '../../../../src/core/optimize/infeasible/vehicles-needed.ts';
import { servedDemand } from '../../../../src/core/optimize/problem/evaluate.ts';
import type { Problem } from '../../../../src/core/optimize/problem/model.ts';
import { leastServed } from '../../../../src/core/optimize/problem/service-level.ts';
import { countVehicles } from '../../../../src/core/optimize/problem/variants.ts';
import { solveProblem } from '../../../../src/core/optimize/solve.ts';
import { casesOfDay, enough, seeds } from '../../../helpers/depth.ts';
import { buildCached as buildProblem } from '../cached.ts';
import { cityInstance, createRandom, SETTINGS } from '../instances.ts';

const settings = { ...SETTINGS, maxRebalancingCost: null };
const control = (ms = 300_000) => ({ deadlineMs: performance.now() + ms });

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
  test('are as many as trying all ways to add them and all ways to move finds, for small random fleets', async () => {
    const counts = new Map<number | string, number>();
    for (const seed of seeds(1, 400)) {
      const problem = randomProblem(seed, 4, 2);
      if (hasPlan(withAdditions(problem, []))) continue;
      const n = problem.locationIds.length;
      const { nearest, proved, additions } = await findVehiclesNeeded(problem, control());
      expect(proved).toBe(true);
      const count = nearest ?? 3;
      counts.set(nearest ?? 'none', (counts.get(nearest ?? 'none') ?? 0) + 1);
      if (nearest !== null) {
        expect(additions.reduce((sum, { vehicles }) => sum + vehicles, 0)).toBe(count);
        if (count <= 3) expect(hasPlan(withAdditions(problem, additions)), `seed ${seed}`).toBe(true);
      }
      for (const fewer of count <= 4 ? waysToAdd(n, count - 1) : []) {
        expect(hasPlan(withAdditions(problem, fewer)), `seed ${seed} ${JSON.stringify(fewer)}`).toBe(false);
      }
    }
    for (const count of [1, 2, 3, 'none'])
      expect(counts.get(count) ?? 0, `${count}`).toBeGreaterThan(enough(5));
  });

  test('are enough when the problem is solved with them, and one fewer is not, for random fleets', async () => {
    const counts = { some: 0, many: 0, dear: 0 };
    for (const seed of seeds(1001, 1300)) {
      const free = randomProblem(seed, 25, 4);
      const isDear = seed % 4 === 0;
      const limits = { ...free.limits, ...(isDear && { maxDistanceKm: 100, maxCostUnits: 60_000 }) };
      const problem = { ...free, limits };
      if ((await solveProblem(problem, 1, control())).kind !== 'infeasible') continue;
      const { nearest, tooTight, proved, additions } = await findVehiclesNeeded(problem, control());
      expect(proved, `seed ${seed}`).toBe(true);
      if (nearest === null) continue;
      counts.some++;
      if (nearest > 10) counts.many++;
      if (isDear) counts.dear++;
      expect(tooTight ?? 0).toBe(nearest - 1);
      const after = await solveProblem(withAdditions(problem, additions), 1, control());
      expect(after.kind, `seed ${seed}`).toBe('solved');
      const [first, ...others] = additions;
      const fewer = [{ ...first, vehicles: first.vehicles - 1 }, ...others];
      const before = await solveProblem(withAdditions(problem, fewer), 1, control());
      expect(before.kind, `seed ${seed}`).toBe('infeasible');
    }
    expect(counts.some).toBeGreaterThan(enough(100));
    expect(counts.many).toBeGreaterThan(enough(10));
    expect(counts.dear).toBeGreaterThan(enough(3));
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
