import { type Static, Type } from 'typebox';
import { MAX_AGE_DAYS } from './bounds.ts';
import { MAX_REQUEST_VEHICLES } from './optimize.ts';
import { VehicleId } from './vehicles.ts';

export const RISK_CATEGORIES = ['low', 'medium', 'high'] as const;

export const RiskVehicle = Type.Object(
  {
    id: VehicleId,
    age_days: Type.Number({ minimum: 0, maximum: MAX_AGE_DAYS }),
    utilization_rate: Type.Number({ minimum: 0, maximum: 1 }),
    days_since_maintenance: Type.Number({ minimum: 0, maximum: MAX_AGE_DAYS }),
  },
  { $id: 'RiskVehicle', additionalProperties: false },
);
export type RiskVehicle = Static<typeof RiskVehicle>;

export const RiskRequest = Type.Object(
  { vehicles: Type.Array(RiskVehicle, { minItems: 1, maxItems: MAX_REQUEST_VEHICLES }) },
  { $id: 'RiskRequest', additionalProperties: false },
);

export const RiskScore = Type.Object(
  {
    vehicle_id: Type.String(),
    risk_score: Type.Number({ minimum: 0, maximum: 1 }),
    risk_category: Type.Enum([...RISK_CATEGORIES]),
    factors: Type.Object({
      age_contribution: Type.Number(),
      utilization_contribution: Type.Number(),
      maintenance_contribution: Type.Number(),
    }),
  },
  { $id: 'VehicleRisk' },
);
export type RiskScore = Static<typeof RiskScore>;
