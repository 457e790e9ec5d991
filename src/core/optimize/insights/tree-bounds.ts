/**
 * What is proved of changed problems of several capacity classes, from both sides: on a tree of the problem as it is, which
 * each of them goes down again (`tree.ts`). The least known first, each for its share of the time.
 */

import { createBaseModel } from '../column-generation/build-base-model.ts';
import type { Context } from '../column-generation/context.ts';
import { createMaster } from '../column-generation/master.ts';
import { cut, relaxWithoutShortage, SURE_PENALTY } from '../column-generation/search.ts';
import { withSolverModel } from '../highs/highs.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import { createIncumbent } from '../problem/incumbent.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { evenPartOf, msOf, timeFor } from '../run/budget.ts';
import { nowMs } from '../run/clock.ts';
import { isOver, type Stopping, untilOutOfTime } from '../run/stopping.ts';
import { both, NO_PLAN, type Range } from './estimate.ts';
import type { PlanInHand } from './repairs.ts';
import { byWidth, learn, listAll, nextBest, type Question, type Questions, widthOf } from './sensitivity.ts';
import { type BranchTree, createBranchTree } from './tree.ts';

/**
 * @param plan of the problem
 * @param onOptimum called between the problem as it is and the changed ones, with the cheapest plan known
 */
export async function learnFromTree(
  problem: Problem,
  plan: PlanInHand,
  questions: Questions,
  control: Stopping,
  onOptimum: (best: PlanInHand) => Promise<void>,
): Promise<void> {
  const base = createBaseModel(problem);
  await withSolverModel(problem.caches.thread, base.model, base.tolerance, control, async (model) => {
    const incumbent = createIncumbent(problem, 0, control);
    const { optimum } = questions;
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
      const relaxed = relaxWithoutShortage(problem, context.master, SURE_PENALTY);
      if (typeof relaxed === 'string' || cut(context, relaxed).status !== 'done') return;
      tree = createBranchTree(context);
      const share = timeFor('treeOptimum', control);
      const bound = tree.search({ enough: () => optimum.most, onPlan, isDone: () => isOver(share) });
      optimum.least = Math.max(optimum.least, Math.min(bound, optimum.most));
    });
    await onOptimum(best);
    untilOutOfTime(() => {
      if (tree) askEach(problem, tree, questions, control);
    });
  });
}

/** @throws OutOfTime, with what was learnt before */
function askEach(problem: Problem, tree: BranchTree, questions: Questions, control: Stopping): void {
  const { optimum } = questions;
  for (const question of listAll(questions)) {
    if (question.sign > 0)
      question.range = both(question.range, { least: optimum.least, most: Number.POSITIVE_INFINITY });
    if (question.sign < 0) question.range = both(question.range, { least: 0, most: optimum.most });
  }
  // What the multipliers at hand say, so that time goes to those of which that is least.
  for (const question of listAll(questions)) {
    if (isOver(control)) return;
    if (widthOf(question) > 0) askOne(problem, tree, question, optimum, () => true);
  }
  const open = listAll(questions).filter((question) => widthOf(question) > 0);
  open.sort(byWidth);
  for (const [at, question] of open.entries()) {
    if (isOver(control)) return;
    if (widthOf(question) === 0) continue;
    const share = evenPartOf(control, open.length - at);
    const untilMs = Math.max(share.deadlineMs, nowMs() + msOf('treeQuestionMin'));
    askOne(problem, tree, question, optimum, () => nowMs() >= untilMs);
  }
}

function askOne(
  { limits }: Problem,
  tree: BranchTree,
  question: Question,
  optimum: Range,
  isDone: () => boolean,
): void {
  const changed = question.variant();
  const onPlan = (moves: Moves) => {
    const { costUnits, broken } = evaluateMoves(changed, moves);
    if (broken.length > 0 || costUnits > limits.maxCostUnits || costUnits >= question.range.most) return;
    const next = question.move && nextBest(changed, question.plan!, moves, question.move);
    learn(question, { least: 0, most: costUnits }, next);
  };
  const enough = () => Math.min(question.range.most, limits.maxCostUnits + 1);
  const bound = tree.ask(changed, { enough, onPlan, isDone });
  if (question.range.most < Number.POSITIVE_INFINITY) question.guess = question.range.most - optimum.most;
  if (bound === null) return;
  const most = Number.POSITIVE_INFINITY;
  learn(question, bound > limits.maxCostUnits || bound === most ? NO_PLAN : { least: bound, most });
}
