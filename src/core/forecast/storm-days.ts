/**
 * Storm days: demand collapsed for one day or a few, and came back. The profile must not learn them.
 *
 * Notation: u[j] level of day j (`level-shifts.ts`); d[j] = √u less its median over that weekday, less the median of
 * the same over the six days before and after.
 *   storm   d[j] < −4 r,   r = 1.4826 · median |d|, robust deviation of all days
 * for at most three days in a row, followed by an ordinary day: a longer fall is a change of level (`level-shifts.ts`).
 * If one weekday falls more than once, that is the calendar; more than one fall in fourteen days is normal variation.
 * Neither is a storm. Busy days stay: occasional ones are part of the mean.
 * The hours of a storm are replaced by those of the week before, not of the week after. With the week after, a past
 * forecast would know the hours that it is compared with, and the intervals of calm weeks of New York cover 91 instead
 * of 97 %.
 * Complexity O(days). Reference for r: Davies & Gather 1993.
 */
import { rawLevels, wholeDays } from './level-shifts.ts';
import { medianInPlace } from './numerics.ts';
import { HOURS_PER_DAY, HOURS_PER_WEEK } from './types.ts';

const DAYS_PER_WEEK = 7;
/** With fewer days of history, no day can be called unusual. */
const MIN_DAYS = 28;
const DEVIATIONS = 4;
/** The median absolute deviation of a normal distribution, times this, is its standard deviation. */
const MAD_TO_SD = 1.4826;
const DAYS_AROUND = 6;
const MAX_STORM_DAYS = 3;
/** At most one fall in this many days. */
const DAYS_PER_STORM = 14;

/**
 * The history that a profile learns from.
 * @param values hourly demand, NaN where missing or not usual (holidays, events)
 * @param clean  the same without gaps and outliers
 * @returns `clean` itself if there was no storm, else a copy
 */
export function withoutStorms(values: Float64Array, clean: Float64Array): Float64Array {
  const days = wholeDays(values.length);
  const storms = days.count < MIN_DAYS ? [] : findStorms(rawLevels(values, days));
  if (storms.length === 0) return clean;
  const learned = clean.slice();
  for (const day of storms) {
    const from = days.first + day * HOURS_PER_DAY;
    const other = from >= HOURS_PER_WEEK ? from - HOURS_PER_WEEK : from + HOURS_PER_WEEK;
    learned.copyWithin(from, other, other + HOURS_PER_DAY);
  }
  return learned;
}

/** Storm days, ascending. @param level u per day, NaN where unknown */
function findStorms(level: Float64Array): number[] {
  const roots = level.map(Math.sqrt);
  const weekday = Array.from({ length: DAYS_PER_WEEK }, (_, w) =>
    middleOf(roots.filter((_, j) => j % DAYS_PER_WEEK === w)),
  );
  const off = roots.map((root, j) => root - weekday[j % DAYS_PER_WEEK]);
  const deviation = off.map((x, j) => {
    const before = off.subarray(Math.max(0, j - DAYS_AROUND), j);
    return x - middleOf(Float64Array.of(...before, ...off.subarray(j + 1, j + 1 + DAYS_AROUND)));
  });
  const least = DEVIATIONS * MAD_TO_SD * middleOf(deviation.map(Math.abs));
  // If more than half of the days are alike, their variation is unknown.
  if (!(least > 0)) return [];
  const isLow = (j: number): boolean => deviation[j] < -least;
  const falls = new Int32Array(DAYS_PER_WEEK);
  deviation.forEach((_, j) => {
    if (isLow(j)) falls[j % DAYS_PER_WEEK]++;
  });
  const storms: number[] = [];
  let count = 0;
  for (let day = 0, end: number; day < level.length; day = end) {
    end = day + 1;
    if (!isLow(day)) continue;
    while (end < level.length && isLow(end)) end++;
    const run = Array.from({ length: end - day }, (_, i) => day + i);
    if (run.length > MAX_STORM_DAYS || !(deviation[end] >= -least)) continue;
    count++;
    storms.push(...run.filter((j) => falls[j % DAYS_PER_WEEK] === 1));
  }
  return count > level.length / DAYS_PER_STORM ? [] : storms;
}

function middleOf(values: Float64Array): number {
  const known = values.filter((value) => !Number.isNaN(value));
  return known.length === 0 ? NaN : medianInPlace(known, known.length);
}
