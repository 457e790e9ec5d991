/**
 * The fewest additional vehicles of a fleet of one class that make a plan possible, and the smallest sufficient
 * `total_fleet_size`, at any cost: exactly and without a solver.
 *
 * The sets of places that the fleet can fill at once are the independent sets of a matroid (`reachable.ts`). An added
 * vehicle can be put anywhere, so it serves any one place. With m added vehicles, the sets are those of which the fleet
 * fills all but m: the union of this matroid and the uniform one of rank m, again a matroid, in which the greedy choice
 * is optimal. In order of gain, it takes the places that the fleet can fill in addition to those already filled, and
 * the first m of the others (which the fleet never can: the span of the chosen places only grows). Neither depends on
 * m, so one pass gives the most demand served for every m. `total_fleet_size` truncates all independent sets, so it
 * counts the best of these places.
 * Beyond `reachMost` O(n log n + n log m). Reference: Edmonds, Matroids and the greedy algorithm, Mathematical
 * Programming 1 (1971).
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
  /** Of the existing vehicles. */
  moves: Moves;
};

/** Places of one gain at a location. */
type Places = { location: number; gain: number; filled: number; open: number };

/**
 * @param problem of one class, possibly without vehicles, and without bounds of vehicles per location
 * @returns `none`: no number is sufficient; `too many`: more would be needed than the search allows
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

/**
 * The smallest sufficient number of serving vehicles, with the existing vehicles and their moves; see
 * `fewestAdditions`.
 */
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

/**
 * All places by descending gain, and which of them the fleet can fill whatever the fleet size; null if time runs out.
 */
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

/**
 * Demand served if the first open places are filled, too, by at most `fleetSize` vehicles. @param places by gain,
 * descending
 */
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
