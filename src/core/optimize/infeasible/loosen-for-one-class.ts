/**
 * By how much bounds by location have to be loosened in total if one class may go anywhere: exactly and without a
 * solver.
 *
 * Each vehicle at a location is a step, whose gain never rises from one to the next: whole loads, then the rest of the
 * demand, then nothing. For maximums, the steps within them are `inner` and further ones `outer`; for minimums, those
 * up to them and beyond. Both ask the same: F vehicles take steps, at most so many of them outer ones, and serve as
 * much as possible. These sets of steps are the independent sets of a laminar matroid, so taking them by gain is
 * optimal, and the least sufficient number of outer steps (for minimums: of inner steps left out) is found by
 * bisection. Inner steps come first among equal gains, so no step is taken before an earlier one of its location.
 * O(n log n + n log F).
 * Reference: Edmonds, Matroids and the greedy algorithm, Mathematical Programming 1 (1971).
 */
import { leastAt, mostAt } from '../problem/location-bounds.ts';
import type { Problem } from '../problem/model.ts';
import { leastServed } from '../problem/service-level.ts';
import { splitDemand } from '../problem/steps.ts';
import { countVehicles } from '../problem/variants.ts';
import { leastEnough } from './bisect.ts';
import type { BoundSide } from './coverage/coverage-model.ts';

/** Steps of one gain at a location. `isLast`: idle vehicles more than are there now, which others can spare. */
type Steps = { location: number; gain: number; count: number; isOuter: boolean; isLast: boolean };

/**
 * @param problem of one class whose vehicles may all go to any location, without floors and `total_fleet_size`
 * @returns vehicles by location with the smallest change in total; null: no change is sufficient
 */
export function loosenForOneClass(problem: Problem, side: BoundSide): Int32Array | null {
  const fleet = countVehicles(problem);
  if (side === 'least' && problem.demand.some((_, j) => mostAt(problem, j) < 0)) return null;
  const required = leastServed(problem);
  const { forced, steps } = stepsOf(problem, side, fleet);
  const forcedVehicles = forced.reduce((sum, count) => sum + count, 0);
  if (forcedVehicles > fleet) return null;
  const inner = steps.reduce((sum, { count, isOuter }) => sum + (isOuter ? 0 : count), 0);
  /** Outer steps that the stated bounds leave; negative if there are too few inner ones. */
  const free = side === 'least' ? fleet - inner : 0;
  const forcedGain = gainOf(problem, forced);
  const isEnough = (change: number) => {
    const taken = take(steps, fleet - forcedVehicles, free + change);
    return taken !== null && forcedGain + taken.served >= required;
  };
  const most = fleet + inner;
  const change = leastEnough(most, isEnough);
  if (change > most) return null;
  const { presence } = take(steps, fleet - forcedVehicles, free + change)!;
  return Int32Array.from({ length: problem.demand.length }, (_, j) => forced[j] + (presence.get(j) ?? 0));
}

/** Vehicles that have to be at each location, and all further steps by descending gain. */
function stepsOf(problem: Problem, side: BoundSide, fleet: number): { forced: Int32Array; steps: Steps[] } {
  const [capacity] = problem.capacities;
  const n = problem.demand.length;
  const forced = new Int32Array(n);
  const steps: Steps[] = [];
  for (let location = 0; location < n; location++) {
    const most = Math.max(0, Math.min(fleet, mostAt(problem, location)));
    const least = Math.min(fleet, leastAt(problem, location));
    if (side === 'most') forced[location] = least;
    const inner = side === 'least' ? Math.min(least, most) : Math.max(least, most);
    const last = side === 'least' ? most : fleet;
    const { full, rest } = splitDemand(problem.demand[location], capacity);
    const add = (gain: number, from: number, to: number, isLast = false) => {
      const start = Math.max(from, forced[location]);
      const split = Math.min(Math.max(start, inner), Math.min(to, last));
      if (split > start) steps.push({ location, gain, count: split - start, isOuter: false, isLast });
      const end = Math.min(to, last);
      const count = end - Math.max(start, split);
      if (count > 0) steps.push({ location, gain, count, isOuter: true, isLast });
    };
    add(capacity, 0, full);
    if (rest > 0) add(rest, full, full + 1);
    const idle = full + (rest > 0 ? 1 : 0);
    const present = Math.max(idle, problem.supply[location]);
    add(0, idle, present);
    add(0, present, last, true);
  }
  // Few locations change: outer steps where there are many of a gain, and minimums that are small are kept first.
  const order = ({ count, isOuter }: Steps) => (side === 'most' && isOuter ? -count : count);
  steps.sort(
    (a, b) =>
      b.gain - a.gain ||
      Number(a.isOuter) - Number(b.isOuter) ||
      Number(a.isLast) - Number(b.isLast) ||
      order(a) - order(b) ||
      a.location - b.location,
  );
  return { forced, steps };
}

function gainOf(problem: Problem, vehicles: Int32Array): number {
  const [capacity] = problem.capacities;
  return vehicles.reduce((sum, count, j) => sum + Math.min(problem.demand[j], capacity * count), 0);
}

/**
 * The steps that serve most. @returns null if not all vehicles have a step
 */
function take(
  steps: readonly Steps[],
  vehicles: number,
  mostOuter: number,
): { served: number; presence: Map<number, number> } | null {
  const presence = new Map<number, number>();
  let served = 0;
  let left = vehicles;
  let outer = mostOuter;
  for (const { location, gain, count, isOuter } of steps) {
    const taken = Math.max(0, Math.min(count, left, isOuter ? outer : left));
    if (taken === 0) continue;
    presence.set(location, (presence.get(location) ?? 0) + taken);
    served += taken * gain;
    left -= taken;
    if (isOuter) outer -= taken;
  }
  return left > 0 ? null : { served, presence };
}
