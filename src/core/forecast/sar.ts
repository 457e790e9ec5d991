/**
 * SAR: seasonal autoregression by weighted Bayesian ridge.
 *
 * Notation: z[t] standardised demand; x[t] its 15 regressors, known before hour t:
 *   z at lags 1, 2, 23, 24, 25, 48, 144, 167, 168, 169; the weekly profile W (decay 0.7) at offsets 0, 1, 24, 168;
 *   intercept.
 *   w[t] = 2^((t − o) / 336) for an origin o (half-life two weeks), 0 if the hour was filled in, not observed.
 * Estimate: β minimises Σ_{t<o} w[t] (z[t] − x[t]ᵀβ)² + (σ²/τ²) |β − m|²,
 *   m = 0.75 at W, 0.25 at lag 168, 0.25 at lag 24 and −0.25 at W of that hour, 0 elsewhere: yesterday counts by its
 *   difference from its own day of the week, so Friday does not lift Saturday; τ² = 0.004; σ² the noise variance of
 *   a first, nearly unpenalised pass, so that the penalty scales with the noise: sparse series stay near their profile.
 * Forecast: recursive, ẑ taking the place of z, kept within the range of the transform.
 * Complexity: O(n · 15²/2) once for all origins, one or two 15 × 15 Cholesky per origin, O(15) per forecast hour.
 * References: Bishop, Pattern recognition and machine learning, §3.3; Hyndman & Athanasopoulos, ch. 9.
 */
import { packedLength, quadraticForm, solveRidge } from './numerics.ts';
import { seasonalProfile } from './profiles.ts';
import { HOURS_PER_DAY, HOURS_PER_WEEK } from './types.ts';

const LAGS = [1, 2, 23, 24, 25, 48, 144, 167, 168, 169] as const;
const WEEKLY_AT = LAGS.length;
const INTERCEPT_AT = WEEKLY_AT + 4;
const REGRESSORS = INTERCEPT_AT + 1;

const PROFILE_DECAY = 0.7;
const HALF_LIFE_HOURS = 336;
const PRIOR_VARIANCE = 0.004;
const FIRST_PASS_PENALTY = 1e-3;
const MIN_NOISE = 1e-8;
/** The longest lag: the first hour that has all its regressors in the history. */
const MEMORY_HOURS = 169;

const PRIOR_MEAN = new Float64Array(REGRESSORS);
PRIOR_MEAN[LAGS.indexOf(24)] = 0.25;
PRIOR_MEAN[LAGS.indexOf(168)] = 0.25;
PRIOR_MEAN[WEEKLY_AT] = 0.75;
PRIOR_MEAN[WEEKLY_AT + 2] = -0.25;

/** Writes the regressors of position `at`. */
function regressors(x: Float64Array, z: Float64Array, weekly: Float64Array, at: number): void {
  for (let i = 0; i < LAGS.length; i++) x[i] = z[at - LAGS[i]];
  x[WEEKLY_AT] = weekly[at];
  x[WEEKLY_AT + 1] = weekly[at - 1];
  x[WEEKLY_AT + 2] = weekly[at - HOURS_PER_DAY];
  x[WEEKLY_AT + 3] = weekly[at - HOURS_PER_WEEK];
  x[INTERCEPT_AT] = 1;
}

/** Weighted sums over the targets before one origin: the normal equations. */
type Moments = {
  /** Products of the regressors, and of each with the target. */
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
  const x = new Float64Array(REGRESSORS);
  const factor = new Float64Array(packedLength(REGRESSORS));
  const sums: Moments = {
    xx: new Float64Array(packedLength(REGRESSORS)),
    xz: new Float64Array(REGRESSORS),
    zz: 0,
    weight: 0,
    squaredWeight: 0,
  };
  let t = MEMORY_HOURS;
  return origins.map((origin) => {
    for (; t < origin; t++) {
      if (observed[t] === 0) continue;
      regressors(x, z, weekly, t);
      accumulate(sums, x, z[t], 2 ** ((t - z.length) / HALF_LIFE_HOURS));
    }
    const beta = estimate(scaled(sums, 2 ** ((z.length - origin) / HALF_LIFE_HOURS)), factor);
    return (count) => recurse(input, weekly, beta, origin, count);
  });
}

function accumulate(sums: Moments, x: Float64Array, target: number, weight: number): void {
  const { xx, xz } = sums;
  let at = 0;
  for (let i = 0; i < REGRESSORS; i++) {
    const xi = weight * x[i];
    for (let j = 0; j <= i; j++) xx[at++] += xi * x[j];
    xz[i] += xi * target;
  }
  sums.zz += weight * target * target;
  sums.weight += weight;
  sums.squaredWeight += weight * weight;
}

/** Weights are summed relative to the end of the history; `by` scales them to the origin. */
const scaled = ({ xx, xz, zz, weight, squaredWeight }: Moments, by: number): Moments => ({
  xx: xx.map((sum) => by * sum),
  xz: xz.map((sum) => by * sum),
  zz: by * zz,
  weight: by * weight,
  squaredWeight: by * by * squaredWeight,
});

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
  const x = new Float64Array(REGRESSORS);
  for (let at = MEMORY_HOURS; at < z.length; at++) {
    const week = at - HOURS_PER_WEEK;
    w[at] = (1 - PROFILE_DECAY) * z[week] + PROFILE_DECAY * w[week];
    regressors(x, z, w, at);
    let sum = 0;
    for (let i = 0; i < REGRESSORS; i++) sum += beta[i] * x[i];
    z[at] = Math.min(Math.max(sum, input.lowestZ), input.highestZ);
  }
  return z.subarray(MEMORY_HOURS);
}
