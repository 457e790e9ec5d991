/**
 * Plans that look ahead (`options.horizon`): their faults, and the parts of the request that each step has. The engines
 * of one step know nothing of them: they get the request of the first step.
 */
import { DEFAULT_SPEED_KMH } from '../../../contracts/bounds.ts';
import { boundedLocationIds, type OptimizeRequest, type VehicleInput } from '../../../contracts/optimize.ts';
import { HOUR_MS, hourOfWeek, instantMs } from '../../../contracts/time.ts';
import { isOperational } from './capacity.ts';
import { longestSeries } from './demand.ts';
import type { FaultList } from './fault-list.ts';

/** Whether a request asks for a plan that looks ahead. */
export function asksForHorizon({ options }: OptimizeRequest): boolean {
  return options?.horizon !== undefined;
}

/** Adds the faults of `options.horizon`, of the rules that do not go with it, and of `available_at`. O(vehicles) */
export function checkHorizon(request: OptimizeRequest, list: FaultList): void {
  const { options = {}, fleet_state } = request;
  const { horizon } = options;
  const onTheWay = fleet_state.vehicles.findIndex(({ available_at }) => available_at !== undefined);
  if (!horizon) return;
  if (onTheWay >= 0 && horizon.starts_at === undefined) {
    const message =
      'without options.horizon.starts_at no step is known in which the vehicle arrives; state it';
    list.add(`fleet_state.vehicles[${onTheWay}].available_at`, message);
  }
  const { step_hours: again } = options;
  if (horizon.step_hours !== undefined && again !== undefined && again !== horizon.step_hours) {
    const message = `${again} differs from ${horizon.step_hours}, options.horizon.step_hours; leave step_hours out`;
    list.add('options.step_hours', message);
  }
  const refuse = (name: string, what: string) =>
    list.add(
      name,
      `a plan that looks ahead does not support ${what}; leave it out, or leave options.horizon out`,
    );
  if (options.demand_aggregation !== undefined)
    refuse('options.demand_aggregation', 'an aggregation, because each step has its own demand');
  if (options.explain) refuse('options.explain', 'explanations, because they are of one demand');
  // One step is planned as any other request.
  if (longestSeries(request.demand_forecast) < 2 || !limitsServing(request)) return;
  if (fleet_state.vehicles.some((one) => one.pinned && isOperational(one)))
    refuse('constraints.total_fleet_size', 'a limit on the serving vehicles if some are pinned');
}

/** Whether `total_fleet_size` is less than the fleet. O(vehicles) */
function limitsServing({ constraints = {}, fleet_state }: OptimizeRequest): boolean {
  const { total_fleet_size: most = Number.POSITIVE_INFINITY } = constraints;
  return most < fleet_state.vehicles.filter(isOperational).length;
}

/** The steps of `options.horizon`. */
export type HorizonSteps = {
  /** Hours of a step. */
  stepHours: number;
  steps: number;
  /** When the first step begins, in ms since the Unix epoch; null if the request does not say. */
  startMs: number | null;
  /** Hour of the week in which the first step begins, on the clock that `starts_at` is written with; 0: Monday 0:00. */
  firstHourOfWeek: number | null;
  speedKmh: number;
};

/** @throws Error without `options.horizon` */
export function readHorizon({ options = {}, demand_forecast }: OptimizeRequest): HorizonSteps {
  const { horizon } = options;
  if (!horizon) throw new Error('the request does not look ahead');
  const { starts_at, speed_kmh: speedKmh = DEFAULT_SPEED_KMH } = horizon;
  return {
    stepHours: horizon.step_hours ?? options.step_hours ?? 1,
    steps: longestSeries(demand_forecast),
    startMs: starts_at === undefined ? null : instantMs(starts_at),
    firstHourOfWeek: starts_at === undefined ? null : hourOfWeek(starts_at),
    speedKmh,
  };
}

/**
 * The same request, if it does not look ahead with all vehicles on the way pinned where they are going: a plan of one
 * moment knows no arrival, so they serve there, and cannot leave before. O(vehicles)
 */
export function withArrivals(request: OptimizeRequest): OptimizeRequest {
  return asksForHorizon(request)
    ? request
    : withVehicles(request, (vehicle) => ({ ...vehicle, pinned: true }));
}

/** With `arrived` of the vehicles that have an `available_at`, if it is not null, in place of these. */
function withVehicles(
  request: OptimizeRequest,
  arrived: (vehicle: VehicleInput, given: VehicleInput) => VehicleInput | null,
): OptimizeRequest {
  const { vehicles } = request.fleet_state;
  if (vehicles.every(({ available_at }) => available_at === undefined)) return request;
  const all = vehicles.flatMap((given) => {
    const { available_at, ...vehicle } = given;
    return available_at === undefined ? given : (arrived(vehicle, given) ?? []);
  });
  return { ...request, fleet_state: { vehicles: all } };
}

/** The step from which a vehicle is free; 0: when the first step begins or before, so that the plan may move it. */
export function freeFrom({ available_at }: VehicleInput, { startMs, stepHours }: HorizonSteps): number {
  if (available_at === undefined || startMs === null) return 0;
  return Math.max(0, Math.ceil((instantMs(available_at) - startMs) / (stepHours * HOUR_MS)));
}

/**
 * The request of the plan itself: the vehicles that are free before the first step, and the demand of that step. The
 * service level and the priorities, which are those of all steps, are left out. O(vehicles + locations)
 */
export function firstStepRequest(request: OptimizeRequest, horizon: HorizonSteps): OptimizeRequest {
  const { horizon: _, ...options } = request.options ?? {};
  const {
    min_demand_coverage: __,
    shortage: ___,
    total_fleet_size: size,
    priorities,
    ...constraints
  } = request.constraints ?? {};
  const onTheWay = request.fleet_state.vehicles.filter((one) => freeFrom(one, horizon) > 0);
  const isThere = (vehicle: VehicleInput, given: VehicleInput) =>
    freeFrom(given, horizon) === 0 ? vehicle : null;
  return {
    ...withVehicles(request, isThere),
    // Locations that vehicles are on the way to, or that have a priority, are part of the problem, too.
    demand_forecast: Object.fromEntries([
      ...boundedLocationIds({ ...(priorities && { priorities }) }).map((id) => [`${id}`, [0]]),
      ...onTheWay.map(({ location, location_id }) => [`${location ?? location_id}`, [0]]),
      ...Object.entries(request.demand_forecast).map(([id, steps]) => [id, [steps[0]]]),
    ]),
    constraints: {
      ...constraints,
      min_service_level: 0,
      // Another one is no limit.
      ...(limitsServing(request) && { total_fleet_size: size! }),
    },
    options: { ...options, step_hours: horizon.stepHours as 1, demand_aggregation: 'first' },
  };
}

/** The same request, in which any number of vehicles may be at a location: bounds are those of each step. */
export function withoutBounds(request: OptimizeRequest): OptimizeRequest {
  const {
    min_vehicles_per_location: least,
    max_vehicles_per_location: most,
    ...constraints
  } = request.constraints ?? {};
  const named = Object.keys({
    ...(typeof least === 'object' && least),
    ...(typeof most === 'object' && most),
  }).filter((key) => key !== 'default');
  // Locations that are named stay part of the problem.
  const none = named.length > 0 && {
    min_vehicles_per_location: Object.fromEntries(named.map((key) => [key, 0])),
  };
  return { ...request, constraints: { ...constraints, ...none } };
}
