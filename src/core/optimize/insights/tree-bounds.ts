/**
 * Bounds from both sides of changed problems with several capacity classes, on a tree of the unchanged problem, which
 * each of them descends again (`tree.ts`). The least known first, each for its share of the time.
 */

import { createBaseModel } from '../column-generation/build-base-model.ts';
import type { Context } from '../column-generation/context.ts';
import { createMaster } from '../column-generation/master.ts';
import { cut, relaxWithoutArtificialColumns, SURE_PENALTY } from '../column-generation/search.ts';
import { withSolverModel } from '../highs/highs.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import { createIncumbent } from '../problem/incumbent.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { evenPartOf, msOf, timeFor } from '../run/budget.ts';
import { nowMs } from '../run/clock.ts';
import { isOver, type Stopping, untilOutOfTime } from '../run/stopping.ts';
import { both, NO_PLAN, type Range } from './estimate.ts';
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
import { askTree, type BranchTree, createBranchTree, searchTree } from './tree.ts';

/**
 * @param plan of the problem
 * @param onOptimum called between the unchanged problem and the changed ones, with the cheapest plan known
 */
export async function learnFromTree(
  problem: Problem,
  plan: PlanInHand,
  sensitivities: Sensitivities,
  control: Stopping,
  onOptimum: (best: PlanInHand) => Promise<void>,
): Promise<void> {
  const base = createBaseModel(problem);
  await withSolverModel(problem.caches.thread, base.model, base.tolerance, control, async (model) => {
    const incumbent = createIncumbent(problem, 0, control);
    const { optimum } = sensitivities;
    let tree: BranchTree | null = null;
    let best = plan;
    const onPlan = (moves: Moves) => {
      const { costUnits, broken } = evaluateMoves(problem, moves);
      if (broken.length > 0 || costUnits >= best.costUnits) return;
      best = { moves, costUnits };
      optimum.most = Math.min(optimum.most, costUnits);
    };
    untilOutOfTime(() => {
      const context: Context = {
        problem,
        base,
        model,
        incumbent,
        master: createMaster(problem, base, model, incumbent.isOver),
      };
      const relaxed = relaxWithoutArtificialColumns(problem, context.master, SURE_PENALTY);
      if (typeof relaxed === 'string' || cut(context, relaxed).status !== 'done') return;
      tree = createBranchTree(context);
      const share = timeFor('treeOptimum', control);
      const bound = searchTree(tree, { enough: () => optimum.most, onPlan, isDone: () => isOver(share) });
      optimum.least = Math.max(optimum.least, Math.min(bound, optimum.most));
    });
    await onOptimum(best);
    untilOutOfTime(() => {
      if (tree) askEach(problem, tree, sensitivities, control);
    });
  });
}

/** @throws OutOfTime; the results so far stay */
function askEach(problem: Problem, tree: BranchTree, sensitivities: Sensitivities, control: Stopping): void {
  const { optimum } = sensitivities;
  for (const sensitivity of listAll(sensitivities)) {
    if (sensitivity.sign > 0)
      sensitivity.range = both(sensitivity.range, { least: optimum.least, most: Number.POSITIVE_INFINITY });
    if (sensitivity.sign < 0) sensitivity.range = both(sensitivity.range, { least: 0, most: optimum.most });
  }
  // First the bounds of the current multipliers, so that time goes to the problems with the weakest ones.
  for (const sensitivity of listAll(sensitivities)) {
    if (isOver(control)) return;
    if (widthOf(sensitivity) > 0) askOne(problem, tree, sensitivity, optimum, () => true);
  }
  const open = listAll(sensitivities).filter((sensitivity) => widthOf(sensitivity) > 0);
  open.sort(byWidth);
  for (const [at, sensitivity] of open.entries()) {
    if (isOver(control)) return;
    if (widthOf(sensitivity) === 0) continue;
    const share = evenPartOf(control, open.length - at);
    const untilMs = Math.max(share.deadlineMs, nowMs() + msOf('treeQuestionMin'));
    askOne(problem, tree, sensitivity, optimum, () => nowMs() >= untilMs);
  }
}

function askOne(
  { limits }: Problem,
  tree: BranchTree,
  sensitivity: Sensitivity,
  optimum: Range,
  isDone: () => boolean,
): void {
  const [changed] = sensitivity.variants();
  const onPlan = (moves: Moves) => {
    const { costUnits, broken } = evaluateMoves(changed, moves);
    if (broken.length > 0 || costUnits > limits.maxCostUnits || costUnits >= sensitivity.range.most) return;
    const next = sensitivity.move && nextBest(changed, sensitivity.plan!, moves, sensitivity.move);
    learn(sensitivity, { least: 0, most: costUnits }, next);
  };
  const enough = () => Math.min(sensitivity.range.most, limits.maxCostUnits + 1);
  const bound = askTree(tree, changed, { enough, onPlan, isDone });
  if (sensitivity.range.most < Number.POSITIVE_INFINITY)
    sensitivity.guess = sensitivity.range.most - optimum.most;
  if (bound === null) return;
  const most = Number.POSITIVE_INFINITY;
  learn(sensitivity, bound > limits.maxCostUnits || bound === most ? NO_PLAN : { least: bound, most });
}
