/**
 * A decision in two steps: first its inputs are collected (fleet, risk, forecast), then a plan is made from them. The
 * second step reads only the result of the first, so repeating it gives the same plan.
 */
import {
  DECISION_CONFIDENCE_LEVEL,
  type DecisionRequest,
  type DecisionRisk,
  type DecisionVehicle,
} from '../contracts/decisions.ts';
import type { ForecastData, StepHours } from '../contracts/forecast.ts';
import type { OptimizeRequest, VehicleInput } from '../contracts/optimize.ts';
import type { RiskScore } from '../contracts/risk.ts';
import { HOUR_MS } from '../contracts/time.ts';
import { NotFiniteError } from './finite.ts';
import { likelyOutcomes } from './forecast/likely-outcomes.ts';
import { createClocks, localTimeText } from './forecast/local-time.ts';
import { METHODS_WITHOUT_HISTORY } from './forecast/types.ts';
import type { RequestFault } from './optimize/problem/model.ts';
import { type RiskSettings, riskVehicleOn, scoreRisk } from './risk.ts';

/** Vehicles with the field names of GET /api/v1/data/fleet. Unknown fields are left out. */
export function decisionFleet(vehicles: readonly VehicleInput[]): DecisionVehicle[] {
  return vehicles.map(({ id, vehicle_id, location, location_id, status, ...rest }) => ({
    vehicle_id: (id ?? vehicle_id)!,
    location_id: (location ?? location_id)!,
    status: status ?? 'operational',
    ...rest,
  }));
}

/**
 * Scores a fleet as of a day (`YYYY-MM-DD`) and excludes vehicles at or above the threshold. A vehicle with unknown
 * figures has no score, and stays. O(vehicles).
 */
export function decisionRisk(
  fleet: readonly DecisionVehicle[],
  day: string,
  threshold: number | null,
  settings: RiskSettings,
): DecisionRisk {
  const scores: RiskScore[] = [];
  const leftOut: string[] = [];
  for (const vehicle of fleet) {
    const figures = riskVehicleOn(vehicle, day);
    if (!figures) continue;
    const score = scoreRisk(figures, settings);
    scores.push(score);
    if (threshold !== null && score.risk_score >= threshold) leftOut.push(vehicle.vehicle_id);
  }
  return { day, threshold, scores, left_out: leftOut, unscored: fleet.length - scores.length };
}

/**
 * The optimization behind a decision: the vehicles that were not excluded, and the forecast demand, scaled, in the
 * steps of the forecast. Unless the request says otherwise, peaks of different hours are not added up, and a fleet
 * that cannot reach the service level serves the most it can.
 * @param timeZone in which the first step begins at midnight of the start date, if the forecast begins at no hour
 * @throws NotFiniteError if the stored forecast lacks a number: null is not a demand of 0
 */
export function planRequest(
  request: DecisionRequest,
  fleet: readonly DecisionVehicle[],
  risk: Pick<DecisionRisk, 'left_out'>,
  forecast: ForecastData,
  timeZone = 'UTC',
): OptimizeRequest {
  const { demand = 'mean', demand_scale: scale = 1, constraints, network, options } = request;
  const leftOut = new Set(risk.left_out);
  const planned = fleet.filter(({ vehicle_id }) => !leftOut.has(vehicle_id));
  const looksAhead = request.mode === 'horizon';
  const isAnyOnTheWay = planned.some(({ available_at }) => available_at !== undefined);
  const { start_date, starts_at } = forecast.metadata;
  const startsAt = looksAhead || isAnyOnTheWay ? (starts_at ?? dayStart(start_date, timeZone)) : undefined;
  // A plan that looks ahead knows in which step each vehicle arrives. In a plan of one step a vehicle that is still on
  // its way when it begins stays where it is going: it serves there, and cannot leave before.
  const atStart = ({ available_at, ...vehicle }: DecisionVehicle): VehicleInput =>
    available_at !== undefined && startsAt !== undefined && Date.parse(available_at) > Date.parse(startsAt)
      ? { ...vehicle, pinned: true }
      : vehicle;
  const demandForecast = Object.fromEntries(
    Object.entries(forecast.forecasts).map(([id, mean]) => {
      const values = demand === 'upper' ? forecast.intervals![id].upper : mean;
      return [id, values.map((value, t) => scaled(value, scale, `forecast of location ${id}, step ${t}`))];
    }),
  );
  return {
    demand_forecast: demandForecast,
    fleet_state: { vehicles: looksAhead ? planned : planned.map(atStart) },
    constraints: { shortage: 'serve_most', ...constraints },
    ...(network && { network }),
    options: {
      ...(!looksAhead && { demand_aggregation: 'system_peak' }),
      ...options,
      step_hours: forecast.metadata.step_hours as StepHours,
      ...(startsAt !== undefined && looksAhead && { horizon: { ...options?.horizon, starts_at: startsAt } }),
    },
  };
}

/**
 * What the demand of a plan for `"demand": "spread"` may turn out to be: equally likely outcomes, scaled, in ascending
 * order. Their mean is the demand of `planRequest`. O(values)
 * @returns null for other plans: they take one demand for certain
 * @throws NotFiniteError if the stored forecast lacks a number
 */
export function likelyDemand(
  request: Pick<DecisionRequest, 'demand' | 'demand_scale' | 'confidence_level'>,
  { forecasts, intervals }: Pick<ForecastData, 'forecasts' | 'intervals'>,
): OptimizeRequest['demand_forecast'][] | null {
  const { demand, demand_scale: scale = 1 } = request;
  const { confidence_level: confidenceLevel = DECISION_CONFIDENCE_LEVEL } = request;
  if (demand !== 'spread') return null;
  const byLocation = Object.entries(forecasts).map(([id, mean]) => {
    const row = (values: readonly number[]) =>
      values.map((value, t) => scaled(value, scale, `interval of location ${id}, step ${t}`));
    const { lower, upper } = intervals![id];
    const bounds = { lower: row(lower), upper: row(upper), confidenceLevel };
    return { id, outcomes: likelyOutcomes(row(mean), bounds) };
  });
  return [0, 1, 2].map((k) =>
    Object.fromEntries(byLocation.map(({ id, outcomes }) => [id, [...outcomes[k]]])),
  );
}

/** The time at which a local day (`YYYY-MM-DD`) begins, with its offset from UTC. */
export function dayStart(day: string, timeZone: string): string {
  const local = Date.parse(day) / HOUR_MS;
  const clock = createClocks()(timeZone);
  const localOf = (utc: number) => utc + clock(utc);
  let utc = local - clock(local);
  // A clock may skip midnight, or have it twice.
  while (localOf(utc) < local) utc++;
  while (localOf(utc - 1) >= local) utc--;
  return localTimeText(utc, clock);
}

/** The locations of a forecast without observations. */
export function withoutHistory({ metadata }: ForecastData): number[] {
  const methods: readonly string[] = METHODS_WITHOUT_HISTORY;
  return Object.entries(metadata.methods).flatMap(([id, method]) =>
    methods.includes(method) ? [Number(id)] : [],
  );
}

/** Positions in the fleet of the vehicles that are not excluded. */
export function plannedPlaces(
  fleet: readonly Pick<DecisionVehicle, 'vehicle_id'>[],
  risk: Pick<DecisionRisk, 'left_out'>,
): number[] {
  const leftOut = new Set(risk.left_out);
  return fleet.flatMap(({ vehicle_id }, i) => (leftOut.has(vehicle_id) ? [] : [i]));
}

/** A fault in terms of the caller's request for a decision. `field` is null if no field of it is at fault. */
export type DecisionFault = Omit<RequestFault, 'field'> & { field: string | null };

/**
 * Faults of a decision's optimization, in terms of the caller's request: the demand comes from the forecast, and the
 * vehicles may come from the stored fleet. O(faults).
 * @param places position in `fleet_state` of each planned vehicle (vehicles at risk are not planned, but have a
 *   position); null if the request has no fleet
 */
export function decisionFaults(
  request: DecisionRequest,
  places: readonly number[] | null,
  faults: readonly RequestFault[],
): DecisionFault[] {
  const aboutDemand = faults.find(({ field }) => field.startsWith('demand_forecast'));
  const others = faults.filter(({ field }) => !field.startsWith('demand_forecast'));
  return [
    ...(aboutDemand ? [demandFault(request, aboutDemand)] : []),
    ...others.map(ofMode).map((fault) => {
      const [, planned] = /^fleet_state\.vehicles\[(\d+)\]/.exec(fault.field) ?? [];
      if (planned === undefined) return fault;
      if (!places) return { ...fault, field: null, message: `the stored fleet: ${fault.message}` };
      return { ...fault, field: `fleet_state.vehicles[${places[Number(planned)]}]` };
    }),
  ];
}

/**
 * A fault of a plan that looks ahead, or of one that does not, in terms of `mode`: a decision has no `options.horizon`
 * that it could add or leave out, and takes steps and start from its own fields.
 */
export function ofMode<F extends { message: string; field?: string | null }>(fault: F): F {
  const { message, field } = fault;
  const inDecision = (text: string) =>
    text.replace(/options\.horizon\.(step_hours|starts_at)/g, (_, name) =>
      name === 'starts_at' ? 'start_at' : name,
    );
  return {
    ...fault,
    message: inDecision(message)
      .replace(/\bleave options\.horizon out/g, 'set mode to "static"')
      .replace(/\boptions\.horizon(?!\.)/g, 'mode'),
    ...(field !== undefined && { field: field === 'options.horizon' ? 'mode' : field && inDecision(field) }),
  };
}

/** One fault for all time steps: they have the same cause. */
function demandFault(request: DecisionRequest, { message, detail }: RequestFault): DecisionFault {
  const { demand, demand_scale: scale, location_ids } = request;
  const sent = [
    scale !== undefined && 'demand_scale',
    demand === 'upper' && 'demand',
    location_ids && 'location_ids',
  ];
  const what = demand === 'upper' ? 'upper ends of the forecast' : 'forecast';
  const times = scale === undefined ? '' : ` times demand_scale ${scale}`;
  return { field: sent.find((field) => !!field) || null, message: `the ${what}${times}: ${message}`, detail };
}

function scaled(value: number, scale: number, what: string): number {
  if (!Number.isFinite(value)) throw new NotFiniteError(what, value);
  // 15 digits are exact in a double; a 16th is noise of the product: 52.635000000000005 for 52.635.
  return scale === 1 ? value : Number((value * scale).toPrecision(15));
}
