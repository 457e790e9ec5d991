/** Columns of the model of several capacity classes (`classes.ts`): where each kind begins, and how many there are. */
import type { Problem } from '../problem/model.ts';

export type ClassesSize = {
  capacities: number;
  locations: number;
  /** Whether idle vehicles are counted: there is a `total_fleet_size`. */
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

/** Where the columns begin that follow those of arriving vehicles, and how many there are. */
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
