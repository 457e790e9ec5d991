/**
 * The model of some pairs: the formulation's rows, restricted to the moves of these pairs, and for each pair p a
 * column z_p that says whether it is used.
 *
 *     m · z_p ≤ Σ x ≤ M_p · z_p        its vehicles, of all classes
 *     Σ z ≤ max_pairs,  Σ_{p from i} z_p ≤ max_moves_from
 *     objective                        + cost_per_pair · Σ z
 *
 * Columns: z, the moves and stays of the formulation, its other columns in their order. Rows: those of the
 * formulation, then two per pair, then the limits. So other rules of the formulation come along unchanged.
 */
import type { Formulation } from '../direct/formulation.ts';
import { costScaleOf } from '../highs/cost-scale.ts';
import { createRowBuilder, type LinearModel } from '../highs/linear-model.ts';
import { fromUnits } from '../problem/costs.ts';
import type { Problem } from '../problem/model.ts';
import { type Pairs, STAYS } from './pairs-of-moves.ts';

export type PairModel = {
  model: LinearModel;
  /** The pair of each z, in their order. */
  chosen: Int32Array;
  /** The formulation's column of each column after z. */
  columns: Int32Array;
  /** Columns from 0 to here are integer: z, moves and steps. */
  integerTo: number;
  /** The row that limits all pairs, and the rows by source; −1 if there is none. */
  allRow: number;
  rowOfSource: Int32Array;
};

/** @param isChosen per pair, whether the model has it. O(entries of the formulation) */
export function createPairModel(
  problem: Problem,
  { model: whole, variables: v }: Formulation,
  pairs: Pairs,
  isChosen: Uint8Array,
): PairModel {
  const { limits, locationIds } = problem;
  const chosen = Int32Array.from(isChosen.keys().filter((p) => isChosen[p] !== 0));
  const place = new Int32Array(whole.columnCount).fill(-1);
  const kept: number[] = [];
  let integerTo = chosen.length;
  for (let c = 0; c < whole.columnCount; c++) {
    if (c < v.firstStep) {
      const pair = pairs.pairOfArc[c];
      if (pair !== STAYS && (pair < 0 || isChosen[pair] === 0)) continue;
    }
    place[c] = chosen.length + kept.length;
    kept.push(c);
    if (c < v.firstStep + v.stepClass.length) integerTo = chosen.length + kept.length;
  }
  const columns = Int32Array.from(kept);
  const rows = createRowBuilder(2 * whole.starts[whole.rowCount]);
  for (let r = 0; r < whole.rowCount; r++) {
    for (let e = whole.starts[r]; e < whole.starts[r + 1]; e++) {
      const at = place[whole.indices[e]];
      if (at >= 0) rows.add(at, whole.values[e]);
    }
    rows.end(whole.rowLower[r], whole.rowUpper[r]);
  }
  for (let z = 0; z < chosen.length; z++) {
    const p = chosen[z];
    for (const [factor, lower, upper] of [
      [pairs.most[p], Number.NEGATIVE_INFINITY, 0],
      [limits.minVehiclesPerMove, 0, Number.POSITIVE_INFINITY],
    ]) {
      for (let e = pairs.arcStart[p]; e < pairs.arcStart[p + 1]; e++) rows.add(place[pairs.arcs[e]], 1);
      rows.add(z, -factor);
      rows.end(lower, upper);
    }
  }
  const end = (most: number) => rows.end(Number.NEGATIVE_INFINITY, most);
  let allRow = -1;
  if (limits.maxPairs !== Number.POSITIVE_INFINITY) {
    for (let z = 0; z < chosen.length; z++) rows.add(z, 1);
    allRow = end(limits.maxPairs);
  }
  const rowOfSource = new Int32Array(locationIds.length).fill(-1);
  if (limits.maxMovesFrom !== Number.POSITIVE_INFINITY) {
    // Pairs are numbered by source.
    for (let z = 0; z < chosen.length; ) {
      const source = pairs.source[chosen[z]];
      for (; z < chosen.length && pairs.source[chosen[z]] === source; z++) rows.add(z, 1);
      rowOfSource[source] = end(limits.maxMovesFrom);
    }
  }
  const pick = (values: Float64Array, ofPair: number) => {
    const picked = new Float64Array(chosen.length + columns.length).fill(ofPair);
    for (let c = 0; c < columns.length; c++) picked[chosen.length + c] = values[columns[c]];
    return picked;
  };
  const cost = pick(whole.cost, pairCost(problem));
  return {
    model: {
      columnCount: cost.length,
      cost,
      costScale: costScaleOf(cost.reduce((most, c) => Math.max(most, Math.abs(c)), 0)),
      lower: pick(whole.lower, 0),
      upper: pick(whole.upper, 1),
      ...rows.finish(),
    },
    chosen,
    columns,
    integerTo,
    allRow,
    rowOfSource,
  };
}

/** What a used pair adds to the objective, in money. */
export function pairCost({ pairCostUnits = 0 }: Problem): number {
  return fromUnits(pairCostUnits);
}

/** The values of the formulation's columns; those of moves that the model lacks are 0. */
export function wholeValues(
  { chosen, columns }: PairModel,
  values: Float64Array,
  { model }: Formulation,
): Float64Array {
  const whole = new Float64Array(model.columnCount);
  for (let c = 0; c < columns.length; c++) whole[columns[c]] = values[chosen.length + c];
  return whole;
}
