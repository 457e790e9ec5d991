/**
 * The linear programme of horizon plans with trip flows, over some of its columns.
 *
 *   minimise   Σ c_ij m_ijt − Σ p_jt · capacity · s_jt + shortPrice · short − Σ value_j e_j
 *   subject to s_jt + w_jt + Σ m leaving − w_j,t−1 − Σ P_ij,t−1 s_i,t−1 − Σ m arriving = supply_jt    row t · n + j
 *              e_j − … = 0                                                rows of the end, if there are values
 *              Σ capacity · s + short − over ≥ R                          the row of the level
 *              0 ≤ s_jt ≤ D_jt / capacity,  all others ≥ 0
 *
 * A column of s has an entry for each place where trips end, and most demand is served in full. So the programme has
 * z = D / capacity − s in its place, the vehicles that are lacking, and its right-hand sides are those of all demand
 * served. Columns of z, like those of moves, are generated: without one, demand is served in full. With all of s, 263
 * locations and 24 steps have nine times as many entries.
 *
 * Of demand in parts, part p has columns z_p of its own, which serve with its chance and wait otherwise.
 *
 * Columns: w, then e, then short and over, then moves and z. Rows: of nodes, of the end, of the level. `over` is
 * demand above R, which is worth something only while a search begins (`setServicePrices`). Costs are money, and lack a
 * constant. The dual of a row is what one vehicle less costs.
 */
import { createRowBuilder, type LinearModel } from '../highs/linear-model.ts';
import type { SolverModel } from '../highs/solver-model.ts';
import { fromUnits, UNITS_PER_COST } from '../problem/costs.ts';
import { partsOf } from './demand-parts.ts';
import type { HorizonProblem, StepMoves } from './types.ts';

const STATUS = { lower: 0, basic: 1, upper: 2 } as const;

/** Moves that are columns: `arc` is a position in the pairs. */
export type MoveColumn = { step: number; arc: number };

/** Vehicles that are lacking for a part of the demand of a node, t · n + j. */
type LackingColumn = { part: number; node: number };

export type FlowColumn = MoveColumn | LackingColumn;

/** A basis of the programme over some columns. `firstAdded` is the number of the columns before them. */
export type FlowStart = {
  added: readonly FlowColumn[];
  firstAdded: number;
  columnStatus: Int32Array;
  rowStatus: Int32Array;
};

export type FlowMaster = {
  problem: HorizonProblem;
  model: LinearModel;
  /** Nobody moves. */
  start: FlowStart;
  firstAdded: number;
  shortColumn: number;
  overColumn: number;
  serviceRow: number;
  /** What is served if nothing is lacking. */
  mostServed: number;
  added: FlowColumn[];
  /** Whether a move is a column: step · pairs + arc. */
  isMove: Uint8Array;
  /** Whether demand has a column of what is lacking: part · T · n + node. */
  isLacking: Uint8Array;
};

/** @param shortPrice money per unit of demand */
export function createFlowMaster(problem: HorizonProblem, shortPrice: number): FlowMaster {
  const { n, steps, supply, capacity, endUnits, required, pairs } = problem;
  const size = steps * n;
  const { chances, sizes } = partsOf(problem);
  const serviceRow = size + (endUnits ? n : 0);
  const shortColumn = serviceRow;
  const overColumn = shortColumn + 1;
  const columnCount = overColumn + 1;
  const cost = new Float64Array(columnCount);
  const upper = new Float64Array(columnCount).fill(Number.POSITIVE_INFINITY);
  const columnStatus: number[] = new Array(columnCount).fill(STATUS.lower);
  const rowStatus = new Int32Array(serviceRow + 1);
  const present = new Float64Array((steps + 1) * n);
  // Vehicles that arrive at a node and that leave it, if all demand is served.
  const arriving = new Float64Array((steps + 1) * n);
  const leaving = new Float64Array(size);
  const added: LackingColumn[] = [];
  let servedAtFirst = 0;
  let mostServed = 0;
  for (let u = 0; u < size; u++) {
    present[u] += supply[u];
    arriving[u] += supply[u];
    let left = present[u];
    let isBasic = false;
    let full = 0;
    let ready = 0;
    for (const [part, chance] of chances.entries()) {
      const most = sizes[part * size + u] / capacity;
      leaving[u] += most;
      arriving[u + n] += (1 - chance) * most;
      full += chance * most;
      if (left <= most) {
        added.push({ part, node: u });
        columnStatus.push(isBasic ? STATUS.upper : STATUS.basic);
        isBasic = true;
      }
      const here = Math.min(left, most);
      left -= here;
      ready += chance * here;
      present[u + n] += (1 - chance) * here;
    }
    servedAtFirst += ready * capacity;
    mostServed += full * capacity;
    for (const { node, share } of tripsFrom(problem, u)) {
      arriving[node] += full * share;
      present[node] += ready * share;
    }
    columnStatus[u] = isBasic ? STATUS.lower : STATUS.basic;
    present[u + n] += left;
  }
  for (let j = 0; endUnits && j < n; j++) {
    cost[size + j] = -fromUnits(endUnits[j]);
    columnStatus[size + j] = STATUS.basic;
  }
  cost[shortColumn] = shortPrice;
  const isShort = servedAtFirst < required;
  columnStatus[shortColumn] = isShort ? STATUS.basic : STATUS.lower;
  rowStatus[serviceRow] = isShort ? STATUS.lower : STATUS.basic;
  const builder = createRowBuilder(4 * size);
  for (let u = 0; u < serviceRow; u++) {
    if (u >= n) builder.add(u - n, -1);
    builder.add(u, 1);
    const right = arriving[u] - (u < size ? leaving[u] : 0);
    builder.end(right, right);
  }
  builder.add(shortColumn, 1);
  builder.add(overColumn, -1);
  builder.end(required - mostServed, Number.POSITIVE_INFINITY);
  return {
    problem,
    model: {
      columnCount,
      cost,
      lower: new Float64Array(columnCount),
      upper,
      // Entries are shares, 1 and the capacity. Scaled, they take a fifth more iterations.
      isScaled: false,
      ...builder.finish(),
    },
    start: { added, firstAdded: columnCount, columnStatus: Int32Array.from(columnStatus), rowStatus },
    firstAdded: columnCount,
    shortColumn,
    overColumn,
    serviceRow,
    mostServed,
    added: [],
    isMove: new Uint8Array(steps * pairs.targets.length),
    isLacking: new Uint8Array(chances.length * size),
  };
}

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

/** Sets what a unit of demand that is short costs, and what one above the required level is worth, in money. */
export function setServicePrices(
  { model: { cost }, shortColumn, overColumn }: FlowMaster,
  model: SolverModel,
  { short, over }: { short: number; over: number },
): void {
  cost[shortColumn] = short;
  cost[overColumn] = -over;
  model.setCosts(cost);
}

type Entries = { cost: number; upper: number; rows: { row: number; value: number }[] };

/** Appends columns. */
export function addFlowColumns(master: FlowMaster, model: SolverModel, added: readonly FlowColumn[]): void {
  const { problem, isMove, isLacking } = master;
  const { n, steps, pairs } = problem;
  const starts = [0];
  const indices: number[] = [];
  const values: number[] = [];
  const cost = new Float64Array(added.length);
  const upper = new Float64Array(added.length);
  for (const [k, column] of added.entries()) {
    const entries = 'arc' in column ? moveEntries(master, column) : lackingEntries(master, column);
    for (const { row, value } of entries.rows) {
      indices.push(row);
      values.push(value);
    }
    starts.push(indices.length);
    cost[k] = entries.cost;
    upper[k] = entries.upper;
    if ('arc' in column) isMove[column.step * pairs.targets.length + column.arc] = 1;
    else isLacking[column.part * steps * n + column.node] = 1;
    master.added.push(column);
  }
  model.addColumns({
    cost,
    lower: new Float64Array(added.length),
    upper,
    starts: Int32Array.from(starts),
    indices: Int32Array.from(indices),
    values: Float64Array.from(values),
  });
}

function moveEntries({ problem }: FlowMaster, { step, arc }: MoveColumn): Entries {
  const { n, steps, pairs, endUnits } = problem;
  const arrival = Math.min(steps, step + pairs.delay[arc]);
  const rows = [{ row: step * n + sourceOf(problem, arc), value: 1 }];
  if (arrival < steps || endUnits) rows.push({ row: arrival * n + pairs.targets[arc], value: -1 });
  return { cost: fromUnits(pairs.units[arc]), upper: Number.POSITIVE_INFINITY, rows };
}

function lackingEntries({ problem, serviceRow }: FlowMaster, { part, node }: LackingColumn): Entries {
  const { n, steps, capacity, unmetUnits } = problem;
  const { chances, sizes } = partsOf(problem);
  const chance = chances[part];
  const rows = [
    { row: node, value: -1 },
    { row: serviceRow, value: -capacity * chance },
  ];
  let waiting = 1 - chance;
  for (const { node: target, share } of tripsFrom(problem, node)) {
    const own = target === node + n ? waiting : 0;
    if (own > 0) waiting = 0;
    if (target < serviceRow) rows.push({ row: target, value: chance * share + own });
  }
  if (waiting > 0 && node + n < serviceRow) rows.push({ row: node + n, value: waiting });
  return {
    cost: fromUnits((unmetUnits?.[node] ?? 0) * capacity * chance),
    upper: sizes[part * steps * n + node] / capacity,
    rows,
  };
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
  const { problem, firstAdded } = master;
  const { n, steps, capacity, pairs } = problem;
  const serving = partsOf(problem).sizes.map((size) => size / capacity);
  const found: { step: number; from: number; to: number; vehicles: number }[] = [];
  for (const [k, column] of master.added.entries()) {
    const vehicles = point[firstAdded + k];
    if ('node' in column) {
      const at = column.part * steps * n + column.node;
      serving[at] = Math.max(0, serving[at] - Math.max(0, vehicles));
    } else if (vehicles > noise) {
      const { step, arc } = column;
      found.push({ step, from: sourceOf(problem, arc), to: pairs.targets[arc], vehicles });
    }
  }
  found.sort((a, b) => a.step - b.step || a.from - b.from || a.to - b.to);
  return {
    moves: {
      step: Int32Array.from(found, ({ step }) => step),
      from: Int32Array.from(found, ({ from }) => from),
      to: Int32Array.from(found, ({ to }) => to),
      vehicles: Float64Array.from(found, ({ vehicles }) => vehicles),
    },
    serving,
  };
}
