/** Upper bounds of what the locations of a priority level and of all higher ones can be served. */
import { canReachMost, reachByLevel } from '../problem/distances/reachable.ts';
import { demandFrom, levelAt } from '../problem/floors.ts';
import type { Problem } from '../problem/model.ts';
import { splitDemand } from '../problem/steps.ts';

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
  const reached =
    canReachMost(problem) && problem.capacities.length === 1 && reachByLevel(problem, levels, isOver);
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
