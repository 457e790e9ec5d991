import { describe, expect, test } from 'vitest';
import { evaluateMoves } from '../../../../src/core/optimize/problem/evaluate.ts';
import { demandFrom, withFloors } from '../../../../src/core/optimize/problem/floors.ts';
import type { Problem } from '../../../../src/core/optimize/problem/model.ts';
import { planNearest } from '../../../../src/core/optimize/problem/nearest.ts';
import { planWithinBounds } from '../../../../src/core/optimize/problem/nearest-within-bounds.ts';
import { isAllowed } from '../../../../src/core/optimize/problem/network.ts';
import { hasLocationBounds, withLimits } from '../../../../src/core/optimize/problem/variants.ts';
import { solveProblem } from '../../../../src/core/optimize/solve.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { buildCached as buildProblem } from '../cached.ts';
import { cityInstance, SETTINGS } from '../instances.ts';
import { mediumRequest } from '../medium-instances.ts';

const BOUNDS = [
  {},
  { minVehiclesPerLocation: 2 },
  { maxVehiclesPerLocation: 16 },
  { minVehiclesPerLocation: 4, maxVehiclesPerLocation: 18 },
];
const settings = { ...SETTINGS, maxRebalancingCost: null };

function city(seed: number, locations: number): Problem {
  const shape = { locations, perLocation: 10, fractional: true, capacities: [1, 2, 4], load: 0.8 };
  const { request, locations: points } = cityInstance(seed, shape);
  return buildProblem({ ...request, constraints: { min_service_level: 0.95 } }, points, settings);
}

describe('a first plan from the nearest vehicles', () => {
  test.each([
    ['without bounds per location', 600, 300],
    ['within bounds per location', 1000, 50],
  ])(
    'keeps every constraint and uses allowed moves only, %s, on random requests',
    (way, instances, least) => {
      let found = 0;
      for (const seed of seeds(1, instances)) {
        const { request, locations } = mediumRequest(seed);
        const {
          min_vehicles_per_location: _,
          max_vehicles_per_location: __,
          ...unbounded
        } = request.constraints!;
        const isBounded = way.startsWith('within');
        const constraints = isBounded ? request.constraints : unbounded;
        const problem = buildProblem({ ...request, constraints }, locations, settings);
        if (hasLocationBounds(problem) !== isBounded) continue;
        const moves = (isBounded ? planWithinBounds : planNearest)(problem, () => false);
        if (!moves) continue;
        const { broken } = evaluateMoves(problem, moves);
        // Whether a smaller fleet serves enough is the caller's question: it counts vehicles that serve most.
        const others = broken.filter((name) => name !== 'min_service_level');
        expect(others, `seed ${seed}`).toEqual([]);
        const n = problem.locationIds.length;
        for (let m = 0; m < moves.count.length; m++) {
          const [from, to] = [moves.source[m], moves.target[m]];
          const mayMove = isAllowed(problem.network, n, problem.limits.maxDistanceKm, from, to);
          expect(mayMove, `seed ${seed}`).toBe(true);
        }
        if (broken.length === 0) found++;
      }
      expect(found).toBeGreaterThan(enough(least));
    },
  );

  test('serves all critical demand of a fleet that is a third short', () => {
    for (const seed of seeds(1, 40)) {
      const plain = city(seed, 200);
      const problem = {
        ...plain,
        demand: plain.demand.map((demand) => 1.8 * demand),
        priorities: Uint8Array.from(plain.demand, (_, j) => (j % 5 === 1 ? 9 : j % 5 === 2 ? 5 : 0)),
        limits: { ...plain.limits, minServiceLevel: 0.6 },
      };
      expect(evaluateMoves(problem, planNearest(problem, () => false)!).broken).toEqual([]);
      const all = [9, 5].map((level) => ({ level, served: demandFrom(problem, level) }));
      const leveled = withFloors(problem, all);
      expect(evaluateMoves(leveled, planNearest(problem, () => false)!).broken).toContain('priorities');
      expect(evaluateMoves(leveled, planNearest(leveled, () => false)!).broken, `seed ${seed}`).toEqual([]);
    }
  });

  test('exists for every city whose fleet has a fifth to spare, and reads no matrix', () => {
    for (const seed of seeds(1, 40)) {
      const problem = city(seed, 200);
      const network = {
        get costUnits(): Float64Array {
          throw new Error('the matrix of costs is read');
        },
        get distanceKm(): Float64Array {
          throw new Error('the matrix of distances is read');
        },
      };
      const moves = planNearest({ ...problem, network }, () => false);
      expect(moves && evaluateMoves(problem, moves).broken, `seed ${seed}`).toEqual([]);
    }
  });

  test('is the answer if time is up before any other plan, unproved, also within bounds per location', async () => {
    for (const bounds of BOUNDS) {
      for (const seed of seeds(1, 10)) {
        const problem = withLimits(city(seed, 200), bounds);
        const outcome = await solveProblem(problem, 0.01, { deadlineMs: performance.now() });
        if (outcome.kind !== 'solved')
          throw new Error(`seed ${seed}, ${JSON.stringify(bounds)}: ${outcome.kind}`);
        expect(outcome.solution.proved).toBe(false);
        expect(evaluateMoves(problem, outcome.solution.moves).broken).toEqual([]);
      }
    }
  });
});
