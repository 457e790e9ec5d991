/**
 * The most demand that one class serves within the cost ceiling, if vehicles per location are not bounded.
 *
 * The flow at a Lagrangian multiplier that spends the ceiling (`../lagrangian/`) gives a bound, and a plan within about
 * one move of it: the most itself if demand is in whole vehicle loads.
 */

import { mostWithinBudget } from '../lagrangian/fractional-demand.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import { hasFurtherRules } from '../problem/floors.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { NO_MOVES } from '../problem/moves.ts';
import { hasPairLimits, withoutPairCost } from '../problem/pairs.ts';
import { totalDemand } from '../problem/service-level.ts';
import { splitDemand } from '../problem/steps.ts';
import { keptIn, type Slot } from '../run/cache.ts';
import type { Stopping } from '../run/stopping.ts';

/** Share of total demand to which the most is found if demand is not in whole loads; of a load if it is. */
const PRECISION = 1e-6;

export type MostWithin = {
  /** The plan found that serves the most within the ceiling. */
  plan: { moves: Moves; served: number };
  /** Proved: no plan within the ceiling serves more. */
  most: number;
};

/** The last answer about a problem. What changed problems share with it decides whether it is about them, too. */
const KEPT: Slot<{ problem: Problem | null; found: MostWithin | null }> = {
  create: () => ({ problem: null, found: null }),
};

/** What an earlier search found for this problem at any service level; null if there was none. */
export function keptMostWithin({
  supply,
  demand,
  capacities,
  network,
  limits,
  caches,
}: Problem): MostWithin | null {
  const { problem, found } = keptIn(caches.problem, KEPT);
  const isSame =
    problem !== null &&
    problem.supply === supply &&
    problem.demand === demand &&
    problem.capacities === capacities &&
    problem.network === network &&
    problem.limits.maxDistanceKm === limits.maxDistanceKm &&
    problem.limits.maxCostUnits === limits.maxCostUnits &&
    problem.limits.totalFleetSize === limits.totalFleetSize;
  return isSame ? found : null;
}

/** Whether `mostWithinCeiling` applies. */
export function canSearchCeiling(problem: Problem): boolean {
  return problem.capacities.length === 1 && !hasFurtherRules(problem) && !hasPairLimits(problem);
}

/**
 * @param problem for which `canSearchCeiling` holds; its service level is ignored
 * @param most proved: no plan of any cost serves more
 * @param start about what the ceiling allows: where the search begins
 */
export function mostWithinCeiling(
  problem: Problem,
  most: number,
  start: number,
  control: Stopping,
): MostWithin {
  const { demand, capacities } = problem;
  const isInLoads = demand.every((of) => splitDemand(of, capacities[0]).rest === 0);
  const unit = isInLoads ? capacities[0] * (1 - PRECISION) : PRECISION * totalDemand(demand);
  const isEnough = (served: number, upTo: number) => Math.min(upTo, most) - served < unit;
  const found = mostWithinBudget(withoutPairCost(problem), start, isEnough, control);
  const staying = evaluateMoves(problem, NO_MOVES).served;
  const plan = found?.plan && found.plan.served > staying ? found.plan : { moves: NO_MOVES, served: staying };
  const upTo = Math.min(most, found?.most ?? most);
  // In whole loads a plan serves no part of one.
  const isExact = isInLoads && isEnough(plan.served, upTo);
  const kept = { plan, most: isExact ? plan.served : Math.max(plan.served, upTo) };
  Object.assign(keptIn(problem.caches.problem, KEPT), { problem, found: kept });
  return kept;
}
