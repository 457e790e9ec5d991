import { expect, test } from 'vitest';
import { effortOf } from '../../../../src/core/optimize/insights/effort.ts';
import {
  boundUnchanged,
  createParametricFlow,
} from '../../../../src/core/optimize/insights/parametric-flow.ts';
import { evaluateMoves } from '../../../../src/core/optimize/problem/evaluate.ts';
import type { Moves, Problem, Solution } from '../../../../src/core/optimize/problem/model.ts';
import { planNearest } from '../../../../src/core/optimize/problem/nearest.ts';
import { planWithinBounds } from '../../../../src/core/optimize/problem/nearest-within-bounds.ts';
import { withoutUnmetCost } from '../../../../src/core/optimize/problem/unmet-cost.ts';
import {
  countVehicles,
  hasLocationBounds,
  withLimits,
} from '../../../../src/core/optimize/problem/variants.ts';
import { solveProblem } from '../../../../src/core/optimize/solve.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { randomBounded, randomFractional } from '../lagrangian/lagrangian-instances.ts';

const NO_LIMIT = { maxCostUnits: Number.POSITIVE_INFINITY };

/** A plan as the solution of its problem, whatever it costs. */
function asSolution(problem: Problem, moves: Moves): Solution {
  const { costUnits, objectiveUnits, served } = evaluateMoves(problem, moves);
  const figures = { method: 'greedy' as const, columns: 0, rows: 0, iterations: 0, nodes: 0 };
  return { moves, costUnits, objectiveUnits, boundUnits: 0, gap: 1, proved: false, served, figures };
}

test('the flow of a plan that is not the cheapest has bounds on either side of the optimum', {
  tags: 'slow',
}, async () => {
  const wrong: unknown[] = [];
  const seen = { dear: 0, bounded: 0 };
  for (const seed of seeds(1, 600)) {
    const size = { locations: 8, vehicles: 30 };
    const asked = seed % 2 === 0 ? randomBounded(seed, size) : randomFractional(seed, size);
    const problem = withLimits(withoutUnmetCost(asked), NO_LIMIT);
    if (countVehicles(problem) === 0) continue;
    const control = { deadlineMs: performance.now() + 300_000 };
    const planFirst = hasLocationBounds(problem) ? planWithinBounds : planNearest;
    const moves = planFirst(problem, () => false);
    const outcome = await solveProblem(problem, 0, control);
    if (!moves || outcome.kind !== 'solved' || !outcome.solution.proved) continue;
    const optimum = outcome.solution.costUnits;
    const dear = asSolution(problem, moves);
    if (dear.costUnits > optimum) seen.dear++;
    if (hasLocationBounds(problem)) seen.bounded++;
    const { range } = boundUnchanged(createParametricFlow(problem, dear, effortOf(control)));
    if (range.least > optimum || range.most < optimum) wrong.push({ seed, range, optimum });
  }
  expect(wrong).toEqual([]);
  expect(Math.min(seen.dear, seen.bounded)).toBeGreaterThan(enough(50));
});
