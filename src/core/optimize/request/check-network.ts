/** Faults of `network`: repeated ids, matrices whose size does not match the ids, costs too large for exact sums. */
import { MAX_COST, MAX_DISTANCE_KM } from '../../../contracts/bounds.ts';
import type { NetworkInput } from '../../../contracts/optimize.ts';
import type { FaultList } from './fault-list.ts';

/** Adds the faults of a request's network. O(cells). */
export function checkNetwork(network: NetworkInput, vehicleCount: number, list: FaultList): void {
  const n = network.location_ids.length;
  checkIds(network.location_ids, list);
  checkSquare('costs', network.costs, n, list);
  const largestCost = MAX_COST / Math.max(1, vehicleCount);
  checkLargest(
    'costs',
    network.costs,
    largestCost,
    'that keeps the total exact; state costs in a larger unit',
    list,
  );
  if (network.distances_km) {
    checkSquare('distances_km', network.distances_km, n, list);
    checkLargest('distances_km', network.distances_km, MAX_DISTANCE_KM, 'km; check its unit', list);
    checkDistancesKnown(network.costs, network.distances_km, list);
  }
}

function checkIds(ids: readonly number[], list: FaultList): void {
  const firstIndex = new Map<number, number>();
  for (let i = 0; i < ids.length; i++) {
    const first = firstIndex.get(ids[i]);
    if (first === undefined) firstIndex.set(ids[i], i);
    else {
      list.add(
        `network.location_ids[${i}]`,
        `location ${ids[i]} is a duplicate of network.location_ids[${first}]; name each location once`,
      );
    }
  }
}

type Matrix = readonly (readonly (number | null)[])[];

function checkSquare(name: string, matrix: Matrix, n: number, list: FaultList): void {
  if (matrix.length !== n) {
    list.add(`network.${name}`, `has ${matrix.length} rows; give one row for each of the ${n} location_ids`);
  }
  for (let i = 0; i < matrix.length && !list.full; i++) {
    if (matrix[i].length !== n) {
      list.add(
        `network.${name}[${i}]`,
        `has ${matrix[i].length} values; give one value for each of the ${n} location_ids`,
      );
    }
  }
}

function checkLargest(name: string, matrix: Matrix, largest: number, advice: string, list: FaultList): void {
  for (let i = 0; i < matrix.length; i++) {
    if (list.full) return;
    for (let j = 0; j < matrix[i].length; j++) {
      const value = matrix[i][j];
      if (value !== null && !(value <= largest)) {
        list.add(`network.${name}[${i}][${j}]`, `${value} is above the maximum ${largest} ${advice}`);
      }
    }
  }
}

/** Every move with a cost needs a distance; otherwise `max_distance` could not be enforced. */
function checkDistancesKnown(costs: Matrix, distances: Matrix, list: FaultList): void {
  for (let i = 0; i < distances.length; i++) {
    if (list.full) return;
    for (let j = 0; j < distances[i].length; j++) {
      if (i !== j && distances[i][j] === null && costs[i]?.[j] !== null) {
        list.add(
          `network.distances_km[${i}][${j}]`,
          'is null although network.costs allows the move; give its distance or forbid the move with null there',
        );
      }
    }
  }
}
