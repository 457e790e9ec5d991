import { type Static, Type } from 'typebox';
import { VehicleId } from './vehicles.ts';

export const RISK_CATEGORIES = ['low', 'medium', 'high'] as const;

export const RiskVehicle = Type.Object(
  {
    id: VehicleId,
    age_days: Type.Number({ minimum: 0 }),
    utilization_rate: Type.Number({ minimum: 0, maximum: 1 }),
    days_since_maintenance: Type.Number({ minimum: 0 }),
  },
  { $id: 'RiskVehicle', additionalProperties: false },
);
export type RiskVehicle = Static<typeof RiskVehicle>;

export const RiskRequest = Type.Object(
  { vehicles: Type.Array(RiskVehicle, { minItems: 1 }) },
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
  { $id: 'RiskScore' },
);
export type RiskScore = Static<typeof RiskScore>;
