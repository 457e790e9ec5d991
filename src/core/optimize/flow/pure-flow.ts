/**
 * Problems that are a pure min-cost flow go to the network simplex (`flow/`): one capacity class, demand in whole
 * vehicle loads, no bounds per location. One unit of flow is one vehicle's load (`load-amounts.ts`).
 *
 * A fleet limit T matters only through R ≤ T: vehicles at a location with demand serve it free of cost, and any R of
 * them may be the ones that count.
 *
 * Every answer carries a certificate: reduced costs of all arcs, checked by code that shares nothing with the search
 * (`flow/certify.ts`). HiGHS confirms its tree (`flow-confirm.ts`). Recognizing the problem and checking the answer
 * take O(n²).
 */

import { evaluateMoves } from '../problem/evaluate.ts';
import { hasFurtherRules } from '../problem/floors.ts';
import { createIncumbent, type Incumbent } from '../problem/incumbent.ts';
import type { Moves, Problem, Solution, SolveFigures, SolveOutcome } from '../problem/model.ts';
import { movesOfFlow } from '../problem/moves.ts';
import { MAX_MATRIX_LOCATIONS } from '../problem/network.ts';
import { msOf } from '../run/budget.ts';
import { nowMs } from '../run/clock.ts';
import type { SolveControl, SolveProgress } from '../run/control.ts';
import { isStopped, OutOfTime, type Stopping } from '../run/stopping.ts';
import { confirmFlow } from './flow-confirm.ts';
import { flowCosts } from './flow-costs.ts';
import { solveGreatCircleFlow } from './great-circle-flow.ts';
import { loadAmounts } from './load-amounts.ts';
import { solveFlow } from './solve-flow.ts';
import type { FlowAmounts, FlowControl, FlowCounts, FlowOutcome, FlowProblem, SolvedFlow } from './types.ts';

/** The flow problem without its costs; null if the problem is not a pure flow. */
function flowAmounts(problem: Problem): FlowAmounts | null {
  return hasFurtherRules(problem) ? null : loadAmounts(problem);
}

/** Whether the problem is a pure flow. */
export function isPureFlow(problem: Problem): boolean {
  return flowAmounts(problem) !== null;
}

/** The flow problem; null if the problem is not a pure flow. */
export function asFlowProblem(problem: Problem): FlowProblem | null {
  const amounts = flowAmounts(problem);
  return amounts && { ...amounts, cost: flowCosts(problem) };
}

/**
 * Solves a pure flow. Null if the problem is not one, or is not solved here; what is known by then is in the incumbent.
 * When time is up, the best plan so far, unproved, if one exists.
 */
export async function solvePureFlow(
  problem: Problem,
  control: SolveControl,
  incumbent = createIncumbent(problem, 0, control),
): Promise<SolveOutcome | null> {
  const flow = flowAmounts(problem);
  if (!flow) return null;
  if (flow.required > problem.limits.totalFleetSize) return { kind: 'infeasible' };
  try {
    const outcome = solveAmounts(problem, flow, {
      stopFlag: control.stopFlag,
      deadlineMs: control.deadlineMs,
      onProgress: reportTo(control),
    });
    if (outcome.kind !== 'solved') return unsolved(problem, outcome, control);
    if (outcome.cost > problem.limits.maxCostUnits) return { kind: 'infeasible' };
    const confirmation = await confirmFlow(problem.caches.thread, flow, outcome, control);
    if (confirmation.kind === 'contradicted') return null;
    const { from, to, units } = outcome.flow;
    return provedPlan(problem, incumbent, {
      moves: movesOfFlow(from, to, units),
      boundUnits: outcome.cost,
      counts: outcome.counts,
      confirmedWithin: confirmation.kind === 'confirmed' ? confirmation.iterations : null,
    });
  } catch (error) {
    if (error instanceof OutOfTime) throw error;
    // Sums beyond exact integers, or a certificate that does not hold: HiGHS solves the problem instead.
    return null;
  }
}

/** Solves on the matrix, on the moves within the limit, or without either if the matrix would not fit in memory. */
function solveAmounts(problem: Problem, amounts: FlowAmounts, control: FlowControl & Stopping): FlowOutcome {
  const { greatCircle, limits } = problem;
  if (greatCircle && amounts.n > MAX_MATRIX_LOCATIONS) {
    const { points, costPerKm } = greatCircle;
    return solveGreatCircleFlow(
      { ...amounts, points, costPerKm, maxDistanceKm: limits.maxDistanceKm },
      control,
    );
  }
  return solveFlow({ ...amounts, cost: flowCosts(problem, control) }, control);
}

function unsolved(
  problem: Problem,
  outcome: Exclude<FlowOutcome, SolvedFlow>,
  { stopFlag }: SolveControl,
): SolveOutcome | null {
  if (outcome.kind === 'infeasible') return { kind: 'infeasible' };
  if (isStopped(stopFlag)) return { kind: 'cancelled' };
  const { plan, counts } = outcome;
  const moves = plan && movesOfFlow(plan.flow.from, plan.flow.to, plan.flow.units);
  return moves && unprovedPlan(problem, moves, counts);
}

/** A plan that the end of the time left unproved; null if it breaks a constraint. */
export function unprovedPlan(problem: Problem, moves: Moves, counts: FlowCounts): SolveOutcome | null {
  const { costUnits, objectiveUnits, served, broken } = evaluateMoves(problem, moves);
  if (broken.length > 0 || costUnits > problem.limits.maxCostUnits) return null;
  const gap = objectiveUnits > 0 ? 1 : 0;
  const solution: Solution = {
    moves,
    costUnits,
    objectiveUnits,
    boundUnits: 0,
    gap,
    proved: gap === 0,
    served,
    figures: flowFigures(problem, counts),
  };
  return { kind: 'solved', solution };
}

function flowFigures({ locationIds }: Problem, counts: FlowCounts): SolveFigures {
  return {
    method: 'network_simplex',
    columns: counts.candidates,
    rows: 2 * locationIds.length,
    iterations: counts.pivots,
    nodes: 0,
  };
}

/**
 * The plan of an optimal flow. Null if it breaks a constraint, or if the costs of unserved loads were rounded down so
 * far that the flow does not prove it: then the incumbent keeps both plan and bound.
 * @param boundUnits the cost of the flow
 */
export function provedPlan(
  problem: Problem,
  incumbent: Incumbent,
  {
    moves,
    boundUnits,
    counts,
    confirmedWithin,
  }: { moves: Moves; boundUnits: number; counts: FlowCounts; confirmedWithin: number | null },
): SolveOutcome | null {
  const { costUnits, objectiveUnits, served, broken } = evaluateMoves(problem, moves);
  if (broken.length > 0 || objectiveUnits < boundUnits) return null;
  const figures: SolveFigures = {
    ...flowFigures(problem, counts),
    boundBy: ['reduced costs of all moves'],
    ...(confirmedWithin !== null && { confirmedWithin }),
  };
  if (objectiveUnits === boundUnits) {
    const solution = { moves, costUnits, objectiveUnits, boundUnits, gap: 0, proved: true, served, figures };
    return { kind: 'solved', solution };
  }
  incumbent.raiseBoundUnits(boundUnits, 'reduced costs of all moves');
  incumbent.consider(moves, 'network_simplex');
  Object.assign(incumbent.figures, figures);
  return incumbent.isProved() ? incumbent.finish('done') : null;
}

/** Progress of a network simplex, which has no bound before it has the optimum. */
export function reportTo({ onProgress }: SolveControl) {
  if (!onProgress) return undefined;
  const startedMs = nowMs();
  return (progress: SolveProgress) => {
    // The number of remaining pivots is unknown: the unfinished share halves at regular intervals.
    const share = 1 - 0.5 ** ((nowMs() - startedMs) / msOf('flowProgressHalf'));
    onProgress({ ...progress, share });
  };
}
