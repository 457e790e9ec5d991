/**
 * Sums over steps of local hours.
 *
 * A step of s hours covers s hours of the wall clock; the last one ends with the horizon and may be shorter. Each hour
 * counts as often as it really happens: 0 times if the clock skips it, twice if the clock repeats it.
 */
import type { FittedModel } from './model.ts';
import { stabilise } from './transform.ts';

/** Largest share of missing hours in a step whose forecast is still compared with what was observed. */
const MISSING_SHARE = 0.25;

export const stepCount = (horizonHours: number, stepHours: number): number =>
  Math.ceil(horizonHours / stepHours);

/** Demand per step from demand per hour. */
export function sumSteps(hourly: Float64Array, multiplicity: Uint8Array, stepHours: number): Float64Array {
  const sums = new Float64Array(stepCount(hourly.length, stepHours));
  for (let h = 0; h < hourly.length; h++) sums[Math.floor(h / stepHours)]! += hourly[h]! * multiplicity[h]!;
  return sums;
}

/** Past forecasts of whole steps beside what happened. */
export interface PastSteps {
  /** Hours from the origin to the end of each step. */
  endHours: Float64Array;
  /** Place of each step's origin among the origins, ascending. */
  origins: Int32Array;
  /** Error on the scale of the series' transform: g(actual) − g(forecast), finite. */
  errors: Float64Array;
  /** Σ|actual − forecast| and Σ actual, in demand. */
  absoluteError: number;
  demand: number;
}

/**
 * Compares the past forecasts with the history, step by step, holidays left out. Clock changes are left out of the comparison: both
 * sides count each local hour once.
 */
export function comparePast(model: FittedModel, stepHours: number): PastSteps {
  const { values, clean, transform, past, pastLeadHours } = model;
  const perOrigin = past.length === 0 ? 0 : Math.floor((past[0]!.hourly.length - pastLeadHours) / stepHours);
  const room = Math.max(0, perOrigin) * past.length;
  const endHours = new Float64Array(room);
  const origins = new Int32Array(room);
  const errors = new Float64Array(room);
  const least = transform.kind === 'log' ? transform.lowest * stepHours : 0;
  let count = 0;
  let absoluteError = 0;
  let demand = 0;
  for (let place = 0; place < past.length; place++) {
    const { origin, hourly } = past[place]!;
    for (let from = pastLeadHours; from + stepHours <= hourly.length; from += stepHours) {
      let forecast = 0;
      let actual = 0;
      let missing = 0;
      for (let h = from; h < from + stepHours; h++) {
        const value = values[origin + h]!;
        forecast += hourly[h]!;
        actual += Number.isNaN(value) ? clean[origin + h]! : value;
        if (Number.isNaN(value)) missing++;
      }
      if (missing > MISSING_SHARE * stepHours) continue;
      // A logarithm has no zero, and the cleaned history that the transform was chosen on may lack an hour that was 0.
      // What lies below all that the model may forecast counts as the least of it, as the cleaning caps outliers.
      const compared = Math.max(actual, least);
      endHours[count] = from + stepHours;
      origins[count] = place;
      errors[count++] = stabilise(transform.kind, compared) - stabilise(transform.kind, forecast);
      absoluteError += Math.abs(actual - forecast);
      demand += actual;
    }
  }
  return {
    endHours: endHours.subarray(0, count),
    origins: origins.subarray(0, count),
    errors: errors.subarray(0, count),
    absoluteError,
    demand,
  };
}
