/** One unit of each constraint that insights relax: 0.01 of service level, 1 km, one vehicle (at every location). */
import type { Limits, Problem } from '../problem/model.ts';
import { isSet, withLimits } from '../problem/variants.ts';

/** The ceiling does not change which plan is cheapest, and what a forbidden move would cost is not known. */
export type RelaxableName =
  | 'min_service_level'
  | 'max_distance'
  | 'min_vehicles_per_location'
  | 'max_vehicles_per_location'
  | 'total_fleet_size';

type RelaxableLimit = Exclude<keyof Limits, 'maxCostUnits'>;

const LIMITS: Record<RelaxableName, { limit: RelaxableLimit; unit: number }> = {
  min_service_level: { limit: 'minServiceLevel', unit: -0.01 },
  max_distance: { limit: 'maxDistanceKm', unit: 1 },
  min_vehicles_per_location: { limit: 'minVehiclesPerLocation', unit: -1 },
  max_vehicles_per_location: { limit: 'maxVehiclesPerLocation', unit: 1 },
  total_fleet_size: { limit: 'totalFleetSize', unit: 1 },
};

/** Digits that a relaxed value keeps: 0.95 − 0.01 is 0.94. */
const VALUE_DIGITS = 12;

/** The constraints that are there to be relaxed. */
export function relaxableConstraints(problem: Problem): RelaxableName[] {
  return (Object.keys(LIMITS) as RelaxableName[]).filter((name) => isSet(problem, name));
}

export function requestedLimit(problem: Problem, name: RelaxableName): number {
  return problem.limits[LIMITS[name].limit];
}

/** The value one unit looser. */
export function relaxedValue(problem: Problem, name: RelaxableName): number {
  const relaxed = requestedLimit(problem, name) + LIMITS[name].unit;
  return Math.max(0, Number(relaxed.toPrecision(VALUE_DIGITS)));
}

export function relaxByOne(problem: Problem, name: RelaxableName): Problem {
  return withLimits(problem, { [LIMITS[name].limit]: relaxedValue(problem, name) });
}
