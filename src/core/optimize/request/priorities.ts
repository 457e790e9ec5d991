/** Priority levels of demand: those of the request, else those stored with the locations. */
import type { Constraints, OptimizeRequest } from '../../../contracts/optimize.ts';
import type { LocationPoint } from '../problem/model.ts';
import type { FaultList } from './fault-list.ts';

/**
 * Reads the levels. A request with a `network` uses no stored locations, so only its own levels count. O(locations)
 * @param locationIds of the problem, n; @param demand n
 * @returns n levels, 0 to 9; null if no demand has a level above 0
 */
export function readPriorities(
  { constraints: { priorities = {} } = {}, network }: OptimizeRequest,
  locations: readonly LocationPoint[],
  locationIds: Int32Array,
  demand: Float64Array,
): Uint8Array | null {
  const stored = new Map<number, number>();
  for (const { id, priority = 0 } of network ? [] : locations) if (priority > 0) stored.set(id, priority);
  const levels = Uint8Array.from(
    locationIds,
    (id) => priorities[id] ?? priorities.default ?? stored.get(id) ?? 0,
  );
  return levels.some((level, j) => level > 0 && demand[j] > 0) ? levels : null;
}

/** Reports locations that do not exist. @param unknown follows the number of such a location */
export function checkPriorities(
  { priorities = {} }: Constraints = {},
  known: ReadonlySet<number>,
  unknown: string,
  list: FaultList,
): void {
  for (const key of Object.keys(priorities)) {
    if (key !== 'default' && !known.has(Number(key)))
      list.add(`constraints.priorities.${key}`, `location ${key} ${unknown}`);
  }
}
