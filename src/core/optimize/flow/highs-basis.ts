/**
 * The flow problem as a linear programme on the arcs of its optimal tree and of the candidates around it, with the tree
 * as a starting basis: primal simplex then confirms the optimum with no iterations (or few, where the hub was left over).
 * HiGHS is not imported here: the caller opens the model and hands over the statuses.
 *
 * Columns: x_a for each arc (staying included), then z_j for each location with demand, 0 ≤ z_j ≤ D_j.
 * Rows: sources Σ x ≤ s_i; sinks Σ x − z_j = 0; service Σ z ≥ R.
 * Basis: tree arc basic; z_j basic where "unserved → j" is in the tree, else at its upper bound; row of source i basic
 * where "i → nobody" is; service row basic where "unserved → nobody" is. A spanning tree makes exactly as many of these
 * basic as there are rows.
 * Reference: Ahuja, Magnanti, Orlin, Network Flows (1993), §11.11 (bases are spanning trees).
 */
import { fromUnits } from '../costs.ts';
import { createRowBuilder, type LinearModel } from '../linear-model.ts';
import type { FlowBasis, FlowProblem } from './types.ts';

/** Status codes as HiGHS numbers them. */
export const BASIS_STATUS = { lower: 0, basic: 1, upper: 2 } as const;

export type FlowModel = {
  model: LinearModel;
  /** Statuses that the tree gives; columns and rows in the model's order. */
  columnStatus: Int32Array;
  rowStatus: Int32Array;
  /** Arc of each of the first columns. */
  from: Int32Array;
  to: Int32Array;
};

/** Arcs beside the tree's that the model is to hold; those of the tree among them are not doubled. */
export type ExtraArcs = { from: Int32Array; to: Int32Array };

/** `costOf` in units; the model's costs are money, so that the solver's tolerances are what they are elsewhere. */
export function createFlowModel(
  problem: FlowProblem,
  basis: FlowBasis,
  extra: ExtraArcs,
  costOf: (from: number, to: number) => number,
): FlowModel {
  const { n, supply, demand } = problem;
  const { from, to, treeCount } = mergeArcs(problem, basis, extra);
  const sources = locationsWith(supply);
  const sinks = locationsWith(demand);
  const columnCount = from.length + sinks.length;
  const rows = createRowBuilder(2 * from.length + 2 * sinks.length);
  const bySource = groupBy(from, n);
  const bySink = groupBy(to, n);
  for (const i of sources) {
    for (const a of bySource[i]) rows.add(a, 1);
    rows.end(Number.NEGATIVE_INFINITY, supply[i]);
  }
  sinks.forEach((j, t) => {
    for (const a of bySink[j]) rows.add(a, 1);
    rows.add(from.length + t, -1);
    rows.end(0, 0);
  });
  for (let t = 0; t < sinks.length; t++) rows.add(from.length + t, 1);
  rows.end(problem.required, Number.POSITIVE_INFINITY);

  const cost = new Float64Array(columnCount);
  const upper = new Float64Array(columnCount).fill(Number.POSITIVE_INFINITY);
  const columnStatus = new Int32Array(columnCount).fill(BASIS_STATUS.lower);
  for (let a = 0; a < from.length; a++) {
    cost[a] = from[a] === to[a] ? 0 : fromUnits(costOf(from[a], to[a]));
    if (a < treeCount) columnStatus[a] = BASIS_STATUS.basic;
  }
  sinks.forEach((j, t) => {
    upper[from.length + t] = demand[j];
    columnStatus[from.length + t] = basis.unserved[j] === 1 ? BASIS_STATUS.basic : BASIS_STATUS.upper;
  });
  const finished = rows.finish();
  const rowStatus = new Int32Array(finished.rowCount).fill(BASIS_STATUS.lower);
  sources.forEach((i, r) => {
    rowStatus[r] = basis.idle[i] === 1 ? BASIS_STATUS.basic : BASIS_STATUS.upper;
  });
  if (basis.slack) rowStatus[finished.rowCount - 1] = BASIS_STATUS.basic;
  return {
    model: { columnCount, cost, lower: new Float64Array(columnCount), upper, ...finished },
    columnStatus,
    rowStatus,
    from,
    to,
  };
}

/** Arcs of the tree first; of the others those that lead from vehicles to demand. */
function mergeArcs({ n, supply, demand }: FlowProblem, basis: FlowBasis, extra: ExtraArcs) {
  const inTree = new Set(Array.from(basis.from, (i, a) => i * n + basis.to[a]));
  const isWanted = (i: number, j: number) => supply[i] > 0 && demand[j] > 0 && !inTree.has(i * n + j);
  const others = Array.from(extra.from.keys()).filter((a) => isWanted(extra.from[a], extra.to[a]));
  return {
    from: Int32Array.from([...basis.from, ...others.map((a) => extra.from[a])]),
    to: Int32Array.from([...basis.to, ...others.map((a) => extra.to[a])]),
    treeCount: basis.from.length,
  };
}

function groupBy(ends: Int32Array, n: number): number[][] {
  const groups: number[][] = Array.from({ length: n }, () => []);
  for (let a = 0; a < ends.length; a++) groups[ends[a]].push(a);
  return groups;
}

function locationsWith(amounts: Int32Array): number[] {
  return Array.from(amounts.keys()).filter((i) => amounts[i] > 0);
}
