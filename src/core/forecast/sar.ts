/**
 * SAR: seasonal autoregression by weighted Bayesian ridge.
 *
 * Notation: z[t] standardised demand; x[t] its 29 regressors, known before hour t:
 *   z at lags 1, 2, 23, 24, 25, 48, 144, 167, 168, 169; the weekly profile W (decay 0.7) at offsets 0, 1, 24, 168;
 *   the daily profile V (decay 0.7) at offsets 0, 1; intercept; six daily sine/cosine pairs.
 *   w[t] = 2^((t − o) / 336) for an origin o (half-life two weeks), 0 where the hour was filled in, not observed.
 * Estimate: β minimises Σ_{t<o} w[t] (z[t] − x[t]ᵀβ)² + (σ²/τ²) |β − m|²,
 *   m = 0.25 at lag 24, 0.25 at lag 168, 0.5 at W, 0 elsewhere; τ² = 0.004; σ² the noise variance of a first,
 *   nearly unpenalised pass, so that the penalty scales with the noise: sparse series stay close to their profile.
 * Forecast: recursive, ẑ taking the place of z, kept within the range of the transform.
 * Complexity: normal equations O(n · 29²/2) once for all origins, one or two 29 × 29 Cholesky per origin, O(29) per
 * forecast hour. References: Bishop, Pattern recognition and machine learning, §3.3; Hyndman & Athanasopoulos, ch. 9.
 */
import { packedLength, quadraticForm, solveRidge } from './cholesky.ts';
import { seasonalProfile } from './profiles.ts';
import { HOURS_PER_DAY, HOURS_PER_WEEK } from './types.ts';

const LAGS = [1, 2, 23, 24, 25, 48, 144, 167, 168, 169] as const;
const HARMONICS = 6;
const WEEKLY_AT = LAGS.length;
const DAILY_AT = WEEKLY_AT + 4;
const INTERCEPT_AT = DAILY_AT + 2;
export const REGRESSORS = INTERCEPT_AT + 1 + 2 * HARMONICS;

const PROFILE_DECAY = 0.7;
const HALF_LIFE_HOURS = 336;
const PRIOR_VARIANCE = 0.004;
const FIRST_PASS_PENALTY = 1e-3;
const SMALLEST_NOISE = 1e-8;
/** First hour with all its regressors in the history. */
const FIRST_TARGET = 169;
/** History a recursion reads: the longest lag, rounded up to days so that hours of day line up. */
const MEMORY_HOURS = 192;

const PRIOR_MEAN = new Float64Array(REGRESSORS);
PRIOR_MEAN[LAGS.indexOf(24)] = 0.25;
PRIOR_MEAN[LAGS.indexOf(168)] = 0.25;
PRIOR_MEAN[WEEKLY_AT] = 0.5;

/** sin and cos of 2πk·hour/24, k = 1 … 6: twelve numbers per hour of day. */
const WAVES = Float64Array.from({ length: HOURS_PER_DAY * 2 * HARMONICS }, (_, i) => {
  const angle =
    (2 * Math.PI * (1 + ((i >> 1) % HARMONICS)) * Math.floor(i / (2 * HARMONICS))) / HOURS_PER_DAY;
  return i % 2 === 0 ? Math.sin(angle) : Math.cos(angle);
});

/**
 * Writes the regressors of position `at`. `phase` is its hour of day counted from any fixed hour: a shifted clock turns
 * each sine/cosine pair, and neither the span of the pair nor its penalty changes.
 */
function regressors(
  x: Float64Array,
  z: Float64Array,
  weekly: Float64Array,
  daily: Float64Array,
  at: number,
  phase: number,
): void {
  for (let i = 0; i < LAGS.length; i++) x[i] = z[at - LAGS[i]!]!;
  x[WEEKLY_AT] = weekly[at]!;
  x[WEEKLY_AT + 1] = weekly[at - 1]!;
  x[WEEKLY_AT + 2] = weekly[at - HOURS_PER_DAY]!;
  x[WEEKLY_AT + 3] = weekly[at - HOURS_PER_WEEK]!;
  x[DAILY_AT] = daily[at]!;
  x[DAILY_AT + 1] = daily[at - 1]!;
  x[INTERCEPT_AT] = 1;
  const wave = phase * 2 * HARMONICS;
  for (let i = 0; i < 2 * HARMONICS; i++) x[INTERCEPT_AT + 1 + i] = WAVES[wave + i]!;
}

/** Weighted moments of all targets before one origin. */
interface Moments {
  xx: Float64Array;
  xz: Float64Array;
  zz: number;
  weight: number;
  squaredWeight: number;
}

export interface SarInput {
  z: Float64Array;
  /** 1 where the hour was observed, 0 where it was filled in. */
  observed: Uint8Array;
  lowestZ: number;
  highestZ: number;
}

/** Forecasts hours origin … origin + count − 1 of z from the hours before the origin. */
export type SarForecast = (count: number) => Float64Array;

/** One forecaster per origin; `origins` ascending, each 168 or later. */
export function fitSar(input: SarInput, origins: readonly number[]): SarForecast[] {
  const { z, observed } = input;
  const weekly = seasonalProfile(z, HOURS_PER_WEEK, PROFILE_DECAY);
  const daily = seasonalProfile(z, HOURS_PER_DAY, PROFILE_DECAY);
  const x = new Float64Array(REGRESSORS);
  const factor = new Float64Array(packedLength(REGRESSORS));
  const sums: Moments = {
    xx: new Float64Array(packedLength(REGRESSORS)),
    xz: new Float64Array(REGRESSORS),
    zz: 0,
    weight: 0,
    squaredWeight: 0,
  };
  let t = FIRST_TARGET;
  return origins.map((origin) => {
    for (; t < origin; t++) {
      if (observed[t] === 0) continue;
      regressors(x, z, weekly, daily, t, t % HOURS_PER_DAY);
      accumulate(sums, x, z[t]!, 2 ** ((t - z.length) / HALF_LIFE_HOURS));
    }
    const beta = estimate(scaled(sums, 2 ** ((z.length - origin) / HALF_LIFE_HOURS)), factor);
    return (count) => recurse(input, weekly, daily, beta, origin, count);
  });
}

function accumulate(sums: Moments, x: Float64Array, target: number, weight: number): void {
  const { xx, xz } = sums;
  let at = 0;
  for (let i = 0; i < REGRESSORS; i++) {
    const xi = weight * x[i]!;
    for (let j = 0; j <= i; j++) xx[at++]! += xi * x[j]!;
    xz[i]! += xi * target;
  }
  sums.zz += weight * target * target;
  sums.weight += weight;
  sums.squaredWeight += weight * weight;
}

/** Weights are summed relative to the end of the history; an origin's own are a multiple of them. */
function scaled(sums: Moments, by: number): Moments {
  return {
    xx: sums.xx.map((value) => value * by),
    xz: sums.xz.map((value) => value * by),
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
  // With hardly more rows than regressors the first pass fits the noise itself and would lift the penalty.
  if (rows > 2 * REGRESSORS) {
    const first = solveRidge(moments.xx, moments.xz, PRIOR_MEAN, FIRST_PASS_PENALTY, factor);
    variance = Math.min(priorNoise, (noise(moments, first) * rows) / (rows - REGRESSORS));
  }
  const penalty = Math.max(variance, SMALLEST_NOISE) / PRIOR_VARIANCE;
  return solveRidge(moments.xx, moments.xz, PRIOR_MEAN, penalty, factor);
}

/** Weighted mean squared error of β on the rows behind the moments. */
function noise(moments: Moments, beta: Float64Array): number {
  let cross = 0;
  for (let i = 0; i < REGRESSORS; i++) cross += beta[i]! * moments.xz[i]!;
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
  // Position MEMORY_HOURS is the origin. Before the history there are zeros, the mean of z.
  const recent = (from: Float64Array): Float64Array => {
    const window = new Float64Array(MEMORY_HOURS + count);
    const start = Math.max(0, origin - MEMORY_HOURS);
    window.set(from.subarray(start, origin), MEMORY_HOURS - (origin - start));
    return window;
  };
  const z = recent(input.z);
  const w = recent(weekly);
  const v = recent(daily);
  const x = new Float64Array(REGRESSORS);
  for (let at = MEMORY_HOURS; at < z.length; at++) {
    const week = at - HOURS_PER_WEEK;
    const day = at - HOURS_PER_DAY;
    w[at] = (1 - PROFILE_DECAY) * z[week]! + PROFILE_DECAY * w[week]!;
    v[at] = (1 - PROFILE_DECAY) * z[day]! + PROFILE_DECAY * v[day]!;
    regressors(x, z, w, v, at, (origin + at) % HOURS_PER_DAY);
    let sum = 0;
    for (let i = 0; i < REGRESSORS; i++) sum += beta[i]! * x[i]!;
    z[at] = Math.min(Math.max(sum, input.lowestZ), input.highestZ);
  }
  return z.subarray(MEMORY_HOURS);
}
