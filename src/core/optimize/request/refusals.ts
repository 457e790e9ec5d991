/**
 * What the optimizer refuses although each field of the request is valid: problems beyond its arithmetic or its
 * memory.
 * `check.ts` refuses what the request itself reveals, before it is stored; `solve.ts` refuses what only a search
 * reveals.
 */
import { MAX_CAPACITY, MIN_CAPACITY } from '../../../contracts/bounds.ts';
import { roundedDownText, roundedText, roundedUpText } from '../../../contracts/rounded-text.ts';
import { type ClassesSize, countClassesColumns } from '../column-generation/classes-layout.ts';
import type { RequestFault } from '../problem/model.ts';
import { MAX_MATRIX_LOCATIONS } from '../problem/network.ts';
import { statedCapacity } from '../problem/stated-capacity.ts';

/** Share of a vehicle. With one capacity, a smaller total demand lies within the network simplex's tolerances. */
export const MIN_LOAD = 1e-10;

/**
 * Maximum number of columns other than moves. Four times as many, with their rows and moves, exhaust the solver's
 * memory.
 */
const MAX_BASE_COLUMNS = 500_000;

/** @param served demand that a vehicle serves, outside the bounds of a capacity */
export function refuseTrips(served: number, servedPerUnit: number): RequestFault {
  const isLittle = served < MIN_CAPACITY;
  const said = isLittle ? roundedDownText(served) : roundedUpText(served);
  const limit = isLittle ? `below the minimum ${MIN_CAPACITY}` : `above the maximum ${MAX_CAPACITY}`;
  const message =
    `with ${servedPerUnit} trips per unit of capacity, a vehicle of capacity ` +
    `${statedCapacity(served, servedPerUnit)} serves ${said}, ${limit}; change the trips per hour or the capacity`;
  return { field: 'options.trips_per_vehicle_hour', message, detail: null };
}

/** @param served demand that a vehicle serves */
export function refuseLittleDemand(total: number, served: number): RequestFault {
  return {
    field: 'demand_forecast',
    message:
      `the planning demand adds up to ${roundedDownText(total)}, less than ${MIN_LOAD} of the ` +
      `${roundedText(served)} that a vehicle serves; ` +
      'state demand and capacity in the same unit, or demand 0 where there is none',
    detail: null,
  };
}

/** @returns null if an explanation fits for this number of locations */
export function refuseExplanation(locations: number): RequestFault | null {
  if (locations <= MAX_MATRIX_LOCATIONS) return null;
  const message =
    `explain supports at most ${MAX_MATRIX_LOCATIONS} locations, and the request has ${locations}; leave ` +
    'it out';
  return { field: 'options.explain', message, detail: null };
}

/** Several capacities, or bounds per location, need costs of all pairs and columns per location and capacity. */
export function refuseClasses(size: ClassesSize): RequestFault | null {
  const { capacities, locations } = size;
  const columns = countClassesColumns(size);
  if (columns <= MAX_BASE_COLUMNS) return null;
  const message =
    `${capacities} distinct capacities at ${locations} locations make a model of ${columns} columns, more than the ` +
    `${MAX_BASE_COLUMNS} that fit the solver's memory; use fewer distinct capacities or split the request`;
  return { field: 'fleet_state.vehicles', message, detail: null };
}

/** Stored travel and a cost per move need the costs of all pairs. @returns null if these fit in memory */
export function refuseMatrix(locations: number, isStored: boolean): RequestFault | null {
  if (locations <= MAX_MATRIX_LOCATIONS) return null;
  const message =
    `supports at most ${MAX_MATRIX_LOCATIONS} locations, and the request has ${locations}; ` +
    'split the request';
  return isStored
    ? { field: 'options.travel', message: `stored travel ${message}`, detail: null }
    : { field: 'options.cost.per_move', message: `a cost per move ${message}`, detail: null };
}

/** @param places locations, and those with pinned vehicles a second time */
export function refusePinnedPlaces(places: number): RequestFault {
  const message =
    `with pinned vehicles supports at most ${MAX_MATRIX_LOCATIONS} locations, where those with pinned vehicles count ` +
    `twice, and the request has ${places}; leave out total_fleet_size or \`pinned\`, or split the request`;
  return { field: 'constraints.total_fleet_size', message, detail: null };
}

/** The problem needs costs of all pairs, which would not fit in memory. */
export function refuseMatrices(locations: number): RequestFault {
  const message =
    `the costs of all pairs fit in memory for at most ${MAX_MATRIX_LOCATIONS} locations, and the request ` +
    `has ${locations}; lower ` +
    'constraints.max_distance so that each location has few others within reach, or split the request';
  return { field: 'demand_forecast', message, detail: null };
}

export function refuseMoves(moves: number, most: number): RequestFault {
  const message =
    `the problem has ${moves} possible moves, more than the ${most} that fit the solver's memory; lower ` +
    'constraints.max_distance, use fewer distinct capacities or split the request';
  return { field: 'demand_forecast', message, detail: null };
}

/** The locations of the request and one for each kind of vehicle: a place and a target in the previous plan. */
export function refuseTargets(locations: number): RequestFault {
  const message =
    `the previous plan's targets make ${locations} pairs of place and target, and costs of all pairs fit in memory ` +
    `for at most ${MAX_MATRIX_LOCATIONS}; leave change_cost out, or split the request`;
  return { field: 'options.change_cost', message, detail: null };
}

/** A fault that only building the problem reveals. */
export class RefusedError extends Error {
  readonly fault: RequestFault;

  constructor(fault: RequestFault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** @param dearest cost of the dearest allowed move; `most`: the largest that keeps the total exact */
export function refuseCosts(dearest: number, most: number): RequestFault {
  const message =
    `a move costs up to ${roundedUpText(dearest)}, above the maximum ${roundedDownText(most)} ` +
    'that keeps the total exact; use a larger unit';
  return { field: 'options.cost', message, detail: null };
}
