/**
 * The check of the outlook of a plan that looks ahead, from the request and the finished answer alone. That vehicles
 * and moves follow from one step to the next is checked before (`horizon/horizon-figures.ts`), pair by pair.
 */
import type { OptimizationResult, OptimizeRequest } from '../../../contracts/optimize.ts';
import type { LocationPoint, OptimizeInput } from '../problem/model.ts';

/** The names of its checks, for the certificate. */
export const VERIFIED_OUTLOOK = [
  'demand, vehicles and served demand of every step',
  'service level of all steps',
];

/** Tolerance of figures with six decimals, relative. */
const ROUNDING = 1e-5;
const RELATIVE = 1e-6;

/** @returns the faults, in sentences; empty if the outlook is right. O(demand values + vehicles + moves) */
export function verifyOutlook(
  { request, settings, locations, outcomes }: OptimizeInput,
  { outlook = [], horizon_cost = 0, horizon_bound = 0, rounding_cost = 0, ...plan }: OptimizationResult,
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
  const loads = operational.map(
    ({ capacity = usual }) => capacity * (perHour === null ? 1 : perHour * hours),
  );
  const load = loads.reduce((most, one) => Math.max(most, one), 0);
  const capacityOfAll = loads.reduce((sum, one) => sum + one, 0);
  const { total_fleet_size: size = Number.POSITIVE_INFINITY } = constraints;
  if (outcomes) wrong.push(...faultsOfOutcomes(outcomes, totals, outlook, { ...plan, load, size }));
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
    const most = Math.min(capacityOfAll, Math.min(size, step.vehicles - leaving) * load);
    if (step.served > most + ROUNDING * (1 + load) + RELATIVE * most)
      wrong.push(`${where}: ${step.served} is served, and vehicles serve at most ${most}`);
    if (step.moves.some((move) => move.source_location === move.target_location || !(move.vehicles > 0)))
      wrong.push(`${where} has a move that is none`);
    wrong.push(
      ...faultsOfLocations(request, plan.locations ?? [], t, step, load).map((fault) => `${where}: ${fault}`),
    );
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
  wrong.push(...faultsOfLevels(request, plan, request.network ? [] : locations, allServed));
  if (horizon_bound > horizon_cost || rounding_cost < 0) wrong.push('the bound is above the cost');
  const paid = plan.total_cost + (plan.refinement?.pair_cost ?? 0);
  if (paid > horizon_cost + 1e-9 * horizon_cost) wrong.push('the plan costs more than all steps');
  return wrong;
}

/** Whether what a step says of its locations makes up the step, and no location serves more than its vehicles can. */
function faultsOfLocations(
  { demand_forecast }: OptimizeRequest,
  locations: NonNullable<OptimizationResult['locations']>,
  t: number,
  step: NonNullable<OptimizationResult['outlook']>[number],
  load: number,
): string[] {
  const { demand_by_location: demand, unmet_by_location: unmet, vehicles_by_location: vehicles } = step;
  if (!demand || !unmet || !vehicles) return [];
  const wrong: string[] = [];
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  const noise = (value: number) => ROUNDING * (1 + demand.length) + RELATIVE * Math.abs(value);
  const amounts = { demand, unmet, vehicles };
  for (const name of ['demand', 'unmet', 'vehicles'] as const) {
    const all = sum(amounts[name]);
    if (Math.abs(all - step[name]) > noise(step[name])) wrong.push(`its locations have ${name} ${all}`);
  }
  for (const [j, value] of demand.entries()) {
    const most = vehicles[j] * load;
    const wanted = demand_forecast[locations[j]?.location_id]?.[t] ?? 0;
    if (Math.abs(value - wanted) > noise(wanted))
      wrong.push(`location ${j} has demand ${value} instead of ${wanted}`);
    if (!(unmet[j] >= 0 && unmet[j] <= value + ROUNDING && vehicles[j] >= -ROUNDING))
      wrong.push(`location ${j} has figures below 0, or unmet demand above demand`);
    if (value - unmet[j] > most + ROUNDING * (1 + load) + RELATIVE * most)
      wrong.push(`location ${j} serves ${value - unmet[j]}, and its vehicles serve at most ${most}`);
  }
  return wrong;
}

/**
 * Of demand that is not certain: whether its outcomes have the mean that is planned for, and whether no step serves
 * more than its vehicles could on average. In the first step no location has more than the plan sends or leaves there.
 */
function faultsOfOutcomes(
  outcomes: NonNullable<OptimizeInput['outcomes']>,
  totals: readonly number[],
  outlook: NonNullable<OptimizationResult['outlook']>,
  {
    allocation_plan,
    load,
    size,
  }: Pick<OptimizationResult, 'allocation_plan'> & { load: number; size: number },
): string[] {
  const wrong: string[] = [];
  const there = new Map<string, number>();
  for (const { target_location: id } of allocation_plan) there.set(`${id}`, (there.get(`${id}`) ?? 0) + 1);
  for (const [t, { served, vehicles, moves }] of outlook.entries()) {
    const able = Math.min(size, vehicles - moves.reduce((sum, move) => sum + move.vehicles, 0)) * load;
    let [mean, most, mostFirst] = [0, 0, 0];
    for (const outcome of outcomes) {
      const values = Object.entries(outcome).map(([id, steps]): [string, number] => [id, steps[t] ?? 0]);
      const total = values.reduce((sum, [, value]) => sum + value, 0);
      mean += total / outcomes.length;
      most += Math.min(total, able) / outcomes.length;
      for (const [id, value] of values)
        mostFirst += Math.min(value, (there.get(id) ?? 0) * load) / outcomes.length;
    }
    const noise = ROUNDING * (1 + load) + RELATIVE * Math.abs(totals[t]);
    if (Math.abs(mean - totals[t]) > noise)
      wrong.push(`step ${t}: outcomes have the mean ${mean} instead of ${totals[t]}`);
    const limit = t === 0 ? Math.min(most, mostFirst) : most;
    if (served > limit + noise) wrong.push(`step ${t}: ${served} is served, and ${limit} at most on average`);
  }
  return wrong;
}

/** The priority levels of the answer, by what the request and the stored locations say of demand. */
function faultsOfLevels(
  { demand_forecast, constraints: { priorities = {} } = {} }: OptimizeRequest,
  { priorities: stated = [] }: Pick<OptimizationResult, 'priorities'>,
  locations: readonly LocationPoint[],
  allServed: number,
): string[] {
  const stored = new Map(locations.map(({ id, priority = 0 }) => [id, priority]));
  const demands = new Map<number, number>();
  for (const [key, steps] of Object.entries(demand_forecast)) {
    const level = priorities[key] ?? priorities.default ?? stored.get(Number(key)) ?? 0;
    const sum = steps.reduce((a, b) => a + b, 0);
    if (level > 0 && sum > 0) demands.set(level, (demands.get(level) ?? 0) + sum);
  }
  const levels = [...demands.keys()].sort((a, b) => b - a);
  const named = stated.map(({ level }) => level).join();
  if (named !== levels.join()) return [`priorities name the levels ${named} instead of ${levels.join()}`];
  const wrong: string[] = [];
  let critical = 0;
  for (const { level, demand, served, served_at_most } of stated) {
    const noise = ROUNDING + RELATIVE * demand;
    if (Math.abs(demand - demands.get(level)!) > noise) wrong.push(`level ${level} states demand ${demand}`);
    if (!(served >= -noise && served <= served_at_most + noise && served_at_most <= demand + noise))
      wrong.push(`level ${level} states ${served} served of ${demand}, at most ${served_at_most}`);
    critical += served;
  }
  const noise = ROUNDING * (1 + stated.length) + RELATIVE * allServed;
  if (critical > allServed + noise) wrong.push(`the levels get ${critical} of ${allServed} that is served`);
  return wrong;
}
