/**
 * A series on the local clock.
 *
 *   y[t] = mean of the observed hours with local index firstHour + t,   t = 0 … n − 1,
 * The hour repeated in autumn counts once, as a rate; the hour skipped in spring is missing. y[0] and y[n − 1] are
 * observed. Only the newest 13 weeks are kept: older data has less than 2 % of the weight in every model. Complexity
 * O(hours kept).
 *
 * Hours that are missing in a pattern are reported. The engine treats a missing hour as unknown and fills it in with
 * the usual demand. But some sources write rows only when there is demand, or only while a place is open. There a
 * missing hour means 0, and nights without rows would be forecast like days.
 *   hours of the day, weekdays   at most 1 in 20 of them is observed, while others are observed
 *   zeros never seen             whole numbers without a 0, though 1 in 100 is 1 and 1 hour in 20 or more is missing
 */
import { afterLatestUtcHour, clockOf, earliestUtcHour, localDate } from './local-time.ts';
import { dayOf, weekdayOf } from './special-days.ts';
import { type AbsentRows, type DemandSeries, HOURS_PER_DAY, HOURS_PER_WEEK } from './types.ts';

/** Weeks of history that the models read. */
export const HISTORY_WEEKS = 13;

export type LocalSeries = {
  /** Local hour index of `values[0]`. */
  firstHour: number;
  /** Demand per hour, NaN where missing. */
  values: Float64Array;
  observedHours: number;
};

const isObserved = (value: number): boolean => value >= 0 && value < Infinity;

/** The newest `weeks` of history before the local hour `startHour`; null if nothing was observed. */
export function localHistory(
  series: DemandSeries,
  startHour: number,
  weeks = HISTORY_WEEKS,
): LocalSeries | null {
  const kept = weeks * HOURS_PER_WEEK;
  const clock = clockOf(series);
  const end = Math.min(series.startHour + series.values.length, afterLatestUtcHour(startHour));
  let last = end - 1;
  while (
    last >= series.startHour &&
    !(isObserved(series.values[last - series.startHour]) && last + clock(last) < startHour)
  ) {
    last--;
  }
  if (last < series.startHour) return null;
  const lastHour = last + clock(last);
  const oldest = lastHour - kept + 1;
  const sums = new Float64Array(kept);
  const counts = new Uint8Array(kept);
  for (let u = Math.max(series.startHour, earliestUtcHour(oldest)); u <= last; u++) {
    const value = series.values[u - series.startHour];
    const t = u + clock(u) - oldest;
    if (t < 0 || t >= kept || !isObserved(value)) continue;
    sums[t] += value;
    counts[t]++;
  }
  const first = counts.findIndex((count) => count > 0);
  const values = new Float64Array(kept - first);
  let observedHours = 0;
  for (let t = first; t < kept; t++) {
    values[t - first] = counts[t] === 0 ? NaN : sums[t] / counts[t];
    if (counts[t] !== 0) observedHours++;
  }
  return { firstHour: oldest + first, values, observedHours };
}

/**
 * Observed demand of each local hour `from … from + count − 1`: the sum over its real hours. An hour that the clock
 * skips has 0. An hour is NaN if one of its real hours is missing.
 */
export function localDemand(series: DemandSeries, from: number, count: number): Float64Array {
  const clock = clockOf(series);
  const demand = new Float64Array(count);
  for (let u = earliestUtcHour(from); u < afterLatestUtcHour(from + count); u++) {
    const t = u + clock(u) - from;
    if (t < 0 || t >= count) continue;
    const value = series.values[u - series.startHour] ?? NaN;
    demand[t] += isObserved(value) ? value : NaN;
  }
  return demand;
}

/** Local hour index of the newest observation; null if there is none. */
export function newestLocalHour(series: DemandSeries): number | null {
  const clock = clockOf(series);
  for (let i = series.values.length - 1; i >= 0; i--) {
    if (isObserved(series.values[i])) return series.startHour + i + clock(series.startHour + i);
  }
  return null;
}

/** Local hour index of the oldest observation; null if there is none. */
export function oldestLocalHour(series: DemandSeries): number | null {
  const clock = clockOf(series);
  const i = series.values.findIndex(isObserved);
  return i === -1 ? null : series.startHour + i + clock(series.startHour + i);
}

/**
 * The default start: the local day after the newest observation of the whole set. Series that end earlier are forecast
 * across their gap. Null if nothing was observed.
 */
export function defaultStartDate(series: readonly DemandSeries[]): string | null {
  let newest: number | null = null;
  for (const one of series) {
    const hour = newestLocalHour(one);
    if (hour !== null && (newest === null || hour > newest)) newest = hour;
  }
  return newest === null ? null : localDate(newest + HOURS_PER_DAY);
}

const ABSENT_SHARE = 1 / 20;
const SHARE_OF_ONES = 1 / 100;
const MIN_MISSING = 1 / 20;
const MIN_DAYS = 3;
const MIN_WEEKS = 3;

/** The pattern in which a history lacks hours. Null if no hours are missing or no pattern is found. */
export function findAbsentRows({ firstHour, values, observedHours }: LocalSeries): AbsentRows | null {
  const n = values.length;
  if (observedHours === n) return null;
  const share = 1 - observedHours / n;
  const groups = (count: number, of: (localHour: number) => number, leastHours: number): number[] => {
    if (n < leastHours) return [];
    const observed = new Float64Array(count);
    const all = new Float64Array(count);
    values.forEach((value, t) => {
      const group = of(firstHour + t);
      all[group]++;
      if (!Number.isNaN(value)) observed[group]++;
    });
    return Array.from(all.keys()).filter((group) => observed[group] <= ABSENT_SHARE * all[group]);
  };
  const hoursOfDay = groups(HOURS_PER_DAY, (hour) => hour % HOURS_PER_DAY, MIN_DAYS * HOURS_PER_DAY);
  // In the answer Monday is 1 and Sunday is 7; here Sunday is 0.
  const weekdays = groups(7, (hour) => weekdayOf(dayOf(hour)), MIN_WEEKS * HOURS_PER_WEEK)
    .map((day) => day || 7)
    .sort();
  const zerosNeverSeen = share >= MIN_MISSING && lacksZeros(values, observedHours);
  if (hoursOfDay.length === 0 && weekdays.length === 0 && !zerosNeverSeen) return null;
  return { share, hoursOfDay, weekdays, zerosNeverSeen };
}

function lacksZeros(values: Float64Array, observedHours: number): boolean {
  let ones = 0;
  for (const value of values) {
    if (value === 0 || !(Number.isNaN(value) || Number.isInteger(value))) return false;
    if (value === 1) ones++;
  }
  return ones >= SHARE_OF_ONES * observedHours;
}
