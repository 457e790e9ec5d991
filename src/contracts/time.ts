/**
 * Times with an offset as text. JavaScript and PostgreSQL read some of them differently (30 February, year 0, offsets
 * of a day). A text that passes here is read by both, and as the same instant.
 */
import { HOURS_OF_WEEK } from './bounds.ts';

const TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:[Zz]|([+-])(\d{2}):?(\d{2}))$/;

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;

/** PostgreSQL accepts no offset of 16 hours. */
const MAX_OFFSET_HOURS = 15;
/** PostgreSQL has no year 0, not even after conversion to UTC. */
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const END_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** An instant: milliseconds since the Unix epoch, and whether the text has no finer fraction. */
export type Instant = { ms: number; isWholeMs: boolean };

/**
 * Reads a time: ISO 8601 with an offset; seconds may be left out.
 * @returns the instant, or the fault of the text (a phrase to follow the text itself)
 */
export function readTime(text: string): Instant | string {
  const match = TIME.exec(text);
  if (!match) {
    return TIME.test(`${text}Z`)
      ? `has no offset from UTC; if it is UTC, write "${text}Z"`
      : 'is not a time with its offset, for example 2026-03-01T05:00:00Z';
  }
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0));
  const local = new Date(0);
  // Unlike Date.UTC, this does not add 1900 to years below 100.
  local.setUTCFullYear(year, month - 1, day);
  // 30 February becomes a day in March: such a date does not exist.
  const exists =
    local.getUTCDate() === day &&
    local.getUTCMonth() === month - 1 &&
    hour < 24 &&
    minute < 60 &&
    second < 60 &&
    year > 0;
  if (!exists) return 'is a time that does not exist';
  const offsetHours = Number(match[9] ?? 0);
  const offsetMinutes = Number(match[10] ?? 0);
  if (offsetHours > MAX_OFFSET_HOURS || offsetMinutes > 59)
    return `has an offset of ${match[9]}:${match[10]}; at most 15:59 is allowed`;
  const fraction = (match[7] ?? '').padEnd(9, '0');
  const ms =
    local.getTime() +
    (hour * 60 + minute) * MINUTE_MS +
    second * SECOND_MS +
    Number(fraction.slice(0, 3)) -
    (offsetHours * 60 + offsetMinutes) * MINUTE_MS * (match[8] === '-' ? -1 : 1);
  if (ms < FIRST_MS || ms > END_MS) return 'is outside the years 1 to 9999';
  return { ms, isWholeMs: Number(fraction.slice(3)) === 0 };
}

/** The milliseconds since the Unix epoch of a text that a schema has checked. @throws Error for any other text */
export function instantMs(text: string): number {
  const time = readTime(text);
  if (typeof time === 'string') throw new Error(`${text} ${time}`);
  return time.ms;
}

/** 1 January 1970, the day 0 of the epoch, was a Thursday. */
const EPOCH_HOUR_OF_WEEK = 72;

/** Hour of the week on the clock that a time is written with, 0 to 167; 0: Monday from 0:00 to 1:00. */
export function hourOfWeek(text: string): number {
  const hour = Math.floor(instantMs(`${text.replace(/([zZ]|[+-]\d\d:?\d\d)$/, '')}Z`) / HOUR_MS);
  return weekHourOf(hour);
}

/** The hour of the week of a local hour, counted from the epoch of its clock; may be before it. */
export function weekHourOf(localHour: number): number {
  return (((localHour + EPOCH_HOUR_OF_WEEK) % HOURS_OF_WEEK) + HOURS_OF_WEEK) % HOURS_OF_WEEK;
}

/** Whether both JavaScript and PostgreSQL accept a text as a time. */
export function isTime(text: string): boolean {
  return typeof readTime(text) !== 'string';
}

/** A time in the format of `Date.prototype.toISOString`, as in cursors. */
export function isUtcTime(text: string): boolean {
  const time = readTime(text);
  return typeof time !== 'string' && new Date(time.ms).toISOString() === text;
}
