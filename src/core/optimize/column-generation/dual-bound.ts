/**
 * What any row multipliers prove about the restricted programme: a bound over the base columns and all rows, and the
 * prices with which `pricing.ts` prices the moves. Artificial columns are 0 in every plan and are left out.
 * Reference: Neumaier, Shcherbina (2004).
 */
import type { BaseModel } from './base-model.ts';
import type { Prices } from './pricing.ts';
import type { Rows } from './rows.ts';

export type WholeBounds = { lower: Float64Array; upper: Float64Array };

export type DualBound = ReturnType<typeof createDualBound>;

/** @param leavingRow row "at most s_ik leave" at k · n + i; −1 without such a row */
export function createDualBound(base: BaseModel, rows: Rows, leavingRow: Int32Array) {
  const { model: m } = base;
  const size = leavingRow.length;
  const firstArc = m.columnCount;

  return {
    /** The value of a vehicle at its source and at its target. */
    prices(rowDual: Float64Array): Prices {
      const atSource = new Float64Array(size);
      const atTarget = new Float64Array(size);
      for (let at = 0; at < size; at++) {
        atTarget[at] = rowDual[base.targetRow[at]];
        atSource[at] = rowDual[base.sourceRow[at]];
        if (leavingRow[at] >= 0) atSource[at] += Math.max(0, rowDual[leavingRow[at]]);
      }
      return { atSource, atTarget };
    },

    /**
     * The dual bound over the base columns and all rows, in money, and the reduced costs of these columns.
     * @param whole bounds of the integer columns
     * @param isFree sets the cost of every base column to 0
     */
    ofBase(
      rowDual: Float64Array,
      whole: WholeBounds,
      isFree: boolean,
    ): { bound: number; reduced: Float64Array } {
      const reduced = isFree ? new Float64Array(m.columnCount) : m.cost.slice();
      let bound = 0;
      for (let r = 0; r < m.rowCount; r++) {
        const dual = rowDual[r];
        const side = dual > 0 ? m.rowLower[r] : m.rowUpper[r];
        // A multiplier of the wrong sign counts as 0, also in the prices of moves (they are bounds of their own).
        if (dual === 0 || !Number.isFinite(side)) continue;
        bound += dual * side;
        for (let e = m.starts[r]; e < m.starts[r + 1]; e++) reduced[m.indices[e]] -= dual * m.values[e];
      }
      for (let x = 0; x < rows.extra.length; x++) {
        // The row may have been added after these multipliers were computed.
        const dual = rowDual[m.rowCount + x] ?? 0;
        const { indices, values, lower } = rows.extra[x];
        if (!(dual > 0)) continue;
        bound += dual * lower;
        if (indices[0] >= firstArc) continue;
        for (let e = 0; e < indices.length; e++) reduced[indices[e]] -= dual * values[e];
      }
      for (let c = 0; c < base.firstArtificial; c++) {
        const lower = c < base.integerColumns ? whole.lower[c] : m.lower[c];
        const upper = c < base.integerColumns ? whole.upper[c] : m.upper[c];
        bound += reduced[c] * (reduced[c] > 0 ? lower : upper);
      }
      return { bound, reduced };
    },

    /** The multipliers without those whose sign would meet an infinite side. */
    clean(rowDual: Float64Array): Float64Array {
      const clean = rowDual.slice();
      for (let r = 0; r < clean.length; r++) {
        const isBase = r < m.rowCount;
        const side =
          clean[r] > 0 ? (isBase ? m.rowLower[r] : 0) : isBase ? m.rowUpper[r] : Number.POSITIVE_INFINITY;
        if (!Number.isFinite(side)) clean[r] = 0;
      }
      return clean;
    },
  };
}
