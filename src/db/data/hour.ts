/** Hours of demand, as text and as a number: UTC hours since the Unix epoch. */
import { MAX_YEAR, MIN_OBSERVED_YEAR } from '../../contracts/bounds.ts';
import { HOUR_MS, readTime } from '../../contracts/time.ts';

/** The first hour that observations may have, and the first that is too late; UTC hours since the epoch. */
const FIRST_HOUR = Date.UTC(MIN_OBSERVED_YEAR, 0) / HOUR_MS;
const END_HOUR = Date.UTC(MAX_YEAR + 1, 0) / HOUR_MS;

/**
 * Reads the start of an hour, ISO 8601 with an offset; seconds may be left out.
 * @returns UTC hours since the epoch, or the fault of the text (a phrase to follow the text itself)
 */
export function parseHour(text: string): number | string {
  const time = readTime(text);
  if (typeof time === 'string') return time;
  const hours = time.ms / HOUR_MS;
  if (hours < FIRST_HOUR || hours >= END_HOUR)
    return `is outside the years ${MIN_OBSERVED_YEAR} to ${MAX_YEAR}`;
  if (!Number.isInteger(hours) || !time.isWholeMs)
    return 'is not the start of a full UTC hour, such as 05:00:00Z';
  return hours;
}

/** A day more than the clocks of those who send observations may differ. */
const MAX_AHEAD_HOURS = 24;

/**
 * Why an hour cannot have been observed yet, as `parseHour` says it: an observation of a wrong year would be the newest
 * of all. A day is left for clocks that differ, and for hours counted on a clock without its offset.
 * @param hour UTC hours since the epoch
 */
export function tooLate(hour: number, now = Date.now()): string | undefined {
  const last = Math.floor(now / HOUR_MS) + 1 + MAX_AHEAD_HOURS;
  if (hour <= last) return undefined;
  return `is later than ${formatHour(last)}, a day after the current hour; check its year and its offset`;
}

/** The hour as ISO 8601 in UTC. */
export function formatHour(hour: number): string {
  return new Date(hour * HOUR_MS).toISOString();
}
