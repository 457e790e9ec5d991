/**
 * The history on its present level.
 *
 * After a lasting change (`level-shifts.ts`) the hours before it are multiplied by R, new level over old. The pattern
 * of the days and weeks stays, the level is new, and the models that follow need not know about the change.
 *   y'[t] = y[t] Π R   over the changes after t
 * Each level is compared with the next one, using up to 28 adjacent days of each. A level whose demand would have to
 * grow more than twentyfold has no usable pattern (a closed place that opened). Its hours become missing, and the level
 * before it is compared with the one after it.
 * Counts have a noise of their own, which shrinks by √R only. So if R < 1 and demand is in whole numbers, past
 * forecasts are compared with y thinned to the share R (each unit of y is kept with probability R), not with R y.
 * The new level is an estimate: its logarithm has the standard deviation √(2 s² / n), where s is that of its n days
 * relative to their mean.
 * Complexity O(n) if a level changed. Units: those of y.
 */

import { findLevelChanges, known, levelOf, WINDOW_DAYS, wholeDays } from './level-shifts.ts';
import type { LocalSeries } from './local-series.ts';
import { HOURS_PER_DAY } from './types.ts';

/** Days are correlated: this many carry as much information on their level as one independent day. */
const DAYS_PER_INDEPENDENT = 2;
const MAX_GROWTH = 20;
/** Counts up to this size are thinned unit by unit, larger ones by the normal distribution. */
const MAX_COINS = 64;

/** Newest lasting change of level. */
export type LevelShift = {
  /** Local hour index of the first hour on the new level. */
  hour: number;
  /** New level over old; infinite if there was no demand before. */
  factor: number;
  /** Standard deviation of the logarithm of the new level, from the variation of its days. */
  deviation: number;
};

export type PresentLevel = {
  /** The history on its present level. */
  history: LocalSeries;
  /** The same hours, in the form that past forecasts are compared with. */
  compared: Float64Array;
  shift: LevelShift | null;
};

/**
 * Brings a history to its present level.
 * @param usual its values, NaN on unusual days (a holiday), which do not count for the level
 */
export function toPresentLevel(history: LocalSeries, usual: Float64Array): PresentLevel {
  const days = wholeDays(usual.length);
  const { starts, level } = findLevelChanges(usual, days);
  if (starts.length === 0) return { history, compared: history.values, shift: null };
  const values = history.values.slice();
  const compared = history.values.slice();
  const counts = values.every((value) => Number.isNaN(value) || Number.isInteger(value));
  const bounds = [0, ...starts, days.count];
  let factor = 1;
  let newest = 1;
  let isThinned = false;
  for (let s = starts.length - 1, next = starts.length; s >= 0; s--) {
    const change = bounds[s + 1];
    const before = levelOf(known(level, Math.max(bounds[s], change - WINDOW_DAYS), change));
    const after = levelOf(known(level, bounds[next], Math.min(bounds[next + 1], bounds[next] + WINDOW_DAYS)));
    const growth = after === before ? 1 : after / before;
    if (s === starts.length - 1) newest = growth;
    const carries = growth <= MAX_GROWTH;
    if (carries) {
      next = s;
      factor *= growth;
    }
    const from = s === 0 ? 0 : days.first + bounds[s] * HOURS_PER_DAY;
    for (let t = from; t < days.first + change * HOURS_PER_DAY; t++) {
      const scaled = carries && factor <= MAX_GROWTH ? values[t] * factor : NaN;
      if (counts && scaled < values[t]) {
        compared[t] = thinned(values[t], factor, history.firstHour + t);
        isThinned = true;
      } else compared[t] = scaled;
      values[t] = scaled;
    }
  }
  const start = values.findIndex((value) => !Number.isNaN(value));
  const present = values.subarray(start);
  return {
    history: {
      firstHour: history.firstHour + start,
      values: present,
      observedHours: values.reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : 1), 0),
    },
    compared: isThinned ? compared.subarray(start) : present,
    shift: {
      hour: history.firstHour + days.first + starts.at(-1)! * HOURS_PER_DAY,
      factor: newest,
      deviation: levelDeviation(known(level, starts.at(-1)!, days.count)),
    },
  };
}

/** Standard deviation of the logarithm of the mean of some days, at most 1. */
function levelDeviation(days: Float64Array): number {
  const newest = days.subarray(0, WINDOW_DAYS);
  const n = newest.length;
  const mean = newest.reduce((sum, one) => sum + one, 0) / n;
  const variance = newest.reduce((sum, one) => sum + (one - mean) ** 2, 0) / n / Math.max(1, n - 1);
  return mean > 0 ? Math.min(1, Math.sqrt(DAYS_PER_INDEPENDENT * variance) / mean) : 0;
}

/** The number of units left of `count` if each is kept with probability `share`. Always the same for the same hour. */
function thinned(count: number, share: number, hour: number): number {
  const random = hash(hour);
  if (count > MAX_COINS) {
    const noise = Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
    return Math.max(0, Math.round(count * share + Math.sqrt(count * share * (1 - share)) * noise));
  }
  let kept = 0;
  for (let i = 0; i < count; i++) if (random() < share) kept++;
  return kept;
}

/** Uniform random numbers in (0, 1), seeded by an hour: mulberry32. */
function hash(hour: number): () => number {
  let state = Math.imul(hour, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return (((x ^ (x >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  };
}
