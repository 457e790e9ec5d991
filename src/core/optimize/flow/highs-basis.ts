/**
 * The flow problem as a linear programme on the arcs of its optimal tree and some others, with the tree as a starting
 * basis: primal simplex then confirms the optimum without iterations (or with a few if the artificial node was
 * removed).
 * This file does not import HiGHS: the caller opens the model and hands over the statuses.
 *
 * A network: x_a for each arc, +1 in the row where it starts and −1 in the row where it ends. "Unserved", from which
 * the loads come that are not served, is a source like others: of its arcs, too, only those of the tree and the one
 * closest to entering are columns, 0 ≤ x ≤ D_j at q_j.
 * Rows: sources Σ x ≤ s_i; "unserved" Σ x ≤ Σ D − R; sinks −Σ x ≤ −D_j.
 * Basis: a tree arc is basic; the row of source i is basic if "i → nobody" is in the tree; the row of "unserved" is
 * basic if "unserved → nobody" is. A spanning tree makes exactly as many of these basic as the model has rows.
 *
 * If staying at i is in the tree, one row replaces the rows of i as a source and as a sink: their sum, leaving −
 * coming ≤ s_i − D_i, without a column for staying. That halves the rows and saves a third of HiGHS's time. The sum
 * is a relaxation (vehicles may pass through i), so the optimum of the model is at most that of the problem, and a
 * plan that attains it is still proved optimal. The tree does attain it: staying in the tree is free, so both rows
 * have the same price.
 *
 * Written for speed, in typed arrays filled once: building the model took longer than HiGHS takes to confirm it.
 * Reference: Ahuja, Magnanti, Orlin, Network Flows (1993), §11.11 (bases are spanning trees).
 */

import type { ColumnModel } from '../highs/linear-model.ts';
import { fromUnits } from '../problem/costs.ts';
import type { Alternatives, FlowAmounts, FlowBasis } from './types.ts';

/** Status codes as HiGHS numbers them. */
const BASIS_STATUS = { lower: 0, basic: 1, upper: 2 } as const;

export type FlowModel = {
  model: ColumnModel;
  /** Statuses given by the tree; columns and rows in the model's order. */
  columnStatus: Int32Array;
  rowStatus: Int32Array;
};

/**
 * The model's costs are money, so that the solver's tolerances mean the same as in other models.
 * @param extra arcs outside the tree, from locations with vehicles, or "unserved", to locations with demand
 */
export function createFlowModel(problem: FlowAmounts, basis: FlowBasis, extra: Alternatives): FlowModel {
  const { n, supply, demand, required, unservedCost } = problem;
  const { ofSource, ofSink, rowCount, columnCount } = numberRows(problem, basis, extra);
  const unserved = n;
  const cost = new Float64Array(columnCount);
  const upper = new Float64Array(columnCount).fill(Number.POSITIVE_INFINITY);
  const columnStatus = new Int32Array(columnCount);
  const starts = new Int32Array(columnCount + 1);
  const indices = new Int32Array(2 * columnCount);
  const values = new Float64Array(2 * columnCount);
  let column = 0;
  const add = (from: number, to: number, units: number, status: number) => {
    indices[2 * column] = ofSource[from];
    indices[2 * column + 1] = ofSink[to];
    values[2 * column] = 1;
    values[2 * column + 1] = -1;
    cost[column] = fromUnits(units);
    if (from === unserved) upper[column] = demand[to];
    columnStatus[column++] = status;
    starts[column] = 2 * column;
  };
  for (let a = 0; a < basis.from.length; a++) {
    if (basis.from[a] !== basis.to[a]) add(basis.from[a], basis.to[a], basis.cost[a], BASIS_STATUS.basic);
  }
  for (let j = 0; j < n; j++) {
    if (basis.unserved[j] === 1) add(unserved, j, unservedCost?.[j] ?? 0, BASIS_STATUS.basic);
  }
  for (let a = 0; a < extra.from.length; a++) {
    add(extra.from[a], extra.to[a], extra.cost[a], BASIS_STATUS.lower);
  }

  const rowUpper = new Float64Array(rowCount);
  const rowStatus = new Int32Array(rowCount).fill(BASIS_STATUS.upper);
  let demanded = 0;
  for (let i = 0; i < n; i++) {
    if (supply[i] > 0) {
      rowUpper[ofSource[i]] += supply[i];
      if (basis.idle[i] === 1) rowStatus[ofSource[i]] = BASIS_STATUS.basic;
    }
    if (demand[i] > 0) rowUpper[ofSink[i]] -= demand[i];
    demanded += demand[i];
  }
  rowUpper[ofSource[unserved]] = demanded - required;
  if (basis.slack) rowStatus[ofSource[unserved]] = BASIS_STATUS.basic;
  const lower = new Float64Array(columnCount);
  const rowLower = new Float64Array(rowCount).fill(Number.NEGATIVE_INFINITY);
  return {
    model: { columnCount, rowCount, cost, lower, upper, rowLower, rowUpper, starts, indices, values },
    columnStatus,
    rowStatus,
  };
}

/**
 * The row of each location as a source and as a sink: the same row if staying is in the tree. The last source is
 * "unserved".
 */
function numberRows(
  { n, supply, demand }: FlowAmounts,
  { from, to, unserved }: FlowBasis,
  extra: Alternatives,
) {
  const staysInTree = new Uint8Array(n);
  let columnCount = extra.from.length;
  for (let a = 0; a < from.length; a++) {
    if (from[a] === to[a]) staysInTree[from[a]] = 1;
    else columnCount++;
  }
  const ofSource = new Int32Array(n + 1);
  const ofSink = new Int32Array(n);
  let rowCount = 0;
  for (let i = 0; i < n; i++) {
    if (supply[i] > 0) ofSource[i] = rowCount++;
    if (demand[i] > 0) ofSink[i] = staysInTree[i] === 1 ? ofSource[i] : rowCount++;
    if (unserved[i] === 1) columnCount++;
  }
  ofSource[n] = rowCount++;
  return { ofSource, ofSink, rowCount, columnCount };
}
