/**
 * SAR: seasonal autoregression by weighted Bayesian ridge.
 *
 * Notation: z[t] standardised demand; x[t] its 29 regressors, known before hour t:
 *   z at lags 1, 2, 23, 24, 25, 48, 144, 167, 168, 169; the weekly profile W (decay 0.7) at offsets 0, 1, 24, 168;
 *   the daily profile V (decay 0.7) at offsets 0, 1; intercept; six daily sine/cosine pairs.
 *   w[t] = 2^((t − o) / 336) for an origin o (half-life two weeks), 0 if the hour was filled in, not observed.
 * Estimate: β minimises Σ_{t<o} w[t] (z[t] − x[t]ᵀβ)² + (σ²/τ²) |β − m|²,
 *   m = 0.75 at W, 0.25 at lag 168, 0.25 at lag 24 and −0.25 at W of that hour, 0 elsewhere: yesterday counts by its
 *   difference from its own day of the week, so Friday does not lift Saturday; τ² = 0.004; σ² the noise variance of
 *   a first, nearly unpenalised pass, so that the penalty scales with the noise: sparse series stay near their profile.
 * Forecast: recursive, ẑ taking the place of z, kept within the range of the transform.
 * Normal equations: intercept and waves depend only on the hour of day d, so their products are sums over d = 0 … 23,
 *   Σ_t w[t] x_i[t] c_j(d(t)) = Σ_d c_j(d) Σ_{t: d(t)=d} w[t] x_i[t].
 * Only the 16 other regressors need a product per hour.
 * Complexity: O(n · 16²/2) once for all origins, one or two 29 × 29 Cholesky per origin, O(29) per forecast hour.
 * References: Bishop, Pattern recognition and machine learning, §3.3; Hyndman & Athanasopoulos, ch. 9.
 */
import { packedLength, quadraticForm, solveRidge } from './cholesky.ts';
import { seasonalProfile } from './profiles.ts';
import { HOURS_PER_DAY, HOURS_PER_WEEK } from './types.ts';

const LAGS = [1, 2, 23, 24, 25, 48, 144, 167, 168, 169] as const;
const HARMONICS = 6;
const WEEKLY_AT = LAGS.length;
const DAILY_AT = WEEKLY_AT + 4;
/** Regressors 0 … DYNAMIC − 1 change from hour to hour. The others depend only on the hour of day. */
const DYNAMIC = DAILY_AT + 2;
const WAVES = 1 + 2 * HARMONICS;
export const REGRESSORS = DYNAMIC + WAVES;

const PROFILE_DECAY = 0.7;
const HALF_LIFE_HOURS = 336;
const PRIOR_VARIANCE = 0.004;
const FIRST_PASS_PENALTY = 1e-3;
const MIN_NOISE = 1e-8;
/** First hour that has all its regressors in the history. */
const FIRST_TARGET = 169;
/** History that a recursion reads: the longest lag, rounded up to whole days to keep hours of day aligned. */
const MEMORY_HOURS = 192;

const PRIOR_MEAN = new Float64Array(REGRESSORS);
PRIOR_MEAN[LAGS.indexOf(24)] = 0.25;
PRIOR_MEAN[LAGS.indexOf(168)] = 0.25;
PRIOR_MEAN[WEEKLY_AT] = 0.75;
PRIOR_MEAN[WEEKLY_AT + 2] = -0.25;

/** 1, then sin and cos of 2πk·hour/24, k = 1 … 6: thirteen numbers per hour of day. */
const WAVE = Float64Array.from({ length: HOURS_PER_DAY * WAVES }, (_, at) => {
  const i = at % WAVES;
  if (i === 0) return 1;
  const angle = (2 * Math.PI * ((i + 1) >> 1) * Math.floor(at / WAVES)) / HOURS_PER_DAY;
  return i % 2 === 1 ? Math.sin(angle) : Math.cos(angle);
});

/** Writes the regressors of position `at` that change from hour to hour. */
function dynamicRegressors(
  x: Float64Array,
  z: Float64Array,
  weekly: Float64Array,
  daily: Float64Array,
  at: number,
): void {
  for (let i = 0; i < LAGS.length; i++) x[i] = z[at - LAGS[i]];
  x[WEEKLY_AT] = weekly[at];
  x[WEEKLY_AT + 1] = weekly[at - 1];
  x[WEEKLY_AT + 2] = weekly[at - HOURS_PER_DAY];
  x[WEEKLY_AT + 3] = weekly[at - HOURS_PER_WEEK];
  x[DAILY_AT] = daily[at];
  x[DAILY_AT + 1] = daily[at - 1];
}

/** Weighted sums of all targets before one origin. */
type Sums = {
  /** Products of the dynamic regressors, and of each with the target. */
  xx: Float64Array;
  xz: Float64Array;
  /** Per hour of day: weight, each dynamic regressor, target. */
  hours: Float64Array;
  zz: number;
  weight: number;
  squaredWeight: number;
};
const HOUR_SUMS = DYNAMIC + 2;

/** The normal equations of one origin. */
type Moments = {
  xx: Float64Array;
  xz: Float64Array;
  zz: number;
  weight: number;
  squaredWeight: number;
};

export type SarInput = {
  z: Float64Array;
  /** 1 if the hour was observed, 0 if it was filled in. */
  observed: Uint8Array;
  lowestZ: number;
  highestZ: number;
};

/** Forecasts hours origin … origin + count − 1 of z from the hours before the origin. */
export type SarForecast = (count: number) => Float64Array;

/** One forecaster per origin; `origins` ascending, each 168 or later. */
export function fitSar(input: SarInput, origins: readonly number[]): SarForecast[] {
  const { z, observed } = input;
  const weekly = seasonalProfile(z, HOURS_PER_WEEK, PROFILE_DECAY);
  const daily = seasonalProfile(z, HOURS_PER_DAY, PROFILE_DECAY);
  const x = new Float64Array(DYNAMIC);
  const factor = new Float64Array(packedLength(REGRESSORS));
  const sums: Sums = {
    xx: new Float64Array(packedLength(DYNAMIC)),
    xz: new Float64Array(DYNAMIC),
    hours: new Float64Array(HOURS_PER_DAY * HOUR_SUMS),
    zz: 0,
    weight: 0,
    squaredWeight: 0,
  };
  let t = FIRST_TARGET;
  return origins.map((origin) => {
    for (; t < origin; t++) {
      if (observed[t] === 0) continue;
      dynamicRegressors(x, z, weekly, daily, t);
      accumulate(sums, x, z[t], t % HOURS_PER_DAY, 2 ** ((t - z.length) / HALF_LIFE_HOURS));
    }
    const beta = estimate(momentsOf(sums, 2 ** ((z.length - origin) / HALF_LIFE_HOURS)), factor);
    return (count) => recurse(input, weekly, daily, beta, origin, count);
  });
}

function accumulate(sums: Sums, x: Float64Array, target: number, hour: number, weight: number): void {
  const { xx, xz, hours } = sums;
  const from = hour * HOUR_SUMS;
  hours[from] += weight;
  let at = 0;
  for (let i = 0; i < DYNAMIC; i++) {
    const xi = weight * x[i];
    for (let j = 0; j <= i; j++) xx[at++] += xi * x[j];
    xz[i] += xi * target;
    hours[from + 1 + i] += xi;
  }
  hours[from + 1 + DYNAMIC] += weight * target;
  sums.zz += weight * target * target;
  sums.weight += weight;
  sums.squaredWeight += weight * weight;
}

/**
 * The normal equations of all regressors. Weights are summed relative to the end of the history; `by` scales them to
 * the origin.
 */
function momentsOf(sums: Sums, by: number): Moments {
  const xx = new Float64Array(packedLength(REGRESSORS));
  const xz = new Float64Array(REGRESSORS);
  for (let at = 0; at < sums.xx.length; at++) xx[at] = by * sums.xx[at];
  for (let i = 0; i < DYNAMIC; i++) xz[i] = by * sums.xz[i];
  for (let hour = 0; hour < HOURS_PER_DAY; hour++) {
    const from = hour * HOUR_SUMS;
    for (let c = 0; c < WAVES; c++) {
      const wave = by * WAVE[hour * WAVES + c];
      const row = packedLength(DYNAMIC + c);
      for (let i = 0; i < DYNAMIC; i++) xx[row + i] += wave * sums.hours[from + 1 + i];
      const weighted = wave * sums.hours[from];
      for (let d = 0; d <= c; d++) xx[row + DYNAMIC + d] += weighted * WAVE[hour * WAVES + d];
      xz[DYNAMIC + c] += wave * sums.hours[from + 1 + DYNAMIC];
    }
  }
  return {
    xx,
    xz,
    zz: sums.zz * by,
    weight: sums.weight * by,
    squaredWeight: sums.squaredWeight * by * by,
  };
}

function estimate(moments: Moments, factor: Float64Array): Float64Array {
  if (moments.weight === 0) return PRIOR_MEAN;
  const priorNoise = noise(moments, PRIOR_MEAN);
  const rows = moments.weight ** 2 / moments.squaredWeight;
  let variance = priorNoise;
  // With hardly more rows than regressors, the first pass would fit the noise itself, and the penalty would be wrong.
  if (rows > 2 * REGRESSORS) {
    const first = solveRidge(moments.xx, moments.xz, PRIOR_MEAN, FIRST_PASS_PENALTY, factor);
    variance = Math.min(priorNoise, (noise(moments, first) * rows) / (rows - REGRESSORS));
  }
  const penalty = Math.max(variance, MIN_NOISE) / PRIOR_VARIANCE;
  return solveRidge(moments.xx, moments.xz, PRIOR_MEAN, penalty, factor);
}

/** Weighted mean squared error of β on the rows behind the moments. */
function noise(moments: Moments, beta: Float64Array): number {
  let cross = 0;
  for (let i = 0; i < REGRESSORS; i++) cross += beta[i] * moments.xz[i];
  return Math.max(0, moments.zz - 2 * cross + quadraticForm(moments.xx, beta)) / moments.weight;
}

function recurse(
  input: SarInput,
  weekly: Float64Array,
  daily: Float64Array,
  beta: Float64Array,
  origin: number,
  count: number,
): Float64Array {
  // Position MEMORY_HOURS is the origin. Hours before the history are zero, the mean of z.
  const recent = (from: Float64Array): Float64Array => {
    const window = new Float64Array(MEMORY_HOURS + count);
    const start = Math.max(0, origin - MEMORY_HOURS);
    window.set(from.subarray(start, origin), MEMORY_HOURS - (origin - start));
    return window;
  };
  const z = recent(input.z);
  const w = recent(weekly);
  const v = recent(daily);
  const x = new Float64Array(DYNAMIC);
  // The contribution of intercept and waves at each hour of day. Position 0 of the window is a whole number of days
  // before the origin.
  const waves = new Float64Array(HOURS_PER_DAY);
  for (let hour = 0; hour < HOURS_PER_DAY; hour++) {
    for (let c = 0; c < WAVES; c++) waves[hour] += beta[DYNAMIC + c] * WAVE[hour * WAVES + c];
  }
  for (let at = MEMORY_HOURS; at < z.length; at++) {
    const week = at - HOURS_PER_WEEK;
    const day = at - HOURS_PER_DAY;
    w[at] = (1 - PROFILE_DECAY) * z[week] + PROFILE_DECAY * w[week];
    v[at] = (1 - PROFILE_DECAY) * z[day] + PROFILE_DECAY * v[day];
    dynamicRegressors(x, z, w, v, at);
    let sum = waves[(origin + at) % HOURS_PER_DAY];
    for (let i = 0; i < DYNAMIC; i++) sum += beta[i] * x[i];
    z[at] = Math.min(Math.max(sum, input.lowestZ), input.highestZ);
  }
  return z.subarray(MEMORY_HOURS);
}
