/** Upper bounds of what the locations of a priority level and of all higher ones can be served. */

import { findCoverage } from '../infeasible/coverage/coverage.ts';
import { canReachMost, reachByLevel } from '../problem/distances/reachable.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import { demandFrom, levelAt } from '../problem/floors.ts';
import type { Problem } from '../problem/model.ts';
import { MAX_MATRIX_LOCATIONS } from '../problem/network.ts';
import { splitDemand } from '../problem/steps.ts';
import { withLimits } from '../problem/variants.ts';
import { createCache } from '../run/cache.ts';
import { isOver, type Stopping } from '../run/stopping.ts';
import { type MostFrom, type PlanFrom, withFloor } from './most-from.ts';

/** Share of the tolerance; coverage ends within three times its own. */
const COVERAGE_SHARE = 0.25;

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
 * The same bound of one level and all higher ones alone, given what these get; with several classes or bounds per
 * location as coverage of their demand alone bounds it. Coverage ignores service level and ceiling, and usually has a
 * plan that serves as much as it bounds: if that keeps them, nothing is left to search for.
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
  const isKnown = canReachMost(problem) || most <= start.served;
  if (isKnown || problem.locationIds.length > MAX_MATRIX_LOCATIONS) return { plan: start, most };
  const { thread } = problem.caches;
  const alone: Problem = {
    ...withLimits(least, { minServiceLevel: 0 }),
    demand: problem.demand.map((demand, j) => (levelAt(problem, j) >= level ? demand : 0)),
    caches: { thread, problem: createCache() },
  };
  const covered = await findCoverage(
    alone,
    control,
    undefined,
    'full',
    tolerance * COVERAGE_SHARE,
    start.moves,
  );
  const bound = Math.min(most, Math.max(start.served, covered.most));
  const isBetter = covered.plan !== null && covered.plan.served > start.served;
  if (!isBetter || !covered.plan) return { plan: start, most: bound };
  const { costUnits, broken } = evaluateMoves(
    withFloor(least, level, covered.plan.served),
    covered.plan.moves,
  );
  const isPlan = broken.length === 0 && costUnits <= problem.limits.maxCostUnits;
  return { plan: isPlan ? covered.plan : start, most: bound };
}
