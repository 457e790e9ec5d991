/**
 * Public holidays: days between their own weekday and a Sunday.
 *
 * Notation: z[t] usual demand of a holiday's hour t (standardised), s[t] that of a Sunday at the same hour, a[t] what was
 * observed.
 *   holiday   h[t] = z[t] + w (s[t] − z[t])
 *   weight    w = (Σ (s − z)(a − z) + κ w₀) / (Σ (s − z)² + κ), kept in 0 … 1;  w₀ = ½, κ = 2 (ridge on one number)
 * In the history the hours of holidays count as missing, so neither profiles nor lags repeat them; `clean` fills them in
 * with what is usual. Half of the surprise, ρ (a − h) with ρ = ½, is put back: a quiet holiday is also news about the level.
 * s is the mean of the Sundays before and after; ahead of the history it is the forecast of the Sunday that follows.
 * Below a week of history Sunday looks like any other day and the effect vanishes by itself.
 * A location sees one to three holidays in 13 weeks, too few for a shape of their own: one weight is all they can tell.
 * Complexity O(hours of holidays). Units: local hours; z free of units.
 */
import type { LocalSeries } from './local-series.ts';
import { localMidnight } from './local-time.ts';
import { standardise, type Transform } from './transform.ts';
import { HOURS_PER_DAY, HOURS_PER_WEEK } from './types.ts';

const PRIOR_WEIGHT = 0.5;
const PRIOR_STRENGTH = 2;
const SURPRISE_SHARE = 0.5;
/** Local hour 0 is a Thursday, 1970-01-01. */
const FIRST_SUNDAY_DAY = 3;

/** Local day numbers (local hour index / 24) of holidays. */
export type HolidayDays = ReadonlySet<number>;

/** Day numbers of `YYYY-MM-DD` dates. Throws RangeError for what is no date. */
export function holidayDays(dates: readonly string[]): HolidayDays {
  return new Set(
    dates.map((date) => {
      const midnight = localMidnight(date);
      if (midnight === null) throw new RangeError(`holiday ${date} is no calendar date; give YYYY-MM-DD`);
      return midnight / HOURS_PER_DAY;
    }),
  );
}

export const isHoliday = (days: HolidayDays, localHour: number): boolean =>
  days.has(Math.floor(localHour / HOURS_PER_DAY));

/** Hours from a local hour to the same hour of the Sunday that follows; 0 on Sundays. */
export function hoursToSunday(localHour: number): number {
  const day = Math.floor(localHour / HOURS_PER_DAY) - FIRST_SUNDAY_DAY;
  return HOURS_PER_DAY * ((7 - (((day % 7) + 7) % 7)) % 7);
}

/** The history with its holidays missing; as it is where nothing else would be left. */
export function withoutHolidays(history: LocalSeries, days: HolidayDays): Float64Array {
  if (days.size === 0) return history.values;
  const usual = history.values.map((value, t) => (isHoliday(days, history.firstHour + t) ? NaN : value));
  return usual.every(Number.isNaN) ? history.values : usual;
}

/**
 * Learns the weight w from the holidays of the history and puts their surprise back into `z`, in place.
 * @param z standardised history with holidays filled in
 * @returns w
 */
export function learnHolidays(
  z: Float64Array,
  history: LocalSeries,
  transform: Transform,
  days: HolidayDays,
): number {
  if (days.size === 0) return PRIOR_WEIGHT;
  const { firstHour, values } = history;
  const past: { t: number; actual: number; toSunday: number }[] = [];
  let product = PRIOR_STRENGTH * PRIOR_WEIGHT;
  let square = PRIOR_STRENGTH;
  for (let t = 0; t < z.length; t++) {
    if (!isHoliday(days, firstHour + t) || Number.isNaN(values[t]!)) continue;
    const sunday = usualSunday(z, t, hoursToSunday(firstHour + t));
    const observed = Math.min(Math.max(values[t]!, transform.lowest), transform.highest);
    const actual = standardise(transform, Float64Array.of(observed))[0]! - z[t]!;
    const toSunday = sunday - z[t]!;
    past.push({ t, actual, toSunday });
    product += toSunday * actual;
    square += toSunday * toSunday;
  }
  const weight = Math.min(1, Math.max(0, product / square));
  for (const { t, actual, toSunday } of past) z[t]! += SURPRISE_SHARE * (actual - weight * toSunday);
  return weight;
}

/** Mean of the same hour of the Sundays before and after `t`, as far as the history reaches; else z[t] itself. */
function usualSunday(z: Float64Array, t: number, toSunday: number): number {
  const after = z[t + toSunday];
  const before = z[t + toSunday - HOURS_PER_WEEK];
  if (after !== undefined && before !== undefined) return after / 2 + before / 2;
  return after ?? before ?? z[t]!;
}
