/**
 * Local wall-clock hours.
 *
 * Notation: u = UTC hours since the epoch; o(u) = offset of the zone in minutes; k = local hour index,
 *   k = u + floor(o(u) / 60),
 * i.e. hours since 1970-01-01T00:00 read off the wall clock: k mod 24 is the hour of day.
 * No u maps to the hour that a clock skips in spring (multiplicity 0); two u map to the hour that it repeats in autumn
 * (multiplicity 2). In zones with a half-hour offset an hour of data belongs to the local hour in which it begins.
 * Complexity: two to four offset look-ups per clock and week, kept; everything else is O(hours).
 */
import { HOUR_MS } from '../../contracts/time.ts';
import { type DemandSeries, type ForecastStart, HOURS_PER_WEEK, type ZoneClock } from './types.ts';

/** Offsets lie between −12 h and +14 h. Searching this far on either side of an index finds all its hours. */
const MAX_OFFSET_HOURS = 16;

/** Offset of one UTC week: `before` applies up to hour `changeHour`, `after` from then on. */
type WeekOffset = {
  before: number;
  changeHour: number;
  after: number;
};

/** The clock of every IANA zone that is asked for. Throws RangeError if the runtime does not know the zone. */
export type Clocks = (timeZone: string) => ZoneClock;

/** Clocks of one piece of work: each keeps the offsets that it has looked up, so a zone has one only. */
export function createClocks(): Clocks {
  const clocks = new Map<string, ZoneClock>();
  return (timeZone) => {
    const clock = clocks.get(timeZone) ?? zoneClock(timeZone);
    clocks.set(timeZone, clock);
    return clock;
  };
}

/** The same series, which share a clock per zone from now on. */
export function withClocks(series: readonly DemandSeries[]): DemandSeries[] {
  const clocks = createClocks();
  return series.map((one) => ({ ...one, clock: one.clock ?? clocks(one.timeZone) }));
}

/** The clock of a series. */
export function clockOf({ clock, timeZone }: Pick<DemandSeries, 'clock' | 'timeZone'>): ZoneClock {
  return clock ?? zoneClock(timeZone);
}

/** A clock of an IANA zone. Throws RangeError if the runtime does not know the zone. */
export function zoneClock(timeZone: string): ZoneClock {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const lookUp = (utcHour: number): number => {
    const instant = utcHour * HOUR_MS;
    const part: Record<string, string> = {};
    for (const { type, value } of format.formatToParts(instant)) part[type] = value;
    const year = part.era === 'BC' ? 1 - Number(part.year) : Number(part.year);
    const wall = new Date(0);
    wall.setUTCFullYear(year, Number(part.month) - 1, Number(part.day));
    wall.setUTCHours(Number(part.hour), Number(part.minute), Number(part.second));
    return Math.floor((wall.getTime() - instant) / HOUR_MS);
  };
  const weeks = new Map<number, WeekOffset>();
  return (utcHour) => {
    const week = Math.floor(utcHour / HOURS_PER_WEEK);
    let offset = weeks.get(week);
    if (offset === undefined) {
      offset = offsetOfWeek(lookUp, week * HOURS_PER_WEEK);
      weeks.set(week, offset);
    }
    return utcHour < offset.changeHour ? offset.before : offset.after;
  };
}

/** Assumes at most one change per week. That holds for every zone since 1970. */
function offsetOfWeek(lookUp: ZoneClock, from: number): WeekOffset {
  const before = lookUp(from);
  const after = lookUp(from + HOURS_PER_WEEK);
  let low = from;
  let high = from + HOURS_PER_WEEK;
  while (before !== after && high - low > 1) {
    const middle = (low + high) >> 1;
    if (lookUp(middle) === before) low = middle;
    else high = middle;
  }
  return { before, changeHour: high, after };
}

/**
 * How many real hours fall in each of the local hours `from … from + count − 1`: 1, and 0 or 2 at a change.
 * @param sinceHour only UTC hours from this one on: of an hour that the clock repeats, the first may have passed
 */
export function hourMultiplicity(
  clock: ZoneClock,
  from: number,
  count: number,
  sinceHour = -Infinity,
): Uint8Array {
  const multiplicity = new Uint8Array(count);
  for (let u = Math.max(from - MAX_OFFSET_HOURS, sinceHour); u < from + count + MAX_OFFSET_HOURS; u++) {
    const k = u + clock(u) - from;
    if (k >= 0 && k < count) multiplicity[k]++;
  }
  return multiplicity;
}

/** First UTC hour that can have a local index of `localHour` or later. */
export function earliestUtcHour(localHour: number): number {
  return localHour - MAX_OFFSET_HOURS;
}

/** First UTC hour after every hour that can have a local index of `localHour` or earlier. */
export function afterLatestUtcHour(localHour: number): number {
  return localHour + MAX_OFFSET_HOURS;
}

/** Local hour index of midnight of a `YYYY-MM-DD` date; null if it is not a calendar date. */
export function localMidnight(date: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return null;
  const ms = Date.parse(`${date}T00:00:00Z`);
  // Date.parse rolls 30 February over to March instead of refusing it.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== date) return null;
  return ms / HOUR_MS;
}

/** Calendar date of a local hour index, `YYYY-MM-DD`. */
export function localDate(localHour: number): string {
  return new Date(localHour * HOUR_MS).toISOString().slice(0, 10);
}

/** Local hour index at which a forecast begins on a clock. */
export function localStart({ startDate, originHour }: ForecastStart, clock: ZoneClock): number {
  return originHour === undefined ? localMidnight(startDate)! : originHour + clock(originHour);
}

/** A UTC hour on a local clock, with its offset: `2017-05-04T06:00:00-04:00`. */
export function localTimeText(utcHour: number, clock: ZoneClock): string {
  const ahead = clock(utcHour);
  const offset = `${ahead < 0 ? '-' : '+'}${`${Math.abs(ahead)}`.padStart(2, '0')}:00`;
  return `${new Date((utcHour + ahead) * HOUR_MS).toISOString().slice(0, 19)}${offset}`;
}
