/** Faults of `network`: repeated ids, matrices whose size does not match the ids, costs too large for exact sums. */
import { MAX_COST, MAX_DISTANCE_KM } from '../../../contracts/bounds.ts';
import type { NetworkInput } from '../../../contracts/optimize.ts';
import { toUnitsUp, UNITS_PER_COST } from '../problem/costs.ts';
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
    'that keeps the total exact; write null if there is no way, or state costs in a larger unit',
    list,
  );
  checkDistinct(network.costs, list);
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

/** Costs whose difference counts: less is the gap at which a plan is optimal by default. */
const MAX_RATIO = 1.01;
/** From here on, costs of one unit differ by less than that. */
const MERGING_COST = 1 / (UNITS_PER_COST * (MAX_RATIO - 1)) + 1 / UNITS_PER_COST;
/** Below it a cost is noise of arithmetic, as the great circle between two equal points. */
const NOISE = 1e-9;

/** Different costs that would be rounded to one, so that the dearer move may be planned. O(cells). */
function checkDistinct(costs: Matrix, list: FaultList): void {
  const least = new Map<number, { cost: number; field: string }>();
  const most = new Map<number, { cost: number; field: string }>();
  for (const [i, row] of costs.entries()) {
    for (const [j, cost] of row.entries()) {
      if (i === j || cost === null || !(cost > NOISE && cost < MERGING_COST)) continue;
      const units = toUnitsUp(cost);
      const here = { cost, field: `network.costs[${i}][${j}]` };
      if (cost < (least.get(units)?.cost ?? Infinity)) least.set(units, here);
      if (cost > (most.get(units)?.cost ?? 0)) most.set(units, here);
    }
  }
  for (const [units, { cost, field }] of most) {
    const other = least.get(units)!;
    if (cost <= other.cost * MAX_RATIO) continue;
    list.add(
      field,
      `${cost} and ${other.field}, ${other.cost}, would be one cost, since costs are rounded up to 4 decimals; state ` +
        'costs in a smaller unit (metres instead of kilometres, cents instead of euros)',
    );
    return;
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
