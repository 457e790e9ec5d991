/**
 * Level of each day of a history: the demand of the day over the usual demand of its hours.
 *
 * Days are blocks of 24 h that end with the history, so a change is seven days old after seven days, at any hour.
 *   u[j] = Σ y / Σ p over the observed hours of day j, divided by the usual ratio of its weekday to the week around it
 * with p the mean demand of the hour of day. A day is unknown if less than half of its usual demand was observed.
 * Complexity O(n). Units: u free of units.
 */
import { HOURS_PER_DAY } from './types.ts';

const DAYS_PER_WEEK = 7;
/** When the ratio of weekdays is estimated, a day counts at most as this many average days of its week. */
const MAX_OF_WEEK = 3;
/**
 * Prior for the ratio of weekdays: this many weeks without a difference between weekdays, added to the observed ones.
 */
const WEEKDAY_PRIOR = 2;

/** The whole days that end with a history. */
export type Days = {
  /** Position of the first hour of the first day. */
  first: number;
  count: number;
};

/** The whole days of a history, given its length in hours. */
export function wholeDays(hours: number): Days {
  const count = Math.floor(hours / HOURS_PER_DAY);
  return { first: hours - count * HOURS_PER_DAY, count };
}

/** u of each day, NaN where unknown. */
export function dayLevels(values: Float64Array, days: Days): Float64Array {
  const level = rawLevels(values, days);
  const weekday = weekdayRatios(level);
  return level.map((u, j) => u / weekday[j % DAYS_PER_WEEK]);
}

/** Mean demand per hour of the days; 0 for an hour that is observed on fewer than a quarter of the days. */
function hourMeans(values: Float64Array, { first, count }: Days): Float64Array {
  return Float64Array.from({ length: HOURS_PER_DAY }, (_, h) => {
    let sum = 0;
    let known = 0;
    for (let t = first + h; t < values.length; t += HOURS_PER_DAY) {
      if (Number.isNaN(values[t])) continue;
      sum += values[t];
      known++;
    }
    return known < count / 4 ? 0 : sum / known;
  });
}

/**
 * Demand of each day over that of a usual one, without a distinction of weekdays: Σ y / Σ p over the hours with p > 0;
 * NaN if less than half was observed.
 */
export function rawLevels(values: Float64Array, days: Days): Float64Array {
  const { first, count } = days;
  const usual = hourMeans(values, days);
  const whole = usual.reduce((sum, p) => sum + p, 0);
  return Float64Array.from({ length: count }, (_, j) => {
    let sum = 0;
    let expected = 0;
    for (let h = 0; h < HOURS_PER_DAY; h++) {
      const y = values[first + j * HOURS_PER_DAY + h];
      if (usual[h] === 0 || Number.isNaN(y)) continue;
      sum += y;
      expected += usual[h];
    }
    return expected > 0 && expected >= whole / 2 ? sum / expected : NaN;
  });
}

/** Mean ratio of each day to the seven days around it, by day modulo 7. */
function weekdayRatios(level: Float64Array): Float64Array {
  const ratio = new Float64Array(DAYS_PER_WEEK).fill(WEEKDAY_PRIOR);
  const weeks = new Float64Array(DAYS_PER_WEEK).fill(WEEKDAY_PRIOR);
  for (let j = 3; j + 3 < level.length; j++) {
    let mean = 0;
    for (let k = j - 3; k <= j + 3; k++) mean += level[k] / DAYS_PER_WEEK;
    if (!(mean > 0)) continue;
    ratio[j % DAYS_PER_WEEK] += Math.min(level[j] / mean, MAX_OF_WEEK);
    weeks[j % DAYS_PER_WEEK]++;
  }
  return ratio.map((sum, day) => sum / weeks[day]);
}
