/** Plans of replays that look ahead, made by the optimizer of the service from counts of vehicles. */
import { planAll } from '../optimize/all-steps.ts';
import { buildHorizon, type HorizonInput } from '../optimize/horizon/build-horizon.ts';
import type { MoveColumn } from '../optimize/horizon/flow-master.ts';
import type { HorizonOutcome, HorizonSolution } from '../optimize/horizon/outcome.ts';
import type { HorizonProblem } from '../optimize/horizon/types.ts';
import type { Moves, Problem } from '../optimize/problem/model.ts';
import { withLimits } from '../optimize/problem/variants.ts';
import { RefusedError } from '../optimize/request/refusals.ts';
import { nowMs } from '../optimize/run/clock.ts';
import { type Planner, servesMost } from './planner.ts';

export type HorizonPlanned = {
  /** null if no plan keeps the constraints. */
  moves: Moves | null;
  /** Moves that the next plan, one step later, is likely to use. */
  known: MoveColumn[];
};

/**
 * The plan that looks ahead: the moves of its first step.
 * @param known moves of the plan one step before
 * @throws RefusedError, Error if a plan fails
 */
export async function planAhead(
  planner: Planner,
  supply: Int32Array,
  input: HorizonInput,
  known: readonly MoveColumn[],
): Promise<HorizonPlanned> {
  const problem = buildHorizon(firstStep(planner, supply, input.stepHours), input);
  if ('field' in problem) throw new RefusedError(problem);
  const usable = known.filter(({ step }) => step < problem.steps);
  const solved = await solveAll(planner, supply, problem, input, usable);
  if (!solved || (solved.isShort && !servesMost(planner.options))) return { moves: null, known: [] };
  const { moves, outlook } = solved;
  const next = outlook.flatMap((step, t) =>
    t === 0 ? [] : step.moves.map(({ from, to }) => ({ step: t - 1, arc: arcOf(problem, from, to) })),
  );
  return { moves, known: next };
}

/** The problem of the first step, in which a vehicle serves as much as in one step. */
function firstStep({ base }: Planner, supply: Int32Array, stepHours: number): Problem {
  return { ...base, capacities: base.capacities.map((perHour) => perHour * stepHours), supply };
}

/** With all constraints, as a decision plans. @returns null if no plan keeps them */
async function solveAll(
  planner: Planner,
  supply: Int32Array,
  ahead: HorizonProblem,
  { stepHours }: HorizonInput,
  known: readonly MoveColumn[],
): Promise<HorizonSolution | null> {
  const { base, options, cache } = planner;
  const first = withoutIdleLimit(firstStep(planner, supply, stepHours), ahead);
  // Those on the way, without a row for the first step.
  const classes = { capacities: first.capacities, onTheWay: ahead.supply.subarray(ahead.n) };
  const control = { deadlineMs: nowMs() + options.timeLimitSeconds * 1000 };
  const { maxCostUnits } = base.limits;
  const levels = base.priorities ?? null;
  const planned = { gap: options.gap, control, cache, maxCostUnits, known };
  return solutionOf(await planAll(first, ahead, { classes, levels }, planned));
}

/** A size that all vehicles are within is no limit: then no plan needs rules for it. */
function withoutIdleLimit(first: Problem, { supply }: HorizonProblem): Problem {
  const vehicles = supply.reduce((sum, count) => sum + count, 0);
  return first.limits.totalFleetSize < vehicles
    ? first
    : withLimits(first, { totalFleetSize: Number.POSITIVE_INFINITY });
}

function solutionOf(planned: HorizonOutcome): HorizonSolution | null {
  if (planned.kind === 'solved') return planned.solution;
  if (planned.kind === 'infeasible') return null;
  throw new Error(planned.kind === 'error' ? planned.message : `no plan: ${planned.kind}`);
}

function arcOf({ pairs: { starts, targets } }: HorizonProblem, from: number, to: number): number {
  return starts[from] + targets.subarray(starts[from], starts[from + 1]).indexOf(to);
}
