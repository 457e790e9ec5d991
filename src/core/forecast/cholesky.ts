/**
 * Ridge system (A + λI) β = b + λ m for a symmetric, positive semidefinite A.
 *
 * A = LLᵀ by Cholesky, then two triangular solves. Packed storage: the lower triangle row by row, entry (i, j) at
 * i(i + 1)/2 + j. Complexity n³/6 multiplications plus n². Reference: Golub & Van Loan, Matrix computations, §4.2.
 */

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
