/**
 * The linear programme of horizon plans with trip flows, over some of the moves.
 *
 *   minimise   Σ c_ij m_ijt − Σ p_jt · capacity · s_jt + shortPrice · short − Σ value_j e_j
 *   subject to s_jt + w_jt + Σ m leaving − w_j,t−1 − Σ P_ij,t−1 s_i,t−1 − Σ m arriving = supply_jt    row t · n + j
 *              e_j + f_j − … = 0                                          rows of the end, if there are values
 *              Σ capacity · s + short ≥ R                                 the last row
 *              0 ≤ s_jt ≤ D_jt / capacity,  0 ≤ e_j ≤ most_j,  all others ≥ 0
 *
 * Columns: s, then w, then e and f, then short, then moves. Costs are money, and lack the constant Σ p D. The dual of
 * a row is what one vehicle less costs. The first basis is the plan in which nobody moves.
 */
import { createRowBuilder, type LinearModel } from '../highs/linear-model.ts';
import type { SolverModel } from '../highs/solver-model.ts';
import { fromUnits, UNITS_PER_COST } from '../problem/costs.ts';
import type { HorizonProblem, StepMoves } from './types.ts';

const STATUS = { lower: 0, basic: 1, upper: 2 } as const;

/** Moves that are columns: `arc` is a position in the pairs. */
export type MoveColumn = { step: number; arc: number };

export type FlowMaster = {
  problem: HorizonProblem;
  model: LinearModel;
  /** Basis of the plan in which nobody moves. */
  columnStatus: Int32Array;
  rowStatus: Int32Array;
  hasEnd: boolean;
  firstMove: number;
  shortColumn: number;
  serviceRow: number;
  moves: MoveColumn[];
  /** Whether a move is a column: step · pairs + arc. */
  isColumn: Uint8Array;
};

/** @param shortPrice money per unit of demand */
export function createFlowMaster(problem: HorizonProblem, shortPrice: number): FlowMaster {
  const { n, steps, supply, demand, capacity, unmetUnits, end, required, pairs } = problem;
  const size = steps * n;
  const hasEnd = end !== undefined;
  const shortColumn = 2 * size + (hasEnd ? 2 * n : 0);
  const serviceRow = size + (hasEnd ? n : 0);
  const columnCount = shortColumn + 1;
  const cost = new Float64Array(columnCount);
  const upper = new Float64Array(columnCount).fill(Number.POSITIVE_INFINITY);
  const rows: Entry[][] = Array.from({ length: serviceRow + 1 }, () => []);
  const columnStatus = new Int32Array(columnCount);
  const present = new Float64Array((steps + 1) * n);
  for (let u = 0; u < size; u++) {
    const most = demand[u] / capacity;
    upper[u] = most;
    cost[u] = 0 - fromUnits((unmetUnits?.[u] ?? 0) * capacity);
    rows[u].push({ column: u, value: 1 }, { column: size + u, value: 1 });
    rows[serviceRow].push({ column: u, value: capacity });
    if (u + n < serviceRow) rows[u + n].push({ column: size + u, value: -1 });
    const trips = tripsFrom(problem, u);
    for (const { node, share } of trips) if (node < serviceRow) rows[node].push({ column: u, value: -share });
    present[u] += supply[u];
    const serving = Math.min(present[u], most);
    columnStatus[u] = present[u] > most ? STATUS.upper : STATUS.basic;
    columnStatus[size + u] = present[u] > most ? STATUS.basic : STATUS.lower;
    present[u + n] += present[u] - serving;
    for (const { node, share } of trips) present[node] += serving * share;
  }
  for (let j = 0; hasEnd && j < n; j++) {
    const worth = 2 * size + j;
    cost[worth] = -fromUnits(end.units[j]);
    upper[worth] = end.most?.[j] ?? Number.POSITIVE_INFINITY;
    rows[size + j].push({ column: worth, value: 1 }, { column: worth + n, value: 1 });
    const isMore = present[size + j] > upper[worth];
    columnStatus[worth] = isMore ? STATUS.upper : STATUS.basic;
    columnStatus[worth + n] = isMore ? STATUS.basic : STATUS.lower;
  }
  cost[shortColumn] = shortPrice;
  rows[serviceRow].push({ column: shortColumn, value: 1 });
  const served = columnStatus.reduce(
    (sum, _, u) => sum + (u < size ? Math.min(present[u], demand[u] / capacity) * capacity : 0),
    0,
  );
  const isShort = served < required;
  columnStatus[shortColumn] = isShort ? STATUS.basic : STATUS.lower;
  const rowStatus = new Int32Array(serviceRow + 1);
  rowStatus[serviceRow] = isShort ? STATUS.lower : STATUS.basic;
  const builder = createRowBuilder(8 * size);
  for (const [r, entries] of rows.entries()) {
    for (const { column, value } of entries) builder.add(column, value);
    const isService = r === serviceRow;
    builder.end(
      isService ? required : (supply[r] ?? 0),
      isService ? Number.POSITIVE_INFINITY : (supply[r] ?? 0),
    );
  }
  return {
    problem,
    model: { columnCount, cost, lower: new Float64Array(columnCount), upper, ...builder.finish() },
    columnStatus,
    rowStatus,
    hasEnd,
    firstMove: columnCount,
    shortColumn,
    serviceRow,
    moves: [],
    isColumn: new Uint8Array(steps * pairs.targets.length),
  };
}

type Entry = { column: number; value: number };

/** Nodes where the trips that begin at node u end. */
function tripsFrom({ n, flows }: HorizonProblem, u: number): { node: number; share: number }[] {
  const t = Math.floor(u / n);
  const j = u % n;
  if (!flows) return [{ node: u + n, share: 1 }];
  const { starts, targets, shares } = flows[t];
  const trips: { node: number; share: number }[] = [];
  for (let a = starts[j]; a < starts[j + 1]; a++)
    trips.push({ node: (t + 1) * n + targets[a], share: shares[a] });
  return trips;
}

/** Appends moves as columns. */
export function addMoveColumns(master: FlowMaster, model: SolverModel, added: readonly MoveColumn[]): void {
  const { n, steps, pairs } = master.problem;
  const starts = [0];
  const indices: number[] = [];
  const values: number[] = [];
  for (const { step, arc } of added) {
    indices.push(step * n + sourceOf(master.problem, arc));
    values.push(1);
    const arrival = Math.min(steps, step + pairs.delay[arc]) * n + pairs.targets[arc];
    if (arrival < master.serviceRow) {
      indices.push(arrival);
      values.push(-1);
    }
    starts.push(indices.length);
    master.isColumn[step * pairs.targets.length + arc] = 1;
    master.moves.push({ step, arc });
  }
  model.addColumns({
    cost: Float64Array.from(added, ({ arc }) => fromUnits(pairs.units[arc])),
    lower: new Float64Array(added.length),
    upper: new Float64Array(added.length).fill(Number.POSITIVE_INFINITY),
    starts: Int32Array.from(starts),
    indices: Int32Array.from(indices),
    values: Float64Array.from(values),
  });
}

/** The location where a pair begins: the last one whose pairs begin at or before it. O(log n) */
export function sourceOf({ n, pairs: { starts } }: HorizonProblem, arc: number): number {
  let low = 0;
  let high = n;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= arc) low = middle;
    else high = middle;
  }
  return low;
}

/** (T + 1) × n: what one more vehicle is worth, and the multiplier of the service level, in cost units. */
export function readValues(
  { problem: { n, steps }, serviceRow }: FlowMaster,
  rowDual: Float64Array,
): { values: Float64Array; multiplier: number } {
  const values = new Float64Array((steps + 1) * n);
  for (let u = 0; u < serviceRow; u++) values[u] = 0 - rowDual[u] * UNITS_PER_COST;
  return { values, multiplier: Math.max(0, rowDual[serviceRow] * UNITS_PER_COST) };
}

/** Moves of a point, and the vehicles that serve. @param noise amounts below count as none */
export function readPoint(
  master: FlowMaster,
  point: Float64Array,
  noise: number,
): { moves: StepMoves; serving: Float64Array } {
  const { problem, firstMove } = master;
  const { n, steps, pairs } = problem;
  const found: { step: number; from: number; to: number; vehicles: number }[] = [];
  for (const [m, { step, arc }] of master.moves.entries()) {
    const vehicles = point[firstMove + m];
    if (vehicles > noise)
      found.push({ step, from: sourceOf(problem, arc), to: pairs.targets[arc], vehicles });
  }
  found.sort((a, b) => a.step - b.step || a.from - b.from || a.to - b.to);
  return {
    moves: {
      step: Int32Array.from(found, ({ step }) => step),
      from: Int32Array.from(found, ({ from }) => from),
      to: Int32Array.from(found, ({ to }) => to),
      vehicles: Float64Array.from(found, ({ vehicles }) => vehicles),
    },
    serving: point.slice(0, steps * n).map((serving) => Math.max(0, serving)),
  };
}
