/**
 * The sums of a backtest: errors of the service and of two simple rules, and how many steps fell inside the interval.
 *
 *   WAPE = Σ|ŷ − y| / Σ y                 share of demand that was forecast wrong
 *   bias = Σ(ŷ − y) / Σ y                 above 0: forecast too high
 *   MASE = mean over origins of  mean|ŷ − y| / mean|y[t] − y[t − 168]| of the history before the origin
 * (Hyndman & Koehler 2006; below 1 means better than repeating last week's value inside the history). A measure is null
 * if its denominator is 0. The rules:
 *   last week     ŷ[t] = the newest observed y[t − 168 j], j = 1, 2, …             ("seasonal naive")
 *   weekday mean  ŷ[t] = mean of the newest four observed y[t − 168 j]
 * in local hours, from observations before the origin only. An hour of the week that was never observed gets the mean
 * of the history.
 */
import type { Bounds } from './intervals.ts';
import { HOURS_PER_WEEK } from './types.ts';

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

const noErrors = (): ErrorSums => ({ absolute: 0, signed: 0, demand: 0, scaled: 0, scaledCount: 0 });

/** Adds the steps of one origin. A NaN actual is a step that was not observed; it is skipped. */
function addErrors(sums: ErrorSums, forecast: Float64Array, actual: Float64Array, scale: number): void {
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
function accuracyOf(parts: readonly ErrorSums[]): Accuracy {
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

/** If nothing ever varied, the interval has no width. It still contains its value within this tolerance. */
const ROUNDING = 1e-9;

/** `last_week`: last week's value (seasonal naive); `weekday_mean`: mean of the last four same weekdays. */
export const BACKTEST_METHODS = ['engine', 'last_week', 'weekday_mean'] as const;
export type BacktestMethod = (typeof BACKTEST_METHODS)[number];

export type EngineScore = {
  steps: number;
  accuracy: Record<BacktestMethod, Accuracy>;
  /** Share of the steps inside the engine's interval, one per level; null if no step was compared. */
  coverage: (number | null)[];
};

/** Running sums of one location. */
export type ScoreSums = {
  errors: Record<BacktestMethod, ErrorSums>;
  inside: number[];
  steps: number;
};

export const noSums = (levels: number): ScoreSums => ({
  errors: { engine: noErrors(), last_week: noErrors(), weekday_mean: noErrors() },
  inside: new Array(levels).fill(0),
  steps: 0,
});

/**
 * Adds the steps of one origin.
 * @param actual NaN for a step that was not observed or does not count
 * @param scale denominator of MASE
 */
export function addSteps(
  sums: ScoreSums,
  forecasts: Record<BacktestMethod, Float64Array>,
  bounds: readonly Bounds[],
  actual: Float64Array,
  scale: number,
): void {
  for (const method of BACKTEST_METHODS) addErrors(sums.errors[method], forecasts[method], actual, scale);
  actual.forEach((y, i) => {
    if (Number.isNaN(y)) return;
    sums.steps++;
    bounds.forEach(({ lower, upper }, level) => {
      const slack = ROUNDING * y;
      if (y >= lower[i] - slack && y <= upper[i] + slack) sums.inside[level]++;
    });
  });
}

/** Scores of the sums of one or more locations taken together. */
export function scoreOf(parts: readonly ScoreSums[], levels: readonly number[]): EngineScore {
  const steps = parts.reduce((sum, part) => sum + part.steps, 0);
  const accuracy = (method: BacktestMethod): Accuracy => accuracyOf(parts.map((part) => part.errors[method]));
  return {
    steps,
    accuracy: {
      engine: accuracy('engine'),
      last_week: accuracy('last_week'),
      weekday_mean: accuracy('weekday_mean'),
    },
    coverage: levels.map((_, level) =>
      steps === 0 ? null : parts.reduce((sum, part) => sum + part.inside[level], 0) / steps,
    ),
  };
}

/**
 * Mean of the newest `weeks` observed values of the same hour of the week.
 * @param history      hourly demand, NaN where missing, at least one observed
 * @param leadHours    hours from the end of the history to the first hour forecast
 */
export function sameHourMean(
  history: Float64Array,
  leadHours: number,
  horizonHours: number,
  weeks: number,
): Float64Array {
  const n = history.length;
  const observed = history.filter((value) => !Number.isNaN(value));
  const overall = observed.reduce((sum, value) => sum + value / observed.length, 0);
  const forecast = new Float64Array(horizonHours);
  for (let h = 0; h < horizonHours; h++) {
    const ahead = leadHours + h;
    let sum = 0;
    let count = 0;
    for (
      let t = n + (ahead % HOURS_PER_WEEK) - HOURS_PER_WEEK;
      t >= 0 && count < weeks;
      t -= HOURS_PER_WEEK
    ) {
      if (Number.isNaN(history[t])) continue;
      sum += history[t];
      count++;
    }
    forecast[h] = count === 0 ? overall : sum / count;
  }
  return forecast;
}
