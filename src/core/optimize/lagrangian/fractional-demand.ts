/**
 * The everyday case goes to the network simplex with a Lagrangian multiplier on the service level: one capacity
 * class, demand that is not a whole number of vehicle loads, also with bounds per location. The incumbent keeps plan
 * and bound that it finds; if they are not within the requested gap, column generation continues from them.
 */

import { flowCosts } from '../flow/flow-costs.ts';
import { HALF_CIRCUMFERENCE_KM, measureExtent, unitsBeyond, widerRadius } from '../flow/great-circle-flow.ts';
import { totalUnits } from '../flow/solve-flow.ts';
import type { FlowControl } from '../flow/types.ts';
import { fromUnits, UNITS_PER_COST } from '../problem/costs.ts';
import { nearCosts } from '../problem/distances/near-costs.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import { hasFloors, hasFurtherRules } from '../problem/floors.ts';
import { DUAL_NOISE, type Incumbent } from '../problem/incumbent.ts';
import { leastAt, mostAt } from '../problem/location-bounds.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { movesOfFlow } from '../problem/moves.ts';
import { MAX_MATRIX_LOCATIONS } from '../problem/network.ts';
import { leastServed } from '../problem/service-level.ts';
import { countVehicles, hasLocationBounds } from '../problem/variants.ts';
import type { SolveControl, SolveProgress } from '../run/control.ts';
import { checkOf, isOver, type Stopping } from '../run/stopping.ts';
import { forceLoads } from './forced-loads.ts';
import { dearestUnmetLoad } from './lagrangian-tree.ts';
import { type LagrangianHooks, type LagrangianOutcome, solveLagrangian } from './solve-lagrangian.ts';
import type { LagrangianProblem } from './types.ts';

/** `open`: the problem is of another kind, or not proved within the gap. */
export type FractionalOutcome = 'done' | 'infeasible' | 'stopped' | 'open';

type LagrangianAmounts = Omit<LagrangianProblem, 'cost' | 'beyond'>;

/** The Lagrangian problem without its costs and without floors; null if the problem is of another kind. */
function amountsOf(problem: Problem): LagrangianAmounts | null {
  const { capacities, limits, supply, demand, locationIds } = problem;
  if (capacities.length !== 1) return null;
  const isBounded = hasLocationBounds(problem);
  // Vehicles that are present but may not serve would fill places, too.
  if (isBounded && (hasFloors(problem) || limits.totalFleetSize < countVehicles(problem))) return null;
  const { unmetCost } = problem;
  // A bound on the objective says nothing about the cost of moving.
  if (unmetCost && limits.maxCostUnits !== Number.POSITIVE_INFINITY) return null;
  return {
    n: locationIds.length,
    supply,
    demand,
    capacity: capacities[0],
    required: leastServed(problem),
    fleetSize: isBounded ? Number.POSITIVE_INFINITY : limits.totalFleetSize,
    ...(isBounded && { bounds: boundsOf(problem) }),
    ...(unmetCost && { unmetUnits: unmetCost.map((cost) => cost * UNITS_PER_COST) }),
  };
}

/** The fewest and the most vehicles per location; a number above that of all vehicles stands for every higher one. */
function boundsOf(problem: Problem): { least: Int32Array; most: Int32Array } {
  const above = countVehicles(problem) + 1;
  return {
    least: problem.supply.map((_, j) => Math.min(above, Math.ceil(leastAt(problem, j)))),
    most: problem.supply.map((_, j) => Math.min(above, Math.floor(mostAt(problem, j)))),
  };
}

/** Whether the vehicles cannot be spread over the locations within their bounds, even if every move was allowed. */
function isOutOfBounds({ supply, bounds }: LagrangianAmounts): boolean {
  if (!bounds) return false;
  const { least, most } = bounds;
  const vehicles = totalUnits(supply);
  return (
    least.some((fewest, j) => fewest > most[j]) ||
    least.reduce((sum, fewest) => sum + fewest, 0) > vehicles ||
    most.reduce((sum, places) => sum + places, 0) < vehicles
  );
}

/** The Lagrangian problem; null if the problem is of another kind. */
export function asLagrangianProblem(problem: Problem): LagrangianProblem | null {
  const amounts = hasFloors(problem) ? null : amountsOf(problem);
  return amounts && { ...amounts, cost: flowCosts(problem), beyond: Number.POSITIVE_INFINITY };
}

/**
 * The most demand that one class serves within the cost ceiling.
 * @param start about as much: where the search begins
 * @param isEnough whether a plan that serves this much ends the search, if no plan serves more than `most`
 * @returns `most` proved, Infinity if nothing is; null if the problem is of another kind
 */
export function mostWithinBudget(
  problem: Problem,
  start: number,
  isEnough: (served: number, most: number) => boolean,
  control: Stopping,
): { plan: { moves: Moves; served: number } | null; most: number } | null {
  const amounts = hasFurtherRules(problem) ? null : amountsOf({ ...problem, unmetCost: undefined });
  if (!amounts) return null;
  const budget = problem.limits.maxCostUnits;
  let most = Number.POSITIVE_INFINITY;
  let plan: { moves: Moves; served: number } | null = null;
  try {
    solveAmounts(problem, { ...amounts, required: start, budget }, control, {
      onBound: (bound) => {
        most = Math.min(most, bound);
      },
      onPlan: (flow) => {
        const moves = movesOfFlow(flow.from, flow.to, flow.units);
        const { served, costUnits } = evaluateMoves(problem, moves);
        if (costUnits <= budget && served > (plan?.served ?? -1)) plan = { moves, served };
        return plan !== null && isEnough(plan.served, most);
      },
    });
  } catch (error) {
    // Numbers beyond exact sums are left to the caller.
    if (!(error instanceof RangeError)) throw error;
  }
  return { plan, most };
}

/** Solves on the matrix, on the moves within the limit, or without either if the matrix would not fit in memory. */
function solveAmounts(
  problem: Problem,
  amounts: LagrangianAmounts,
  control: FlowControl & Stopping,
  hooks: LagrangianHooks,
): LagrangianOutcome {
  const { greatCircle, limits } = problem;
  if (!greatCircle || amounts.n <= MAX_MATRIX_LOCATIONS) {
    return solveLagrangian(
      { ...amounts, cost: flowCosts(problem, control), beyond: Number.POSITIVE_INFINITY },
      control,
      hooks,
    );
  }
  const { points, costPerKm } = greatCircle;
  const limitKm = Math.min(limits.maxDistanceKm, HALF_CIRCUMFERENCE_KM);
  let radiusKm = Math.min(limitKm, measureExtent(points).firstRadiusKm);
  for (;;) {
    const isAll = radiusKm === limitKm;
    const beyond = isAll ? Number.POSITIVE_INFINITY : unitsBeyond(radiusKm, costPerKm);
    const cost = nearCosts(points, costPerKm, radiusKm, checkOf(control));
    const outcome = solveLagrangian({ ...amounts, cost, beyond }, control, hooks);
    if (isAll || outcome.kind !== 'open') return outcome;
    radiusKm = widerRadius(radiusKm, outcome.multiplier + dearestUnmetLoad({ ...amounts, cost, beyond }), {
      costPerKm,
      limitKm,
    });
  }
}

/**
 * Solves a problem with one class and fractional demand as far as the network simplex can. Plan, bound and figures go
 * to the incumbent.
 * @returns `stopped` if the stop flag or the deadline ended the search
 */
export function solveFractional(
  problem: Problem,
  incumbent: Incumbent,
  control: SolveControl,
): FractionalOutcome {
  const amounts = amountsOf(problem);
  if (!amounts) return 'open';
  if (isOutOfBounds(amounts)) return 'infeasible';
  if (hasFloors(problem)) {
    const found = forceLoads(problem, () => isOver(control));
    if (!found) return isOver(control) ? 'stopped' : 'open';
    if (found === 'infeasible') return 'infeasible';
    const { forced, isAllForced, moves } = found;
    incumbent.keepInReserve(moves, 'greedy');
    amounts.forced = forced;
    if (isAllForced) amounts.required = 0;
  }
  const { figures } = incumbent;
  const flowControl = {
    stopFlag: control.stopFlag,
    deadlineMs: control.deadlineMs,
    onProgress: ({ iterations }: SolveProgress) => {
      // With a wider radius the counts start again from 0.
      figures.iterations = Math.max(figures.iterations, iterations ?? 0);
      incumbent.report();
    },
  };
  try {
    const { kind, counts } = solveAmounts(problem, amounts, flowControl, {
      onBound: (units) => incumbent.raiseBound(fromUnits(units), DUAL_NOISE),
      onPlan: (flow) => {
        incumbent.consider(movesOfFlow(flow.from, flow.to, flow.units), 'network_simplex');
        return incumbent.isProved();
      },
    });
    figures.iterations = counts.pivots;
    figures.columns = counts.candidates;
    figures.rows = 2 * amounts.n;
    if (kind === 'infeasible' || incumbent.isCeilingProved()) return 'infeasible';
    if (kind === 'stopped') return 'stopped';
  } catch (error) {
    // Numbers beyond exact sums are left to HiGHS.
    if (!(error instanceof RangeError)) throw error;
  }
  return incumbent.isProved() ? 'done' : 'open';
}
