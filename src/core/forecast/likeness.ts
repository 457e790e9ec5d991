/**
 * Predicts the effect of an occasion from similar ones: best linear unbiased prediction (Henderson 1975; kriging).
 *
 * Notation: y_j effect observed at occasion j, with noise variance s_j²; V variance of effects between unrelated
 * occasions; l(i, j) likeness of two occasions, 0 … 1, with cov(f_i, f_j) = V l(i, j) for the effects f without noise.
 *   f̂ = Σ c_j y_j,   c = (V L + diag s²)⁻¹ V l*,   Var(f* − f̂) = V (1 − Σ c_j l*_j)
 * Without observations: f̂ = 0 with variance V. With many: a weighted mean of them, where similar occasions weigh most.
 * Complexity O(n³/6) for n occasions.
 */
import { packedLength, solveRidge } from './cholesky.ts';

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
