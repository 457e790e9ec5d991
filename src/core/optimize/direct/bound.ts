/**
 * A lower bound on a linear programme's optimum that holds even if the solver was wrong.
 *
 * Any row multipliers π give  min c·x ≥ Σ_r (π_r > 0 ? π_r · rowLower_r : π_r · rowUpper_r)
 *                                    + Σ_j (d_j > 0 ? d_j · lower_j : d_j · upper_j),   d = c − Aᵀπ,
 * where multipliers that would meet an infinite side are set to 0. The optimal duals give the optimum.
 * O(entries). Reference: Neumaier and Shcherbina, Safe bounds in linear and mixed-integer programming, Mathematical
 * Programming 99 (2004).
 */
import type { LinearModel } from '../highs/linear-model.ts';

/** @param rowDual multipliers, one per row; the model's column bounds must be finite */
export function dualBound(model: LinearModel, rowDual: Float64Array): number {
  const reduced = model.cost.slice();
  let bound = 0;
  for (let r = 0; r < model.rowCount; r++) {
    const dual = rowDual[r];
    const side = dual > 0 ? model.rowLower[r] : model.rowUpper[r];
    if (dual === 0 || !Number.isFinite(side)) continue;
    bound += dual * side;
    for (let e = model.starts[r]; e < model.starts[r + 1]; e++)
      reduced[model.indices[e]] -= dual * model.values[e];
  }
  for (let j = 0; j < model.columnCount; j++) {
    bound += reduced[j] * (reduced[j] > 0 ? model.lower[j] : model.upper[j]);
  }
  return bound;
}
