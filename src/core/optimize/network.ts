/**
 * Costs and distances between the locations of the problem, n × n, row-major: from great-circle distances, or from
 * the request's own network. O(n²) time and space.
 */
import type { Network as NetworkInput } from '../../contracts/optimize.ts';
import { greatCircleMatrix } from '../geo.ts';
import { toUnitsUp } from './costs.ts';
import type { LocationPoint, Network } from './model.ts';

/** `points` in the order of the problem's locations; cost = km × costPerKm, rounded up to a cost unit. */
export function greatCircleNetwork(points: readonly LocationPoint[], costPerKm: number): Network {
  const distanceKm = greatCircleMatrix(points);
  const costUnits = new Float64Array(distanceKm.length);
  for (let a = 0; a < distanceKm.length; a++) costUnits[a] = toUnitsUp(distanceKm[a] * costPerKm);
  return { costUnits, distanceKm };
}

/** The request's matrices, rows and columns put into the order of `locationIds`; `null` costs become Infinity. */
export function givenNetwork(input: NetworkInput, locationIds: Int32Array): Network {
  const n = locationIds.length;
  const position = new Map(input.location_ids.map((id, at) => [id, at]));
  const at = Array.from(locationIds, (id) => position.get(id)!);
  const costUnits = new Float64Array(n * n);
  const distanceKm = input.distances_km ? new Float64Array(n * n) : null;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (i === j) continue;
      const cost = input.costs[at[i]][at[j]];
      costUnits[i * n + j] = cost === null ? Number.POSITIVE_INFINITY : toUnitsUp(cost);
      if (distanceKm) {
        distanceKm[i * n + j] = input.distances_km![at[i]][at[j]] ?? Number.POSITIVE_INFINITY;
      }
    }
  }
  return { costUnits, distanceKm };
}

/** Whether a vehicle may go from i to j (staying is always allowed). */
export function isAllowed(network: Network, n: number, maxDistanceKm: number, i: number, j: number): boolean {
  if (i === j) return true;
  const a = i * n + j;
  if (network.costUnits[a] === Number.POSITIVE_INFINITY) return false;
  return network.distanceKm === null || network.distanceKm[a] <= maxDistanceKm;
}
