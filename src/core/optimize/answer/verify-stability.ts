/**
 * The check of a plan against a previous one, for `verify.ts`: from the request and the finished plan alone, vehicle by
 * vehicle.
 */
import type { OptimizationResult, OptimizeRequest } from '../../../contracts/optimize.ts';

/** The names of its checks, for the certificate. */
export const VERIFIED_STABILITY = 'changes of the previous plan';

const UNIT = 1e-4;
const RELATIVE = 1e-9;
/** A distance this close to the limit may be either within or beyond it. */
const NEAR_KM = 1e-6;

/**
 * @param previous by vehicle id, where the previous plan sends it; null if the request names none
 * @param places by id, the locations of the problem
 * @param beyond by how many km a vehicle's way from its place to another one exceeds the limit
 */
export function verifyStability(
  { constraints = {}, options = {} }: OptimizeRequest,
  { stability, allocation_plan, total_cost }: OptimizationResult,
  previous: ReadonlyMap<string, number> | null,
  places: ReadonlyMap<number, unknown>,
  beyond: (vehicle: string, from: number, to: number) => number,
  complain: (message: string) => void,
): void {
  if (options.previous_plan_id === undefined) {
    if (stability) complain('the answer has stability, and the request no previous plan');
    return;
  }
  if (!stability || !previous) {
    complain('the answer is not compared with the previous plan');
    return;
  }
  const { changed_vehicles, compared_vehicles, unreachable_vehicles, change_cost, cost_without } = stability;
  let changed = 0;
  let compared = 0;
  let unreachable = 0;
  let perhaps = 0;
  for (const { vehicle_id, source_location, target_location } of allocation_plan) {
    const before = previous.get(vehicle_id);
    if (before === undefined || !places.has(before)) continue;
    compared++;
    if (before === target_location) continue;
    changed++;
    const km = beyond(vehicle_id, source_location, before);
    if (km > NEAR_KM) unreachable++;
    else if (km > -NEAR_KM) perhaps++;
  }
  if (changed_vehicles !== changed)
    complain(`stability counts ${changed_vehicles} changed vehicles instead of ${changed}`);
  if (compared_vehicles !== compared)
    complain(`stability counts ${compared_vehicles} compared vehicles instead of ${compared}`);
  if (!(unreachable_vehicles >= unreachable && unreachable_vehicles <= unreachable + perhaps))
    complain(`stability counts ${unreachable_vehicles} unreachable vehicles instead of ${unreachable}`);
  // A change costs a whole number of units, less than one above the stated cost.
  const stated = (options.change_cost ?? 0) * changed;
  const tolerance = RELATIVE * (1 + stated);
  if (!(change_cost >= stated - tolerance && change_cost <= stated + changed * UNIT + tolerance))
    complain(`stability states change_cost ${change_cost} instead of ${stated}`);
  if (cost_without === null) return;
  // With a cost of unmet demand, or of pairs, the plan without change cost may move more.
  const isMovingAlone = (constraints.unmet_demand_cost ?? null) === null && !options.refine?.cost_per_pair;
  const most = isMovingAlone ? total_cost : Number.POSITIVE_INFINITY;
  if (!(cost_without >= 0 && cost_without <= most))
    complain(`stability states cost_without ${cost_without}, and total_cost is ${total_cost}`);
}
