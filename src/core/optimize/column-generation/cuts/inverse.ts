/** Inverses of small dense matrices. */

const MIN_PIVOT = 1e-9;

/**
 * The inverse, row by row, of a square matrix given by its columns; Gauss-Jordan with partial pivoting. Null if it is
 * singular. O(m³).
 */
export function inverseOf(columns: readonly Float64Array[]): Float64Array | null {
  const m = columns.length;
  const width = 2 * m;
  // The matrix, and next to it the identity, which becomes the inverse.
  const table = new Float64Array(m * width);
  for (let c = 0; c < m; c++) {
    for (let r = 0; r < m; r++) table[r * width + c] = columns[c][r];
    table[c * width + m + c] = 1;
  }
  for (let c = 0; c < m; c++) {
    let pivot = c;
    for (let r = c + 1; r < m; r++) {
      if (Math.abs(table[r * width + c]) > Math.abs(table[pivot * width + c])) pivot = r;
    }
    const head = table[pivot * width + c];
    if (Math.abs(head) < MIN_PIVOT) return null;
    for (let e = 0; e < width; e++) {
      const kept = table[c * width + e];
      table[c * width + e] = table[pivot * width + e] / head;
      if (pivot !== c) table[pivot * width + e] = kept;
    }
    for (let r = 0; r < m; r++) {
      const factor = table[r * width + c];
      if (r === c || factor === 0) continue;
      for (let e = 0; e < width; e++) table[r * width + e] -= factor * table[c * width + e];
    }
  }
  const inverse = new Float64Array(m * m);
  for (let r = 0; r < m; r++) inverse.set(table.subarray(r * width + m, (r + 1) * width), r * m);
  return inverse;
}
