/**
 * Columns of the model of several capacity classes (`classes.ts`): the first column of each kind, and their number.
 */
import type { Problem } from '../problem/model.ts';

export type ClassesSize = {
  capacities: number;
  locations: number;
  /** Whether idle vehicles have columns: with a `total_fleet_size`. */
  hasIdle: boolean;
  /** Whether vehicles per location are bounded. */
  isBounded: boolean;
};

export function classesSize({ capacities, locationIds, limits }: Problem, isBounded: boolean): ClassesSize {
  return {
    capacities: capacities.length,
    locations: locationIds.length,
    hasIdle: limits.totalFleetSize !== Number.POSITIVE_INFINITY,
    isBounded,
  };
}

/** The first columns of the kinds after arriving vehicles, and the total number of columns. */
export function layoutClasses({ capacities, locations: n, hasIdle, isBounded }: ClassesSize) {
  const size = capacities * n;
  const integerColumns = (hasIdle ? 3 : 2) * size;
  const firstArtificial = integerColumns + n;
  const fromNowhere = firstArtificial + 1;
  const toNowhere = fromNowhere + size;
  const placeShort = toNowhere + size;
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
    columnCount: isBounded ? placeShort + 2 * n : toNowhere,
  };
}

export function countClassesColumns(size: ClassesSize): number {
  return layoutClasses(size).columnCount;
}
