/**
 * The flow problem as a linear programme on the arcs of its optimal tree and of some others, with the tree as a starting
 * basis: primal simplex then confirms the optimum with no iterations (or few, where the hub was left over).
 * HiGHS is not imported here: the caller opens the model and hands over the statuses.
 *
 * Columns: x_a for each arc (staying included), then z_j for each location with demand, 0 ≤ z_j ≤ D_j.
 * Rows: sources Σ x ≤ s_i; sinks Σ x − z_j = 0; service Σ z ≥ R.
 * Basis: tree arc basic; z_j basic where "unserved → j" is in the tree, else at its upper bound; row of source i basic
 * where "i → nobody" is; service row basic where "unserved → nobody" is. A spanning tree makes exactly as many of these
 * basic as there are rows.
 * Written for speed, in typed arrays filled once: building it took longer than HiGHS takes to confirm it.
 * Reference: Ahuja, Magnanti, Orlin, Network Flows (1993), §11.11 (bases are spanning trees).
 */
import { fromUnits } from '../costs.ts';
import type { LinearModel } from '../linear-model.ts';
import type { Alternatives, FlowAmounts, FlowBasis } from './types.ts';

/** Status codes as HiGHS numbers them. */
export const BASIS_STATUS = { lower: 0, basic: 1, upper: 2 } as const;

export type FlowModel = {
  model: LinearModel;
  /** Statuses that the tree gives; columns and rows in the model's order. */
  columnStatus: Int32Array;
  rowStatus: Int32Array;
};

/**
 * The model's costs are money, so that the solver's tolerances are what they are elsewhere.
 * @param extra arcs outside the tree, from locations with vehicles to such with demand
 */
export function createFlowModel(problem: FlowAmounts, basis: FlowBasis, extra: Alternatives): FlowModel {
  const { supply, demand, required } = problem;
  const sourceRow = numbered(supply, 0);
  const sinkRow = numbered(demand, sourceRow.count);
  const treeCount = basis.from.length;
  const arcCount = treeCount + extra.from.length;
  const columnCount = arcCount + sinkRow.count;
  const serviceRow = sourceRow.count + sinkRow.count;
  const rowCount = serviceRow + 1;
  const fromOf = (a: number) => (a < treeCount ? basis.from[a] : extra.from[a - treeCount]);
  const toOf = (a: number) => (a < treeCount ? basis.to[a] : extra.to[a - treeCount]);

  const starts = new Int32Array(rowCount + 1);
  for (let a = 0; a < arcCount; a++) {
    starts[sourceRow.of[fromOf(a)] + 1]++;
    starts[sinkRow.of[toOf(a)] + 1]++;
  }
  for (let r = sourceRow.count; r < serviceRow; r++) starts[r + 1]++;
  starts[rowCount] = sinkRow.count;
  for (let r = 0; r < rowCount; r++) starts[r + 1] += starts[r];
  const next = starts.slice(0, rowCount);
  const indices = new Int32Array(starts[rowCount]);
  const values = new Float64Array(indices.length).fill(1);
  const cost = new Float64Array(columnCount);
  const upper = new Float64Array(columnCount).fill(Number.POSITIVE_INFINITY);
  const columnStatus = new Int32Array(columnCount);
  for (let a = 0; a < arcCount; a++) {
    indices[next[sourceRow.of[fromOf(a)]]++] = a;
    indices[next[sinkRow.of[toOf(a)]]++] = a;
    cost[a] = fromUnits(a < treeCount ? basis.cost[a] : extra.cost[a - treeCount]);
    columnStatus[a] = a < treeCount ? BASIS_STATUS.basic : BASIS_STATUS.lower;
  }

  const rowLower = new Float64Array(rowCount).fill(Number.NEGATIVE_INFINITY, 0, sourceRow.count);
  const rowUpper = new Float64Array(rowCount);
  const rowStatus = new Int32Array(rowCount);
  for (let i = 0; i < problem.n; i++) {
    if (supply[i] > 0) {
      const row = sourceRow.of[i];
      rowUpper[row] = supply[i];
      rowStatus[row] = basis.idle[i] === 1 ? BASIS_STATUS.basic : BASIS_STATUS.upper;
    }
    if (demand[i] > 0) {
      const row = sinkRow.of[i];
      const column = arcCount + row - sourceRow.count;
      values[next[row]] = -1;
      indices[next[row]++] = column;
      indices[next[serviceRow]++] = column;
      upper[column] = demand[i];
      columnStatus[column] = basis.unserved[i] === 1 ? BASIS_STATUS.basic : BASIS_STATUS.upper;
    }
  }
  rowLower[serviceRow] = required;
  rowUpper[serviceRow] = Number.POSITIVE_INFINITY;
  if (basis.slack) rowStatus[serviceRow] = BASIS_STATUS.basic;
  const lower = new Float64Array(columnCount);
  return {
    model: { columnCount, rowCount, cost, lower, upper, rowLower, rowUpper, starts, indices, values },
    columnStatus,
    rowStatus,
  };
}

/** n: the number of each location with an amount, from `first` on. */
function numbered(amounts: Int32Array, first: number): { of: Int32Array; count: number } {
  const of = new Int32Array(amounts.length);
  let count = 0;
  for (let i = 0; i < amounts.length; i++) if (amounts[i] > 0) of[i] = first + count++;
  return { of, count };
}
