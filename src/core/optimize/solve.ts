/**
 * The cheapest plan of a problem, with a proved bound.
 *
 *   0. A pure min-cost flow, or one class and whole loads with bounds per location: the network simplex, with its
 *      certificate (`pure-flow.ts`, `place-flow.ts`).
 *   1. One class and fractional demand, also with bounds per location: the network simplex with a Lagrangian multiplier
 *      (`fractional-demand.ts`).
 *   2. Other problems, and those that 1 does not prove within the gap: column generation, priced and proved over all
 *      moves (`column-generation/search.ts`).
 *   3. Problems that 2 does not decide: the direct formulation with all moves (`direct.ts`), if it fits the solver's
 *      memory.
 * When time is up without a plan, column generation makes a greedy one, or the one from the nearest vehicles counts.
 *
 * Every plan is recomputed from whole vehicles (`evaluate.ts`) before it counts; nothing is rounded into
 * infeasibility.
 */

import { baseSize, createBaseModel } from './column-generation/build-base-model.ts';
import { search } from './column-generation/search.ts';
import { solveDirect } from './direct/direct.ts';
import { countArcs } from './direct/variables.ts';
import { solvePlaceFlow } from './flow/place-flow.ts';
import { isPureFlow, solvePureFlow } from './flow/pure-flow.ts';
import { MAX_COLUMNS, type RunControl, withSolverModel } from './highs/highs.ts';
import { solveFractional } from './lagrangian/fractional-demand.ts';
import { evaluateMoves } from './problem/evaluate.ts';
import { createIncumbent, type Incumbent } from './problem/incumbent.ts';
import type { Moves, Problem, RequestFault, SolveFigures, SolveOutcome } from './problem/model.ts';
import { NO_MOVES } from './problem/moves.ts';
import { hasOtherCosts, withMovingCostAlone } from './problem/moving-cost.ts';
import { planNearest } from './problem/nearest.ts';
import { planWithinBounds } from './problem/nearest-within-bounds.ts';
import { TooManyLocationsError } from './problem/network.ts';
import { hasPairRules, withoutPairRules } from './problem/pairs.ts';
import { countVehicles, hasLocationBounds, withLimits } from './problem/variants.ts';
import { refinePlan } from './refine/refine.ts';
import { refuseClasses, refuseMatrices, refuseMoves } from './request/refusals.ts';
import { timeFor } from './run/budget.ts';
import type { SolveControl } from './run/control.ts';
import { solverFault } from './run/solver-fault.ts';
import { checkOf, isOver, isStopped, OutOfTime } from './run/stopping.ts';

/**
 * Solves to the relative gap `(cost − bound) / cost`.
 * @param known a plan, however dear, for the case that the search ends without one
 * @returns `infeasible` only if proved; `solved` with `proved: false` if the time limit ended the search
 */
export async function solveProblem(
  problem: Problem,
  gap: number,
  control: SolveControl,
  known?: Moves,
): Promise<SolveOutcome> {
  if (isStopped(control.stopFlag)) return { kind: 'cancelled' };
  if (countVehicles(problem) === 0) return solveWithoutVehicles(problem);
  return hasPairRules(problem)
    ? await solveInStages(problem, gap, control)
    : await solveInOneStage(problem, gap, control, known);
}

/** The cheapest plan without rules about pairs, then one that keeps them. */
async function solveInStages(problem: Problem, gap: number, control: SolveControl): Promise<SolveOutcome> {
  const before = await solveInOneStage(withoutPairRules(problem), gap, {
    ...control,
    ...timeFor('question', control),
    // Its plans do not keep the rules; its bound holds.
    onProgress: (progress) => control.onProgress?.({ ...progress, incumbentUnits: null, gap: null }),
  });
  if (before.kind !== 'solved' && before.kind !== 'timeout') return before;
  const known = before.kind === 'solved' ? before.solution : null;
  try {
    const ownControl: SolveControl = {
      ...control,
      onProgress: (progress) => control.onProgress?.({ ...progress, stage: 'milp_refinement' }),
    };
    const refined = await refinePlan(problem, known, gap, ownControl, solveInOneStage);
    return refined === 'too large'
      ? { kind: 'refused', fault: refuseMoves(countArcs(problem, false), MAX_COLUMNS / 2) }
      : refined;
  } catch (error) {
    return solverFault(error);
  }
}

/** A problem without rules about pairs. */
async function solveInOneStage(
  problem: Problem,
  gap: number,
  control: SolveControl,
  known?: Moves,
): Promise<SolveOutcome> {
  if (hasOtherCosts(problem) && problem.limits.maxCostUnits !== Number.POSITIVE_INFINITY) {
    return await solveBelowCeiling(problem, gap, control);
  }
  const incumbent = createIncumbent(problem, gap, control);
  if (known) incumbent.keepInReserve(known, 'greedy');
  return await solveUnlimited(problem, incumbent, control);
}

/**
 * A problem with costs beside those of moving, and with a ceiling: a bound on the objective says nothing about the
 * cost of moving. Without the ceiling the problem is easier, and its plan usually within it. If not, the cheapest moves
 * that reach the service level decide whether there is a plan, and the search starts with both results.
 */
async function solveBelowCeiling(
  problem: Problem,
  gap: number,
  control: SolveControl,
): Promise<SolveOutcome> {
  const { maxCostUnits } = problem.limits;
  const isWithin = (found: SolveOutcome) =>
    found.kind === 'solved' && found.solution.costUnits <= maxCostUnits;
  const free = await solveProblem(withLimits(problem, { maxCostUnits: Number.POSITIVE_INFINITY }), gap, {
    ...control,
    ...timeFor('half', control),
  });
  if (isWithin(free) || !(free.kind === 'solved' || free.kind === 'timeout')) return free;
  // Every plan is within a gap of 1.
  const cheapest = await solveProblem(withMovingCostAlone(problem), 1, {
    ...control,
    ...timeFor('half', control),
  });
  if (cheapest.kind === 'infeasible' || cheapest.kind === 'cancelled') return cheapest;
  const incumbent = createIncumbent(problem, gap, control);
  if (free.kind === 'solved') {
    const { boundUnits, figures } = free.solution;
    for (const by of figures.boundBy ?? []) incumbent.raiseBoundUnits(boundUnits, by);
  }
  if (cheapest.kind === 'solved')
    incumbent.consider(cheapest.solution.moves, cheapest.solution.figures.method);
  return await solveUnlimited(problem, incumbent, control);
}

async function solveUnlimited(
  problem: Problem,
  incumbent: Incumbent,
  control: SolveControl,
): Promise<SolveOutcome> {
  try {
    return (
      (await solvePureFlow(problem, control, incumbent)) ??
      (await solvePlaceFlow(problem, control, incumbent)) ??
      (await solve(problem, incumbent, control))
    );
  } catch (error) {
    if (error instanceof OutOfTime) return incumbent.finish('stopped');
    if (error instanceof TooManyLocationsError) return bestOr(incumbent, refuseMatrices(error.locations));
    return solverFault(error);
  }
}

async function solve(problem: Problem, incumbent: Incumbent, control: SolveControl): Promise<SolveOutcome> {
  const runControl: RunControl = {
    deadlineMs: control.deadlineMs,
    stopFlag: control.stopFlag,
    onLook: control.onLook,
    progressIntervalMs: control.progressIntervalMs,
    onProgress: incumbent.reportSolver,
  };
  // A pure flow arrives here only if HiGHS did not confirm it; then HiGHS solves it.
  const fractional = isPureFlow(problem) ? 'open' : solveFractional(problem, incumbent, control);
  if (isStopped(control.stopFlag)) return { kind: 'cancelled' };
  if (fractional === 'infeasible') return { kind: 'infeasible' };
  if (fractional === 'done') return incumbent.finish('done');
  const isTooLate = () => isStopped(control.stopFlag) || (isOver(control) && incumbent.isTooLate());
  const planFirst = hasLocationBounds(problem) ? planWithinBounds : planNearest;
  if (fractional === 'stopped') {
    if (!incumbent.best()) incumbent.keepInReserve(planFirst(problem, isTooLate), 'greedy');
    return incumbent.finish('stopped');
  }
  // Before anything that takes time: a plan, however dear, is better than none.
  incumbent.keepInReserve(planFirst(problem, isTooLate), 'greedy');
  problem.greatCircle?.buildCosts(checkOf(control));
  problem.greatCircle?.buildDistances(checkOf(control));
  const tooMany = refuseClasses(baseSize(problem));
  if (tooMany) return bestOr(incumbent, tooMany);
  const base = createBaseModel(problem);
  const searched = await withSolverModel(
    problem.caches.thread,
    base.model,
    base.tolerance,
    runControl,
    (model) => search(problem, base, model, incumbent),
  );
  if (isStopped(control.stopFlag)) return { kind: 'cancelled' };
  switch (searched) {
    case 'infeasible':
      return { kind: 'infeasible' };
    case 'done':
      return incumbent.finish('done');
    case 'stopped':
      return incumbent.finish('stopped');
    case 'unproved':
      break;
  }
  const tooLarge = refuseDirect(problem);
  if (tooLarge) return bestOr(incumbent, tooLarge);
  const ended = await solveDirect(problem, incumbent, runControl);
  return ended === 'infeasible' ? { kind: 'infeasible' } : incumbent.finish(ended);
}

/** The best plan so far if the problem does not fit in memory; without a plan, the reason. */
function bestOr(incumbent: Incumbent, fault: RequestFault): SolveOutcome {
  const best = incumbent.best();
  return best && best.costUnits <= incumbent.ceiling
    ? incumbent.finish('failed')
    : { kind: 'refused', fault };
}

/** Why the problem with all its moves does not fit the solver's memory; null if it fits. */
function refuseDirect(problem: Problem): RequestFault | null {
  const arcs = countArcs(problem, false);
  return arcs <= MAX_COLUMNS ? null : refuseMoves(arcs, MAX_COLUMNS);
}

function solveWithoutVehicles(problem: Problem): SolveOutcome {
  const { served, objectiveUnits, broken } = evaluateMoves(problem, NO_MOVES);
  if (broken.length > 0) return { kind: 'infeasible' };
  const figures: SolveFigures = { method: 'none', columns: 0, rows: 0, iterations: 0, nodes: 0 };
  return {
    kind: 'solved',
    solution: {
      moves: NO_MOVES,
      costUnits: 0,
      objectiveUnits,
      boundUnits: objectiveUnits,
      gap: 0,
      proved: true,
      served,
      figures,
      ...(hasPairRules(problem) && { before: { costUnits: 0, pairs: 0 } }),
    },
  };
}
