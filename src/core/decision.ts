/**
 * A decision in two steps: its inputs are taken (fleet, risk, forecast), then a plan is made from them. The second step
 * reads nothing but what the first one gave, so it gives the same plan whenever it is repeated.
 */
import type { DecisionRequest, DecisionRisk, DecisionVehicle } from '../contracts/decisions.ts';
import type { ForecastData } from '../contracts/forecast.ts';
import type { OptimizeRequest, VehicleInput } from '../contracts/optimize.ts';
import type { RiskScore } from '../contracts/risk.ts';
import { NotFiniteError } from './finite.ts';
import { METHODS_WITHOUT_HISTORY } from './forecast/types.ts';
import type { RequestFault } from './optimize/problem/model.ts';
import { type RiskSettings, riskVehicleOn, scoreRisk } from './risk.ts';

/** Vehicles as GET /api/v1/data/fleet names their fields; what is not known is left out. */
export function decisionFleet(vehicles: readonly VehicleInput[]): DecisionVehicle[] {
  return vehicles.map(({ id, vehicle_id, location, location_id, status, ...rest }) => ({
    vehicle_id: (id ?? vehicle_id)!,
    location_id: (location ?? location_id)!,
    status: status ?? 'operational',
    ...rest,
  }));
}

/**
 * Scores a fleet as of a day (`YYYY-MM-DD`) and leaves out who is at or above the threshold. A vehicle whose figures
 * are not known has no score, and stays. O(vehicles).
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
 * The optimization that a decision comes to: vehicles that were not left out, demand as forecast and scaled.
 * @throws NotFiniteError where the stored forecast has no number: null is not a demand of 0
 */
export function planRequest(
  request: DecisionRequest,
  fleet: readonly DecisionVehicle[],
  risk: Pick<DecisionRisk, 'left_out'>,
  forecast: ForecastData,
): OptimizeRequest {
  const { demand = 'mean', demand_scale: scale = 1, constraints, network, options } = request;
  const leftOut = new Set(risk.left_out);
  const demandForecast = Object.fromEntries(
    Object.entries(forecast.forecasts).map(([id, mean]) => {
      const values = demand === 'upper' ? forecast.intervals![id].upper : mean;
      return [id, values.map((value, t) => scaled(value, scale, `forecast of location ${id}, step ${t}`))];
    }),
  );
  return {
    demand_forecast: demandForecast,
    fleet_state: { vehicles: fleet.filter(({ vehicle_id }) => !leftOut.has(vehicle_id)) },
    ...(constraints && { constraints }),
    ...(network && { network }),
    ...(options && { options }),
  };
}

/** The locations of a forecast that have no observations. */
export function withoutHistory({ metadata }: ForecastData): number[] {
  const methods: readonly string[] = METHODS_WITHOUT_HISTORY;
  return Object.entries(metadata.methods).flatMap(([id, method]) =>
    methods.includes(method) ? [Number(id)] : [],
  );
}

/** Places in a fleet of the vehicles that are not left out. */
export function plannedPlaces(
  fleet: readonly Pick<DecisionVehicle, 'vehicle_id'>[],
  risk: Pick<DecisionRisk, 'left_out'>,
): number[] {
  const leftOut = new Set(risk.left_out);
  return fleet.flatMap(({ vehicle_id }, i) => (leftOut.has(vehicle_id) ? [] : [i]));
}

/** A fault in terms of the caller's request for a decision; `field` null: no field of it is at fault. */
export type DecisionFault = Omit<RequestFault, 'field'> & { field: string | null };

/**
 * Faults of a decision's optimization, in terms of the caller's request: demand is that of the forecast, and vehicles
 * may be those of the stored fleet. O(faults).
 * @param places position in `fleet_state` of each planned vehicle (vehicles at risk are not planned, but have a
 *   position); null if the request carried no fleet
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
    ...others.map((fault) => {
      const [, planned] = /^fleet_state\.vehicles\[(\d+)\]/.exec(fault.field) ?? [];
      if (planned === undefined) return fault;
      if (!places) return { ...fault, field: null, message: `the stored fleet: ${fault.message}` };
      return { ...fault, field: `fleet_state.vehicles[${places[Number(planned)]}]` };
    }),
  ];
}

/** Once, whatever the number of steps: they all have one cause. */
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
  return value * scale;
}
