/**
 * What any prices of the rows prove about all pairs, those without columns included.
 *
 * With prices π of the formulation's rows and λ, μ_i ≥ 0 of the limits, the objective of every plan is at least
 *
 *     Σ_r π_r · side_r − λ · max_pairs − Σ_i μ_i · max_moves_from + Σ_c min d_c · x_c + Σ_p min(0, value_p),
 *
 * d = c − Aᵀπ. The value of a pair is its own optimum if it is used: f + λ + μ_i + Σ d · x over m to M vehicles,
 * at most as many of a class as the source has. So a pair's whole numbers count, which the linear relaxation ignores.
 * A plan that uses a pair of positive value costs at least bound + value.
 * Reference: Neumaier and Shcherbina, as in `../direct/bound.ts`. O(entries · log K).
 */
import type { LinearModel } from '../highs/linear-model.ts';
import type { PairModel } from './pair-model.ts';
import { type Pairs, STAYS } from './pairs-of-moves.ts';

export type PairPrices = {
  /** In money; −Infinity if the prices prove nothing. */
  bound: number;
  /** Per pair, in money. */
  value: Float64Array;
};

export type PairRules = { cost: number; minVehicles: number; maxPairs: number; maxFrom: number };

/** @param rowDual of the pair model's rows, from any basis */
export function pricePairs(
  whole: LinearModel,
  pairs: Pairs,
  { allRow, rowOfSource }: Pick<PairModel, 'allRow' | 'rowOfSource'>,
  { cost, minVehicles, maxPairs, maxFrom }: PairRules,
  rowDual: Float64Array,
): PairPrices {
  const reduced = whole.cost.slice();
  let bound = 0;
  for (let r = 0; r < whole.rowCount; r++) {
    const dual = rowDual[r];
    const side = dual > 0 ? whole.rowLower[r] : whole.rowUpper[r];
    if (dual === 0 || !Number.isFinite(side)) continue;
    bound += dual * side;
    for (let e = whole.starts[r]; e < whole.starts[r + 1]; e++)
      reduced[whole.indices[e]] -= dual * whole.values[e];
  }
  const priceOf = (row: number) => (row < 0 ? 0 : Math.max(0, -rowDual[row]));
  const ofAll = priceOf(allRow);
  if (ofAll > 0) bound -= ofAll * maxPairs;
  for (const row of rowOfSource) if (priceOf(row) > 0) bound -= priceOf(row) * maxFrom;
  for (let c = 0; c < whole.columnCount; c++) {
    if (c < pairs.pairOfArc.length && pairs.pairOfArc[c] !== STAYS) continue;
    bound += reduced[c] * (reduced[c] > 0 ? whole.lower[c] : whole.upper[c]);
  }
  const value = new Float64Array(pairs.count);
  for (let p = 0; p < pairs.count; p++) {
    const arcs = pairs.arcs.subarray(pairs.arcStart[p], pairs.arcStart[p + 1]);
    const used = cost + ofAll + priceOf(rowOfSource[pairs.source[p]]);
    value[p] = used + cheapestLoad(arcs, reduced, whole.upper, minVehicles, pairs.most[p]);
    if (value[p] < 0) bound += value[p];
  }
  return { bound, value };
}

/** The least Σ d · x over `least` to `most` vehicles on these arcs. */
function cheapestLoad(
  arcs: Int32Array,
  reduced: Float64Array,
  upper: Float64Array,
  least: number,
  most: number,
): number {
  if (arcs.length === 1) return reduced[arcs[0]] * (reduced[arcs[0]] < 0 ? most : least);
  let load = 0;
  let sum = 0;
  for (const a of arcs.toSorted((a, b) => reduced[a] - reduced[b])) {
    const wanted = (reduced[a] < 0 ? most : least) - load;
    if (wanted <= 0) break;
    const vehicles = Math.min(wanted, upper[a]);
    load += vehicles;
    sum += vehicles * reduced[a];
  }
  return sum;
}
