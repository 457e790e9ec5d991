/**
 * What the optimizer refuses although each field of the request is right: problems beyond its arithmetic or its memory.
 * `check.ts` looks at all that the request itself tells, before it is stored; `solve.ts` at what only a search finds out.
 */
import { type ClassesSize, countClassesColumns } from '../column-generation/classes-layout.ts';
import type { RequestFault } from '../problem/model.ts';
import { MAX_MATRIX_LOCATIONS } from '../problem/network.ts';

/** Share of a vehicle: with one capacity, less demand in all is within the network simplex's tolerances. */
export const MIN_LOAD = 1e-10;

/** Columns beside the moves: with their rows and moves, four times as many run out of the memory of the solver. */
const MAX_BASE_COLUMNS = 500_000;

export function refuseLittleDemand(total: number, capacity: number): RequestFault {
  return {
    field: 'demand_forecast',
    message:
      `the planning demand adds up to ${total}, less than ${MIN_LOAD} of the capacity ${capacity}; ` +
      'state demand and capacity in the same unit, or demand 0 where there is none',
    detail: null,
  };
}

/** @returns null where an explanation of so many locations fits */
export function refuseExplanation(locations: number): RequestFault | null {
  if (locations <= MAX_MATRIX_LOCATIONS) return null;
  const message = `explain is for at most ${MAX_MATRIX_LOCATIONS} locations, here are ${locations}; leave it out`;
  return { field: 'options.explain', message, detail: null };
}

/** Several capacities, or bounds of vehicles per location: costs of all pairs are needed, and columns per location and capacity. */
export function refuseClasses(size: ClassesSize): RequestFault | null {
  const { capacities, locations } = size;
  const columns = countClassesColumns(size);
  if (columns <= MAX_BASE_COLUMNS) return null;
  const message =
    `${capacities} distinct capacities at ${locations} locations make a model of ${columns} columns, more than the ` +
    `${MAX_BASE_COLUMNS} that fit the solver's memory; use fewer distinct capacities or split the request`;
  return { field: 'fleet_state.vehicles', message, detail: null };
}

/** Costs of all pairs are needed, and would not fit. */
export function refuseMatrices(locations: number): RequestFault {
  const message =
    `${locations} locations are more than the ${MAX_MATRIX_LOCATIONS} whose costs all fit in memory; lower ` +
    'constraints.max_distance so that each location has few others within reach, or split the request';
  return { field: 'demand_forecast', message, detail: null };
}

export function refuseMoves(moves: number, most: number): RequestFault {
  const message =
    `the problem has ${moves} possible moves, more than the ${most} that fit the solver's memory; lower ` +
    'constraints.max_distance, use fewer distinct capacities or split the request';
  return { field: 'demand_forecast', message, detail: null };
}
