/**
 * The flow problem as a linear programme on the arcs of its optimal tree and some others, with the tree as a starting
 * basis: primal simplex then confirms the optimum without iterations (or with a few if the artificial node was
 * removed).
 * This file does not import HiGHS: the caller opens the model and hands over the statuses.
 *
 * Columns: x_a for each arc, then z_j for each location with demand, 0 ≤ z_j ≤ D_j, at −q_j: the objective lacks the
 * constant Σ q_j D_j.
 * Rows: sources Σ x ≤ s_i; sinks z_j − Σ x ≤ 0; service Σ z ≥ R.
 * Basis: a tree arc is basic; z_j is basic if "unserved → j" is in the tree, else at its upper bound; the row of
 * source i is basic if "i → nobody" is in the tree; the service row is basic if "unserved → nobody" is. A spanning
 * tree makes exactly as many of these basic as the model has rows.
 *
 * If staying at i is in the tree, one row replaces the rows of i as a source and as a sink: their sum, leaving −
 * coming + z_i ≤ s_i, without a column for staying. That halves the rows and saves a third of HiGHS's time. The sum
 * is a relaxation (vehicles may pass through i), so the optimum of the model is at most that of the problem, and a
 * plan that attains it is still proved optimal. The tree does attain it: staying in the tree is free, so both rows
 * have the same price.
 *
 * Written for speed, in typed arrays filled once: building the model took longer than HiGHS takes to confirm it.
 * Reference: Ahuja, Magnanti, Orlin, Network Flows (1993), §11.11 (bases are spanning trees).
 */

import type { LinearModel } from '../highs/linear-model.ts';
import { fromUnits } from '../problem/costs.ts';
import { Arrays } from './arrays.ts';
import type { Alternatives, FlowAmounts, FlowBasis } from './types.ts';

/** Status codes as HiGHS numbers them. */
const BASIS_STATUS = { lower: 0, basic: 1, upper: 2 } as const;

export type FlowModel = {
  model: LinearModel;
  /** Statuses given by the tree; columns and rows in the model's order. */
  columnStatus: Int32Array;
  rowStatus: Int32Array;
};

/**
 * The model's costs are money, so that the solver's tolerances mean the same as in other models.
 * @param extra arcs outside the tree, from locations with vehicles to locations with demand
 */
export function createFlowModel(problem: FlowAmounts, basis: FlowBasis, extra: Alternatives): FlowModel {
  const arrays = new Arrays();
  const { supply, demand, required, unservedCost } = problem;
  const rows = numberRows(arrays, problem, basis);
  const { ofSource, ofSink, serviceRow } = rows;
  const rowCount = serviceRow + 1;
  const treeCount = basis.from.length;
  const arcCount = treeCount - rows.contracted + extra.from.length;
  const columnCount = arcCount + rows.sinkCount;
  const tail = arrays.int32(arcCount);
  const head = arrays.int32(arcCount);
  const cost = arrays.float64(columnCount);
  const columnStatus = arrays.int32(columnCount);
  let arc = 0;
  for (let a = 0; a < treeCount; a++) {
    if (basis.from[a] === basis.to[a]) continue;
    tail[arc] = ofSource[basis.from[a]];
    head[arc] = ofSink[basis.to[a]];
    cost[arc] = fromUnits(basis.cost[a]);
    columnStatus[arc++] = BASIS_STATUS.basic;
  }
  for (let a = 0; a < extra.from.length; a++) {
    tail[arc] = ofSource[extra.from[a]];
    head[arc] = ofSink[extra.to[a]];
    cost[arc++] = fromUnits(extra.cost[a]);
  }

  const starts = arrays.int32(rowCount + 1);
  for (let a = 0; a < arcCount; a++) {
    starts[tail[a] + 1]++;
    starts[head[a] + 1]++;
  }
  for (let i = 0; i < problem.n; i++) if (demand[i] > 0) starts[ofSink[i] + 1]++;
  starts[rowCount] = rows.sinkCount;
  for (let r = 0; r < rowCount; r++) starts[r + 1] += starts[r];
  const next = arrays.int32(rowCount);
  next.set(starts.subarray(0, rowCount));
  const indices = arrays.int32(starts[rowCount]);
  const values = arrays.float64(indices.length).fill(1);
  for (let a = 0; a < arcCount; a++) {
    indices[next[tail[a]]++] = a;
    values[next[head[a]]] = -1;
    indices[next[head[a]]++] = a;
  }

  const upper = arrays.float64(columnCount).fill(Number.POSITIVE_INFINITY);
  const rowLower = arrays.float64(rowCount).fill(Number.NEGATIVE_INFINITY);
  const rowUpper = arrays.float64(rowCount);
  const rowStatus = arrays.int32(rowCount).fill(BASIS_STATUS.upper);
  let column = arcCount;
  for (let i = 0; i < problem.n; i++) {
    if (supply[i] > 0) {
      rowUpper[ofSource[i]] = supply[i];
      if (basis.idle[i] === 1) rowStatus[ofSource[i]] = BASIS_STATUS.basic;
    }
    if (demand[i] > 0) {
      indices[next[ofSink[i]]++] = column;
      indices[next[serviceRow]++] = column;
      upper[column] = demand[i];
      if (unservedCost) cost[column] = -fromUnits(unservedCost[i]);
      columnStatus[column++] = basis.unserved[i] === 1 ? BASIS_STATUS.basic : BASIS_STATUS.upper;
    }
  }
  rowLower[serviceRow] = required;
  rowUpper[serviceRow] = Number.POSITIVE_INFINITY;
  rowStatus[serviceRow] = basis.slack ? BASIS_STATUS.basic : BASIS_STATUS.lower;
  const lower = arrays.float64(columnCount);
  return {
    model: { columnCount, rowCount, cost, lower, upper, rowLower, rowUpper, starts, indices, values },
    columnStatus,
    rowStatus,
  };
}

/** The row of each location as a source and as a sink: the same row if staying is in the tree. */
function numberRows(arrays: Arrays, { n, supply, demand }: FlowAmounts, { from, to }: FlowBasis) {
  const staysInTree = arrays.uint8(n);
  let contracted = 0;
  for (let a = 0; a < from.length; a++) {
    if (from[a] !== to[a]) continue;
    staysInTree[from[a]] = 1;
    contracted++;
  }
  const ofSource = arrays.int32(n);
  const ofSink = arrays.int32(n);
  let count = 0;
  let sinkCount = 0;
  for (let i = 0; i < n; i++) {
    if (supply[i] > 0) ofSource[i] = count++;
    if (demand[i] === 0) continue;
    ofSink[i] = staysInTree[i] === 1 ? ofSource[i] : count++;
    sinkCount++;
  }
  return { ofSource, ofSink, serviceRow: count, sinkCount, contracted };
}
