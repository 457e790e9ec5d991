/** A plan that serves a good part of the demand, however little time is left. */
import { evaluateMoves } from '../problem/evaluate.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { planMostWithinBounds } from '../problem/nearest-within-bounds.ts';
import { hasLocationBounds, withLimits } from '../problem/variants.ts';
import { msOf } from '../run/budget.ts';
import { createAllowance, isOver, isStopped, type Stopping } from '../run/stopping.ts';

/**
 * Within bounds per location, in milliseconds: the only other plan that time always allows is the one where nothing
 * moves, and that one may break them.
 * @param problem its service level is ignored
 * @returns `served` in demand; null without such bounds, or if the moves break another constraint
 */
export function firstPlan(problem: Problem, control: Stopping): { moves: Moves; served: number } | null {
  if (!hasLocationBounds(problem)) return null;
  const isSpent = createAllowance(msOf('latePlan'));
  const isTooLate = () => isStopped(control.stopFlag) || (isOver(control) && isSpent());
  const moves = planMostWithinBounds(problem, isTooLate);
  if (!moves) return null;
  const { served, costUnits, broken } = evaluateMoves(withLimits(problem, { minServiceLevel: 0 }), moves);
  return broken.length === 0 && costUnits <= problem.limits.maxCostUnits ? { moves, served } : null;
}
