import { Type } from 'typebox';

/** States of a vehicle; only operational ones serve demand or move. */
export const VEHICLE_STATUSES = ['operational', 'maintenance', 'downtime'] as const;
export type VehicleStatus = (typeof VEHICLE_STATUSES)[number];

/** Text that PostgreSQL can store: no NUL, no half of a surrogate pair (two ids could become one). */
export const STORABLE_TEXT = '^[^\\u0000\\p{Cs}]*$';

/** A vehicle identifier is 1 to 128 characters. */
export const VehicleId = Type.String({ minLength: 1, maxLength: 128, pattern: STORABLE_TEXT });

/** Years that dates of a vehicle may lie in; PostgreSQL has no year 0. */
export const VEHICLE_YEARS = '^(19|20|21)';

const day = (description: string) => Type.String({ format: 'date', pattern: VEHICLE_YEARS, description });

/** What risk is scored from, where it is known; dates, so that ages stay right from day to day. */
export const VehicleFigures = {
  acquired_on: Type.Optional(day('day from which the age of the vehicle counts')),
  last_maintenance_on: Type.Optional(day('day of its last maintenance')),
  utilization_rate: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'share of time in use' }),
  ),
};
