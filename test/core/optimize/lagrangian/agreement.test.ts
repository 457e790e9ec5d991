import { describe, expect, test } from 'vitest';
import type { Flow } from '../../../../src/core/optimize/flow/types.ts';
import { boundFromMultipliers } from '../../../../src/core/optimize/lagrangian/bound.ts';
import { asLagrangianProblem } from '../../../../src/core/optimize/lagrangian/fractional-demand.ts';
import {
  type LagrangianOutcome,
  solveLagrangian,
} from '../../../../src/core/optimize/lagrangian/solve-lagrangian.ts';
import { evaluateMoves } from '../../../../src/core/optimize/problem/evaluate.ts';
import type { Problem } from '../../../../src/core/optimize/problem/model.ts';
import { countVehicles, withLimits } from '../../../../src/core/optimize/problem/variants.ts';
import { solveProblem } from '../../../../src/core/optimize/solve.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { createRandom } from '../instances.ts';
import { optimumByAllMoves } from './highs-optimum.ts';
import { randomFractional } from './lagrangian-instances.ts';

const INSTANCES = 3000;
const LIMIT_MS = 20_000;

/**
 * Outcome, proved bound, and the cheapest reported plan. A plan that breaks a constraint counts as infinitely cheap.
 */
function solved(problem: Problem): LagrangianOutcome & { bound: number; cost: number } {
  let bound = 0;
  let cost = Number.POSITIVE_INFINITY;
  const outcome = solveLagrangian(
    asLagrangianProblem(problem)!,
    { deadlineMs: performance.now() + LIMIT_MS },
    {
      onBound: (units) => {
        bound = Math.max(bound, units);
      },
      onPlan: (flow) => {
        cost = Math.min(cost, costOf(problem, flow));
        return false;
      },
    },
  );
  return { ...outcome, bound, cost };
}

function costOf(problem: Problem, { from, to, units }: Flow): number {
  const capacityClass = new Int32Array(units.length);
  const { costUnits, broken } = evaluateMoves(problem, {
    capacityClass,
    source: from,
    target: to,
    count: units,
  });
  return broken.length > 0 ? Number.NEGATIVE_INFINITY : costUnits;
}

describe('service at a Lagrangian multiplier', () => {
  test('bound ≤ optimum ≤ plan, and no plan only where HiGHS has none, on random problems', {
    tags: 'slow',
  }, async () => {
    const wrong: unknown[] = [];
    const seen = { optimal: 0, dearer: 0, infeasible: 0, open: 0 };
    for (const seed of seeds(1, INSTANCES)) {
      const problem = withLimits(randomFractional(seed), { maxCostUnits: Number.POSITIVE_INFINITY });
      if (countVehicles(problem) === 0) continue;
      const found = solved(problem);
      const expected = await optimumByAllMoves(problem);
      if (found.kind === 'open') seen.open++;
      else if (found.kind === 'infeasible') seen.infeasible++;
      else if (found.cost === expected) seen.optimal++;
      else seen.dearer++;
      const holds =
        expected === null
          ? found.kind !== 'solved' && found.cost === Number.POSITIVE_INFINITY
          : found.kind === 'solved' &&
            found.bound <= expected &&
            expected <= found.cost &&
            found.cost - found.bound <= found.multiplier * (1 + 1e-6) + 1;
      if (!holds) wrong.push({ seed, expected, found });
    }
    expect(wrong).toEqual([]);
    // The instances are of every kind. Only huge costs with tiny demand that nobody can serve remain open.
    expect(Math.min(seen.optimal, seen.infeasible)).toBeGreaterThan(enough(INSTANCES / 6));
    expect(seen.open).toBeLessThan(INSTANCES / 500);
  });

  test('any multipliers at all prove a bound that no plan is below', { tags: 'slow' }, async () => {
    const random = createRandom(9);
    const wrong: unknown[] = [];
    for (const seed of seeds(1, 600)) {
      const problem = randomFractional(seed);
      if (countVehicles(problem) === 0) continue;
      const expected = await optimumByAllMoves(
        withLimits(problem, { maxCostUnits: Number.POSITIVE_INFINITY }),
      );
      if (expected === null) continue;
      const n = problem.locationIds.length;
      for (let tries = 0; tries < 20; tries++) {
        const scale = random.pick([1, 1000, 300_000, 1e9]);
        const bound = boundFromMultipliers(asLagrangianProblem(problem)!, {
          perDemand: random.integer(-10, scale) / problem.capacities[0],
          perVehicle: random.chance(0.5) ? 0 : random.integer(-10, scale),
          atLocation: Float64Array.from({ length: n }, () => random.integer(-10, scale)),
        });
        if (bound > expected) wrong.push({ seed, bound, expected });
      }
    }
    expect(wrong).toEqual([]);
  });

  test('solved to the end, costs and infeasibility are those of HiGHS, with ceilings and fleet limits', {
    tags: 'slow',
  }, async () => {
    const wrong: unknown[] = [];
    const seen = { byFlow: 0, byBranching: 0, infeasible: 0 };
    for (const seed of seeds(1, 700)) {
      const problem = randomFractional(seed, { locations: 10, vehicles: 40 });
      if (countVehicles(problem) === 0) continue;
      const found = await solveProblem(problem, 0, { deadlineMs: performance.now() + LIMIT_MS });
      const least = await optimumByAllMoves(withLimits(problem, { maxCostUnits: Number.POSITIVE_INFINITY }));
      const expected = least === null || least > problem.limits.maxCostUnits ? 'infeasible' : least;
      const cost = found.kind === 'solved' && found.solution.proved ? found.solution.costUnits : found.kind;
      if (cost !== expected) wrong.push({ seed, cost, expected });
      if (found.kind === 'infeasible') seen.infeasible++;
      else if (found.kind === 'solved' && found.solution.figures.nodes > 0) seen.byBranching++;
      else seen.byFlow++;
    }
    expect(wrong).toEqual([]);
    expect(Math.min(seen.byFlow, seen.infeasible)).toBeGreaterThan(enough(100));
    expect(seen.byBranching).toBeGreaterThan(enough(10));
  });
});
