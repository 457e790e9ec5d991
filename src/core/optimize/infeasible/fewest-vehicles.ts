/**
 * The fewest vehicles more of a fleet of one class with which enough can be served, and the fewest that have to count as serving,
 * whatever it costs: exactly and without a solver.
 *
 * The places that the fleet can fill at once are the independent sets of a matroid (`reachable.ts`). A vehicle that is added serves
 * any one place, by being put there; so with m of them the sets are those of which the fleet fills all but m: the union of this
 * matroid and the uniform one of rank m, a matroid too, in which the greedy choice is best. In the order of their gains it takes
 * what the fleet can fill beside what it fills already, and of what the fleet cannot (it never will: the span of places only grows)
 * the first m. Neither depends on m, so one pass tells the most that is served for every m; `total_fleet_size`, which cuts all
 * independent sets off at a size, counts the best of these.
 * Beyond `reachMost` O(n log n + n log m). Reference: Edmonds, Matroids and the greedy algorithm, Mathematical Programming 1 (1971).
 */

import { reachMost } from '../problem/distances/reachable.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { leastServed } from '../problem/service-level.ts';
import { splitDemand } from '../problem/steps.ts';
import { countVehicles, MAX_VEHICLES, withLimits } from '../problem/variants.ts';
import { leastEnough } from './bisect.ts';

/** Vehicles to add at a location. */
export type Addition = { location: number; vehicles: number };

export type FewestAdditions = {
  count: number;
  additions: Addition[];
  /** Of the vehicles that are there. */
  moves: Moves;
};

/** Places of one gain at a location. */
type Places = { location: number; gain: number; filled: number; open: number };

/**
 * @param problem of one class, maybe without vehicles, and without bounds of vehicles per location
 * @returns `none`: no number is enough; `too many`: more would be needed than are looked at
 */
export function fewestAdditions(
  problem: Problem,
  isOver: () => boolean,
): FewestAdditions | 'none' | 'too many' | 'out of time' {
  const reached = reachPlaces(problem, isOver);
  if (!reached) return 'out of time';
  const { places, moves } = reached;
  const required = leastServed(problem);
  const isEnough = (added: number) => mostServed(places, added, problem.limits.totalFleetSize) >= required;
  const open = totalOf(places, 'open');
  const most = Math.min(open, MAX_VEHICLES - countVehicles(problem));
  const count = leastEnough(most, isEnough);
  if (count > most) return open > most ? 'too many' : 'none';
  return { count, additions: firstOpen(places, count), moves };
}

/** The fewest vehicles that have to count as serving, where those that are there may go as they may; see `fewestAdditions`. */
export function fewestServing(
  problem: Problem,
  isOver: () => boolean,
): { count: number; moves: Moves } | 'none' | 'out of time' {
  const reached = reachPlaces(problem, isOver);
  if (!reached) return 'out of time';
  const { places, moves } = reached;
  const required = leastServed(problem);
  const most = totalOf(places, 'filled');
  const count = leastEnough(most, (size) => mostServed(places, 0, size) >= required);
  return count > most ? 'none' : { count, moves };
}

/** All places, those of the largest gain first, and which of them the fleet can fill whatever the fleet size; null where time ran out. */
function reachPlaces(problem: Problem, isOver: () => boolean): { places: Places[]; moves: Moves } | null {
  const [capacity] = problem.capacities;
  const reached = reachMost(withLimits(problem, { totalFleetSize: Number.POSITIVE_INFINITY }), isOver);
  if (!reached) return null;
  const places: Places[] = [];
  problem.demand.forEach((d, location) => {
    const { full, rest } = splitDemand(d, capacity);
    const of = (gain: number, count: number, filled: number) => {
      if (count > 0) places.push({ location, gain, filled, open: count - filled });
    };
    of(capacity, full, reached.full[location]);
    of(rest, rest > 0 ? 1 : 0, reached.part[location]);
  });
  places.sort((a, b) => b.gain - a.gain || a.location - b.location);
  return { places, moves: reached.moves };
}

function totalOf(places: readonly Places[], what: 'filled' | 'open'): number {
  return places.reduce((sum, place) => sum + place[what], 0);
}

/** Demand served with the first open places filled too, by at most `fleetSize` vehicles. @param places by gain, descending */
function mostServed(places: readonly Places[], added: number, fleetSize: number): number {
  let served = 0;
  let toAdd = added;
  let left = fleetSize;
  for (const { gain, filled, open } of places) {
    const more = Math.min(open, toAdd);
    const serving = Math.min(filled + more, left);
    served += serving * gain;
    toAdd -= more;
    left -= serving;
  }
  return served;
}

function firstOpen(places: readonly Places[], count: number): Addition[] {
  const byLocation = new Map<number, number>();
  let left = count;
  for (const { location, open } of places) {
    const vehicles = Math.min(open, left);
    if (vehicles > 0) byLocation.set(location, (byLocation.get(location) ?? 0) + vehicles);
    left -= vehicles;
  }
  return [...byLocation]
    .map(([location, vehicles]) => ({ location, vehicles }))
    .sort((a, b) => a.location - b.location);
}
