/**
 * Pinned vehicles stay where they are and serve there, before any other vehicle. So they are no part of the search:
 * what they serve is taken off the demand (`Problem.demand` is what is left), and they off the places of a location
 * (`location-bounds.ts`). The service level counts their share (`service-level.ts`). Every engine then solves a
 * problem without them, of the same kind.
 *
 * With a limit on the number of serving vehicles, pinned ones compete with others for being counted. They are then part
 * of the search, at places of their own (`pinned-places.ts`).
 */
import type { Pinned, Problem } from './model.ts';
import { countVehicles } from './variants.ts';

/** Demand below this share of itself, or of the pinned capacity, is representation noise. */
const NOISE = 1e-12;

/**
 * Demand that is left when pinned vehicles serve.
 * @param pinned their capacity in total
 * @param load what any other vehicle serves; a number of whole loads is given exactly. Null: capacities differ
 */
export function openDemand(demand: number, pinned: number, load: number | null): number {
  const open = demand - pinned;
  if (open <= NOISE * demand) return 0;
  const loads = load !== null && Math.round(open / load) * load;
  return loads && Math.abs(open - loads) <= NOISE * demand ? loads : open;
}

/** Planning demand per location, with what pinned vehicles serve. */
export function planningDemandOf({ demand, pinned }: Problem): Float64Array {
  return pinned ? pinned.demand : demand;
}

/** Operational vehicles, pinned ones included. */
export function countOperational(problem: Problem): number {
  let total = countVehicles(problem);
  for (const count of problem.pinned?.vehicles ?? []) total += count;
  return total;
}

/** Capacity of the operational vehicles, in demand. */
export function operationalCapacity({ supply, capacities, locationIds, pinned }: Problem): number {
  const n = locationIds.length;
  let total = 0;
  for (let at = 0; at < supply.length; at++) total += supply[at] * capacities[Math.floor(at / n)];
  for (const capacity of pinned?.capacity ?? []) total += capacity;
  return total;
}

/** The demand that pinned vehicles at a location could serve in addition. */
export function sparePinned({ pinned }: Problem, location: number): number {
  return pinned ? Math.max(0, pinned.capacity[location] - pinned.demand[location]) : 0;
}

/** The problem with more demand at a location. */
export function withMoreDemand(problem: Problem, location: number, more: number): Problem {
  const demand = problem.demand.slice();
  if (!problem.pinned) {
    demand[location] += more;
    return { ...problem, demand };
  }
  const pinned: Pinned = { ...problem.pinned, demand: problem.pinned.demand.slice() };
  pinned.demand[location] += more;
  const load = problem.capacities.length === 1 ? problem.capacities[0] : null;
  demand[location] = openDemand(pinned.demand[location], pinned.capacity[location], load);
  return { ...problem, demand, pinned };
}
