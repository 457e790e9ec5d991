/**
 * A problem whose changes of a previous plan cost something: the cheapest plan, moves and changes together. The
 * problem of `targets-problem.ts` decides it; rules about pairs come after that, as they do without a change cost.
 */

import { evaluateMoves } from '../problem/evaluate.ts';
import { isProvedWithin, relativeGap } from '../problem/incumbent.ts';
import type { Moves, Problem, Solution, SolveOutcome } from '../problem/model.ts';
import { hasPairRules, withoutPairRules } from '../problem/pairs.ts';
import { hasChangeCost } from '../problem/previous.ts';
import { refinePlan } from '../refine/refine.ts';
import { timeFor } from '../run/budget.ts';
import type { SolveControl } from '../run/control.ts';
import { checkOf, OutOfTime } from '../run/stopping.ts';
import { solveProblem } from '../solve.ts';
import { createTargetsProblem } from './targets-problem.ts';

/** A bound on the objective with the figures of its search. */
type Bound = Pick<Solution, 'boundUnits' | 'figures'>;

/**
 * Solves a problem that may have a change cost.
 * @param gap relative, of the objective: the cost of moving and of changes
 * @param known a plan that keeps every constraint, and its bound
 */
export async function solveChanges(
  problem: Problem,
  gap: number,
  control: SolveControl,
  known: Solution | null = null,
): Promise<SolveOutcome> {
  if (!hasChangeCost(problem)) return await solveProblem(problem, gap, control);
  try {
    if (!hasPairRules(problem)) return await solveGroups(problem, gap, control, known);
    // Its plans do not keep the rules; its bound holds.
    const onProgress: SolveControl['onProgress'] = (progress) =>
      control.onProgress?.({ ...progress, incumbentUnits: null, gap: null });
    const before = await solveGroups(
      withoutPairRules(problem),
      gap,
      { ...control, ...timeFor('question', control), onProgress },
      null,
    );
    if (before.kind !== 'solved' && before.kind !== 'timeout') return before;
    return await refineChanges(problem, before.kind === 'solved' ? before.solution : null, gap, control);
  } catch (error) {
    if (error instanceof OutOfTime) return { kind: 'timeout' };
    throw error;
  }
}

async function refineChanges(
  problem: Problem,
  before: Solution | null,
  gap: number,
  control: SolveControl,
): Promise<SolveOutcome> {
  const ownControl: SolveControl = {
    ...control,
    onProgress: (progress) => control.onProgress?.({ ...progress, stage: 'milp_refinement' }),
  };
  const refined = await refinePlan(problem, before, gap, ownControl, solveChanges);
  // Without a change cost the problem is as large, and that plan stands.
  return refined === 'too large' ? { kind: 'timeout' } : refined;
}

/** Without rules about pairs. @throws OutOfTime */
async function solveGroups(
  problem: Problem,
  gap: number,
  control: SolveControl,
  known: Solution | null,
): Promise<SolveOutcome> {
  const found = await solveTargets(problem, gap, control, known, false);
  if (found.kind !== 'solved' || isPlan(problem, found.solution.moves)) return found;
  const proved = known && bestOf(problem, gap, found.solution, [known.moves]);
  if (proved?.proved) return { kind: 'solved', solution: proved };
  const within = await solveTargets(problem, gap, control, proved, true);
  if (within.kind !== 'solved') return within;
  const { boundUnits } = found.solution;
  const bound = { ...within.solution, boundUnits: Math.max(boundUnits, within.solution.boundUnits) };
  return { kind: 'solved', solution: bestOf(problem, gap, bound, [within.solution.moves]) };
}

/**
 * Solves the problem with a location per group of vehicles that have the same target.
 * @param hasCeiling whether the plan has to keep the ceiling, which makes the problem harder
 * @returns moves of the original problem
 * @throws OutOfTime
 */
async function solveTargets(
  problem: Problem,
  gap: number,
  control: SolveControl,
  known: Solution | null,
  hasCeiling: boolean,
): Promise<SolveOutcome> {
  const targets = createTargetsProblem(problem, problem.previous!.changeUnits, hasCeiling, checkOf(control));
  const { fixedUnits } = targets;
  // The gap concerns the whole objective, of which the fixed part is proved. At a better plan it is larger still.
  const whole = Math.max(known?.boundUnits ?? 0, fixedUnits);
  const openUnits = Math.max(1, (known?.objectiveUnits ?? whole) - fixedUnits);
  const ownGap = known ? Math.min(1, (gap * Math.max(whole, openUnits)) / openUnits) : gap;
  const solved = await solveProblem(targets.problem, ownGap, {
    ...control,
    onProgress: withFixedUnits(control, fixedUnits),
  });
  if (solved.kind !== 'solved') return solved;
  const moves = targets.toOriginal(solved.solution.moves);
  const { costUnits, objectiveUnits, served } = evaluateMoves(problem, moves);
  const boundUnits = Math.max(known?.boundUnits ?? 0, solved.solution.boundUnits + fixedUnits);
  const solution = { ...solved.solution, moves, costUnits, objectiveUnits, served };
  return { kind: 'solved', solution: { ...solution, ...rankOf(problem, gap, objectiveUnits, boundUnits) } };
}

/** Whether moves keep every constraint, the ceiling included. */
function isPlan(problem: Problem, moves: Moves): boolean {
  const { broken, costUnits } = evaluateMoves(problem, moves);
  return broken.length === 0 && costUnits <= problem.limits.maxCostUnits;
}

/**
 * The best of some plans, of which one keeps every constraint.
 * @param proved a bound on the objective, with the figures of its search
 */
export function bestOf(
  problem: Problem,
  gap: number,
  { boundUnits, figures }: Bound,
  plans: readonly (Moves | null)[],
): Solution {
  let best: Pick<Solution, 'moves' | 'costUnits' | 'objectiveUnits' | 'served'> | null = null;
  for (const moves of plans) {
    if (!moves || !isPlan(problem, moves)) continue;
    const { costUnits, objectiveUnits, served } = evaluateMoves(problem, moves);
    if (!best || objectiveUnits < best.objectiveUnits) best = { moves, costUnits, objectiveUnits, served };
  }
  // The first plan was found by an engine, which checks it in the same way.
  if (!best) throw new Error('no plan keeps every constraint');
  return { ...best, ...rankOf(problem, gap, best.objectiveUnits, boundUnits), figures };
}

function rankOf(problem: Problem, gap: number, objectiveUnits: number, boundUnits: number) {
  return {
    boundUnits: Math.min(boundUnits, objectiveUnits),
    gap: relativeGap(objectiveUnits, boundUnits),
    proved: isProvedWithin(problem, gap, objectiveUnits, boundUnits),
  };
}

/** Reports of the search, with the part of the objective that it does not know. */
function withFixedUnits({ onProgress }: SolveControl, fixedUnits: number): SolveControl['onProgress'] {
  if (!onProgress) return undefined;
  const add = (units: number | null) => (units === null ? null : units + fixedUnits);
  return (progress) =>
    onProgress({
      ...progress,
      incumbentUnits: add(progress.incumbentUnits),
      boundUnits: add(progress.boundUnits),
      gap: null,
    });
}
