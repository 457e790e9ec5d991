import { describe, expect, test } from 'vitest';
import { evaluateMoves } from '../../../../src/core/optimize/problem/evaluate.ts';
import type { Problem } from '../../../../src/core/optimize/problem/model.ts';
import { planWithinBounds } from '../../../../src/core/optimize/problem/nearest-within-bounds.ts';
import { isAllowed } from '../../../../src/core/optimize/problem/network.ts';
import { hasLocationBounds, withLimits } from '../../../../src/core/optimize/problem/variants.ts';
import { solveProblem } from '../../../../src/core/optimize/solve.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { buildCached as buildProblem } from '../cached.ts';
import { cityInstance, SETTINGS } from '../instances.ts';
import { mediumRequest } from '../medium-instances.ts';

const settings = { ...SETTINGS, maxRebalancingCost: null };
const BOUNDS = [
  { minVehiclesPerLocation: 2 },
  { maxVehiclesPerLocation: 16 },
  { minVehiclesPerLocation: 4, maxVehiclesPerLocation: 18 },
];

/** Vehicles of three capacities, demand 80 % of what they carry; 95 % of it is to be served. */
function city(seed: number, locations: number): Problem {
  const shape = { locations, perLocation: 10, fractional: true, capacities: [1, 2, 4], load: 0.8 };
  const { request, locations: points } = cityInstance(seed, shape);
  return buildProblem({ ...request, constraints: { min_service_level: 0.95 } }, points, settings);
}

describe('a first plan within bounds per location', () => {
  test('keeps every constraint and uses allowed moves only, on random requests', () => {
    let found = 0;
    for (const seed of seeds(1, 1000)) {
      const { request, locations } = mediumRequest(seed);
      const problem = buildProblem(request, locations, settings);
      const moves = hasLocationBounds(problem) ? planWithinBounds(problem, () => false) : null;
      if (!moves) continue;
      const { broken } = evaluateMoves(problem, moves);
      // Whether a smaller fleet serves enough is the caller's question: it counts vehicles that serve most.
      expect(
        broken.filter((name) => name !== 'min_service_level'),
        `seed ${seed}`,
      ).toEqual([]);
      const n = problem.locationIds.length;
      for (let m = 0; m < moves.count.length; m++) {
        const [from, to] = [moves.source[m], moves.target[m]];
        const mayMove = isAllowed(problem.network, n, problem.limits.maxDistanceKm, from, to);
        expect(mayMove, `seed ${seed}`).toBe(true);
      }
      if (broken.length === 0) found++;
    }
    expect(found).toBeGreaterThan(enough(50));
  });

  test('exists for cities whose fleet has a fifth to spare, and is the answer if time is up before any other', async () => {
    for (const seed of seeds(1, 8)) {
      for (const bounds of BOUNDS) {
        const problem = withLimits(city(seed, 100), bounds);
        const outcome = await solveProblem(problem, 0.01, { deadlineMs: performance.now() });
        expect(outcome.kind, `seed ${seed}, ${JSON.stringify(bounds)}`).toBe('solved');
        if (outcome.kind === 'solved')
          expect(evaluateMoves(problem, outcome.solution.moves).broken).toEqual([]);
      }
    }
  });
});
