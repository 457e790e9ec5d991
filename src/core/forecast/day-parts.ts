/**
 * Local days in parts of three hours: the mean demand per hour of each part, and the usual demand of a day.
 *
 *   U(d) = ½ (mean of A(d − 7), A(d − 14) + mean of A(d + 7), A(d + 14)),   A(d) demand of day d in parts,
 * Special days and unobserved parts are left out on each side. If one side is empty, the other is used alone; if both
 * are empty, weeks three and four are used. Days from `before` on are never read, so nothing looks ahead.
 * Complexity: O(hours) once per series, O(1) per day.
 */

import { clockOf } from './local-time.ts';
import { dayOf, type SpecialDays } from './special-days.ts';
import { type DemandSeries, HOURS_PER_DAY } from './types.ts';

export const PART_HOURS = 3;
export const PARTS = HOURS_PER_DAY / PART_HOURS;
/** A part needs this many observed hours. */
const MIN_HOURS = 2;

/** Demand of local days in parts, NaN if not observed. */
export type DayParts = {
  /** Day after day, the parts of each day in order. */
  demand: Float64Array;
  /** Index in `demand` of the first part of a day; −1 for a day without hours. */
  at(day: number): number;
};

/** Days `first … end − 1`; their parts begin at index `at`. */
type DayRange = {
  first: number;
  end: number;
  at: number;
};

/** Cuts the demand of a series, including `older`, into days and parts. */
export function dayParts(series: DemandSeries): DayParts {
  const clock = clockOf(series);
  const stretches = [series, ...(series.older ?? [])].filter(({ values }) => values.length > 0);
  const ranges = dayRanges(
    stretches.map(({ startHour, values }) => {
      const last = startHour + values.length - 1;
      return { first: dayOf(startHour + clock(startHour)), end: dayOf(last + clock(last)) + 1, at: 0 };
    }),
  );
  const at = (day: number): number => {
    for (const range of ranges)
      if (day >= range.first && day < range.end) return range.at + (day - range.first) * PARTS;
    return -1;
  };
  const demand = new Float64Array(ranges.reduce((days, { first, end }) => days + end - first, 0) * PARTS);
  const counts = new Uint8Array(demand.length);
  for (const { startHour, values } of stretches) {
    const firstDay = dayOf(startHour + clock(startHour));
    const from = at(firstDay) - firstDay * PARTS;
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (!(value >= 0 && value < Infinity)) continue;
      const place = from + Math.floor((startHour + i + clock(startHour + i)) / PART_HOURS);
      demand[place] += value;
      counts[place]++;
    }
  }
  for (let i = 0; i < demand.length; i++) demand[i] = counts[i] < MIN_HOURS ? NaN : demand[i] / counts[i];
  return { demand, at };
}

/** Ranges of days without overlaps, newest first, with the index of their parts. */
function dayRanges(ranges: DayRange[]): DayRange[] {
  const merged: DayRange[] = [];
  for (const range of ranges.sort((a, b) => b.end - a.end)) {
    const newer = merged.at(-1);
    if (newer !== undefined && range.end >= newer.first) newer.first = Math.min(newer.first, range.first);
    else merged.push(range);
  }
  let at = 0;
  for (const range of merged) {
    range.at = at;
    at += (range.end - range.first) * PARTS;
  }
  return merged;
}

/** The usual demand of a day, part by part, and the number of days it is based on. */
export type Usual = {
  demand: Float64Array;
  /** Number of days behind the best known part; 0 if no part is known. */
  days: number;
};

/** Weeks to read, two before and two after: the nearest ones, then, if a part is still unknown, the next ones. */
const WEEKS = [
  [-2, -1, 1, 2],
  [-4, -3, 3, 4],
] as const;

/** U(d). @param before first day that is not read */
export function usualDay(parts: DayParts, day: number, special: SpecialDays, before: number): Usual {
  const demand = new Float64Array(PARTS).fill(NaN);
  let days = 0;
  for (const weeks of WEEKS) {
    const [far, near, next, last] = weeks.map((count) => {
      const other = day + 7 * count;
      return other >= before || special.has(other) ? -1 : parts.at(other);
    }) as [number, number, number, number];
    let isWhole = true;
    for (let p = 0; p < PARTS; p++) {
      if (!Number.isNaN(demand[p])) continue;
      const earlier = meanOf(parts.demand, far, near, p);
      const later = meanOf(parts.demand, next, last, p);
      if (Number.isNaN(earlier)) demand[p] = later;
      else demand[p] = Number.isNaN(later) ? earlier : earlier / 2 + later / 2;
      if (Number.isNaN(demand[p])) isWhole = false;
    }
    days = Math.max(days, weeks.length - [far, near, next, last].filter((at) => at === -1).length);
    if (isWhole) break;
  }
  return { demand, days: demand.every(Number.isNaN) ? 0 : days };
}

/** Mean of part p of two days. If only one of them has it, that value; if neither has, NaN. */
function meanOf(demand: Float64Array, one: number, other: number, p: number): number {
  const a = one === -1 ? NaN : demand[one + p];
  const b = other === -1 ? NaN : demand[other + p];
  if (Number.isNaN(a)) return b;
  return Number.isNaN(b) ? a : a / 2 + b / 2;
}
