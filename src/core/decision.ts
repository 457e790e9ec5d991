/**
 * A decision in two steps: its inputs are taken (fleet, risk, forecast), then a plan is made from them. The second step
 * reads nothing but what the first one gave, so it gives the same plan whenever it is repeated.
 */
import type { DecisionRequest, DecisionRisk, DecisionVehicle } from '../contracts/decisions.ts';
import type { ForecastData } from '../contracts/forecast.ts';
import type { OptimizeRequest, VehicleInput } from '../contracts/optimize.ts';
import type { RiskScore } from '../contracts/risk.ts';
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

/** The optimization that a decision comes to: vehicles that were not left out, demand as forecast and scaled. */
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
      const values = demand === 'upper' ? forecast.intervals![id]!.upper : mean;
      return [id, values.map((value) => value * scale)];
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
