import { describe, expect, test } from 'vitest';
import { createReach } from '../../../../../src/core/optimize/infeasible/coverage/class-reach.ts';
import {
  createCutSetFinder,
  findBrokenSets,
} from '../../../../../src/core/optimize/infeasible/coverage/cut-sets.ts';
import { enough, seeds } from '../../../../helpers/depth.ts';
import { buildCached as buildProblem } from '../../cached.ts';
import { cityInstance, createRandom, SETTINGS } from '../../instances.ts';

const never = () => {};

function randomProblem(seed: number) {
  const random = createRandom(seed);
  const { request, locations } = cityInstance(seed, {
    locations: random.integer(3, 30),
    perLocation: random.integer(1, 4),
    fractional: true,
    capacities: random.pick([
      [1, 2],
      [4, 7, 12],
    ]),
  });
  const constraints = { max_distance: random.integer(1, 15) };
  const problem = buildProblem({ ...request, constraints }, locations, SETTINGS);
  const presence = Float64Array.from(problem.supply, () =>
    random.chance(0.5) ? random.integer(0, 400) / 100 : 0,
  );
  return { problem, presence, reach: createReach(problem, never) };
}

describe('locations to which more vehicles are to go than may come', () => {
  test('are named where not all can come, with the number that may, and only there', () => {
    let broken = 0;
    let kept = 0;
    for (const seed of seeds(1, 200)) {
      const { problem, presence, reach } = randomProblem(seed);
      const n = problem.locationIds.length;
      const { sets, reached } = findBrokenSets(problem, reach, presence, never);
      for (const { capacityClass: k, locations, most } of sets) {
        const mayCome = Array.from({ length: n }, (_, i) =>
          locations.some(
            (j) => i === j || problem.network.distanceKm![i * n + j] <= problem.limits.maxDistanceKm,
          ),
        );
        const there = problem.supply
          .subarray(k * n, (k + 1) * n)
          .reduce((sum, count, i) => sum + (mayCome[i] ? count : 0), 0);
        expect(most, `seed ${seed}`).toBe(there);
        const sumOf = (vehicles: Float64Array) => locations.reduce((sum, j) => sum + vehicles[k * n + j], 0);
        expect(sumOf(presence)).toBeGreaterThan(most);
        expect(sumOf(reached)).toBeLessThanOrEqual(most + 1e-6);
        broken++;
      }
      const missing = presence.reduce((sum, wanted, at) => sum + wanted - reached[at], 0);
      expect(sets.length > 0, `seed ${seed}`).toBe(missing > 1e-4);
      if (sets.length === 0) kept++;
    }
    expect(broken).toBeGreaterThan(enough(200));
    expect(kept).toBeGreaterThan(enough(0));
  });

  test('are found until the point keeps all rows, whatever point they are looked for from', () => {
    for (const seed of seeds(301, 360)) {
      const { problem, presence, reach } = randomProblem(seed);
      const n = problem.locationIds.length;
      const find = createCutSetFinder(problem, reach, new Float64Array(presence.length), never);
      const point = presence.slice();
      // Reduces the vehicles of violated sets in proportion, until no set is violated.
      for (let round = 0; ; round++) {
        const sets = find(point);
        if (sets.length === 0) break;
        expect(round, `seed ${seed}`).toBeLessThan(1000);
        for (const { capacityClass: k, locations, most } of sets) {
          const sum = locations.reduce((total, j) => total + point[k * n + j], 0);
          if (sum > most) for (const j of locations) point[k * n + j] *= most / sum;
        }
      }
      const { sets } = findBrokenSets(problem, reach, point, never);
      expect(sets, `seed ${seed}`).toEqual([]);
    }
  });
});
