/**
 * Narrows what is known of the changed problems by solving them, those that are least known first, each for a share of the
 * time. Any proof of the solver counts, whether it came to the optimum or not.
 */
import { isStopped } from '../highs.ts';
import type { Problem, Solution, SolveControl } from '../model.ts';
import { solveProblem } from '../solve.ts';
import type { Range } from './estimate.ts';
import { byWidth, learn, listAll, nextBest, type Question, type Questions, widthOf } from './questions.ts';

/** A solve of a changed problem takes this at least; less would bring nothing. */
const LEAST_SOLVE_MS = 50;
/** Share of the time left that one of them may take. */
const MOST_SHARE = 0.2;
/** The problem itself, which every figure rests on. */
const OPTIMUM_SHARE = 0.5;

/** The problem as it is, solved closer. @returns the best plan known */
export async function tightenOptimum(
  problem: Problem,
  solution: Solution,
  { optimum }: Questions,
  { deadlineMs, stopFlag }: SolveControl,
): Promise<Solution> {
  if (optimum.most <= optimum.least) return solution;
  const untilMs = performance.now() + OPTIMUM_SHARE * Math.max(0, deadlineMs - performance.now());
  const closer = await solveProblem(problem, 0, { deadlineMs: untilMs, stopFlag });
  if (closer.kind !== 'solved') return solution;
  optimum.least = Math.max(optimum.least, closer.solution.boundUnits);
  optimum.most = Math.min(optimum.most, closer.solution.costUnits);
  return closer.solution.costUnits < solution.costUnits ? closer.solution : solution;
}

/** Solves changed problems until all is known or the time is up. */
export async function tightenEach(
  problem: Problem,
  questions: Questions,
  control: SolveControl,
): Promise<void> {
  const open = new Set(listAll(questions).filter((question) => widthOf(question) > 0));
  const count = open.size;
  // The widest first; what has been asked once is not asked again.
  for (const question of [...open].sort(byWidth)) {
    const now = performance.now();
    if (isStopped(control.stopFlag) || now >= control.deadlineMs) return;
    const share = Math.max(LEAST_SOLVE_MS, MOST_SHARE * (control.deadlineMs - now));
    await solveCloser(problem, question, {
      deadlineMs: Math.min(control.deadlineMs, now + share),
      stopFlag: control.stopFlag,
    });
    open.delete(question);
    control.onProgress?.({
      share: 1 - open.size / count,
      incumbentUnits: null,
      boundUnits: null,
      gap: null,
    });
  }
}

async function solveCloser(problem: Problem, question: Question, control: SolveControl): Promise<void> {
  const outcome = await solveProblem(question.variant(), 0, control);
  if (outcome.kind === 'infeasible') learn(question, NO_PLAN, null);
  if (outcome.kind !== 'solved') return;
  const { moves, costUnits, boundUnits } = outcome.solution;
  const next = question.move && nextBest(problem, question.plan!, moves, question.move);
  learn(question, { least: boundUnits, most: costUnits }, next);
}

const NO_PLAN: Range = { least: Number.POSITIVE_INFINITY, most: Number.POSITIVE_INFINITY };
