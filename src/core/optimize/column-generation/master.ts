/**
 * The linear relaxation over ALL moves, by column generation: HiGHS solves a restricted programme over few moves, all
 * moves are priced against its duals, and those that would improve it become columns, until none is left.
 *
 * The bound does not depend on the solver: any row multipliers give one (`dual-bound.ts`), to which every allowed
 * move, column or not, adds min(0, reduced cost) · s_ik (`pricing.ts`).
 * O(n² K) per pass, 2–6 passes. Reference: Desaulniers, Desrosiers, Solomon, Column Generation (2005).
 */

import type { SolverModel } from '../highs/highs.ts';
import { fromUnits, UNITS_PER_COST } from '../problem/costs.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { movingCost } from '../problem/moving-cost.ts';
import { withoutPinnedMoves } from '../problem/pinned-places.ts';
import type { BaseModel } from './base-model.ts';
import { createDualBound, type DualBound } from './dual-bound.ts';
import { createMoveColumns, type MoveColumns } from './move-columns.ts';
import { createPricer, type MoveArcs, type Pricer, type Prices } from './pricing.ts';
import { createRows, type ExtraRow, type Rows } from './rows.ts';

export type Relaxed = {
  /** `infeasible`: the columns' bounds and the rows contradict each other for any moves. */
  status: 'optimal' | 'infeasible' | 'stopped' | 'failed';
  values: Float64Array;
  /** Proved under the integer columns' present bounds, in money. */
  bound: number;
  /** Whether an artificial column is still positive. */
  hasArtificialColumns: boolean;
  /**
   * What proves the bound: values of vehicles, reduced costs of the base columns, row multipliers; null without a
   * proof.
   */
  duals: { prices: Prices; reduced: Float64Array; rowDual: Float64Array } | null;
};

export type Master = {
  /** The current problem: the first one, or a changed one. */
  problem: Problem;
  readonly base: BaseModel;
  readonly model: SolverModel;
  readonly isOver: () => boolean;
  readonly firstArc: number;
  /** Row "at most s_ik leave" at k · n + i; −1 without such a row. */
  readonly leavingRow: Int32Array;
  readonly rows: Rows;
  readonly columns: MoveColumns;
  readonly dualBound: DualBound;
  readonly pricer: Pricer;
  /** Present bounds of the integer columns. */
  readonly whole: { readonly lower: Float64Array; readonly upper: Float64Array };
  iterations: number;
  isPhaseOne: boolean;
  /** An integral solution to start branching from. */
  start: Float64Array | null;
};

const FIRST_PER_ROW = 6;
const PER_ROW = 4;
const CRUMB_NOISE = 1e-9;

/**
 * @param isOver ends long work: every function that passes over all moves then throws OutOfTime
 * @param first its first moves; absent: some to the nearest locations
 */
export function createMaster(
  problem: Problem,
  base: BaseModel,
  model: SolverModel,
  isOver: () => boolean,
  first?: MoveArcs,
): Master {
  const leavingRow = new Int32Array(problem.supply.length).fill(-1);
  const rows = createRows(base, model);
  const columns = createMoveColumns(base, model, problem.locationIds.length, leavingRow, isOver);
  const pricer = createPricer(problem, columns.has, isOver);
  columns.add(problem, first ?? pricer.nearest(FIRST_PER_ROW), false);
  return {
    problem,
    base,
    model,
    isOver,
    firstArc: base.model.columnCount,
    leavingRow,
    rows,
    columns,
    dualBound: createDualBound(base, rows, leavingRow),
    pricer,
    whole: {
      lower: base.model.lower.slice(0, base.integerColumns),
      upper: base.model.upper.slice(0, base.integerColumns),
    },
    iterations: 0,
    isPhaseOne: false,
    start: null,
  };
}

/** Adds rows "at most s_ik leave" for sources that more than s_ik leave. @returns whether it added any */
function addLeavingRows(
  { problem, base, firstArc, leavingRow, rows, columns }: Master,
  values: Float64Array,
): boolean {
  if (base.limitsLeaving) return false;
  const { arcs } = columns;
  const n = problem.locationIds.length;
  const size = leavingRow.length;
  const leaving = new Float64Array(size);
  for (let a = 0; a < arcs.source.length; a++)
    leaving[arcs.capacityClass[a] * n + arcs.source[a]] += values[firstArc + a];
  const broken: ExtraRow[] = [];
  for (let at = 0; at < size; at++) {
    if (leaving[at] <= problem.supply[at] + 1e-6 || leavingRow[at] >= 0) continue;
    const leave: number[] = [];
    for (let a = 0; a < arcs.source.length; a++) {
      if (arcs.capacityClass[a] * n + arcs.source[a] === at) leave.push(firstArc + a);
    }
    leavingRow[at] = rows.count() + broken.length;
    broken.push({
      indices: Int32Array.from(leave),
      values: new Float64Array(leave.length).fill(-1),
      lower: -problem.supply[at],
    });
  }
  rows.add(broken);
  return broken.length > 0;
}

/** Solves to the optimum over all moves under the present bounds of the integer columns. */
export function relaxMaster(master: Master): Relaxed {
  const { base, model, columns, dualBound } = master;
  const relaxed: Relaxed = {
    status: 'failed',
    values: new Float64Array(0),
    bound: Number.NEGATIVE_INFINITY,
    hasArtificialColumns: true,
    duals: null,
  };
  let method: 'dual' | 'primal' = 'dual';
  for (;;) {
    const linear = model.runLinear(0, method);
    master.iterations += linear.iterations;
    if (linear.status !== 'optimal') {
      relaxed.status = linear.status;
      return relaxed;
    }
    if (addLeavingRows(master, linear.values)) {
      method = 'dual';
      continue;
    }
    const rowDual = dualBound.clean(linear.rowDual);
    const prices = dualBound.prices(rowDual);
    const priced = master.pricer.price(prices, PER_ROW, master.isPhaseOne);
    const ofBase = dualBound.ofBase(rowDual, master.whole, master.isPhaseOne);
    const bound = ofBase.bound + priced.bound;
    if (bound > relaxed.bound) {
      relaxed.bound = bound;
      relaxed.duals = { prices, reduced: ofBase.reduced, rowDual };
    }
    relaxed.values = linear.values;
    if (priced.arcs.source.length === 0) break;
    columns.add(master.problem, priced.arcs, master.isPhaseOne);
    method = 'primal';
  }
  relaxed.status = 'optimal';
  relaxed.hasArtificialColumns = false;
  for (let c = base.firstArtificial; c < base.model.columnCount; c++) {
    if (relaxed.values[c] > CRUMB_NOISE) relaxed.hasArtificialColumns = true;
  }
  return relaxed;
}

export function setIntegerBounds({ model, whole }: Master, lower: Float64Array, upper: Float64Array): void {
  whole.lower.set(lower);
  whole.upper.set(upper);
  model.setColumnBounds(0, lower, upper);
}

/** Fixes the artificial columns at 0, or reopens them. */
export function fixArtificialColumns({ base, model }: Master, isFixed: boolean): void {
  const { lower, upper, columnCount } = base.model;
  const from = base.firstArtificial;
  const open = upper.slice(from);
  model.setColumnBounds(from, lower.slice(from), isFixed ? new Float64Array(columnCount - from) : open);
}

/**
 * Excludes plans that pay more than `money` for moving. Covers only moves that are columns now, so no column may be
 * added afterwards.
 */
export function addCeiling(master: Master, money: number): void {
  const { problem, firstArc, rows, columns } = master;
  const { source, target } = columns.arcs;
  const indices = Int32Array.from({ length: columns.arcs.source.length }, (_, a) => firstArc + a);
  rows.addUnpriced({
    indices,
    values: Float64Array.from(indices, (_, a) => -fromUnits(movingCost(problem, source[a], target[a]))),
    lower: -money,
  });
}

/** Bounds the moves. Restore their bounds to the supply before adding columns. */
export function setMoveBounds({ model, firstArc }: Master, upper: Float64Array): void {
  model.setColumnBounds(firstArc, new Float64Array(upper.length), upper);
}

/** Sets the cost per unit of every artificial column. */
export function setPenalty(master: Master, penalty: number): void {
  const { base } = master;
  base.model.cost.fill(penalty, base.firstArtificial);
  setCosts(master);
}

function setCosts(master: Master): void {
  const { base, firstArc } = master;
  const count = master.columns.arcs.source.length;
  const cost = new Float64Array(firstArc + count);
  if (master.isPhaseOne) cost.fill(1, base.firstArtificial, firstArc);
  else cost.set(base.model.cost);
  for (let a = 0; a < count && !master.isPhaseOne; a++) cost[firstArc + a] = costOfColumn(master, a);
  master.model.setCosts(cost);
}

/** Cost units that a unit of served demand is worth in a relaxation; 0 without its duals. */
export function priceOfService(base: BaseModel, { duals }: Relaxed): number {
  return duals ? priceOfMultipliers(base, duals.rowDual) : 0;
}

/** The same at any multipliers of the rows. */
export function priceOfMultipliers({ serviceRow, demandScale }: BaseModel, rowDual: Float64Array): number {
  return (-rowDual[serviceRow] / demandScale) * UNITS_PER_COST;
}

/** Cost of the move of a column, in money. @param a its number among the moves */
export function costOfColumn({ problem, columns: { arcs } }: Master, a: number): number {
  return fromUnits(problem.network.costUnits[arcs.source[a] * problem.locationIds.length + arcs.target[a]]);
}

/**
 * The least sum of the artificial columns, as a proved bound: above 0 no plan exists. Restores the costs
 * afterwards.
 */
export function leastArtificialSum(master: Master): Relaxed {
  master.isPhaseOne = true;
  setCosts(master);
  const relaxed = relaxMaster(master);
  master.isPhaseOne = false;
  setCosts(master);
  return relaxed;
}

/**
 * Turns every move that a plan within `limit` (money) above the bound of these prices may use into a column.
 * @returns false if they are too many
 */
export function addMovesWithin(master: Master, prices: Prices, limit: number, most: number): boolean {
  const { problem, columns } = master;
  const more = master.pricer.within(prices, limit, most - columns.arcs.source.length);
  if (!more) return false;
  columns.add(problem, more, master.isPhaseOne);
  return true;
}

/** What any row multipliers prove about the current problem under these bounds of the integer columns, in money. */
export function boundByMultipliers(
  { dualBound, pricer, isPhaseOne }: Master,
  rowDual: Float64Array,
  lower: Float64Array,
  upper: Float64Array,
): number {
  return (
    dualBound.ofBase(rowDual, { lower, upper }, isPhaseOne).bound + pricer.bound(dualBound.prices(rowDual))
  );
}

/** Turns the moves of a plan into columns. */
export function addMoves({ problem, columns }: Master, moves: Moves): void {
  columns.addPlan(problem, withoutPinnedMoves(problem, moves));
}

/** The kept integral solution, with zeros for the columns added after it. */
export function startOf({ start, firstArc, columns }: Master): Float64Array | undefined {
  if (!start) return undefined;
  const values = new Float64Array(firstArc + columns.arcs.source.length);
  values.set(start);
  return values;
}
