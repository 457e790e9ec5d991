/**
 * Detects hours that are missing in a pattern. The engine treats a missing hour as unknown and fills it in with the
 * usual demand. But some sources write rows only when there is demand, or only while a place is open. There a missing
 * hour means 0, and nights without rows would be forecast like days.
 *   hours of the day, weekdays   at most 1 in 20 of them is observed, while others are observed
 *   zeros never seen             whole numbers without a 0, though 1 in 100 is 1 and 1 hour in 20 or more is missing
 * Complexity O(n). Units: local hours.
 */
import type { LocalSeries } from './local-series.ts';
import { dayOf, weekdayOf } from './special-days.ts';
import { type AbsentRows, HOURS_PER_DAY, HOURS_PER_WEEK } from './types.ts';

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
