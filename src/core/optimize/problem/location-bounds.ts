/**
 * The number of vehicles that may be at a location. The two limits loosen what the request states by location: a
 * minimum is at most the one, a maximum at least the other. So a relaxation changes one number for all locations, and
 * is monotone.
 */
import type { Problem } from './model.ts';
import { homeOf } from './pinned-places.ts';

/** The fewest vehicles at a location after the moves, beside the pinned ones. */
export function leastAt(problem: Problem, location: number): number {
  if (isOutside(problem, location) || homeOf(problem, location) >= 0) return 0;
  const { bounds, limits, pinned } = problem;
  const least = bounds
    ? Math.min(bounds.least[location], limits.minVehiclesPerLocation)
    : limits.minVehiclesPerLocation;
  return pinned ? Math.max(0, least - pinned.vehicles[location]) : least;
}

/** The same for the most; Infinity if there is no maximum, negative if more are pinned. */
export function mostAt(problem: Problem, location: number): number {
  if (isOutside(problem, location)) return Number.POSITIVE_INFINITY;
  const { bounds, limits, pinned } = problem;
  // Under a maximum, idle pinned vehicles have to count at their location, not at their place.
  if (homeOf(problem, location) >= 0)
    return limits.maxVehiclesPerLocation === Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : 0;
  const most = bounds
    ? Math.max(bounds.most[location], limits.maxVehiclesPerLocation)
    : limits.maxVehiclesPerLocation;
  return pinned ? most - pinned.vehicles[location] : most;
}

/** Vehicles that could be added wait there: it has no bounds. */
function isOutside({ hasPlaceOutside, locationIds }: Problem, location: number): boolean {
  return hasPlaceOutside === true && location === locationIds.length - 1;
}
