/**
 * Where vehicles first serve their own location: the vehicles that a location may give, and those it may take.
 *
 * With one class, some best plan is such that no location both gives and takes vehicles, none gives a vehicle that
 * serves a full load at home, and none takes more than serve there. Proof:
 *   1. A location takes from the locations A and gives to the locations B. Vehicles that come go on to B at once, and
 *      the difference ends or starts there. That is a transportation problem, and a vertex of it has at most
 *      |A| + |B| pairs, as many as before. By the triangle inequality it is no dearer, and all locations have what they
 *      had.
 *   2. A vehicle that left a full load stays instead: it serves as much as anywhere.
 *   3. A vehicle that comes and does not serve stays where it was.
 * None of this adds pairs or cost, but 1 may give a location more targets, or a pair few vehicles. So these rules, and
 * rules by which locations differ, exclude it.
 */
import { hasFloors } from '../problem/floors.ts';
import type { Problem } from '../problem/model.ts';
import { isAllowed } from '../problem/network.ts';
import { hasChangeCost } from '../problem/previous.ts';
import { loadsOf, splitDemand } from '../problem/steps.ts';
import { hasUnmetCost } from '../problem/unmet-cost.ts';
import { hasLocationBounds } from '../problem/variants.ts';
import type { Check } from '../run/stopping.ts';

/** Checking the triangle inequality of more locations takes longer than it saves. */
const MAX_LOCATIONS = 600;

/** Vehicles by location. */
export type Netted = { gives: Float64Array; takes: Float64Array };

/** @returns null if that is not proved. @param check throws when time is up. O(n³) */
export function nettedVehicles(problem: Problem, check: Check): Netted | null {
  const { demand, supply, capacities, limits } = problem;
  const isKept =
    capacities.length === 1 &&
    limits.minVehiclesPerMove <= 1 &&
    limits.maxMovesFrom === Number.POSITIVE_INFINITY &&
    problem.locationIds.length <= MAX_LOCATIONS &&
    !problem.hasPlaceOutside &&
    !problem.pinnedPlaces &&
    !problem.movingUnits &&
    !hasChangeCost(problem) &&
    !hasUnmetCost(problem) &&
    !hasFloors(problem) &&
    !hasLocationBounds(problem);
  if (!isKept || !keepsTriangles(problem, check)) return null;
  const loads = loadsOf(demand, capacities[0]);
  return {
    gives: Float64Array.from(demand, (d, i) => Math.max(0, supply[i] - splitDemand(d, capacities[0]).full)),
    takes: Float64Array.from(loads, (load, j) => Math.max(0, load - supply[j])),
  };
}

/** Whether moves by way of a location that has vehicles are never cheaper, or allowed where the direct one is not. */
function keepsTriangles({ network, supply, limits, locationIds }: Problem, check: Check): boolean {
  const n = locationIds.length;
  const { costUnits, distanceKm } = network;
  const matrices = { costUnits, distanceKm };
  const cost = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++)
      if (i !== j)
        cost[i * n + j] = isAllowed(matrices, n, limits.maxDistanceKm, i, j)
          ? costUnits[i * n + j]
          : Number.POSITIVE_INFINITY;
  }
  for (let i = 0; i < n; i++) {
    check();
    if (supply[i] === 0) continue;
    for (let j = 0; j < n; j++) {
      const first = cost[i * n + j];
      if (supply[j] === 0 || first === Number.POSITIVE_INFINITY) continue;
      for (let k = 0; k < n; k++) if (cost[i * n + k] > first + cost[j * n + k]) return false;
    }
  }
  return true;
}
