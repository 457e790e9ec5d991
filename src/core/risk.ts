/**
 * Risk of a vehicle, from its age, its utilization and the time since its last maintenance.
 *
 *   score = w_a · age + w_u · utilization + w_m · maintenance, each factor clamped to 0 … 1:
 *     age         = age_days / ageScaleDays
 *     utilization = (utilization_rate − utilizationFloor) / utilizationRange
 *     maintenance = days_since_maintenance / maintenanceScaleDays
 *   category: low < mediumThreshold ≤ medium < highThreshold ≤ high
 *
 * Contributions are the weighted terms. They are rounded to six decimals before they are added, and the sum is rounded
 * again. So the reported decimals add up, and a score equal to a threshold counts as equal (0.3 · 14/42 is not 0.1 in
 * binary).
 * Complexity O(1) per vehicle.
 */
import type { RISK_CATEGORIES, RiskVehicle } from '../contracts/risk.ts';
import { requireFinite } from './finite.ts';

type RiskCategory = (typeof RISK_CATEGORIES)[number];

export type RiskSettings = {
  weights: { age: number; utilization: number; maintenance: number };
  /** Age in days at which the age factor is 1. */
  ageScaleDays: number;
  /** Utilization rate up to which the factor is 0. */
  utilizationFloor: number;
  /** Utilization rate above the floor at which the factor is 1. */
  utilizationRange: number;
  /** Days since maintenance at which the factor is 1. */
  maintenanceScaleDays: number;
  /** Lowest score of the category `medium`. */
  mediumThreshold: number;
  /** Lowest score of the category `high`. */
  highThreshold: number;
};

export const DEFAULT_RISK_SETTINGS: RiskSettings = {
  weights: { age: 0.3, utilization: 0.4, maintenance: 0.3 },
  ageScaleDays: 730,
  utilizationFloor: 0.5,
  utilizationRange: 0.5,
  maintenanceScaleDays: 42,
  mediumThreshold: 0.4,
  highThreshold: 0.7,
};

export type VehicleRisk = {
  vehicle_id: string;
  /** 0 … 1 if the weights add up to 1. */
  risk_score: number;
  risk_category: RiskCategory;
  /** Weighted terms; they add up to the score. */
  factors: {
    age_contribution: number;
    utilization_contribution: number;
    maintenance_contribution: number;
  };
};

/** The stored data of a vehicle; days as `YYYY-MM-DD`. */
export type VehicleRecord = {
  vehicle_id: string;
  acquired_on?: string;
  last_maintenance_on?: string;
  utilization_rate?: number;
};

/**
 * A stored vehicle in the form that is scored on a day (`YYYY-MM-DD`); null if a figure is unknown.
 * A date after the day counts as the day itself.
 */
export function riskVehicleOn(vehicle: VehicleRecord, day: string): RiskVehicle | null {
  const { vehicle_id, acquired_on, last_maintenance_on, utilization_rate } = vehicle;
  if (acquired_on === undefined || last_maintenance_on === undefined || utilization_rate === undefined)
    return null;
  return {
    id: vehicle_id,
    age_days: daysBetween(acquired_on, day),
    utilization_rate,
    days_since_maintenance: daysBetween(last_maintenance_on, day),
  };
}

function daysBetween(from: string, to: string): number {
  return Math.max(0, (Date.parse(to) - Date.parse(from)) / 86_400_000);
}

/** Scores one vehicle. @throws NotFiniteError if one of its numbers is not finite */
export function scoreRisk(vehicle: RiskVehicle, settings: RiskSettings = DEFAULT_RISK_SETTINGS): VehicleRisk {
  const { weights } = settings;
  const age = share(vehicle.age_days, settings.ageScaleDays);
  const utilization = share(vehicle.utilization_rate - settings.utilizationFloor, settings.utilizationRange);
  const maintenance = share(vehicle.days_since_maintenance, settings.maintenanceScaleDays);
  const factors = {
    age_contribution: toSixDecimals(weights.age * age),
    utilization_contribution: toSixDecimals(weights.utilization * utilization),
    maintenance_contribution: toSixDecimals(weights.maintenance * maintenance),
  };
  const score = toSixDecimals(
    factors.age_contribution + factors.utilization_contribution + factors.maintenance_contribution,
  );
  return requireFinite('risk', {
    vehicle_id: vehicle.id,
    risk_score: score,
    risk_category: categorise(score, settings),
    factors,
  });
}

function categorise(score: number, settings: RiskSettings): RiskCategory {
  if (score >= settings.highThreshold) return 'high';
  return score >= settings.mediumThreshold ? 'medium' : 'low';
}

/** value / scale within 0 … 1. A scale of zero is a step: anything above zero counts in full. */
function share(value: number, scale: number): number {
  if (value <= 0) return 0;
  return scale > 0 ? Math.min(1, value / scale) : 1;
}

const toSixDecimals = (value: number): number => Math.round(value * 1e6) / 1e6;
