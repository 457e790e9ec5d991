/**
 * Variance-stabilising transform, and the mean on the way back.
 *
 *   z = (√y − μ) / σ
 *   ŷ = R (m(z) + B(z)),   m = (μ + σ z)², the median,   B = mean ε²,   R = 1 + (r − 1) p² / (p² + c²)
 * with ε the past errors of the root around their mean, in up to eight groups of similar z; B is linear in between
 * (Duan 1983, smearing estimate). All errors count: rare events in one hour of a hundred change the mean, not the
 * median.
 * r = Σ demand / Σ (m + B) of the same hours, without the mean of the errors. It corrects an effect of sparse demand:
 * the forecast itself is so uncertain that its square is too large. Before r is measured, past z are moved towards the
 * middles of their days, or away from them, until they vary like the present forecast, which uses more history. With
 * an r of the past uncertainty, three weeks of sparse demand come out 6 % too low.
 * A deviation of r from 1 by about p = 0.3 Σ B / Σ m is plausible; c is its deviation by chance if hours were
 * independent. For a busy location r is chance: using it makes forecasts of whole weeks worse, and past errors look
 * too small. A mean of the errors that chance can explain is not corrected. Cleaned errors are bounded, so one odd
 * hour cannot dominate.
 * Values stay within the historical range widened by 30 % of its width.
 * Complexity O(n) once, O(1) per value. Units: y in demand per hour, z and ε free of units.
 */
import { quantileSorted } from './numerics.ts';
import { HOURS_PER_DAY } from './types.ts';

export type Transform = {
  /** Mean of √y. */
  mean: number;
  /** Standard deviation of √y; 1 for a constant series. */
  deviation: number;
  /** Range of y that a forecast may take. */
  lowest: number;
  highest: number;
  /** The same in units of z. */
  lowestZ: number;
  highestZ: number;
};

const RANGE_MARGIN = 0.3;
/** Minimum number of hours with demand. */
const MIN_IN_GROUP = 15;
const MAX_GROUPS = 8;
const GROUPING_SAMPLE = 600;
/** With few events, any ratio can occur by chance. */
const MAX_RATIO = 2;
/**
 * Noise adds to the square of a forecast. This share of that amount is a plausible effect of the forecast's own
 * uncertainty.
 */
const PLAUSIBLE_SHARE = 0.3;
const NO_SIGNAL = 1e-9;

/** The demand with root x. A forecast below zero is zero demand. */
export const demandOfRoot = (x: number): number => (x <= 0 ? 0 : x * x);

/** Fits the transform to clean demand (finite, ≥ 0, at least one value). */
export function fitTransform(clean: Float64Array): Transform {
  let lowest = Infinity;
  let highest = 0;
  let mean = 0;
  for (const y of clean) {
    lowest = Math.min(lowest, y);
    highest = Math.max(highest, y);
    mean += Math.sqrt(y) / clean.length;
  }
  let variance = 0;
  for (const y of clean) variance += (Math.sqrt(y) - mean) ** 2 / clean.length;
  // A constant series varies only by rounding; standardising that would model the rounding.
  const isConstant = !(variance > 1e-20 * Math.max(mean * mean, 1e-280)) || lowest === highest;
  const deviation = isConstant ? 1 : Math.sqrt(variance);
  const margin = RANGE_MARGIN * (highest - lowest);
  const bottom = Math.max(0, lowest - margin);
  const top = highest + margin;
  return {
    mean,
    deviation,
    lowest: bottom,
    highest: top,
    lowestZ: (Math.sqrt(bottom) - mean) / deviation,
    highestZ: (Math.sqrt(top) - mean) / deviation,
  };
}

/** z of each value. */
export function standardise(transform: Transform, clean: Float64Array): Float64Array {
  return clean.map((y) => (Math.sqrt(y) - transform.mean) / transform.deviation);
}

/** The demand nearest to y that a forecast may take. */
export const clampDemand = (transform: Transform, y: number): number =>
  Math.min(Math.max(y, transform.lowest), transform.highest);

/** Median demand of a standardised forecast. */
export function medianDemand(transform: Transform, z: number): number {
  return clampDemand(transform, demandOfRoot(transform.mean + transform.deviation * z));
}

/** Turns standardised forecasts into expected demand. */
export type MeanDemand = (z: number) => number;

/** Past forecasts of single hours, hour by hour. */
export type PastHours = {
  z: Float64Array;
  /** z of the observed demand, minus the forecast. */
  errors: Float64Array;
  demand: Float64Array;
  /** Number of distinct hours among them: past forecasts may overlap. */
  distinct: number;
};

/**
 * The mean demand of a forecast, learned from past ones; the median if there are none.
 * @param past hours from several origins, each with enough history before it
 * @param ahead z of the present forecast, one week at the same hours of day as the past ones
 */
export function meanDemand(transform: Transform, past: PastHours, ahead = past.z): MeanDemand {
  const { mean, deviation } = transform;
  const knots = errorsByLevel(transform, past);
  const corrected = (z: number): number => demandOfRoot(mean + deviation * z) + interpolate(knots, z);
  const ratio = shrunkRatio(past, ahead, corrected, (z) => interpolate(knots, z));
  return (z) => clampDemand(transform, ratio * corrected(z));
}

/** R: ratio of past demand to its forecasts, shrunk by the part that chance explains. @param ahead z */
function shrunkRatio(past: PastHours, ahead: Float64Array, corrected: MeanDemand, noise: MeanDemand): number {
  const { errors, demand, distinct } = past;
  const n = errors.length;
  const shift = shrunkMean(errors);
  const { middles, deviation: spread } = withinDays(past.z);
  const stretch = spread > 0 ? withinDays(ahead).deviation / spread : 1;
  let expected = 0;
  let observed = 0;
  let added = 0;
  let squares = 0;
  for (let i = 0; i < n; i++) {
    const z = middles[i] + stretch * (past.z[i] - middles[i]) + shift;
    const mean = corrected(z);
    expected += mean;
    observed += demand[i];
    added += noise(z);
    squares += (demand[i] - mean) ** 2;
  }
  if (!(expected > 0)) return 1;
  const ratio = Math.min(Math.max(observed / expected, 1 / MAX_RATIO), MAX_RATIO);
  // If the forecast is nothing but noise, every ratio is plausible.
  const plausible = (PLAUSIBLE_SHARE * added) / Math.max(expected - added, NO_SIGNAL * added);
  const chance = Math.sqrt((squares * n) / distinct) / expected;
  return plausible > 0 ? 1 + (ratio - 1) / (1 + (chance / plausible) ** 2) : 1;
}

/** Mean of the day of each hour, and standard deviation around these means. */
function withinDays(hours: Float64Array): { middles: Float64Array; deviation: number } {
  const middles = new Float64Array(hours.length);
  let square = 0;
  for (let from = 0; from < hours.length; from += HOURS_PER_DAY) {
    const day = hours.subarray(from, from + HOURS_PER_DAY);
    const middle = day.reduce((sum, one) => sum + one, 0) / day.length;
    middles.fill(middle, from, from + day.length);
    for (const one of day) square += (one - middle) ** 2;
  }
  return { middles, deviation: Math.sqrt(square / hours.length) };
}

/** The mean, shrunk by the part that chance explains (James & Stein 1961); 0 for no values. */
function shrunkMean(values: Float64Array): number {
  const n = values.length;
  let mean = 0;
  for (const value of values) mean += value / n;
  let variance = 0;
  for (const value of values) variance += (value - mean) ** 2 / n;
  return mean * mean * n > variance ? mean - variance / (n * mean) : 0;
}

/** The correction of the median by errors around their mean, at the mean z of each group. */
type Knot = {
  z: number;
  /** Demand to add. */
  correction: number;
};

function errorsByLevel({ deviation }: Transform, { z, errors, demand }: PastHours): Knot[] {
  const events = demand.reduce((count, one) => count + (one > 0 ? 1 : 0), 0);
  const ends = groupEnds(z, Math.floor(events / MIN_IN_GROUP));
  const counts = new Float64Array(ends.length);
  const levels = new Float64Array(ends.length);
  const means = new Float64Array(ends.length);
  const spreads = new Float64Array(ends.length);
  for (let i = 0; i < z.length; i++) {
    let group = 0;
    while (z[i] > ends[group]) group++;
    const error = deviation * errors[i];
    counts[group]++;
    levels[group] += z[i];
    means[group] += error;
    spreads[group] += error * error;
  }
  const knots: Knot[] = [];
  counts.forEach((count, k) => {
    if (count === 0) return;
    const centre = means[k] / count;
    knots.push({ z: levels[k] / count, correction: spreads[k] / count - centre * centre });
  });
  return knots.length > 0 ? knots : [{ z: 0, correction: 0 }];
}

/** Largest z of each group, about `wanted` groups; the last is infinite. */
function groupEnds(z: Float64Array, wanted: number): Float64Array {
  const groups = Math.min(MAX_GROUPS, Math.max(1, wanted));
  // A sample is enough to find the borders of the groups; the sums use all values.
  let stride = Math.ceil(z.length / GROUPING_SAMPLE);
  // A stride that shares a factor with 24 or 168 would always meet the same hours of the day.
  while (stride > 1 && (stride % 2 === 0 || stride % 3 === 0 || stride % 7 === 0)) stride++;
  const sample = Float64Array.from({ length: Math.ceil(z.length / stride) }, (_, i) => z[i * stride]).sort();
  return Float64Array.from({ length: groups }, (_, k) =>
    k + 1 === groups ? Infinity : quantileSorted(sample, (k + 1) / groups),
  );
}

/** Linear between the knots, constant outside of them. */
function interpolate(knots: readonly Knot[], z: number): number {
  let above = 0;
  while (above < knots.length && knots[above].z < z) above++;
  const after = knots[Math.min(above, knots.length - 1)];
  const before = knots[Math.max(above - 1, 0)];
  if (after.z === before.z) return after.correction;
  const u = (z - before.z) / (after.z - before.z);
  return before.correction + u * (after.correction - before.correction);
}
