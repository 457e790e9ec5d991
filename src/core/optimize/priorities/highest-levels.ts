/** Upper bounds of what the locations of a priority level and of all higher ones can be served. */

import { findMostServed } from '../infeasible/elastic.ts';
import { canReachMost, reachByLevel } from '../problem/distances/reachable.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import { demandFrom, levelAt } from '../problem/floors.ts';
import type { Problem } from '../problem/model.ts';
import { MAX_MATRIX_LOCATIONS } from '../problem/network.ts';
import { hasPairLimits } from '../problem/pairs.ts';
import { splitDemand } from '../problem/steps.ts';
import { isOver, type Stopping } from '../run/stopping.ts';
import { type MostFrom, type PlanFrom, servedFrom } from './most-from.ts';

/**
 * One class: the most by reach, lexicographically, at any cost and without a service level. The places that can be
 * filled at the same time are the independent sets of a matroid, where the greedy choice in the order of weights is
 * optimal for any weights, also for those that put each level above everything below it. So one greedy choice, by
 * level and then by demand, is optimal for all levels at once.
 * Otherwise: all demand, or what the fleet can serve.
 * @param levels the highest first
 * @returns per level, no plan serves more from it up, given that it serves as much of the higher ones as these get here
 */
export function highestLevels(
  problem: Problem,
  levels: readonly number[],
  isOver: () => boolean,
): { level: number; most: number }[] {
  const isByReach =
    canReachMost(problem) &&
    problem.capacities.length === 1 &&
    problem.locationIds.length <= MAX_MATRIX_LOCATIONS;
  // Down to 0, as the engine of fractional demand asks.
  const reached = isByReach && reachByLevel(problem, [...levels.filter((level) => level > 0), 0], isOver);
  if (!reached) {
    const n = problem.demand.length;
    const capacity = problem.supply.reduce(
      (sum, count, at) => sum + count * problem.capacities[Math.floor(at / n)],
      0,
    );
    return levels.map((level) => ({ level, most: Math.min(capacity, demandFrom(problem, level)) }));
  }
  const [capacity] = problem.capacities;
  return levels.map((level) => {
    let most = 0;
    for (const [j, demand] of problem.demand.entries()) {
      if (levelAt(problem, j) < level) continue;
      most += reached.full[j] * capacity + reached.part[j] * splitDemand(demand, capacity).rest;
    }
    return { level, most };
  });
}

/**
 * The same bound of one level and all higher ones, given what the higher ones get, and a plan that serves as much in
 * most cases (`infeasible/elastic.ts`).
 * @param least the problem with the floors of the higher levels
 * @param start a plan of it
 * @param tolerance demand by which the most may stay unknown
 * @returns `plan` the better one of both
 */
export async function highestAlone(
  problem: Problem,
  least: Problem,
  level: number,
  start: PlanFrom,
  tolerance: number,
  control: Stopping,
): Promise<MostFrom> {
  const [{ most }] = highestLevels(problem, [level], () => isOver(control));
  const isKnown = hasPairLimits(least) || most - start.served <= tolerance;
  if (isKnown || least.locationIds.length > MAX_MATRIX_LOCATIONS) return { plan: start, most };
  const found = await findMostServed(least, control, { level, tolerance });
  const bound = Math.min(most, Math.max(start.served, found.most));
  if (!found.plan) return { plan: start, most: bound };
  const { moves } = found.plan;
  const served = servedFrom(least, moves, level, found.plan.served);
  const isPlan = evaluateMoves(least, moves).costUnits <= least.limits.maxCostUnits;
  return { plan: isPlan && served > start.served ? { moves, served } : start, most: bound };
}
