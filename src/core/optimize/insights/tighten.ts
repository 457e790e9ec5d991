/**
 * Narrows the ranges of the changed problems by solving them, the least known first, each for a share of the time. Any
 * proof of the solver counts, whether it reached the optimum or not.
 */

import { evaluateMoves } from '../problem/evaluate.ts';
import type { Problem } from '../problem/model.ts';
import { NO_MOVES } from '../problem/moves.ts';
import { evenPartOf, msOf, shareOf } from '../run/budget.ts';
import { nowMs } from '../run/clock.ts';
import { isOver, type Stopping } from '../run/stopping.ts';
import { solveChanges } from '../stability/solve-changes.ts';
import { NO_PLAN } from './estimate.ts';
import type { PlanInHand } from './repairs.ts';
import {
  byWidth,
  learn,
  listAll,
  nextBest,
  type Sensitivities,
  type Sensitivity,
  widthOf,
} from './sensitivity.ts';

/** Solves the unchanged problem closer. @returns the best plan known */
export async function tightenOptimum(
  problem: Problem,
  plan: PlanInHand,
  { optimum }: Sensitivities,
  stopping: Stopping,
): Promise<PlanInHand> {
  if (optimum.most <= optimum.least) return plan;
  const closer = await solveChanges(problem, 0, stopping);
  if (closer.kind !== 'solved') return plan;
  optimum.least = Math.max(optimum.least, closer.solution.boundUnits);
  optimum.most = Math.min(optimum.most, closer.solution.objectiveUnits);
  return closer.solution.costUnits < plan.costUnits ? closer.solution : plan;
}

/**
 * Finds the cost of a plan without each constraint, before all else: the binding constraints must be named however
 * little time there is. Without the service level this usually needs no search, as nothing then has to move.
 */
export async function learnConstraints(
  problem: Problem,
  { constraints }: Sensitivities,
  stopping: Stopping,
): Promise<void> {
  for (const [at, { all }] of constraints.entries()) {
    const { broken, objectiveUnits } = evaluateMoves(all.variants()[0], NO_MOVES);
    if (broken.length === 0 && objectiveUnits === 0) learn(all, { least: 0, most: 0 });
    else if (!isOver(stopping))
      await solveCloser(problem, all, evenPartOf(stopping, constraints.length - at));
  }
}

/**
 * Solves changed problems until all is known or time is up. Those that used up their share are repeated after each has
 * had its own.
 */
export async function tightenEach(
  problem: Problem,
  sensitivities: Sensitivities,
  control: Stopping,
): Promise<void> {
  let open = listAll(sensitivities).filter((sensitivity) => widthOf(sensitivity) > 0);
  while (open.length > 0) {
    const unsettled: Sensitivity[] = [];
    // The widest first.
    for (const sensitivity of open.sort(byWidth)) {
      const now = nowMs();
      if (isOver(control)) return;
      const share = Math.max(msOf('changedProblem'), shareOf('question') * (control.deadlineMs - now));
      const stopping = { ...control, deadlineMs: Math.min(control.deadlineMs, now + share) };
      await solveCloser(problem, sensitivity, stopping);
      if (isOver(stopping) && widthOf(sensitivity) > 0) unsettled.push(sensitivity);
    }
    open = unsettled;
  }
}

async function solveCloser(problem: Problem, sensitivity: Sensitivity, stopping: Stopping): Promise<void> {
  const variants = sensitivity.variants();
  const range = { ...NO_PLAN };
  let next: number | null = null;
  for (const [at, variant] of variants.entries()) {
    const outcome = await solveChanges(variant, 0, evenPartOf(stopping, variants.length - at));
    if (outcome.kind === 'infeasible') continue;
    if (outcome.kind !== 'solved') return;
    const { moves, objectiveUnits, boundUnits } = outcome.solution;
    if (sensitivity.move) next = nextBest(problem, sensitivity.plan!, moves, sensitivity.move);
    range.least = Math.min(range.least, boundUnits);
    range.most = Math.min(range.most, objectiveUnits);
  }
  learn(sensitivity, range, next);
}
