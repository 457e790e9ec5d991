/** Whether the pinned vehicles of a request compete with the others for `total_fleet_size`, and where they stand. */
import type { OptimizeRequest } from '../../../contracts/optimize.ts';

/** Ids of the locations with operational pinned vehicles. O(vehicles) */
export function pinnedLocations({ fleet_state: { vehicles } }: OptimizeRequest): Set<number> {
  const ids = new Set<number>();
  for (const { pinned, status = 'operational', location, location_id } of vehicles)
    if (pinned === true && status === 'operational') ids.add((location ?? location_id)!);
  return ids;
}

/** Whether pinned vehicles are at places of their own (`problem/pinned-places.ts`). */
export function hasPinnedPlaces(request: OptimizeRequest): boolean {
  return request.constraints?.total_fleet_size !== undefined && pinnedLocations(request).size > 0;
}

/** The locations of the problem, with the places of pinned vehicles. @param locations that the request names */
export function countPlaces(request: OptimizeRequest, locations: number): number {
  return locations + (hasPinnedPlaces(request) ? pinnedLocations(request).size : 0);
}
