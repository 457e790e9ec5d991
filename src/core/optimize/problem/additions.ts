/** The demand that vehicles at a location serve there. */
import type { Problem } from './model.ts';

/** `count` vehicles at a location, each of which serves `gain` more demand. */
export type AddedService = { location: number; gain: number; count: number };

/**
 * The vehicles present that serve, the largest first. At one location the m largest vehicles serve the most, and each
 * further one adds less. O(nK).
 * @param presence K × n vehicles after the moves
 */
export function additionsOf(problem: Problem, presence: ArrayLike<number>): AddedService[] {
  const n = problem.locationIds.length;
  const additions: AddedService[] = [];
  for (let location = 0; location < n; location++) {
    let open = problem.demand[location];
    for (let k = problem.capacities.length - 1; k >= 0 && open > 0; k--) {
      const capacity = problem.capacities[k];
      const count = Math.min(presence[k * n + location], Math.floor(open / capacity));
      if (count > 0) additions.push({ location, gain: capacity, count });
      open -= count * capacity;
      const rest = presence[k * n + location] > count ? Math.min(open, capacity) : 0;
      if (rest > 0) additions.push({ location, gain: rest, count: 1 });
      open -= rest;
    }
  }
  return additions;
}
