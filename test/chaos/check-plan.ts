import type { DecisionResult } from '../../src/contracts/decisions.ts';
import type { OptimizationResult, OptimizeRequest } from '../../src/contracts/optimize.ts';
import type { LocationPoint } from '../../src/core/optimize/problem/model.ts';

const EARTH_RADIUS_KM = 6371.0088;
const COST_UNIT = 1e-4;
const DEFAULT_SERVICE_LEVEL = 0.95;

/**
 * Faults in a plan, computed from the request alone, without code of the service: every vehicle appears once, at its
 * location; move costs and figures are right. For requests as `problems.ts` makes them.
 */
export function planFaults(
  request: OptimizeRequest,
  result: OptimizationResult,
  locations: readonly LocationPoint[],
): string[] {
  const faults: string[] = [];
  const expect = (what: string, found: number, wanted: number, tolerance = 1e-6) => {
    if (!(Math.abs(found - wanted) <= tolerance)) faults.push(`${what} is ${found}, not ${wanted}`);
  };
  const { vehicles } = request.fleet_state;
  const plan = result.allocation_plan;
  expect('the number of items', plan.length, vehicles.length, 0);
  const present = new Map<number, number>();
  let cost = 0;
  let moved = 0;
  let capacity = 0;
  for (const [i, vehicle] of vehicles.entries()) {
    const item = plan[i];
    if (item?.vehicle_id !== vehicle.id || item?.source_location !== vehicle.location) {
      faults.push(`item ${i} is not vehicle ${vehicle.id} at ${vehicle.location}`);
      continue;
    }
    const { source_location: from, target_location: to } = item;
    const { capacity: own = 1 } = vehicle;
    // Costs are rounded up to whole units.
    const least = from === to ? 0 : costOf(request, locations, from, to);
    if (!(item.cost >= least - 1e-9 && item.cost < least + COST_UNIT + 1e-9)) {
      faults.push(`${vehicle.id} from ${from} to ${to} costs ${item.cost}, not ${least}`);
    }
    cost += item.cost;
    capacity += own;
    if (from !== to) moved++;
    present.set(to, (present.get(to) ?? 0) + own);
  }
  let served = 0;
  let demand = 0;
  for (const [id, steps] of Object.entries(request.demand_forecast)) {
    const peak = Math.max(...steps);
    demand += peak;
    served += Math.min(peak, present.get(Number(id)) ?? 0);
  }
  const coverage = demand === 0 ? 1 : served / demand;
  const { kpis } = result;
  expect('total_cost', result.total_cost, cost);
  expect('kpis.total_cost', kpis.total_cost, cost);
  expect('kpis.rebalanced_count', kpis.rebalanced_count, moved, 0);
  expect('kpis.demand_coverage', kpis.demand_coverage, coverage);
  expect('kpis.unmet_demand', kpis.unmet_demand, demand - served);
  expect('kpis.utilization', kpis.utilization, served / capacity);
  const level = request.constraints?.min_service_level ?? DEFAULT_SERVICE_LEVEL;
  if (coverage < level - 1e-8) faults.push(`coverage ${coverage} is below min_service_level ${level}`);
  return faults;
}

/** Faults in what a plan that looks ahead says of its steps, by the forecast that it is for. */
export function outlookFaults(
  forecast: OptimizeRequest['demand_forecast'],
  { outlook = [], horizon_cost: cost = Number.NaN, horizon_bound: bound = Number.NaN }: Outlook,
): string[] {
  const faults: string[] = [];
  const series = Object.values(forecast);
  if (outlook.length !== series[0]?.length) faults.push(`the outlook has ${outlook.length} steps`);
  for (const [t, { demand, served, unmet }] of outlook.entries()) {
    const wanted = series.reduce((sum, steps) => sum + steps[t], 0);
    if (!(Math.abs(demand - wanted) <= 1e-4)) faults.push(`step ${t} has demand ${demand}, not ${wanted}`);
    if (!(Math.abs(served + unmet - demand) <= 1e-4)) faults.push(`step ${t} serves ${served} of ${demand}`);
  }
  if (!(cost >= bound - 1e-4)) faults.push(`all steps cost ${cost}, less than their bound ${bound}`);
  return faults;
}
type Outlook = Pick<DecisionResult, 'outlook' | 'horizon_cost' | 'horizon_bound'>;

/** Cost of one move: from the request's network, or the great circle in km. */
function costOf(
  request: OptimizeRequest,
  locations: readonly LocationPoint[],
  from: number,
  to: number,
): number {
  if (request.network) {
    const { location_ids: ids, costs } = request.network;
    return costs[ids.indexOf(from)]?.[ids.indexOf(to)] ?? Number.NaN;
  }
  const [a, b] = [from, to].map((id) => locations.find((location) => location.id === id));
  if (!a || !b) return Number.NaN;
  const rad = Math.PI / 180;
  const haversine =
    Math.sin(((b.latitude - a.latitude) * rad) / 2) ** 2 +
    Math.cos(a.latitude * rad) *
      Math.cos(b.latitude * rad) *
      Math.sin(((b.longitude - a.longitude) * rad) / 2) ** 2;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(haversine));
}
