/** Whether changes of a previous plan pay for themselves. Shares no code with the optimizer. */
import type { AllocationPlanItem, OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import type { PreviousPlan } from '../../../../src/core/optimize/problem/model.ts';
import { solveByHighs } from '../highs-formulation.ts';
import { SETTINGS } from '../instances.ts';

/**
 * The cheapest choice of changes to take back, as a request to HiGHS: each changed vehicle goes to its new target, at
 * the cost of a change more, or to its old one; all others are where the plan sends them.
 * @param request with a network, a previous plan and a service level as its only rules
 * @returns how many cost units of 1e-4 the plan could cost less
 */
export function savedByTakingBack(
  request: OptimizeRequest,
  plan: readonly AllocationPlanItem[],
  previous: PreviousPlan,
): number {
  const { location_ids: ids, costs } = request.network!;
  const costOf = (from: number, to: number) => costs[ids.indexOf(from)][ids.indexOf(to)];
  const capacityOf = new Map(request.fleet_state.vehicles.map(({ id, capacity }) => [id!, capacity!]));
  const isChanged = ({ vehicle_id, target_location }: AllocationPlanItem) =>
    previous.has(vehicle_id) && previous.get(vehicle_id) !== target_location;
  const changed = plan.filter(isChanged);
  const first = Math.max(...ids) + 1;
  const choices = changed.map(({ vehicle_id, source_location, target_location }, at) => ({
    id: first + at,
    capacity: capacityOf.get(vehicle_id)!,
    to: new Map([
      [previous.get(vehicle_id)!, costOf(source_location, previous.get(vehicle_id)!)],
      [target_location, costOf(source_location, target_location)! + request.options!.change_cost!],
    ]),
  }));
  const others = plan.filter((item) => !isChanged(item));
  const all = [...ids, ...choices.map(({ id }) => id)];
  const found = solveByHighs(
    {
      demand_forecast: request.demand_forecast,
      fleet_state: {
        vehicles: [
          ...others.map(({ vehicle_id, target_location }) => ({
            id: vehicle_id,
            location: target_location,
            capacity: capacityOf.get(vehicle_id)!,
            pinned: true,
          })),
          ...choices.map(({ id, capacity }) => ({ id: `changed ${id}`, location: id, capacity })),
        ],
      },
      constraints: {
        min_service_level: request.constraints!.min_service_level!,
        max_vehicles_per_location: Object.fromEntries(choices.map(({ id }) => [String(id), 0])),
      },
      network: {
        location_ids: all,
        costs: [
          ...ids.map((from) => all.map((to) => (from === to ? 0 : null))),
          ...choices.map(({ id, to }) => all.map((target) => (target === id ? 0 : (to.get(target) ?? null)))),
        ],
      },
    },
    [],
    { ...SETTINGS, maxRebalancingCost: null },
    { gap: 0, seconds: 20 },
  );
  if (found.kind !== 'solved') throw new Error(`taking changes back is ${found.kind}`);
  const { change_cost = 0 } = request.options!;
  const paid = changed.reduce(
    (sum, { source_location, target_location }) =>
      sum + costOf(source_location, target_location)! + change_cost,
    0,
  );
  return Math.round(paid * 1e4 - found.costUnits);
}
