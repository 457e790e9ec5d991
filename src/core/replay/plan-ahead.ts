/** Plans of replays that look ahead, made by the optimizer of the service from counts of vehicles. */
import { planAll } from '../optimize/all-steps.ts';
import { buildHorizon, type HorizonInput } from '../optimize/horizon/build-horizon.ts';
import { coarsen, worthAtStep, wrapAround } from '../optimize/horizon/end-of-horizon.ts';
import type { MoveColumn } from '../optimize/horizon/flow-master.ts';
import type { HorizonOutcome, HorizonSolution } from '../optimize/horizon/outcome.ts';
import { planHorizon } from '../optimize/horizon/plan-horizon.ts';
import type { EndValues, HorizonProblem } from '../optimize/horizon/types.ts';
import { toUnitsUp } from '../optimize/problem/costs.ts';
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

/** What a plan that looks ahead knows of vehicles after its last step. */
export type EndOfPlan =
  /** Every location wants back as many vehicles as it has, worth so much money each. */
  | { kind: 'wrap'; worth: number }
  /** Vehicles are worth what a longer plan in coarser steps says: `factor` steps make one. */
  | { kind: 'salvage'; longer: HorizonInput; factor: number };

/**
 * The plan that looks ahead: the moves of its first step.
 * @param known moves of the plan one step before
 * @param end absent: vehicles are left anywhere
 * @throws RefusedError, Error if a plan fails
 */
export async function planAhead(
  planner: Planner,
  supply: Int32Array,
  input: HorizonInput,
  known: readonly MoveColumn[],
  end?: EndOfPlan,
): Promise<HorizonPlanned> {
  const asked = build(planner, supply, input);
  const worth = end && (await valuesAt(planner, supply, asked, end, input.stepHours));
  const problem = worth ? { ...asked, end: worth } : asked;
  const usable = known.filter(({ step }) => step < problem.steps);
  const solved = await solveAll(planner, supply, problem, input, usable);
  if (!solved || (solved.isShort && !servesMost(planner.options))) return { moves: null, known: [] };
  const { moves, outlook } = solved;
  const next = outlook.flatMap((step, t) =>
    t === 0 ? [] : step.moves.map(({ from, to }) => ({ step: t - 1, arc: arcOf(problem, from, to) })),
  );
  return { moves, known: next };
}

async function valuesAt(
  planner: Planner,
  supply: Int32Array,
  problem: HorizonProblem,
  end: EndOfPlan,
  stepHours: number,
): Promise<EndValues | undefined> {
  if (end.kind === 'wrap') return wrapAround(problem, toUnitsUp(end.worth));
  const longer = coarsen(build(planner, supply, end.longer), end.factor);
  const solved = await solve(planner, longer);
  const step = Math.min(longer.steps, Math.floor((problem.steps * stepHours) / end.factor));
  return solved?.values && worthAtStep(problem.n, solved.values, step);
}

/** The problem of the first step, in which a vehicle serves as much as in one step. */
function firstStep({ base }: Planner, supply: Int32Array, stepHours: number): Problem {
  return { ...base, capacities: base.capacities.map((perHour) => perHour * stepHours), supply };
}

function build(planner: Planner, supply: Int32Array, input: HorizonInput): HorizonProblem {
  const problem = buildHorizon(firstStep(planner, supply, input.stepHours), input);
  if ('field' in problem) throw new RefusedError(problem);
  return problem;
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

async function solve({ options, cache }: Planner, problem: HorizonProblem): Promise<HorizonSolution | null> {
  const deadlineMs = nowMs() + options.timeLimitSeconds * 1000;
  return solutionOf(await planHorizon(problem, options.gap, { deadlineMs }, cache));
}

function solutionOf(planned: HorizonOutcome): HorizonSolution | null {
  if (planned.kind === 'solved') return planned.solution;
  if (planned.kind === 'infeasible') return null;
  throw new Error(planned.kind === 'error' ? planned.message : `no plan: ${planned.kind}`);
}

function arcOf({ pairs: { starts, targets } }: HorizonProblem, from: number, to: number): number {
  return starts[from] + targets.subarray(starts[from], starts[from + 1]).indexOf(to);
}
