import { Type } from 'typebox';

/** States of a vehicle; only operational ones serve demand or move. */
export const VEHICLE_STATUSES = ['operational', 'maintenance', 'downtime'] as const;
export type VehicleStatus = (typeof VEHICLE_STATUSES)[number];

/** Text that PostgreSQL can store: no NUL, no half of a surrogate pair (two ids could become one). */
export const STORABLE_TEXT = '^[^\\u0000\\p{Cs}]*$';

/** A vehicle identifier is 1 to 128 characters. */
export const VehicleId = Type.String({ minLength: 1, maxLength: 128, pattern: STORABLE_TEXT });
