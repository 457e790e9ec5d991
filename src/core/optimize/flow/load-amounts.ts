/**
 * Problems of one class whose demand comes in whole vehicle loads, counted in loads: one unit is one vehicle.
 *
 * With capacity c, d_j = D_j / c vehicles and R = ⌈least served demand / c⌉. A load that is not served costs
 * unmetCost_j · c, rounded down to whole units: the optimum is then a bound of the problem's, and usually equal to it.
 */
import { UNITS_PER_COST } from '../problem/costs.ts';
import type { Problem } from '../problem/model.ts';
import { hasOtherCosts } from '../problem/moving-cost.ts';
import { leastServed } from '../problem/service-level.ts';
import { countVehicles } from '../problem/variants.ts';
import type { FlowAmounts } from './types.ts';

/** Amounts are counted in 32 bits. */
export const MAX_UNITS = 2 ** 31 - 1;
/** Relative. */
const LOAD_COST_NOISE = 2 ** -50;

/**
 * Vehicles, demand, R and costs in loads, without bounds per location; null with several classes, with fractional
 * demand, if moving has a ceiling and is not all that costs, or if unmet demand has a cost and not all vehicles may
 * serve.
 */
export function loadAmounts(problem: Problem): FlowAmounts | null {
  const { capacities, locationIds } = problem;
  if (capacities.length !== 1) return null;
  const capacity = capacities[0];
  const demand = wholeLoads(problem.demand, capacity);
  if (!demand) return null;
  const required = loadsToServe(leastServed(problem), capacity);
  if (required > MAX_UNITS) return null;
  const amounts = { n: locationIds.length, supply: problem.supply, demand, required };
  const { totalFleetSize, maxCostUnits } = problem.limits;
  if (hasOtherCosts(problem) && maxCostUnits !== Number.POSITIVE_INFINITY) return null;
  if (!problem.unmetCost) return amounts;
  if (totalFleetSize < countVehicles(problem)) return null;
  return { ...amounts, unservedCost: loadCosts(problem.unmetCost, capacity) };
}

/** In whole units; a product of decimals may miss a whole number by a little. */
function loadCosts(unmetCost: Float64Array, capacity: number): Float64Array {
  return unmetCost.map((cost) => {
    const units = cost * capacity * UNITS_PER_COST;
    return Math.floor(units * (1 + LOAD_COST_NOISE));
  });
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
export function loadsToServe(demand: number, capacity: number): number {
  let loads = Math.max(0, Math.ceil(demand / capacity));
  while (loads > 0 && (loads - 1) * capacity >= demand) loads--;
  while (loads * capacity < demand) loads++;
  return loads;
}
