/**
 * Columns of the model of several capacity classes (`classes.ts`): the first column of each kind, and their number.
 */
import { floorsOf } from '../problem/floors.ts';
import type { Problem } from '../problem/model.ts';

export type ClassesSize = {
  capacities: number;
  locations: number;
  /** Whether idle vehicles have columns: with a `total_fleet_size`. */
  hasIdle: boolean;
  /** Whether vehicles per location are bounded. */
  isBounded: boolean;
  /** Floors of priority levels, each with an artificial column. */
  floors: number;
};

export function classesSize(problem: Problem, isBounded: boolean): ClassesSize {
  const { capacities, locationIds, limits } = problem;
  return {
    capacities: capacities.length,
    locations: locationIds.length,
    hasIdle: limits.totalFleetSize !== Number.POSITIVE_INFINITY,
    isBounded,
    floors: floorsOf(problem).length,
  };
}

/** The first columns of the kinds after arriving vehicles, and the total number of columns. */
export function layoutClasses({ capacities, locations: n, hasIdle, isBounded, floors }: ClassesSize) {
  const size = capacities * n;
  const integerColumns = (hasIdle ? 3 : 2) * size;
  const firstArtificial = integerColumns + n;
  const fromNowhere = firstArtificial + 1;
  const toNowhere = fromNowhere + size;
  const placeShort = toNowhere + size;
  const floorShort = isBounded ? placeShort + 2 * n : toNowhere;
  return {
    out: size,
    idle: 2 * size,
    hasIdle,
    integerColumns,
    unmet: integerColumns,
    firstArtificial,
    fromNowhere,
    toNowhere,
    placeShort,
    floorShort,
    columnCount: floorShort + floors,
  };
}

export function countClassesColumns(size: ClassesSize): number {
  return layoutClasses(size).columnCount;
}
