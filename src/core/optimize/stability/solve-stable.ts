/**
 * The plan of least cost if a vehicle that goes elsewhere than in a previous plan costs more: first the problem without
 * that cost, then the one with it (`solve-changes.ts`). Whether a plan exists, and how much demand can be served, does
 * not depend on the change cost, so the first answers that; its cost is what stability is compared with.
 */

import type { ServedByPriority } from '../priorities/solve-by-priority.ts';
import type { Moves, Problem, Solution, SolveOutcome } from '../problem/model.ts';
import { MAX_MATRIX_LOCATIONS } from '../problem/network.ts';
import { hasPairRules } from '../problem/pairs.ts';
import { hasChangeCost, keepAll } from '../problem/previous.ts';
import { refuseTargets } from '../request/refusals.ts';
import { timeFor } from '../run/budget.ts';
import type { SolveControl } from '../run/control.ts';
import { checkOf, isStopped, OutOfTime } from '../run/stopping.ts';
import type { ServedMost } from '../shortage/serve-most.ts';
import { bestOf, solveChanges } from './solve-changes.ts';
import { takeBack } from './take-back.ts';
import { countTargetLocations } from './targets-problem.ts';

type Outcome = ServedMost | ServedByPriority | SolveOutcome;
export type SolvePlain = (problem: Problem, gap: number, control: SolveControl) => Promise<Outcome>;

/** `without`: the plan without the change cost; null if it is not proved within the gap. */
export type StableOutcome = { solved: Outcome; without: Solution | null };

/** Share of the progress at which the second solve begins. */
const FIRST_SHARE = 0.4;

/**
 * Solves a problem that may have a previous plan.
 * @param gap relative, of the objective: the cost of moving and of changes
 * @param solve the problem without a change cost
 */
export async function solveStable(
  problem: Problem,
  gap: number,
  control: SolveControl,
  solve: SolvePlain,
): Promise<StableOutcome> {
  const { previous, ...plain } = problem;
  if (!hasChangeCost(problem)) return withoutChangeCost(await solve(plain, gap, control));
  try {
    problem.greatCircle?.buildCosts(checkOf(control));
    problem.greatCircle?.buildDistances(checkOf(control));
    const locations = countTargetLocations(problem);
    if (locations > MAX_MATRIX_LOCATIONS) {
      return { solved: { kind: 'refused', fault: refuseTargets(locations) }, without: null };
    }
  } catch (error) {
    // Without a matrix in time, the plan without the change cost is the best that can be had.
    if (!(error instanceof OutOfTime)) throw error;
  }
  const early = await solve(plain, gap, {
    ...control,
    ...timeFor('half', control),
    onProgress: withoutFigures(partOf(control, 0, FIRST_SHARE)),
  });
  const first = early.kind === 'timeout' ? await solve(plain, gap, control) : early;
  if (!isPlan(first)) return { solved: first, without: null };
  const asked = first.kind === 'solved' ? problem : { ...first.problem, previous };
  const known = bestOf(asked, gap, first.solution, [first.solution.moves, keepAll(asked)]);
  const found = await solveChanges(
    asked,
    gap,
    { ...control, onProgress: partOf(control, FIRST_SHARE, 1) },
    known,
  );
  if (isStopped(control.stopFlag)) return { solved: { kind: 'cancelled' }, without: null };
  const { before } = found.kind === 'solved' ? found.solution : first.solution;
  const best =
    found.kind === 'solved'
      ? withBound(asked, gap, found.solution, known.boundUnits, [known.moves, found.solution.moves])
      : known;
  const paying = await withoutVainChanges(asked, gap, best, control);
  const solution: Solution = { ...paying, ...(before && { before }) };
  const isMost = first.kind === 'solved' || first.isMostProved;
  return {
    solved: { ...first, solution: { ...solution, proved: solution.proved && isMost } },
    without: first.solution.proved ? first.solution : null,
  };
}

function isPlan(outcome: Outcome): outcome is Extract<Outcome, { solution: Solution }> {
  return 'solution' in outcome;
}

function withoutChangeCost(solved: Outcome): StableOutcome {
  const isProved = isPlan(solved) && solved.solution.proved;
  return { solved, without: isProved ? solved.solution : null };
}

/** The best of some plans, with the larger bound. */
function withBound(
  problem: Problem,
  gap: number,
  found: Solution,
  boundUnits: number,
  plans: readonly Moves[],
): Solution {
  return bestOf(problem, gap, { ...found, boundUnits: Math.max(found.boundUnits, boundUnits) }, plans);
}

/** The plan without changes that do not pay for themselves. */
async function withoutVainChanges(
  problem: Problem,
  gap: number,
  solution: Solution,
  control: SolveControl,
): Promise<Solution> {
  const { moves, objectiveUnits, boundUnits } = solution;
  // Rules about pairs are not in its model, and a plan that reaches the bound has none.
  if (objectiveUnits <= boundUnits || hasPairRules(problem)) return solution;
  const fewer = await takeBack(problem, moves, control);
  return fewer ? bestOf(problem, gap, solution, [moves, fewer]) : solution;
}

/** Reports of one of the two solves, as part of the whole. */
function partOf({ onProgress }: SolveControl, from: number, to: number): SolveControl['onProgress'] {
  if (!onProgress) return undefined;
  return (progress) =>
    onProgress({ ...progress, share: progress.share === null ? null : from + (to - from) * progress.share });
}

/** Plans and bounds of the problem without a change cost say nothing about the other. */
function withoutFigures(onProgress: SolveControl['onProgress']): SolveControl['onProgress'] {
  return (
    onProgress &&
    ((progress) => onProgress({ ...progress, incumbentUnits: null, boundUnits: null, gap: null }))
  );
}
