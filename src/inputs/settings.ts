import type { Config } from '../config.ts';
import type { RiskSettings } from '../core/risk.ts';

/** Weights, scales and thresholds of risk, from the settings. */
export function riskSettings(config: Config): RiskSettings {
  return {
    weights: {
      age: config.RISK_WEIGHT_AGE,
      utilization: config.RISK_WEIGHT_UTILIZATION,
      maintenance: config.RISK_WEIGHT_MAINTENANCE,
    },
    ageScaleDays: config.RISK_AGE_SCALE_DAYS,
    utilizationFloor: config.RISK_UTILIZATION_FLOOR,
    utilizationRange: config.RISK_UTILIZATION_RANGE,
    maintenanceScaleDays: config.RISK_MAINTENANCE_SCALE_DAYS,
    mediumThreshold: config.RISK_MEDIUM_THRESHOLD,
    highThreshold: config.RISK_HIGH_THRESHOLD,
  };
}
