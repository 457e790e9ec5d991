/**
 * Problems of one class whose demand comes in whole vehicle loads, counted in loads: one unit is one vehicle.
 *
 * With capacity c, d_j = D_j / c vehicles and R = ⌈least served demand / c⌉.
 */
import type { Problem } from '../problem/model.ts';
import { leastServed } from '../problem/service-level.ts';
import type { FlowAmounts } from './types.ts';

/** Amounts are counted in 32 bits. */
export const MAX_UNITS = 2 ** 31 - 1;

/** Vehicles, demand and R in loads, without bounds per location; null with several classes or fractional demand. */
export function loadAmounts(problem: Problem): FlowAmounts | null {
  const { capacities, locationIds } = problem;
  if (capacities.length !== 1) return null;
  const capacity = capacities[0];
  const demand = wholeLoads(problem.demand, capacity);
  if (!demand) return null;
  const required = loadsToServe(leastServed(problem), capacity);
  if (required > MAX_UNITS) return null;
  return { n: locationIds.length, supply: problem.supply, demand, required };
}

/** Demand in vehicle loads; null if that of a location is not whole. */
function wholeLoads(demand: Float64Array, capacity: number): Int32Array | null {
  const loads = new Int32Array(demand.length);
  for (let j = 0; j < demand.length; j++) {
    const load = Math.round(demand[j] / capacity);
    if (load > MAX_UNITS || load * capacity !== demand[j]) return null;
    loads[j] = load;
  }
  return loads;
}

/** The fewest loads that cover a demand, exactly: division of decimals may miss a whole number. */
function loadsToServe(demand: number, capacity: number): number {
  let loads = Math.max(0, Math.ceil(demand / capacity));
  while (loads > 0 && (loads - 1) * capacity >= demand) loads--;
  while (loads * capacity < demand) loads++;
  return loads;
}
