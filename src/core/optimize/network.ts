/**
 * Costs and distances between the locations of the problem, n × n, row-major: from great-circle distances, or from
 * the request's own network. O(n²) time and space.
 */
import type { Network as NetworkInput } from '../../contracts/optimize.ts';
import { greatCircleMatrix } from '../geo.ts';
import { toUnitsUp } from './costs.ts';
import { greatCircleCosts } from './flow/great-circle-costs.ts';
import type { LocationPoint, Network } from './model.ts';

/** Numbers that the kept networks may hold together: 64 MB, a network of 2,000 locations. */
const MOST_KEPT_NUMBERS = 2 ** 23;
const MOST_KEPT_NETWORKS = 16;

/** Networks by their points: a fleet asks about the same locations again and again. Never changed once they are here. */
const kept = new Map<string, Network>();

/**
 * `points` in the order of the problem's locations; cost = km × costPerKm, rounded up to a cost unit.
 * The matrices of recent sets of points are kept and shared.
 */
export function greatCircleNetwork(points: readonly LocationPoint[], costPerKm: number): Network {
  const key = JSON.stringify([costPerKm, points.map(({ latitude, longitude }) => [latitude, longitude])]);
  const known = kept.get(key);
  // Taken out and put back at the end: the oldest in use goes first.
  kept.delete(key);
  const network = known ?? {
    costUnits: greatCircleCosts(points, costPerKm).units,
    distanceKm: greatCircleMatrix(points),
  };
  kept.set(key, network);
  let numbers = 0;
  let count = 0;
  for (const [oldest, { costUnits }] of [...kept].reverse()) {
    numbers += 2 * costUnits.length;
    count++;
    if (numbers > MOST_KEPT_NUMBERS || count > MOST_KEPT_NETWORKS) kept.delete(oldest);
  }
  return network;
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
