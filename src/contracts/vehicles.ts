import { Type } from 'typebox';

/** States of a vehicle; only operational ones serve demand or move. */
export const VEHICLE_STATUSES = ['operational', 'maintenance', 'downtime'] as const;
export type VehicleStatus = (typeof VEHICLE_STATUSES)[number];

/** A vehicle identifier is 1 to 128 characters; NUL is none of them, since PostgreSQL cannot store it. */
export const VehicleId = Type.String({ minLength: 1, maxLength: 128, pattern: '^[^\\u0000]*$' });
