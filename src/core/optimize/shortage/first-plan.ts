/** A plan that serves a good part of the demand, however little time is left. */
import { evaluateMoves } from '../problem/evaluate.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { NO_MOVES } from '../problem/moves.ts';
import { planMostWithinBounds } from '../problem/nearest-within-bounds.ts';
import { withLimits } from '../problem/variants.ts';
import { msOf } from '../run/budget.ts';
import { createAllowance, isOver, isStopped, type Stopping } from '../run/stopping.ts';

type ServingPlan = { moves: Moves; served: number };

/**
 * The largest open demands served from the nearest vehicles, in milliseconds.
 * @param problem its service level is ignored
 * @param start moves of a plan: what they serve stays served
 * @returns `served` in demand; `start` itself if it serves more, or if the moves break a constraint; null if both do
 */
export function firstPlan(problem: Problem, control: Stopping, start = NO_MOVES): ServingPlan | null {
  const isSpent = createAllowance(msOf('latePlan'));
  const isTooLate = () => isStopped(control.stopFlag) || (isOver(control) && isSpent());
  const more = planOf(problem, planMostWithinBounds(problem, isTooLate, start));
  const before = planOf(problem, start);
  return more && more.served >= (before?.served ?? 0) ? more : before;
}

function planOf(problem: Problem, moves: Moves | null): ServingPlan | null {
  if (!moves) return null;
  const { served, costUnits, broken } = evaluateMoves(withLimits(problem, { minServiceLevel: 0 }), moves);
  return broken.length === 0 && costUnits <= problem.limits.maxCostUnits ? { moves, served } : null;
}
