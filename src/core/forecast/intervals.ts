/**
 * Prediction intervals from the errors of past forecasts, pooled over the panel of series.
 *
 * Notation: e = √actual − √forecast, the error of a step's sum on roots;
 *   u = e / s(x), relative to its usual size at the level x = √forecast (`error-scale.ts`);
 *   b bucket of the horizon at the step's end (up to 1, 3, 6, 12, 24, 48, 96, 168, 336, 672 h);
 *   r mean |u| of a series;  r₋ₒ the same of the other origins, each by the share of its hours that u's own origin is
 *   not compared with (`rolling-origins.ts`);  n errors of the series in b;  N those of the panel;
 *   T quantile of Student's distribution over that of the normal one, with f = i n − 1 degrees of freedom, i the
 *   share of errors that are independent: hours compared from several origins count at most 1.5 times; T' the same
 *   with f' = M − 1 of the panel, M its errors over how much they go together within an origin:
 *   M = Σ_all i · Σ u² / Σ_o (Σ u of o)², each u relative to its r.
 *   S = max(1, T of all errors of the series / T of as many as the panel's middle series has).
 *   normal  ν(p)   = T(p) Φ⁻¹(p) √(π/2)                      quantile of a normal error with mean |u| = 1
 *   panel   π_b(p) = (N S(p) T'(p) Q_b(p) + 60 ν(p)) / (N + 60)    Q_b quantile of u / r₋ₒ over all series
 *   series  q_b(p) = (n T(p) Q(p) + 60 r π_b(p)) / (n + 60)    Q own quantile of u
 *   bound   (x + s(x) q_b(p))²,   p = (1 ± level) / 2, kept on its side of the forecast and ≥ 0
 * An error is divided by the scale of the other origins: the next error will not be part of its own scale either, and
 * u / r has tails that are too thin. So the panel's shape already contains the uncertainty of scales known from few
 * errors; Student's factor for n would count it twice. What remains is S, for a series with fewer errors than others,
 * and T', for the number of errors of the panel itself.
 * Errors are those of sums over steps: the errors of a sum's hours are correlated, so hourly intervals cannot be added.
 * Beyond the longest compared horizon h_m the last bucket is widened by √(1 + log₂(h / h_m)). This is a convention: 13
 * weeks of history cannot measure it.
 * No bound is further from the forecast than five times the range of the step's demand in the last four weeks. Errors
 * beyond that come from a change of level, or from a level of few days, and say nothing about the future.
 * A series without any comparison takes the panel's middle scale, or its own hourly variation times √step if that is
 * larger. With less than a day of history it takes at least a Poisson error.
 * Complexity O(R log R) for R errors. Reference: Gneiting & Raftery 2007 (interval score); James–Stein shrinkage.
 */
import { MAX_CONFIDENCE_LEVEL, MIN_CONFIDENCE_LEVEL } from '../../contracts/forecast.ts';
import { type ErrorScale, scaleByLevel, sumOfSizes } from './error-scale.ts';
import { normalQuantile, quantileSorted, studentToNormal, tailQuantileSorted, weighted } from './numerics.ts';
import type { PastSteps } from './steps.ts';
import { demandOfRoot } from './transform.ts';

const BUCKET_ENDS = [1, 3, 6, 12, 24, 48, 96, 168, 336, 672];
const SHRINKAGE = 60;
/** Lower limit for the degrees of freedom: below it Student's distribution says little more than "unknown". */
const MIN_FREEDOM = 3;
/** Limits for the errors kept for the panel: per series and bucket, and per bucket over all series. */
const SERIES_SAMPLE = 256;
const PANEL_SAMPLE = 100_000;
/** A bound may lie this many usual ranges away from the forecast. */
const MAX_RANGES = 5;
const NORMAL_SD_PER_MEAN_ERROR = Math.sqrt(Math.PI / 2);

/** @throws RangeError for a level at which quantiles are meaningless or infinite */
export function checkConfidenceLevel(level: number): void {
  if (level >= MIN_CONFIDENCE_LEVEL && level <= MAX_CONFIDENCE_LEVEL) return;
  throw new RangeError(
    `confidenceLevel is ${level}; give a share from ${MIN_CONFIDENCE_LEVEL} to ${MAX_CONFIDENCE_LEVEL}`,
  );
}

function bucketOf(endHours: number): number {
  let bucket = 0;
  while (bucket < BUCKET_ENDS.length - 1 && endHours > BUCKET_ENDS[bucket]) bucket++;
  return bucket;
}

/** Errors of one series, ordered for quantiles. */
type SeriesErrors = {
  scaleAt: ErrorScale;
  /** Ascending u per bucket. */
  buckets: Float64Array[];
  /** Ascending u relative to the mean |u| of the other origins, per bucket. */
  relative: Float64Array[];
  /** Mean |u|; null if nothing was compared. */
  scale: number | null;
  /** Local hour of each origin, Σ u of its errors, and Σ u² of all. */
  originHours: readonly number[];
  originSums: Float64Array;
  squares: number;
  /** Mean |e|; 0 if nothing was compared. */
  meanError: number;
  /** Largest share of the errors that can be independent. */
  independentShare: number;
  /** Scale to assume if nothing was compared. */
  ownVariation: number;
  /** Range of a step's demand in recent weeks; 0 if only zeros are known. */
  usualRange: number;
};

/** Errors of one series as they were made, without reference to the panel. */
export interface MadeErrors
  extends Omit<SeriesErrors, 'buckets' | 'relative' | 'scale' | 'originSums' | 'squares'> {
  /** u, and for each the index of its origin among the ascending origins. */
  errors: Float64Array;
  origins: Uint8Array;
  buckets: Uint8Array;
  /** See `PastSteps`. */
  elsewhere: readonly Float64Array[];
}

/**
 * @param ownVariation standard deviation of the root of a step, estimated from single hours
 * @param usualRange   of a step's demand, see `steps.ts`
 * @param originHours  local hours of the origins, to know which origins of other series are the same
 */
export function scaleErrors(
  past: PastSteps,
  ownVariation: number,
  usualRange: number,
  originHours: readonly number[] = [],
): MadeErrors {
  const { endHours, levels, elsewhere, independentShare } = past;
  const scaleAt = scaleByLevel(levels, past.errors);
  const count = past.errors.length;
  return {
    scaleAt,
    errors: past.errors.map((error, i) => error / scaleAt(levels[i])),
    buckets: Uint8Array.from(endHours, bucketOf),
    origins: Uint8Array.from(past.origins),
    originHours,
    elsewhere,
    meanError: count === 0 ? 0 : sumOfSizes(past.errors) / count,
    independentShare,
    ownVariation,
    usualRange,
  };
}

function sortErrors(made: MadeErrors): SeriesErrors {
  const { errors, origins, elsewhere, buckets: bucketAt, ...kept } = made;
  const originCount = errors.length === 0 ? 0 : origins.at(-1)! + 1;
  const sums = new Float64Array(originCount);
  const originSums = new Float64Array(originCount);
  let squares = 0;
  const counts = new Float64Array(originCount);
  const bucketCounts = new Int32Array(BUCKET_ENDS.length);
  for (let i = 0; i < errors.length; i++) {
    sums[origins[i]] += Math.abs(errors[i]);
    originSums[origins[i]] += errors[i];
    squares += errors[i] ** 2;
    counts[origins[i]]++;
    bucketCounts[bucketAt[i]]++;
  }
  const sum = sumOfSizes(errors);
  // NaN for an only origin.
  const scaleElsewhere = sums.map((_, o) => weighted(sums, elsewhere[o]) / weighted(counts, elsewhere[o]));
  const buckets = Array.from(bucketCounts, (count) => new Float64Array(count));
  const relative = Array.from(bucketCounts, (count) => new Float64Array(count));
  const filled = new Int32Array(BUCKET_ENDS.length);
  const compared = new Int32Array(BUCKET_ENDS.length);
  for (let i = 0; i < errors.length; i++) {
    const bucket = bucketAt[i];
    buckets[bucket][filled[bucket]++] = errors[i];
    const others = scaleElsewhere[origins[i]];
    // Rounding leaves a remainder near zero if all the other errors are zero.
    if (others > 1e-9 * sum) relative[bucket][compared[bucket]++] = errors[i] / others;
  }
  return {
    ...kept,
    buckets: buckets.map((list) => list.sort()),
    relative: relative.map((list, b) => thinned(list.subarray(0, compared[b]).sort(), SERIES_SAMPLE)),
    scale: errors.length === 0 ? null : sum / errors.length,
    originSums,
    squares,
  };
}

/** At most `wanted` values, evenly spaced in order, in place of all. */
function thinned(sorted: Float64Array, wanted: number): Float64Array {
  if (sorted.length <= wanted) return sorted;
  return Float64Array.from(
    { length: wanted },
    (_, i) => sorted[Math.floor(((i + 0.5) * sorted.length) / wanted)],
  );
}

/** Quantiles of scaled errors over all series of a request. */
export type ErrorPanel = {
  /** Ascending scaled errors per bucket. */
  buckets: Float64Array[];
  middleScale: number | null;
  /** f', the degrees of freedom of its errors. */
  freedom: number;
  /** Degrees of freedom of its middle series; Infinity if there is none. */
  middleFreedom: number;
  /** Errors of its series, in order. */
  sorted: ReadonlyMap<MadeErrors, SeriesErrors>;
};

export function buildPanel(series: readonly MadeErrors[]): ErrorPanel {
  const sorted = new Map(series.map((made) => [made, sortErrors(made)]));
  const compared = [...sorted.values()].filter((one) => one.scale !== null && one.scale > 0);
  const perSeries = Math.max(
    1,
    Math.min(SERIES_SAMPLE, Math.floor(PANEL_SAMPLE / Math.max(1, compared.length))),
  );
  const buckets = BUCKET_ENDS.map((_, b) => {
    const parts = compared.map((one) => thinned(one.relative[b], perSeries));
    const pooled = new Float64Array(parts.reduce((total, part) => total + part.length, 0));
    let at = 0;
    for (const part of parts) {
      pooled.set(part, at);
      at += part.length;
    }
    return pooled.sort();
  });
  const scales = Float64Array.from(compared, (one) => one.meanError).sort();
  return {
    buckets,
    middleScale: scales.length === 0 ? null : quantileSorted(scales, 0.5),
    freedom: panelFreedom(compared),
    middleFreedom:
      compared.length === 0 ? Infinity : quantileSorted(Float64Array.from(compared, freedomOf).sort(), 0.5),
    sorted,
  };
}

/** Degrees of freedom of all errors of a series. */
const freedomOf = ({ buckets, independentShare }: SeriesErrors): number =>
  buckets.reduce((sum, { length }) => sum + length, 0) * independentShare - 1;

/** f' of the series that have a scale. Locations hit by one storm count as one storm, not as many locations. */
function panelFreedom(series: readonly SeriesErrors[]): number {
  const sums = new Map<number, number>();
  let count = 0;
  let squares = 0;
  for (const one of series) {
    const scale = one.scale!;
    one.originSums.forEach((sum, o) => {
      const hour = one.originHours[o] ?? o;
      sums.set(hour, (sums.get(hour) ?? 0) + sum / scale);
    });
    for (const bucket of one.buckets) count += bucket.length * one.independentShare;
    squares += one.squares / scale ** 2;
  }
  let together = 0;
  for (const sum of sums.values()) together += sum * sum;
  return count / Math.max(1, together / squares) - 1;
}

/** Bounds of one series' steps. */
export type Bounds = {
  lower: Float64Array;
  upper: Float64Array;
};

/**
 * @param values    forecast per step
 * @param endHours  hours from the end of the history to the end of each step
 */
export function stepBounds(
  values: Float64Array,
  endHours: Float64Array,
  made: MadeErrors,
  panel: ErrorPanel,
  confidenceLevel: number,
): Bounds {
  const errors = panel.sorted.get(made) ?? sortErrors(made);
  const low = errorQuantiles(errors, panel, (1 - confidenceLevel) / 2);
  const high = errorQuantiles(errors, panel, (1 + confidenceLevel) / 2);
  const longest = longestCompared(errors, panel);
  const reach = reachOf(errors);
  const lower = new Float64Array(values.length);
  const upper = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    const bucket = bucketOf(endHours[i]);
    const widening = endHours[i] > longest ? Math.sqrt(1 + Math.log2(endHours[i] / longest)) : 1;
    const centre = Math.sqrt(value);
    const scale = widening * errors.scaleAt(centre);
    lower[i] = Math.max(0, value - reach, Math.min(value, demandOfRoot(centre + scale * low[bucket])));
    upper[i] = Math.min(value + reach, Math.max(value, demandOfRoot(centre + scale * high[bucket])));
  }
  return { lower, upper };
}

/** The largest distance of a bound from the forecast. */
export const reachOf = ({ usualRange }: Pick<SeriesErrors, 'usualRange'>): number =>
  usualRange > 0 ? MAX_RANGES * usualRange : Number.MAX_VALUE;

/** End of the last bucket with errors: nothing was measured beyond it. */
function longestCompared(errors: SeriesErrors, panel: ErrorPanel): number {
  const last = panel.buckets.findLastIndex((bucket, b) => bucket.length + errors.buckets[b].length > 0);
  return last === -1 ? BUCKET_ENDS.at(-1)! : BUCKET_ENDS[last];
}

/**
 * q_b(p) per bucket. A bucket without errors takes those of the nearest bucket that has some, the shorter one first.
 */
function errorQuantiles(errors: SeriesErrors, panel: ErrorPanel, p: number): Float64Array {
  const normal = normalQuantile(p) * NORMAL_SD_PER_MEAN_ERROR;
  const scale = errors.scale ?? Math.max(panel.middleScale ?? 0, errors.ownVariation);
  const student = (freedom: number): number => studentToNormal(p, Math.max(MIN_FREEDOM, freedom));
  const ofPanel = student(panel.freedom);
  const ofScale = Math.max(1, student(freedomOf(errors)) / student(panel.middleFreedom));
  const quantiles = new Float64Array(BUCKET_ENDS.length).fill(NaN);
  for (let b = 0; b < BUCKET_ENDS.length; b++) {
    const shared = panel.buckets[b];
    const own = errors.buckets[b];
    if (shared.length + own.length === 0) continue;
    const ofSeries = student(own.length * errors.independentShare - 1);
    const shape = shared.length === 0 ? 0 : shared.length * ofScale * ofPanel * tailQuantileSorted(shared, p);
    const pooled = (shape + SHRINKAGE * ofSeries * normal) / (shared.length + SHRINKAGE);
    const seen = own.length === 0 ? 0 : own.length * ofSeries * tailQuantileSorted(own, p);
    quantiles[b] = (seen + SHRINKAGE * scale * pooled) / (own.length + SHRINKAGE);
  }
  return quantiles.map((_, b) => {
    for (let near = b; near >= 0; near--) if (!Number.isNaN(quantiles[near])) return quantiles[near];
    const later = quantiles.find((quantile) => !Number.isNaN(quantile));
    return later ?? scale * normal;
  });
}
