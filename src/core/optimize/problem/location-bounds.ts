/**
 * The number of vehicles that may be at a location. The two limits loosen what the request states by location: a
 * minimum is at most the one, a maximum at least the other. So a relaxation changes one number for all locations, and
 * is monotone.
 */
import type { Problem } from './model.ts';

/** The fewest vehicles at a location after the moves. */
export function leastAt(problem: Problem, location: number): number {
  if (isOutside(problem, location)) return 0;
  const { bounds, limits } = problem;
  return bounds
    ? Math.min(bounds.least[location], limits.minVehiclesPerLocation)
    : limits.minVehiclesPerLocation;
}

/** The most vehicles at a location after the moves; Infinity if there is no maximum. */
export function mostAt(problem: Problem, location: number): number {
  if (isOutside(problem, location)) return Number.POSITIVE_INFINITY;
  const { bounds, limits } = problem;
  return bounds
    ? Math.max(bounds.most[location], limits.maxVehiclesPerLocation)
    : limits.maxVehiclesPerLocation;
}

/** Vehicles that could be added wait there: it has no bounds. */
function isOutside({ hasPlaceOutside, locationIds }: Problem, location: number): boolean {
  return hasPlaceOutside === true && location === locationIds.length - 1;
}
