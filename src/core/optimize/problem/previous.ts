/** The targets of a previous plan, and the number of vehicles that moves send elsewhere. */
import { keptIn, type Slot } from '../run/cache.ts';
import type { Moves, Problem } from './model.ts';
import { hasDistances, isAllowed, moveCost, moveDistance } from './network.ts';
import { withVehicle } from './variants.ts';

/** Vehicles of a class at a location that have the same target in the previous plan. */
export type TargetGroup = { capacityClass: number; location: number; target: number; count: number };

type Previous = NonNullable<Problem['previous']>;

/** Whether a change costs anything. */
export function hasChangeCost({ previous }: Problem): boolean {
  return previous !== undefined && previous.changeUnits > 0;
}

/** The problem in which vehicles may go anywhere. */
export function withoutPrevious({ previous: _, ...problem }: Problem): Problem {
  return problem;
}

const GROUPS: Slot<WeakMap<Previous, TargetGroup[]>> = { create: () => new WeakMap() };

/**
 * The groups, by class, then location, then target, ascending; vehicles without a target, and pinned
 * ones, are in none. O(fleet), once per previous plan: the fleet is that of the request.
 */
export function targetGroups(problem: Problem): readonly TargetGroup[] {
  const { previous } = problem;
  if (!previous) return [];
  const groupsOf = keptIn(problem.caches.problem, GROUPS);
  const known = groupsOf.get(previous) ?? findGroups(problem);
  groupsOf.set(previous, known);
  return known;
}

function findGroups({ previous, fleet, locationIds }: Problem): TargetGroup[] {
  const n = locationIds.length;
  const counts = new Map<number, number>();
  for (let f = 0; previous && f < fleet.location.length; f++) {
    const target = previous.target[f];
    if (target < 0 || fleet.capacityClass[f] < 0) continue;
    const key = (fleet.capacityClass[f] * n + fleet.location[f]) * n + target;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([key, count]) => {
      const source = Math.floor(key / n);
      const capacityClass = Math.floor(source / n);
      return { capacityClass, location: source % n, target: key % n, count };
    });
}

/** Pinned vehicles that the previous plan sends elsewhere: no plan can keep to it. O(fleet). */
export function countPinnedChanged({ previous, fleet }: Problem): number {
  let changed = 0;
  for (let f = 0; previous && f < fleet.location.length; f++) {
    const target = previous.target[f];
    if (fleet.capacityClass[f] < 0 && target >= 0 && target !== fleet.location[f]) changed++;
  }
  return changed;
}

/** The cost of the changes that these moves make, in cost units. O(moves + groups). */
export function changeUnits(problem: Problem, moves: Moves): number {
  return hasChangeCost(problem) ? problem.previous!.changeUnits * countChanged(problem, moves) : 0;
}

/**
 * The problem with one vehicle of a class at a location fewer, in every way that matters: the one taken away may have
 * any of their previous targets, or none. Empty if there is no such vehicle.
 */
export function withoutOneVehicle(problem: Problem, capacityClass: number, location: number): Problem[] {
  const { previous, fleet } = problem;
  const fewer = withVehicle(problem, capacityClass, location, -1);
  if (!previous || !hasChangeCost(problem)) return [fewer];
  const isHere = (f: number) => fleet.capacityClass[f] === capacityClass && fleet.location[f] === location;
  const first = new Map<number, number>();
  for (let f = 0; f < fleet.location.length; f++)
    if (isHere(f) && !first.has(previous.target[f])) first.set(previous.target[f], f);
  return Array.from(first.values(), (f) => ({
    ...fewer,
    previous: { ...previous, target: previous.target.with(f, -1) },
  }));
}

/** Vehicles that cannot go to their previous target: no plan can keep to it. O(fleet). */
export function countUnreachable(problem: Problem): number {
  const { maxDistanceKm } = problem.limits;
  const groups = targetGroups(problem).filter(
    ({ location, target }) =>
      location !== target &&
      (moveCost(problem, location, target) === Number.POSITIVE_INFINITY ||
        (hasDistances(problem) && moveDistance(problem, location, target) > maxDistanceKm)),
  );
  return groups.reduce((sum, { count }) => sum + count, countPinnedChanged(problem));
}

/** The moves of the previous plan, of all vehicles that it knows; null if one of them is not allowed now. */
export function keepAll(problem: Problem): Moves | null {
  const { network, limits, locationIds } = problem;
  const groups = targetGroups(problem).filter(({ location, target }) => location !== target);
  const isPossible = groups.every(({ location, target }) =>
    isAllowed(network, locationIds.length, limits.maxDistanceKm, location, target),
  );
  return isPossible
    ? {
        capacityClass: Int32Array.from(groups, ({ capacityClass }) => capacityClass),
        source: Int32Array.from(groups, ({ location }) => location),
        target: Int32Array.from(groups, ({ target }) => target),
        count: Int32Array.from(groups, ({ count }) => count),
      }
    : null;
}

/**
 * The fewest vehicles that these moves can send elsewhere than the previous plan: of a group of p vehicles with the
 * same target, min(p, x) keep to it if x vehicles of their class go there from their location. O(moves + fleet).
 */
function countChanged(problem: Problem, moves: Moves): number {
  const n = problem.locationIds.length;
  const going = new Map<number, number>();
  const leaving = new Float64Array(problem.supply.length);
  for (let m = 0; m < moves.count.length; m++) {
    const source = moves.capacityClass[m] * n + moves.source[m];
    const key = source * n + moves.target[m];
    going.set(key, (going.get(key) ?? 0) + moves.count[m]);
    leaving[source] += moves.count[m];
  }
  let changed = countPinnedChanged(problem);
  for (const { capacityClass, location, target, count } of targetGroups(problem)) {
    const source = capacityClass * n + location;
    const there =
      target === location ? problem.supply[source] - leaving[source] : (going.get(source * n + target) ?? 0);
    changed += Math.max(0, count - there);
  }
  return changed;
}
