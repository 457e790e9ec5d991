import { type Config, readRisk } from '../config.ts';
import type { OptimizeSettings } from '../core/optimize/problem/model.ts';
import type { RiskSettings } from '../core/risk.ts';

/** Weights, scales and thresholds of risk, from the settings. */
export function riskSettings(config: Config): RiskSettings {
  const risk = readRisk(config.RISK_SCORING);
  if (typeof risk === 'string') throw new Error(`RISK_SCORING ${risk}`);
  return risk;
}

/** Defaults of a request for a plan, and the cap on its time limit, from the settings. */
export function optimizeSettings(config: Config): OptimizeSettings {
  return {
    maxDistanceKm: config.OPTIMIZATION_MAX_DISTANCE,
    minServiceLevel: config.OPTIMIZATION_MIN_SERVICE_LEVEL,
    maxRebalancingCost: config.OPTIMIZATION_MAX_REBALANCING_COST,
    capacityPerVehicle: config.OPTIMIZATION_CAPACITY_PER_VEHICLE,
    tripsPerVehicleHour: config.OPTIMIZATION_TRIPS_PER_VEHICLE_HOUR ?? null,
    timeLimitSeconds: config.OPTIMIZATION_TIME_LIMIT_SECONDS,
    maxTimeLimitSeconds: config.OPTIMIZATION_MAX_TIME_LIMIT_SECONDS,
    optimalityGap: config.OPTIMIZATION_OPTIMALITY_GAP,
    costPerKm: config.OPTIMIZATION_COST_PER_KM,
  };
}
