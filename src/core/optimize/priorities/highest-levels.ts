/** Upper bounds of what the locations of a priority level and of all higher ones can be served. */

import { findCoverage } from '../infeasible/coverage/coverage.ts';
import { canReachMost, reachByLevel } from '../problem/distances/reachable.ts';
import { demandFrom, levelAt } from '../problem/floors.ts';
import type { Problem } from '../problem/model.ts';
import { MAX_MATRIX_LOCATIONS } from '../problem/network.ts';
import { splitDemand } from '../problem/steps.ts';
import { withLimits } from '../problem/variants.ts';
import { createCache } from '../run/cache.ts';
import { isOver, type Stopping } from '../run/stopping.ts';

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
 * The same bound of one level and all higher ones alone; with several classes or bounds per location as coverage of
 * their demand alone bounds it.
 * @param enough a plan serves this much
 */
export async function highestAlone(
  problem: Problem,
  level: number,
  enough: number,
  control: Stopping,
): Promise<number> {
  const [{ most }] = highestLevels(problem, [level], () => isOver(control));
  const isKnown = canReachMost(problem) || most <= enough;
  if (isKnown || problem.locationIds.length > MAX_MATRIX_LOCATIONS) return most;
  const { thread } = problem.caches;
  const alone: Problem = {
    ...withLimits(problem, { minServiceLevel: 0 }),
    demand: problem.demand.map((demand, j) => (levelAt(problem, j) >= level ? demand : 0)),
    caches: { thread, problem: createCache() },
  };
  const covered = await findCoverage(alone, control, most, 'quick');
  return Math.min(most, Math.max(enough, covered.most));
}
