/**
 * Days in parts: the mean demand of an hour in each three hours of a local day, and what a day usually has.
 *
 *   U(d) = ½ (mean of A(d − 7), A(d − 14) + mean of A(d + 7), A(d + 14)),   A(d) demand of day d in parts,
 * each side without special days and without parts that were not observed; one side alone where the other has none, and weeks
 * three and four where neither has any. Days from `before` on are never read: there is no looking ahead.
 * Complexity: O(hours) once per series, O(1) per day.
 */

import { zoneClock } from './local-time.ts';
import { dayOf, type SpecialDays } from './special-days.ts';
import { type DemandSeries, HOURS_PER_DAY } from './types.ts';

export const PART_HOURS = 3;
export const PARTS = HOURS_PER_DAY / PART_HOURS;
/** Hours of a part that must have been observed. */
const LEAST_HOURS = 2;

/** Demand of a local day, a number per part, NaN where not observed; undefined for a day without hours. */
export type DayParts = (day: number) => Float64Array | undefined;

/** Cuts the demand of a series, `older` too, into days and parts. */
export function dayParts(series: DemandSeries): DayParts {
  const clock = zoneClock(series.timeZone);
  const stretches = [series, ...(series.older ?? [])]
    .filter(({ values }) => values.length > 0)
    .map(({ startHour, values }) => {
      const end = startHour + values.length - 1;
      const firstDay = dayOf(startHour + clock(startHour));
      const dayCount = dayOf(end + clock(end)) - firstDay + 1;
      const sums = new Float64Array(dayCount * PARTS);
      const counts = new Uint8Array(dayCount * PARTS);
      for (let i = 0; i < values.length; i++) {
        const value = values[i]!;
        if (!(value >= 0 && value < Infinity)) continue;
        const at = Math.floor((startHour + i + clock(startHour + i)) / PART_HOURS) - firstDay * PARTS;
        sums[at]! += value;
        counts[at]!++;
      }
      for (let at = 0; at < sums.length; at++)
        sums[at] = counts[at]! < LEAST_HOURS ? NaN : sums[at]! / counts[at]!;
      return { firstDay, dayCount, parts: sums };
    });
  return (day) => {
    for (const { firstDay, dayCount, parts } of stretches) {
      if (day < firstDay || day >= firstDay + dayCount) continue;
      return parts.subarray((day - firstDay) * PARTS, (day - firstDay + 1) * PARTS);
    }
    return undefined;
  };
}

/** What a day usually has, and from how many days that is known, part by part. */
export interface Usual {
  demand: Float64Array;
  /** Most days that any part is known from; 0 where nothing is. */
  days: number;
}

/** U(d). @param before first day that is not read */
export function usualDay(parts: DayParts, day: number, special: SpecialDays, before: number): Usual {
  const demand = new Float64Array(PARTS).fill(NaN);
  let days = 0;
  for (const [near, far] of [
    [1, 2],
    [3, 4],
  ] as const) {
    const sums = new Float64Array(2 * PARTS);
    const counts = new Float64Array(2 * PARTS);
    for (const weeks of [-far, -near, near, far]) {
      const other = day + 7 * weeks;
      const values = other >= before || special.has(other) ? undefined : parts(other);
      if (values === undefined) continue;
      const side = weeks < 0 ? 0 : PARTS;
      for (let p = 0; p < PARTS; p++) {
        if (Number.isNaN(values[p]!)) continue;
        sums[side + p]! += values[p]!;
        counts[side + p]!++;
      }
    }
    for (let p = 0; p < PARTS; p++) {
      const before = counts[p]!;
      const after = counts[PARTS + p]!;
      if (!Number.isNaN(demand[p]!) || before + after === 0) continue;
      const sides = (before > 0 ? 1 : 0) + (after > 0 ? 1 : 0);
      demand[p] = ((before > 0 ? sums[p]! / before : 0) + (after > 0 ? sums[PARTS + p]! / after : 0)) / sides;
      days = Math.max(days, before + after);
    }
  }
  return { demand, days };
}
