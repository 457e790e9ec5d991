/** Bounds on the number of vehicles per location: one number for all locations, or a map by location id. */
import type { Constraints, OptimizeRequest } from '../../../contracts/optimize.ts';
import type { LocationBounds } from '../problem/constraints.ts';
import type { Problem } from '../problem/model.ts';
import type { FaultList } from './fault-list.ts';

/** A number for all locations, or numbers by location. */
type Stated = number | Record<string, number> | undefined;

/** The number for a location. @param key its id, or `default`: all locations that a map does not name */
export function numberAt(stated: Stated, key: number | string): number | undefined {
  return typeof stated === 'object' ? (stated[key] ?? stated.default) : stated;
}

/**
 * Reads the bounds, which have no default of the service. If one is a map, both are written out by location.
 * O(locations).
 * @param locationIds of the problem
 */
export function readLocationBounds(
  { constraints = {} }: OptimizeRequest,
  locationIds: ArrayLike<number>,
): LocationBounds & Pick<Problem, 'bounds'> {
  const { min_vehicles_per_location: min, max_vehicles_per_location: max } = constraints;
  if (typeof min !== 'object' && typeof max !== 'object') {
    return { minVehiclesPerLocation: min ?? 0, maxVehiclesPerLocation: max ?? Number.POSITIVE_INFINITY };
  }
  const least = Float64Array.from(locationIds, (id) => numberAt(min, id) ?? 0);
  const most = Float64Array.from(locationIds, (id) => numberAt(max, id) ?? Number.POSITIVE_INFINITY);
  return {
    minVehiclesPerLocation: least.reduce((a, b) => Math.max(a, b), 0),
    maxVehiclesPerLocation: most.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    bounds: { least, most, isMap: { least: typeof min === 'object', most: typeof max === 'object' } },
  };
}

const NAMES = ['min_vehicles_per_location', 'max_vehicles_per_location'] as const;

/**
 * Reports locations that a map names and that do not exist, and minimums above the maximum of the same location.
 * @param unknown follows the number of a location that does not exist
 */
export function checkLocationBounds(
  constraints: Constraints,
  known: ReadonlySet<number>,
  unknown: string,
  list: FaultList,
): void {
  const keys = new Set(['default']);
  for (const name of NAMES) {
    const stated = constraints[name];
    for (const key of typeof stated === 'object' ? Object.keys(stated) : []) {
      keys.add(key);
      if (key !== 'default' && !known.has(Number(key)))
        list.add(`constraints.${name}.${key}`, `location ${key} ${unknown}`);
    }
  }
  for (const key of keys) {
    if (list.full) return;
    const [least, most] = NAMES.map((name) => numberAt(constraints[name], key));
    if (least === undefined || most === undefined || least <= most) continue;
    // The field that names the location; both may, or a number for all locations meets a map.
    const name = NAMES.find((bound) => Object.hasOwn(Object(constraints[bound]), key)) ?? NAMES[0];
    const isNumber = typeof constraints[name] !== 'object';
    list.add(
      isNumber ? `constraints.${name}` : `constraints.${name}.${key}`,
      `${key === 'default' ? '' : `location ${key}: `}${least} is above max_vehicles_per_location ${most}; ` +
        `lower it to at most ${most} or raise the maximum`,
    );
  }
}
