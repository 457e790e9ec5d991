/**
 * Scores of the M4 competition, as its rules and its R code define them (Makridakis, Spiliotis, Assimakopoulos 2020).
 *
 * Notation: y[1…n] history, y[n+1…n+H] the values that followed, f forecast, L and U its bounds, m seasonal period.
 *   sMAPE = 200/H Σ |y − f| / (|y| + |f|)                                          per cent
 *   scale = 1/(n − m) Σ_{t>m} |y[t] − y[t − m]|                                    in-sample seasonal naive
 *   MASE  = 1/H Σ |y − f| / scale
 *   MSIS  = 1/H Σ ((U − L) + 2/α (L − y)₊ + 2/α (y − U)₊) / scale,  α = 0.05
 *   OWA   = ½ (sMAPE / sMAPE of Naive2 + MASE / MASE of Naive2), each averaged over all series first
 */

const ALPHA = 0.05;
/** 90 % two-sided normal quantile. */
const SEASONALITY_CRITICAL = 1.645;

export type PointScore = {
  smape: number;
  mase: number;
};

const mean = (values: Iterable<number>): number => {
  let sum = 0;
  let count = 0;
  for (const value of values) {
    sum += value;
    count++;
  }
  return sum / count;
};

export function scorePoints(
  forecast: Float64Array,
  actual: Float64Array,
  history: Float64Array,
  period: number,
): PointScore {
  const errors = actual.map((y, h) => Math.abs(y - forecast[h]));
  return {
    smape: mean(errors.map((error, h) => (200 * error) / (Math.abs(actual[h]) + Math.abs(forecast[h])))),
    mase: mean(errors) / naiveScale(history, period),
  };
}

export type IntervalScore = {
  msis: number;
  /** Steps inside the interval. */
  inside: number;
};

export function scoreIntervals(
  lower: Float64Array,
  upper: Float64Array,
  actual: Float64Array,
  history: Float64Array,
  period: number,
): IntervalScore {
  let inside = 0;
  const widths = actual.map((y, h) => {
    const [low, high] = [lower[h], upper[h]];
    if (y >= low && y <= high) inside++;
    return high - low + (2 / ALPHA) * (Math.max(0, low - y) + Math.max(0, y - high));
  });
  return { msis: mean(widths) / naiveScale(history, period), inside };
}

/** Mean |y[t] − y[t − m]| of the history. */
export function naiveScale(history: Float64Array, period: number): number {
  return mean(history.subarray(period).map((y, t) => Math.abs(y - history[t])));
}

export const averagePoints = (scores: readonly PointScore[]): PointScore => ({
  smape: mean(scores.map(({ smape }) => smape)),
  mase: mean(scores.map(({ mase }) => mase)),
});

/** OWA of averages over all series, relative to those of Naive2. */
export const overallWeightedAverage = (score: PointScore, naive2: PointScore): number =>
  (score.smape / naive2.smape + score.mase / naive2.mase) / 2;

/** The last season, repeated. */
export function seasonalNaive(history: Float64Array, period: number, horizon: number): Float64Array {
  return Float64Array.from({ length: horizon }, (_, h) => history[history.length - period + (h % period)]);
}

/**
 * Naive2: the last value of the seasonally adjusted history, times the seasonal indices. Without adjustment if the
 * history fails the seasonality test.
 */
export function naive2(history: Float64Array, period: number, horizon: number): Float64Array {
  const n = history.length;
  const indices = isSeasonal(history, period)
    ? seasonalIndices(history, period)
    : new Float64Array(period).fill(1);
  const level = history[n - 1] / indices[(n - 1) % period];
  return Float64Array.from({ length: horizon }, (_, h) => level * indices[(n + h) % period]);
}

/**
 * 90 % test of the autocorrelation at lag m: |r_m| > 1.645 √((1 + 2 Σ_{k<m} r_k²) / n). Never seasonal below three
 * periods, nor if m is beyond the ⌊10 log₁₀ n⌋ lags that R's `acf` computes.
 */
export function isSeasonal(history: Float64Array, period: number): boolean {
  const n = history.length;
  if (n < 3 * period || period > Math.floor(10 * Math.log10(n))) return false;
  const centre = mean(history);
  const covariance = (lag: number): number => {
    let sum = 0;
    for (let t = lag; t < n; t++) sum += (history[t] - centre) * (history[t - lag] - centre);
    return sum;
  };
  const variance = covariance(0);
  let squares = 0;
  for (let lag = 1; lag < period; lag++) squares += (covariance(lag) / variance) ** 2;
  const limit = SEASONALITY_CRITICAL * Math.sqrt((1 + 2 * squares) / n);
  return Math.abs(covariance(period) / variance) > limit;
}

/**
 * Multiplicative classical decomposition, R's `decompose`: y / centred moving average of one period (half weights at
 * the ends if m is even), averaged per season, scaled to mean 1. Index i is that of position i, i + m, …
 */
export function seasonalIndices(history: Float64Array, period: number): Float64Array {
  const n = history.length;
  const half = Math.floor(period / 2);
  const sums = new Float64Array(period);
  const counts = new Int32Array(period);
  for (let t = half; t + half < n; t++) {
    let trend = 0;
    for (let k = -half; k <= half; k++) {
      const weight = period % 2 === 0 && Math.abs(k) === half ? 0.5 : 1;
      trend += (weight * history[t + k]) / period;
    }
    sums[t % period] += history[t] / trend;
    counts[t % period]++;
  }
  const figure = sums.map((sum, i) => sum / counts[i]);
  const centre = mean(figure);
  return figure.map((index) => index / centre);
}
