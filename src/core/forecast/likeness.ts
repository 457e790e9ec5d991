/**
 * What is to be expected of an occasion, from like ones: best linear unbiased prediction (Henderson 1975; kriging).
 *
 * Notation: y_j effect seen at occasion j, its noise variance s_j²; V variance of effects between unlike occasions;
 * l(i, j) likeness of two, 0 … 1, so that cov(f_i, f_j) = V l(i, j) for the effects f without noise.
 *   f̂ = Σ c_j y_j,   c = (V L + diag s²)⁻¹ V l*,   Var(f* − f̂) = V (1 − Σ c_j l*_j)
 * Nothing seen: f̂ = 0 with variance V. Seen often: the mean of what was seen, the most alike first.
 * Complexity O(n³/6) for n occasions.
 */
import { packedLength, solveRidge } from './cholesky.ts';

export type Guess = {
  /** Weight of each occasion, in their order. */
  weights: Float64Array;
  /** Variance of what is still unknown of the effect. */
  variance: number;
};

/** Adds next to nothing to the diagonal; the solver asks for a positive number. */
const RIDGE = 1e-12;

/**
 * @param alike  l*_j, of the occasion asked for with each one seen
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
