/** States of a vehicle; only operational ones serve demand or move. */
export const VEHICLE_STATUSES = ['operational', 'maintenance', 'downtime'] as const;
export type VehicleStatus = (typeof VEHICLE_STATUSES)[number];

/** A vehicle identifier is 1 to 128 characters. */
export const VEHICLE_ID_MAX_LENGTH = 128;
