/**
 * The check of the outlook of a plan that looks ahead, from the request and the finished answer alone. That vehicles
 * and moves follow from one step to the next is checked before (`horizon/horizon-figures.ts`), pair by pair.
 */
import type { OptimizationResult, OptimizeRequest } from '../../../contracts/optimize.ts';
import type { OptimizeSettings } from '../problem/model.ts';

/** What it checks, for the certificate. */
export const VERIFIED_OUTLOOK = [
  'demand, vehicles and served demand of every step',
  'service level of all steps',
];

/** Of figures with six decimals, and relative. */
const ROUNDING = 1e-5;
const RELATIVE = 1e-6;

/** @returns the faults, in sentences; empty if the outlook is right. O(demand values + vehicles + moves) */
export function verifyOutlook(
  request: OptimizeRequest,
  { outlook = [], horizon_cost = 0, horizon_bound = 0, rounding_cost = 0, ...plan }: OptimizationResult,
  settings: OptimizeSettings,
): string[] {
  const wrong: string[] = [];
  const isNear = (a: number, b: number) => Math.abs(a - b) <= ROUNDING + RELATIVE * Math.abs(b);
  const totals: number[] = [];
  for (const key in request.demand_forecast) {
    for (const [t, value] of request.demand_forecast[key].entries()) totals[t] = (totals[t] ?? 0) + value;
  }
  if (outlook.length !== totals.length) wrong.push(`${outlook.length} steps instead of ${totals.length}`);
  const { capacity_per_vehicle: usual = settings.capacityPerVehicle, ...constraints } =
    request.constraints ?? {};
  const { options = {} } = request;
  const perHour =
    options.trips_per_vehicle_hour === undefined
      ? settings.tripsPerVehicleHour
      : options.trips_per_vehicle_hour;
  const hours = options.horizon?.step_hours ?? options.step_hours ?? 1;
  const operational = request.fleet_state.vehicles.filter(
    (one) => !one.status || one.status === 'operational',
  );
  const load = (operational[0]?.capacity ?? usual) * (perHour === null ? 1 : perHour * hours);
  let allServed = 0;
  for (const [t, step] of outlook.entries()) {
    const where = `step ${t}`;
    if (!isNear(step.demand, totals[t]))
      wrong.push(`${where} has demand ${step.demand} instead of ${totals[t]}`);
    if (!isNear(step.served + step.unmet, step.demand))
      wrong.push(`${where}: demand is not served plus unmet`);
    if (!(step.unmet >= 0 && step.served >= -ROUNDING)) wrong.push(`${where} has figures below 0`);
    if (!isNear(step.vehicles + step.on_the_way, operational.length))
      wrong.push(`${where} has ${step.vehicles + step.on_the_way} vehicles of ${operational.length}`);
    if (!(step.on_the_way >= -ROUNDING)) wrong.push(`${where} has vehicles that nobody knows`);
    const leaving = step.moves.reduce((sum, { vehicles }) => sum + vehicles, 0);
    const most = (step.vehicles - leaving) * load;
    if (step.served > most + ROUNDING * (1 + load) + RELATIVE * most)
      wrong.push(`${where}: ${step.served} is served, and vehicles serve at most ${most}`);
    if (step.moves.some((move) => move.source_location === move.target_location || !(move.vehicles > 0)))
      wrong.push(`${where} has a move that is none`);
    allServed += step.served;
  }
  const total = totals.reduce((sum, value) => sum + value, 0);
  const level = constraints.min_service_level ?? constraints.min_demand_coverage ?? settings.minServiceLevel;
  const reached = plan.shortfall?.reached ?? level;
  if (plan.shortfall && plan.shortfall.reached >= level) wrong.push('the shortfall is none');
  if (allServed < Math.min(level, reached) * total - ROUNDING * (1 + outlook.length) - RELATIVE * total)
    wrong.push(
      `${allServed} of ${total} is served in all steps, less than the level ${Math.min(level, reached)}`,
    );
  if (horizon_bound > horizon_cost || rounding_cost < 0) wrong.push('the bound is above the cost');
  if (plan.total_cost > horizon_cost + 1e-9 * horizon_cost) wrong.push('the plan costs more than all steps');
  return wrong;
}
