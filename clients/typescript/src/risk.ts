import type { components } from './schema.ts';

type Schemas = components['schemas'];

const DAY_MS = 86_400_000;

/**
 * A stored vehicle as `POST /api/v1/risk/score` takes it, by the rule of decisions: a date after the day counts as the
 * day itself.
 * @param day `YYYY-MM-DD`, the day on which it is scored
 * @returns undefined if one of its figures is not stored
 */
export function riskVehicleOf(
  stored: Schemas['FleetVehicle'],
  day: string,
): Schemas['RiskVehicle'] | undefined {
  const { vehicle_id: id, acquired_on, last_maintenance_on, utilization_rate } = stored;
  if (acquired_on === undefined || last_maintenance_on === undefined || utilization_rate === undefined)
    return;
  const daysSince = (date: string) => Math.max(0, (Date.parse(day) - Date.parse(date)) / DAY_MS);
  return {
    id,
    age_days: daysSince(acquired_on),
    utilization_rate,
    days_since_maintenance: daysSince(last_maintenance_on),
  };
}
