/**
 * Order statistics.
 *
 * Quantile of n sorted values at p, Hyndman & Fan (1996): type 7 (position (n − 1)p, the usual interpolation)
 * for descriptions, type 6 (position (n + 1)p − 1, clamped) if a tail is estimated from few values.
 * Standard normal quantile: Acklam's rational approximation, relative error below 1.2e-9.
 * Student's quantile: expansion in 1/ν to second order (Abramowitz & Stegun 26.7.5).
 */

/** With fewer values than this, an insertion sort is faster than the built-in sort. */
const INSERTION_SORT_UP_TO = 24;

/** Type 7 quantile of the first `count` ascending values; NaN if there are none. */
export function quantileSorted(sorted: Float64Array, p: number, count = sorted.length): number {
  return interpolate(sorted, (count - 1) * p, count);
}

/** Type 6 quantile of ascending values: reaches further into the tails than type 7. */
export function tailQuantileSorted(sorted: Float64Array, p: number): number {
  return interpolate(sorted, (sorted.length + 1) * p - 1, sorted.length);
}

function interpolate(sorted: Float64Array, position: number, count: number): number {
  if (count === 0) return NaN;
  const at = Math.min(Math.max(position, 0), count - 1);
  const below = Math.floor(at);
  const above = Math.min(below + 1, count - 1);
  return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

/** Median of the first `count` values; sorts them in place. NaN if there are none. */
export function medianInPlace(values: Float64Array, count: number): number {
  if (count > INSERTION_SORT_UP_TO) return quantileSorted(values.subarray(0, count).sort(), 0.5, count);
  for (let i = 1; i < count; i++) {
    const value = values[i];
    let at = i;
    for (; at > 0 && values[at - 1] > value; at--) values[at] = values[at - 1];
    values[at] = value;
  }
  return quantileSorted(values, 0.5, count);
}

const A = [
  -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716,
  2.506628277459239,
];
const B = [
  -54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1,
];
const C = [
  -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
];
const D = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1];

const horner = (coefficients: readonly number[], x: number): number =>
  coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);

/** Quantile of the standard normal distribution, 0 < p < 1. */
export function normalQuantile(p: number): number {
  if (p > 0.5) return -normalQuantile(1 - p);
  if (p < 0.02425) {
    const q = Math.sqrt(-2 * Math.log(p));
    return horner(C, q) / horner(D, q);
  }
  const q = p - 0.5;
  return (q * horner(A, q * q)) / horner(B, q * q);
}

/**
 * Student's quantile at p relative to the normal one. With 3 or more degrees of freedom it is within 5 % for 0.005 ≤ p
 * ≤ 0.995.
 * At p = ½ both are zero and the ratio is the limit.
 */
export function studentToNormal(p: number, freedom: number): number {
  const square = normalQuantile(p) ** 2;
  return 1 + (square + 1) / (4 * freedom) + (5 * square * square + 16 * square + 3) / (96 * freedom ** 2);
}
