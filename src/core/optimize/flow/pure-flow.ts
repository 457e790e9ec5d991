/**
 * Problems that are a pure min-cost flow go to the network simplex (`flow/`): one capacity class, demand in whole
 * vehicle loads, no bounds per location. One unit of flow is one vehicle's load.
 *
 * Units: with capacity c, d_j = D_j / c vehicles and R = ⌈least served demand / c⌉. A fleet limit T matters only
 * through R ≤ T: vehicles at a location with demand serve it free of cost, and any R of them may be the ones that
 * count.
 *
 * Every answer carries a certificate: reduced costs of all arcs, checked by code that shares nothing with the search
 * (`flow/certify.ts`). HiGHS confirms its tree (`flow-confirm.ts`). Recognizing the problem and checking the answer
 * take O(n²).
 */

import { evaluateMoves } from '../problem/evaluate.ts';
import type { Problem, Solution, SolveFigures, SolveOutcome } from '../problem/model.ts';
import { movesOfFlow } from '../problem/moves.ts';
import { MAX_MATRIX_LOCATIONS } from '../problem/network.ts';
import { leastServed } from '../problem/service-level.ts';
import { hasLocationBounds } from '../problem/variants.ts';
import { msOf } from '../run/budget.ts';
import { nowMs } from '../run/clock.ts';
import type { SolveControl, SolveProgress } from '../run/control.ts';
import { isStopped, OutOfTime, type Stopping } from '../run/stopping.ts';
import { type Confirmation, confirmFlow } from './flow-confirm.ts';
import { flowCosts } from './flow-costs.ts';
import { solveGreatCircleFlow } from './great-circle-flow.ts';
import { solveFlow } from './solve-flow.ts';
import type { FlowAmounts, FlowControl, FlowCounts, FlowOutcome, FlowProblem, SolvedFlow } from './types.ts';

/** Amounts are counted in 32 bits. */
const MAX_UNITS = 2 ** 31 - 1;

/** The flow problem without its costs; null if the problem is not a pure flow. */
function flowAmounts(problem: Problem): FlowAmounts | null {
  const { capacities, locationIds } = problem;
  if (capacities.length !== 1) return null;
  if (hasLocationBounds(problem)) return null;
  const capacity = capacities[0];
  const demand = wholeLoads(problem.demand, capacity);
  if (!demand) return null;
  const required = loadsToServe(leastServed(problem), capacity);
  if (required > MAX_UNITS) return null;
  return {
    n: locationIds.length,
    supply: problem.supply,
    demand,
    required,
  };
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
 * Solves a pure flow. Null if the problem is not one, or is not solved here. When time is up, the best plan so far,
 * unproved, if one exists.
 */
export async function solvePureFlow(problem: Problem, control: SolveControl): Promise<SolveOutcome | null> {
  const flow = flowAmounts(problem);
  if (!flow) return null;
  if (flow.required > problem.limits.totalFleetSize) return { kind: 'infeasible', boundUnits: null };
  try {
    const outcome = solveAmounts(problem, flow, {
      stopFlag: control.stopFlag,
      deadlineMs: control.deadlineMs,
      onProgress: reportTo(control),
    });
    if (outcome.kind !== 'solved') return unsolved(problem, outcome, control);
    if (outcome.cost > problem.limits.maxCostUnits) return { kind: 'infeasible', boundUnits: outcome.cost };
    const confirmation = await confirmFlow(problem.caches.thread, flow, outcome, control);
    if (confirmation.kind === 'contradicted') return null;
    return { kind: 'solved', solution: toSolution(problem, flow, outcome, confirmation) };
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
  if (outcome.kind === 'infeasible') return { kind: 'infeasible', boundUnits: null };
  if (isStopped(stopFlag)) return { kind: 'cancelled' };
  const { plan, counts } = outcome;
  if (!plan || plan.cost > problem.limits.maxCostUnits) return null;
  const moves = movesOfFlow(plan.flow.from, plan.flow.to, plan.flow.units);
  const { costUnits, served, broken } = evaluateMoves(problem, moves);
  if (broken.length > 0) return null;
  const gap = costUnits > 0 ? 1 : 0;
  const solution: Solution = {
    moves,
    costUnits,
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

function toSolution(
  problem: Problem,
  flow: FlowAmounts,
  { cost, counts, flow: { from, to, units } }: SolvedFlow,
  confirmation: Confirmation,
): Solution {
  return {
    moves: movesOfFlow(from, to, units),
    costUnits: cost,
    boundUnits: cost,
    gap: 0,
    proved: true,
    served:
      Math.min(servedLoads(flow, from, to, units), problem.limits.totalFleetSize) * problem.capacities[0],
    figures: {
      ...flowFigures(problem, counts),
      boundBy: ['reduced costs of all moves'],
      ...(confirmation.kind === 'confirmed' && { confirmedWithin: confirmation.iterations }),
    },
  };
}

/** Demand in vehicle loads; null if that of a location is not whole. */
function wholeLoads(demand: Float64Array, capacity: number): Int32Array | null {
  const loads = new Int32Array(demand.length);
  for (let j = 0; j < demand.length; j++) {
    const load = Math.round(demand[j] / capacity);
    if (load > MAX_UNITS || load * capacity !== demand[j]) return null;
    loads[j] = load;
  }
  return loads;
}

/** The fewest loads that cover a demand, exactly: division of decimals may miss a whole number. */
function loadsToServe(demand: number, capacity: number): number {
  let loads = Math.max(0, Math.ceil(demand / capacity));
  while (loads > 0 && (loads - 1) * capacity >= demand) loads--;
  while (loads * capacity < demand) loads++;
  return loads;
}

function servedLoads(flow: FlowAmounts, from: Int32Array, to: Int32Array, units: Int32Array): number {
  const present = flow.supply.slice();
  for (let m = 0; m < units.length; m++) {
    present[from[m]] -= units[m];
    present[to[m]] += units[m];
  }
  let served = 0;
  for (let j = 0; j < flow.n; j++) served += Math.min(present[j], flow.demand[j]);
  return served;
}

/** Progress of a network simplex, which has no bound before it has the optimum. */
function reportTo({ onProgress }: SolveControl) {
  if (!onProgress) return undefined;
  const startedMs = nowMs();
  return (progress: SolveProgress) => {
    // The number of remaining pivots is unknown: the unfinished share halves at regular intervals.
    const share = 1 - 0.5 ** ((nowMs() - startedMs) / msOf('flowProgressHalf'));
    onProgress({ ...progress, share });
  };
}
