/**
 * Sums over steps of local hours.
 *
 * A step of s hours covers s hours of the wall clock. The last one ends with the horizon and may be shorter. An hour
 * counts 0 times if the clock skips it, and twice if the clock repeats it.
 */
import type { FittedModel } from './model.ts';
import { medianInPlace } from './numerics.ts';
import { countsElsewhere } from './rolling-origins.ts';
import { clampDemand } from './transform.ts';
import { HOURS_PER_WEEK } from './types.ts';

/** Largest share of missing hours in a step that is still compared with its forecast. */
const MISSING_SHARE = 0.25;

export const stepCount = (horizonHours: number, stepHours: number): number =>
  Math.ceil(horizonHours / stepHours);

/** Demand per step from demand per hour. */
export function sumSteps(hourly: Float64Array, multiplicity: Uint8Array, stepHours: number): Float64Array {
  const sums = new Float64Array(stepCount(hourly.length, stepHours));
  for (let h = 0; h < hourly.length; h++) sums[Math.floor(h / stepHours)] += hourly[h] * multiplicity[h];
  return sums;
}

/** Sums over overlapping windows carry up to half as much information again as separate ones. */
const OVERLAP_GAIN = 1.5;
/** Weeks of history that define the usual range of a step. */
const USUAL_WEEKS = 4;
/** With fewer steps in these weeks, their range is chance. */
const MIN_STEPS = 14;

/**
 * Range of the demand of a step in the last four weeks, without steps that have outliers or missing hours. If there are
 * few such steps: the range of single hours, times the hours of a step. If demand did not vary in these weeks, the
 * range over the whole history; if it never varied, the middle demand.
 */
export function usualRange(
  { values, clean }: Pick<FittedModel, 'values' | 'clean'>,
  stepHours: number,
): number {
  const rangeOf = (from: number, width: number, least: number): number => {
    let lowest = Infinity;
    let highest = -Infinity;
    let whole = 0;
    for (let end = values.length; end - width >= from; end -= width) {
      let sum = 0;
      let capped = 0;
      for (let t = end - width; t < end; t++) {
        sum += values[t];
        if (clean[t] !== values[t]) capped++;
      }
      if (Number.isNaN(sum)) continue;
      whole++;
      if (capped > 0) continue;
      lowest = Math.min(lowest, sum);
      highest = Math.max(highest, sum);
    }
    // Rounding makes the sums of a constant differ.
    return whole >= least && highest - lowest > 1e-9 * highest ? highest - lowest : 0;
  };
  const recent = Math.max(0, values.length - USUAL_WEEKS * HOURS_PER_WEEK);
  return (
    rangeOf(recent, stepHours, MIN_STEPS) ||
    stepHours * rangeOf(recent, 1, 1) ||
    stepHours * rangeOf(0, 1, 1) ||
    stepHours * medianInPlace(clean.slice(), clean.length)
  );
}

/** Past forecasts of whole steps, compared with the observed demand. */
export type PastSteps = {
  /** Hours from the origin to the end of each step. */
  endHours: Float64Array;
  /** Index of each step's origin among the ascending origins. */
  origins: Int32Array;
  /** Root of the forecast. */
  levels: Float64Array;
  /** √actual − √forecast. */
  errors: Float64Array;
  /** By how much each origin counts for each other one (`rolling-origins.ts`): origins closer than H overlap. */
  elsewhere: readonly Float64Array[];
  /** Share of the errors that are independent: hours that several origins were compared with tell little more. */
  independentShare: number;
  /** Σ|actual − forecast| and Σ actual, in demand. */
  absoluteError: number;
  demand: number;
};

/**
 * Compares the past forecasts with the history, step by step, without holidays. Clock changes are ignored: both sides
 * count each local hour once. For the intervals an outlier counts with the value that the cleaning capped it to, five
 * deviations off. So a quiet or busy day stays one, while a wrong observation (1e9) cannot make every interval absurd.
 * For the reported error an outlier counts as the nearest demand that the model may forecast: the error of days to
 * come will include outliers.
 */
export function comparePast(model: FittedModel, stepHours: number): PastSteps {
  const { values, clean, transform, past, pastLeadHours } = model;
  const perOrigin = past.length === 0 ? 0 : Math.floor((past[0].hourly.length - pastLeadHours) / stepHours);
  const room = Math.max(0, perOrigin) * past.length;
  const endHours = new Float64Array(room);
  const origins = new Int32Array(room);
  const levels = new Float64Array(room);
  const errors = new Float64Array(room);
  let count = 0;
  let absoluteError = 0;
  let demand = 0;
  for (let place = 0; place < past.length; place++) {
    const { origin, hourly } = past[place];
    for (let from = pastLeadHours; from + stepHours <= hourly.length; from += stepHours) {
      let forecast = 0;
      let actual = 0;
      let observed = 0;
      let missing = 0;
      for (let h = from; h < from + stepHours; h++) {
        forecast += hourly[h];
        const value = values[origin + h];
        actual += clean[origin + h];
        observed += Number.isNaN(value) ? clean[origin + h] : clampDemand(transform, value);
        if (Number.isNaN(value)) missing++;
      }
      if (missing > MISSING_SHARE * stepHours) continue;
      endHours[count] = from + stepHours;
      origins[count] = place;
      levels[count] = Math.sqrt(forecast);
      errors[count] = Math.sqrt(actual) - levels[count];
      count++;
      absoluteError += Math.abs(observed - forecast);
      demand += observed;
    }
  }
  return {
    endHours: endHours.subarray(0, count),
    origins: origins.subarray(0, count),
    levels: levels.subarray(0, count),
    errors: errors.subarray(0, count),
    elsewhere: countsElsewhere(
      past.map(({ origin }) => origin),
      past[0]?.hourly.length ?? 0,
    ),
    independentShare: Math.min(1, OVERLAP_GAIN * distinctShare(past, pastLeadHours)),
    absoluteError,
    demand,
  };
}

/** Different hours among all that past forecasts are compared with, as a share. */
function distinctShare(past: FittedModel['past'], leadHours: number): number {
  let distinct = 0;
  let compared = 0;
  past.forEach(({ origin, hourly }, i) => {
    const hours = hourly.length - leadHours;
    distinct += Math.min(hours, (past[i + 1]?.origin ?? Infinity) - origin);
    compared += hours;
  });
  return distinct / Math.max(1, compared);
}
