/**
 * Problems that differ from a given one in a constraint or in a vehicle. They share its matrices, which never change.
 */

import { type ConstraintName, LIMIT_CONSTRAINTS, type Limits, type LocationBounds } from './constraints.ts';
import type { Network, Problem } from './model.ts';
import { isEveryMoveWithin } from './network.ts';

/** Problems with more vehicles than this are not considered: the vehicles of a location are counted in 32 bits. */
export const MAX_VEHICLES = 2 ** 31 - 1;

export function countVehicles(problem: Problem): number {
  let total = 0;
  for (const count of problem.supply) total += count;
  return total;
}

export function withLimits(problem: Problem, limits: Partial<Limits>): Problem {
  return { ...problem, limits: { ...problem.limits, ...limits } };
}

export function withNetwork(problem: Problem, network: Network): Problem {
  return { ...problem, network, greatCircle: null };
}

/** The same problem with one vehicle more (`by` 1) or fewer (`by` −1) of a class at a location. */
export function withVehicle(problem: Problem, capacityClass: number, location: number, by: 1 | -1): Problem {
  const supply = problem.supply.slice();
  supply[capacityClass * problem.locationIds.length + location] += by;
  return { ...problem, supply };
}

/** Constraints that can be dropped one at a time. Supply is not a constraint of the request. */
export type DroppableName = Exclude<ConstraintName, 'supply'>;

/** Whether the number of vehicles per location is bounded. */
export function hasLocationBounds({ limits }: { limits: LocationBounds }): boolean {
  return limits.minVehiclesPerLocation > 0 || limits.maxVehiclesPerLocation !== Number.POSITIVE_INFINITY;
}

/** Whether the constraint is present: a limit that allows everything is not. */
export function isSet(problem: Problem, name: DroppableName): boolean {
  const { limits, network } = problem;
  if (name === 'network') return isAnyMoveForbidden(problem);
  if (name === 'max_distance') {
    return (
      !isEveryMoveWithin(problem, limits.maxDistanceKm) && isAnyMoveTooLong(network, limits.maxDistanceKm)
    );
  }
  if (name === 'min_service_level' && !problem.demand.some((demand) => demand > 0)) return false;
  const { limit, off } = LIMIT_CONSTRAINTS[name];
  return limits[limit] !== off;
}

/** By the request's network; O(n²). */
function isAnyMoveForbidden(problem: Problem): boolean {
  if (problem.greatCircle !== null) return false;
  const { costUnits } = problem.network;
  const n = problem.locationIds.length;
  const open = countTravelled(problem);
  for (let from = 0; from < open; from++) {
    const row = costUnits.subarray(from * n, from * n + open);
    if (row.includes(Number.POSITIVE_INFINITY)) return true;
  }
  return false;
}

/** O(n²). A plain loop: a callback per pair takes several times as long. */
function isAnyMoveTooLong({ distanceKm, costUnits }: Network, maxDistanceKm: number): boolean {
  if (distanceKm === null) return false;
  for (let a = 0; a < distanceKm.length; a++) {
    if (distanceKm[a] > maxDistanceKm && costUnits[a] !== Number.POSITIVE_INFINITY) return true;
  }
  return false;
}

/** The problem without one constraint. Moves that the network forbids become free: no cost can be lower than 0. */
export function dropConstraint(problem: Problem, name: DroppableName): Problem {
  if (name === 'network') return withNetwork(problem, { ...problem.network, costUnits: allowAll(problem) });
  const { limit, off } = LIMIT_CONSTRAINTS[name];
  return withLimits(problem, { [limit]: off });
}

function allowAll(problem: Problem): Float64Array {
  const n = problem.locationIds.length;
  const open = countTravelled(problem);
  const costUnits = problem.network.costUnits.slice();
  for (let from = 0; from < open; from++) {
    for (let a = from * n; a < from * n + open; a++)
      if (costUnits[a] === Number.POSITIVE_INFINITY) costUnits[a] = 0;
  }
  return costUnits;
}

/** The locations between which the request may forbid moves; places beside them come after them. */
function countTravelled({ hasPlaceOutside, pinnedPlaces, locationIds }: Problem): number {
  return pinnedPlaces?.first ?? locationIds.length - (hasPlaceOutside ? 1 : 0);
}
