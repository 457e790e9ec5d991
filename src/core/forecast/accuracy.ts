/**
 * Measures of accuracy, accumulated step by step.
 *
 *   WAPE = Σ|ŷ − y| / Σ y                 share of demand that was forecast wrong
 *   bias = Σ(ŷ − y) / Σ y                 above 0: forecast too high
 *   MASE = mean over origins of  mean|ŷ − y| / mean|y[t] − y[t − 168]| of the history before the origin
 * (Hyndman & Koehler 2006; below 1 means better than repeating last week's value inside the history). A measure is null
 * if its denominator is 0.
 */

/** Running sums for one method at one location. */
export type ErrorSums = {
  absolute: number;
  signed: number;
  demand: number;
  /** Sum and number of scaled errors, one per origin. */
  scaled: number;
  scaledCount: number;
};

export type Accuracy = {
  wape: number | null;
  mase: number | null;
  bias: number | null;
};

export const noErrors = (): ErrorSums => ({ absolute: 0, signed: 0, demand: 0, scaled: 0, scaledCount: 0 });

/** Adds the steps of one origin. A NaN actual is a step that was not observed; it is skipped. */
export function addErrors(
  sums: ErrorSums,
  forecast: Float64Array,
  actual: Float64Array,
  scale: number,
): void {
  let absolute = 0;
  let steps = 0;
  for (let i = 0; i < actual.length; i++) {
    const error = forecast[i] - actual[i];
    if (Number.isNaN(error)) continue;
    absolute += Math.abs(error);
    sums.signed += error;
    sums.demand += actual[i];
    steps++;
  }
  sums.absolute += absolute;
  if (steps > 0 && scale > 0) {
    sums.scaled += absolute / steps / scale;
    sums.scaledCount++;
  }
}

/** Measures of the sums of one or more locations taken together. */
export function accuracyOf(parts: readonly ErrorSums[]): Accuracy {
  const total = noErrors();
  for (const part of parts) {
    total.absolute += part.absolute;
    total.signed += part.signed;
    total.demand += part.demand;
    total.scaled += part.scaled;
    total.scaledCount += part.scaledCount;
  }
  return {
    wape: total.demand > 0 ? total.absolute / total.demand : null,
    mase: total.scaledCount > 0 ? total.scaled / total.scaledCount : null,
    bias: total.demand > 0 ? total.signed / total.demand : null,
  };
}

/** Mean |y[t] − y[t − 168 h]| over the steps that end with the history; 0 if there are none. */
export function weeklyNaiveError(history: Float64Array, stepHours: number, hoursPerWeek: number): number {
  let sum = 0;
  let count = 0;
  for (let end = history.length; end - stepHours - hoursPerWeek >= 0; end -= stepHours) {
    let difference = 0;
    for (let t = end - stepHours; t < end; t++) difference += history[t] - history[t - hoursPerWeek];
    if (Number.isNaN(difference)) continue;
    sum += Math.abs(difference);
    count++;
  }
  return count === 0 ? 0 : sum / count;
}
