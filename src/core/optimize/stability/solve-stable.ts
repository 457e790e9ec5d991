/**
 * The plan of least cost if a vehicle that goes elsewhere than in a previous plan costs more: first the problem without
 * that cost, then the problem of `targets-problem.ts`. Whether a plan exists, and how much demand can be served, does
 * not depend on the change cost, so the first answers that; its cost is what stability is compared with.
 */

import type { ServedByPriority } from '../priorities/solve-by-priority.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import { isProvedWithin, relativeGap } from '../problem/incumbent.ts';
import type { Moves, Problem, Solution, SolveOutcome } from '../problem/model.ts';
import { MAX_MATRIX_LOCATIONS } from '../problem/network.ts';
import { countChanged, keepAll } from '../problem/previous.ts';
import { refuseTargets } from '../request/refusals.ts';
import { timeFor } from '../run/budget.ts';
import type { SolveControl, SolveProgress } from '../run/control.ts';
import { checkOf, isStopped, OutOfTime } from '../run/stopping.ts';
import type { ServedMost } from '../shortage/serve-most.ts';
import { solveProblem } from '../solve.ts';
import { countTargetLocations, createTargetsProblem } from './targets-problem.ts';

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
  if (!previous || previous.changeUnits === 0) return withoutChangeCost(await solve(plain, gap, control));
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
    ...timeFor('beforeStability', control),
    onProgress: partOf(control, 0, null),
  });
  const first = early.kind === 'timeout' ? await solve(plain, gap, control) : early;
  if (!isPlan(first)) return { solved: first, without: null };
  const asked = first.kind === 'solved' ? problem : { ...first.problem, previous };
  const known = bestOf(asked, gap, first.solution, [first.solution.moves, keepAll(asked)]);
  let found = await solveTargets(asked, known, gap, control);
  if (found && !ratePlan(asked, found.moves).isValid) {
    const proved = bestOf(asked, gap, found, [known.moves]);
    found = proved.proved ? proved : ((await solveTargets(asked, proved, gap, control, true)) ?? proved);
  }
  if (isStopped(control.stopFlag)) return { solved: { kind: 'cancelled' }, without: null };
  const solution = found ? bestOf(asked, gap, found, [known.moves, found.moves]) : known;
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

type Found = Pick<Solution, 'moves' | 'boundUnits' | 'figures'>;

/**
 * Solves the problem with a location per group of vehicles that have the same target.
 * @param known the best plan so far, and its bound
 * @param hasCeiling whether the plan has to keep the ceiling, which makes the problem harder
 * @returns null if that finds no plan
 */
async function solveTargets(
  problem: Problem,
  known: Solution,
  gap: number,
  control: SolveControl,
  hasCeiling = false,
): Promise<Found | null> {
  try {
    const targets = createTargetsProblem(
      problem,
      problem.previous!.changeUnits,
      hasCeiling,
      checkOf(control),
    );
    const { fixedUnits } = targets;
    // The gap concerns the whole objective, of which the fixed part is proved. At a better plan it is larger still.
    const whole = Math.max(known.boundUnits, fixedUnits);
    const openUnits = Math.max(1, known.objectiveUnits - fixedUnits);
    const solved = await solveProblem(
      targets.problem,
      Math.min(1, (gap * Math.max(whole, openUnits)) / openUnits),
      {
        ...control,
        onProgress: partOf(control, FIRST_SHARE, fixedUnits),
      },
    );
    if (solved.kind !== 'solved') return null;
    const { moves, boundUnits, figures } = solved.solution;
    return {
      moves: targets.toOriginal(moves),
      boundUnits: Math.max(known.boundUnits, boundUnits + fixedUnits),
      figures,
    };
  } catch (error) {
    if (error instanceof OutOfTime) return null;
    throw error;
  }
}

/** The best of some plans. @param proved a bound on the objective, with the figures of its search */
function bestOf(
  problem: Problem,
  gap: number,
  { boundUnits, figures }: Found,
  plans: readonly (Moves | null)[],
): Solution {
  let best: ReturnType<typeof ratePlan> | null = null;
  for (const moves of plans) {
    const plan = moves && ratePlan(problem, moves);
    if (plan?.isValid && (!best || plan.objectiveUnits < best.objectiveUnits)) best = plan;
  }
  // The first plan was found by an engine, which checks it in the same way.
  if (!best) throw new Error('no plan keeps every constraint');
  const { isValid: _, ...plan } = best;
  return {
    ...plan,
    boundUnits: Math.min(boundUnits, plan.objectiveUnits),
    gap: relativeGap(plan.objectiveUnits, boundUnits),
    proved: isProvedWithin(problem, gap, plan.objectiveUnits, boundUnits),
    figures,
  };
}

function ratePlan(problem: Problem, moves: Moves) {
  const { costUnits, objectiveUnits, served, broken } = evaluateMoves(problem, moves);
  return {
    moves,
    costUnits,
    served,
    objectiveUnits: objectiveUnits + problem.previous!.changeUnits * countChanged(problem, moves),
    isValid: broken.length === 0 && costUnits <= problem.limits.maxCostUnits,
  };
}

/** Reports of one of the two solves. @param fixedUnits to be added to its figures; null: they say nothing */
function partOf({ onProgress }: SolveControl, from: number, fixedUnits: number | null) {
  if (!onProgress) return undefined;
  const to = from === 0 ? FIRST_SHARE : 1;
  return (progress: SolveProgress) => {
    const add = (units: number | null) => (fixedUnits === null || units === null ? null : units + fixedUnits);
    onProgress({
      ...progress,
      share: progress.share === null ? null : from + (to - from) * progress.share,
      incumbentUnits: add(progress.incumbentUnits),
      boundUnits: add(progress.boundUnits),
      gap: null,
    });
  };
}
