import { Type } from 'typebox';
import { MAX_CAPACITY, MAX_VEHICLE_ID_LENGTH, MIN_CAPACITY, VEHICLE_YEARS } from './bounds.ts';

/** States of a vehicle. Only operational vehicles serve demand or move. */
export const VEHICLE_STATUSES = ['operational', 'maintenance', 'downtime'] as const;
export type VehicleStatus = (typeof VEHICLE_STATUSES)[number];

/**
 * Text of one line: no control character, which nobody sees, and no half of a surrogate pair (two ids could become
 * one). The pattern works for regular expressions that match code points (the `u` flag here) and for those that match
 * halves (browsers, by default).
 */
export const STORABLE_TEXT =
  '^(?:[^\\u0000-\\u001F\\u007F-\\u009F\\uD800-\\uDFFF]|[\\uD800-\\uDBFF][\\uDC00-\\uDFFF])*$';

/** A control character of a text, as `U+0009`; undefined: it has none. */
export function controlCharacter(text: string): string | undefined {
  const code = /\p{Cc}/u.exec(text)?.[0].charCodeAt(0);
  return code === undefined ? undefined : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** A vehicle identifier is 1 to 128 characters. */
export const VehicleId = Type.String({
  minLength: 1,
  maxLength: MAX_VEHICLE_ID_LENGTH,
  pattern: STORABLE_TEXT,
});

/** The demand that a vehicle serves in a time step. */
export const Capacity = Type.Number({ minimum: MIN_CAPACITY, maximum: MAX_CAPACITY });

const day = (description: string) =>
  Type.String({ format: 'date', maxLength: 100, pattern: VEHICLE_YEARS, description });

/** Data from which risk is scored, if known. Dates instead of ages, so that they stay right from day to day. */
export const VehicleFigures = {
  acquired_on: Type.Optional(day('day from which the age of the vehicle counts')),
  last_maintenance_on: Type.Optional(day('day of its last maintenance')),
  utilization_rate: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'share of time in use' }),
  ),
};
