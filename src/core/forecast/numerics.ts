/**
 * Order statistics, ridge systems, and best guesses.
 *
 * Quantile of n sorted values at p, Hyndman & Fan (1996): type 7 (position (n − 1)p, the usual interpolation)
 * for descriptions, type 6 (position (n + 1)p − 1, clamped) if a tail is estimated from few values.
 * Standard normal quantile: Acklam's rational approximation, relative error below 1.2e-9.
 * Student's quantile: expansion in 1/ν to second order (Abramowitz & Stegun 26.7.5).
 *
 * Ridge system (A + λI) β = b + λ m for a symmetric, positive semidefinite A: A = LLᵀ by Cholesky, then two triangular
 * solves, n³/6 multiplications plus n² (Golub & Van Loan, Matrix computations, §4.2). Packed storage: the lower
 * triangle row by row, entry (i, j) at i(i + 1)/2 + j.
 *
 * Best guess: the effect of an occasion from similar ones, by best linear unbiased prediction (Henderson 1975;
 * kriging). Notation: y_j effect observed at occasion j, with noise variance s_j²; V variance of effects between
 * unrelated occasions; l(i, j) likeness of two occasions, 0 … 1, with cov(f_i, f_j) = V l(i, j) for the effects f
 * without noise.
 *   f̂ = Σ c_j y_j,   c = (V L + diag s²)⁻¹ V l*,   Var(f* − f̂) = V (1 − Σ c_j l*_j)
 * Without observations: f̂ = 0 with variance V. With many: a weighted mean of them, where similar occasions weigh most.
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
 * Student's quantile at p relative to the normal one. With 3 or more degrees of freedom it is within 5 % for
 * 0.005 ≤ p ≤ 0.995. At p = ½ both are zero and the ratio is the limit.
 */
export function studentToNormal(p: number, freedom: number): number {
  const square = normalQuantile(p) ** 2;
  return 1 + (square + 1) / (4 * freedom) + (5 * square * square + 16 * square + 3) / (96 * freedom ** 2);
}

/** Entries of a packed lower triangle of order n. */
export const packedLength = (n: number): number => (n * (n + 1)) / 2;

/** Solves for β. `lambda` > 0 keeps the matrix positive definite. `factor` is scratch space of A's length. */
export function solveRidge(
  a: Float64Array,
  b: Float64Array,
  priorMean: Float64Array,
  lambda: number,
  factor: Float64Array,
): Float64Array {
  const n = b.length;
  const x = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const row = packedLength(i);
    for (let j = 0; j <= i; j++) {
      const column = packedLength(j);
      let sum = a[row + j];
      for (let k = 0; k < j; k++) sum -= factor[row + k] * factor[column + k];
      if (i !== j) factor[row + j] = sum / factor[column + j];
      // λ bounds every pivot from below in exact arithmetic; the maximum only guards against rounding.
      else factor[row + j] = Math.sqrt(Math.max(sum + lambda, lambda * 1e-3));
    }
  }
  for (let i = 0; i < n; i++) {
    const row = packedLength(i);
    let sum = b[i] + lambda * priorMean[i];
    for (let k = 0; k < i; k++) sum -= factor[row + k] * x[k];
    x[i] = sum / factor[row + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    let sum = x[i];
    for (let k = i + 1; k < n; k++) sum -= factor[packedLength(k) + i] * x[k];
    x[i] = sum / factor[packedLength(i) + i];
  }
  return x;
}

/** xᵀAy for a packed symmetric A. */
export function quadraticForm(a: Float64Array, x: Float64Array): number {
  let sum = 0;
  let at = 0;
  for (let i = 0; i < x.length; i++) {
    for (let j = 0; j < i; j++) sum += 2 * a[at++] * x[i] * x[j];
    sum += a[at++] * x[i] * x[i];
  }
  return sum;
}

export type Guess = {
  /** Weight of each occasion, in their order. */
  weights: Float64Array;
  /** Variance of the effect that remains unknown. */
  variance: number;
};

/** Adds almost nothing to the diagonal; the solver requires a positive number. */
const RIDGE = 1e-12;

/**
 * @param alike  l*_j, likeness of the wanted occasion to each observed one
 * @param pairs  l(i, j), packed lower triangle
 * @param noise  s_j² > 0
 */
export function bestGuess(
  alike: Float64Array,
  pairs: Float64Array,
  noise: (j: number) => number,
  variance: number,
): Guess {
  const n = alike.length;
  if (n === 0) return { weights: alike, variance };
  const system = pairs.map((l) => l * variance);
  for (let j = 0; j < n; j++) system[packedLength(j) + j] += noise(j);
  const target = alike.map((l) => l * variance);
  const weights = solveRidge(system, target, new Float64Array(n), RIDGE, new Float64Array(system.length));
  const known = weights.reduce((sum, weight, j) => sum + weight * alike[j], 0);
  return { weights, variance: variance * Math.min(1, Math.max(0, 1 - known)) };
}

/** Likeness of each pair of `list`, packed lower triangle. */
export function pairwise<T>(list: readonly T[], likeness: (a: T, b: T) => number): Float64Array {
  const pairs = new Float64Array(packedLength(list.length));
  let at = 0;
  for (let i = 0; i < list.length; i++) {
    for (let j = 0; j <= i; j++) pairs[at++] = likeness(list[i], list[j]);
  }
  return pairs;
}

/** Σ c_j y_j. */
export const weighted = (weights: Float64Array, values: ArrayLike<number>): number =>
  weights.reduce((sum, weight, j) => sum + weight * values[j], 0);
