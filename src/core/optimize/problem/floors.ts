/**
 * Floors: the least demand to serve at all locations of a priority level or a higher one. A problem has them, the
 * highest level first, once it is known how much of these levels can be served (`priorities/`). They are nested: the
 * locations of one floor are among those of the next, and the service level is the floor of all locations.
 */
import { type AddedService, additionsOf } from './additions.ts';
import type { Floor, Problem } from './model.ts';
import { planningDemandOf } from './pinned.ts';
import { allDemand, SERVICE_TOLERANCE } from './service-level.ts';
import { hasLocationBounds } from './variants.ts';

/** The floors, the highest level first; none in a problem without priorities. */
export function floorsOf({ floors = [] }: Problem): readonly Floor[] {
  return floors;
}

/** Whether engines that know no floors must step aside. */
export function hasFloors(problem: Problem): boolean {
  return floorsOf(problem).length > 0;
}

/** Whether the problem has a rule that the engines of pure flows and of reach do not know: then they step aside. */
export function hasFurtherRules(problem: Problem): boolean {
  return hasLocationBounds(problem) || hasFloors(problem);
}

export function withFloors(problem: Problem, floors: readonly Floor[]): Problem {
  return { ...problem, floors };
}

/** Priority level of the demand of location j; 0: ordinary demand. */
export function levelAt({ priorities }: Problem, j: number): number {
  return priorities ? priorities[j] : 0;
}

/** The levels above 0 that have planning demand, the highest first. O(n) */
export function criticalLevels(problem: Problem): number[] {
  const { priorities } = problem;
  const demand = planningDemandOf(problem);
  const levels = new Set<number>();
  for (let j = 0; priorities && j < demand.length; j++) if (demand[j] > 0) levels.add(priorities[j]);
  levels.delete(0);
  return [...levels].sort((a, b) => b - a);
}

/** Demand of all locations of at least this level, without what pinned vehicles serve. */
export function demandFrom(problem: Problem, level: number): number {
  return problem.demand.reduce((sum, demand, j) => (levelAt(problem, j) >= level ? sum + demand : sum), 0);
}

/** Demand by which a plan may miss a floor: the same as by which it may miss the service level. */
export function floorSlack(problem: Problem): number {
  return SERVICE_TOLERANCE * allDemand(problem);
}

/** Demand served by level; all of it; whether the floors hold; and the vehicles that serve. */
export type ServedByLevel = {
  byLevel: Map<number, number>;
  served: number;
  isKept: boolean;
  taken: AddedService[];
};

/**
 * The most demand that at most `fleetSize` of the vehicles present serve if they keep the floors.
 *
 * Greedy is exact: from the highest level down, take the largest additions of the floor's locations until the floor
 * holds, then the largest of all. Proof: suppose that the vehicles taken for the floors so far are the fewest that keep
 * them, and that with any larger number the most is served by these and the next largest additions. A choice for the
 * next floor takes some number of vehicles at the locations so far, at best these and the next largest, and the largest
 * additions of the new locations. So the largest additions of both are the best, for every number of vehicles.
 * @param presence K × n vehicles
 * @returns without `isKept`, what vehicles serve that come as near to the floors as they can. O(nK log nK)
 */
export function serveFloors(problem: Problem, presence: ArrayLike<number>, fleetSize: number): ServedByLevel {
  const slack = floorSlack(problem);
  const byLevel = new Map<number, number>();
  /** Not taken yet, in descending order of gain. */
  let open: AddedService[] = [];
  const waiting = additionsOf(problem, presence).sort((a, b) => b.gain - a.gain);
  const taken: AddedService[] = [];
  let left = fleetSize;
  let isKept = true;
  const take = (addition: AddedService, count: number) => {
    const level = levelAt(problem, addition.location);
    byLevel.set(level, (byLevel.get(level) ?? 0) + count * addition.gain);
    taken.push({ ...addition, count });
    left -= count;
  };
  let before = Number.POSITIVE_INFINITY;
  for (const { level, served: least } of [
    ...floorsOf(problem),
    { level: 0, served: Number.POSITIVE_INFINITY },
  ]) {
    const isNew = ({ location }: AddedService) =>
      levelAt(problem, location) >= level && levelAt(problem, location) < before;
    open = [...open, ...waiting.filter(isNew)].sort((a, b) => b.gain - a.gain);
    before = level;
    let served = 0;
    for (const [of, amount] of byLevel) if (of >= level) served += amount;
    const rest: AddedService[] = [];
    for (const addition of open) {
      const needed = Math.max(0, Math.ceil((least - slack - served) / addition.gain));
      const count = Math.min(addition.count, left, needed);
      if (count > 0) take(addition, count);
      served += count * addition.gain;
      if (count < addition.count) rest.push({ ...addition, count: addition.count - count });
    }
    open = rest;
    if (level > 0 && served < least - slack) isKept = false;
  }
  let served = 0;
  for (const amount of byLevel.values()) served += amount;
  return { byLevel, served, isKept, taken };
}
