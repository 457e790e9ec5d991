import { MAX_YEAR, MIN_VEHICLE_YEAR, VEHICLE_YEARS } from '../contracts/bounds.ts';
import { clockAdvice } from '../contracts/number-text.ts';
import { readTime } from '../contracts/time.ts';
import { isTimeZone } from '../contracts/time-zone.ts';
import { controlCharacter } from '../contracts/vehicles.ts';
import { show } from './faults.ts';

/** The value of a cell, or its fault. */
export type Cell<T> = { value: T } | { fault: string };

/** Limits with the names that the schemas in contracts/ use. */
export type CellLimits = {
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
};

/** With `.0` as data frames write whole numbers of a column that has gaps. */
const WHOLE = /^[+-]?\d{1,15}(\.0+)?$/;
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?$/;

const STARTS_AS_NUMBER = /^[+-]?\d/;
const ALONE = '; write it alone, without a unit or a thousands separator';

export function readInteger(text: string, limits: CellLimits): Cell<number> {
  if (!WHOLE.test(text)) return { fault: `${show(text)} is not a whole number, for example 12` };
  return within(text, Number(text), limits);
}

/** Reads a number with a decimal point and without thousands separators. */
export function readNumber(text: string, limits: CellLimits): Cell<number> {
  const value = Number(text);
  if (!DECIMAL.test(text) || !Number.isFinite(value)) {
    const clock = clockAdvice(text);
    const advice = clock ? `; ${clock}` : STARTS_AS_NUMBER.test(text) ? ALONE : '';
    return { fault: `${show(text)} is not a number, for example 12.5${advice}` };
  }
  return within(text, value, limits);
}

export function readText(text: string, { minLength = 0, maxLength = Infinity }: CellLimits): Cell<string> {
  if (text.length < minLength) return { fault: 'is empty; a value is required' };
  if (text.length > maxLength)
    return { fault: `${show(text)} has ${text.length} characters; at most ${maxLength} are allowed` };
  // Decoding turns bytes that are not UTF-8 into U+FFFD: two different names may look the same.
  if (text.includes('\uFFFD'))
    return { fault: `${show(text)} contains bytes that are not UTF-8 text; save the file as UTF-8` };
  const control = controlCharacter(text);
  if (control) return { fault: `${show(text)} contains the control character ${control}; remove it` };
  return { value: text };
}

/** In any case: spreadsheets write TRUE and FALSE. */
export function readOneOf<T extends string>(text: string, values: readonly T[]): Cell<T> {
  const value = values.find((one) => one === text.toLowerCase());
  return value === undefined ? { fault: `${show(text)} is not one of ${values.join(', ')}` } : { value };
}

const timeZones = new Map<string, boolean>();

export function readTimeZone(text: string): Cell<string> {
  const known = timeZones.get(text) ?? isTimeZone(text);
  timeZones.set(text, known);
  return known
    ? { value: text }
    : { fault: `${show(text)} is not an IANA time zone, for example America/New_York` };
}

/** Reads a day within the years that the dates of vehicles may lie in. */
export function readDate(text: string): Cell<string> {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text))
    return { fault: `${show(text)} is not a date as YYYY-MM-DD, for example 2026-03-01` };
  // A day that does not exist becomes one of the next month, and then its text differs.
  const day = new Date(`${text}T00:00:00Z`);
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(text))
    return { fault: `${show(text)} is not a day of the calendar` };
  if (!new RegExp(VEHICLE_YEARS).test(text))
    return { fault: `${show(text)} is outside the years ${MIN_VEHICLE_YEAR} to ${MAX_YEAR}` };
  return { value: text };
}

/** A time as psql (`2026-03-01 05:00:00+00`) and BigQuery (`2026-03-01 05:00:00 UTC`) write it, in ISO 8601. */
export const asIsoTime = (text: string): string =>
  text.replace(/(:\d\d(?:\.\d+)?)([+-]\d\d)$/, '$1$2:00').replace(/(:\d\d(?:\.\d+)?) UTC$/, '$1Z');

/** Reads a time with its offset. @returns it as ISO 8601 in UTC, in milliseconds */
export function readInstant(text: string): Cell<string> {
  const time = readTime(asIsoTime(text));
  if (typeof time === 'string') return { fault: `${show(text)} ${time}` };
  return { value: new Date(time.ms).toISOString() };
}

function within(text: string, value: number, { minimum, maximum }: CellLimits): Cell<number> {
  const range = `give one from ${minimum} to ${maximum}`;
  if (minimum !== undefined && value < minimum)
    return { fault: `${text} is below the minimum ${minimum}; ${range}` };
  if (maximum !== undefined && value > maximum)
    return { fault: `${text} is above the maximum ${maximum}; ${range}${asShare(value, maximum)}` };
  return { value };
}

/** 85 where a share such as 0.85 is wanted. */
function asShare(value: number, maximum: number): string {
  return maximum === 1 && value <= 100 ? `; ${value} % is ${Number((value / 100).toPrecision(12))}` : '';
}
