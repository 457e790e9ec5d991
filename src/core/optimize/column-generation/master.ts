/**
 * The linear relaxation over ALL moves, by column generation: HiGHS solves a restricted programme over few moves, all
 * moves are priced against its duals, and those that would improve it become columns, until none is left.
 *
 * The bound does not depend on the solver: any row multipliers give one (`dual-bound.ts`), to which every allowed
 * move, column or not, adds min(0, reduced cost) · s_ik (`pricing.ts`).
 * O(n² K) per pass, 2–6 passes. Reference: Desaulniers, Desrosiers, Solomon, Column Generation (2005).
 */

import type { SolverModel } from '../highs/highs.ts';
import { fromUnits } from '../problem/costs.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { isAllowed } from '../problem/network.ts';
import type { BaseModel } from './base-model.ts';
import { createBaseModel } from './build-base-model.ts';
import { createDualBound } from './dual-bound.ts';
import { createMoveColumns } from './move-columns.ts';
import { createPricer, type Prices } from './pricing.ts';
import { createRows, type ExtraRow } from './rows.ts';

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

export type Master = ReturnType<typeof createMaster>;

const FIRST_PER_ROW = 6;
const PER_ROW = 4;
const CRUMB_NOISE = 1e-9;

/** @param isOver ends long work: every function that passes over all moves then throws OutOfTime */
export function createMaster(first: Problem, base: BaseModel, model: SolverModel, isOver: () => boolean) {
  let problem = first;
  const n = problem.locationIds.length;
  const size = problem.supply.length;
  const firstArc = base.model.columnCount;
  /** Row "at most s_ik leave" at k · n + i; −1 without such a row. */
  const leavingRow = new Int32Array(size).fill(-1);
  const rows = createRows(base, model);
  const columns = createMoveColumns(base, model, n, leavingRow, isOver);
  const { arcs } = columns;
  const dualBound = createDualBound(base, rows, leavingRow);
  let pricer = createPricer(problem, columns.has, isOver);
  const whole = {
    lower: base.model.lower.slice(0, base.integerColumns),
    upper: base.model.upper.slice(0, base.integerColumns),
  };
  const counts = { iterations: 0 };
  let isPhaseOne = false;
  /** Whether the solver still has the numbers of the previous problem. */
  let isStale = false;
  let start: Float64Array | null = null;

  /** Adds rows "at most s_ik leave" where more than that leave. @returns whether it added any */
  function addLeavingRows(values: Float64Array): boolean {
    if (base.limitsLeaving) return false;
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
  function relax(): Relaxed {
    const relaxed: Relaxed = {
      status: 'failed',
      values: new Float64Array(0),
      bound: Number.NEGATIVE_INFINITY,
      hasArtificialColumns: true,
      duals: null,
    };
    sendProblem();
    let method: 'dual' | 'primal' = 'dual';
    for (;;) {
      const linear = model.runLinear(0, method);
      counts.iterations += linear.iterations;
      if (linear.status !== 'optimal') {
        relaxed.status = linear.status;
        return relaxed;
      }
      if (addLeavingRows(linear.values)) {
        method = 'dual';
        continue;
      }
      const rowDual = dualBound.clean(linear.rowDual);
      const prices = dualBound.prices(rowDual);
      const priced = pricer.price(prices, PER_ROW, isPhaseOne);
      const ofBase = dualBound.ofBase(rowDual, whole, isPhaseOne);
      const bound = ofBase.bound + priced.bound;
      if (bound > relaxed.bound) {
        relaxed.bound = bound;
        relaxed.duals = { prices, reduced: ofBase.reduced, rowDual };
      }
      relaxed.values = linear.values;
      if (priced.arcs.source.length === 0) break;
      columns.add(problem, priced.arcs, isPhaseOne);
      method = 'primal';
    }
    relaxed.status = 'optimal';
    relaxed.hasArtificialColumns = false;
    for (let c = base.firstArtificial; c < base.model.columnCount; c++) {
      if (relaxed.values[c] > CRUMB_NOISE) relaxed.hasArtificialColumns = true;
    }
    return relaxed;
  }

  function setIntegerBounds(lower: Float64Array, upper: Float64Array): void {
    whole.lower.set(lower);
    whole.upper.set(upper);
    model.setColumnBounds(0, lower, upper);
  }

  /** Fixes the artificial columns at 0, or reopens them. */
  function fixArtificialColumns(isFixed: boolean): void {
    const { lower, upper, columnCount } = base.model;
    const from = base.firstArtificial;
    const open = upper.slice(from);
    model.setColumnBounds(from, lower.slice(from), isFixed ? new Float64Array(columnCount - from) : open);
  }

  /**
   * Excludes plans dearer than `money`. Covers only moves that are columns now, so no column may be added afterwards.
   */
  function addCeiling(money: number): void {
    const indices = Int32Array.from({ length: arcs.source.length }, (_, a) => firstArc + a);
    rows.addUnpriced({ indices, values: Float64Array.from(indices, (_, a) => -costOf(a)), lower: -money });
  }

  /** Bounds the moves. Restore their bounds to the supply before adding columns. */
  function setMoveBounds(upper: Float64Array): void {
    model.setColumnBounds(firstArc, new Float64Array(upper.length), upper);
  }

  /** Sets the cost per unit of every artificial column. */
  function setPenalty(penalty: number): void {
    base.model.cost.fill(penalty, base.firstArtificial);
    setCosts();
  }

  function setCosts(): void {
    const cost = new Float64Array(firstArc + arcs.source.length);
    cost.set(base.model.cost);
    if (isPhaseOne) cost.fill(1, base.firstArtificial, firstArc);
    else for (let a = 0; a < arcs.source.length; a++) cost[firstArc + a] = costOf(a);
    model.setCosts(cost);
  }

  const costOf = (a: number) => fromUnits(problem.network.costUnits[arcs.source[a] * n + arcs.target[a]]);

  /**
   * The least sum of the artificial columns, as a proved bound: above 0 no plan exists. Restores the costs
   * afterwards.
   */
  function leastArtificialSum(): Relaxed {
    isPhaseOne = true;
    setCosts();
    const relaxed = relax();
    isPhaseOne = false;
    setCosts();
    return relaxed;
  }

  /**
   * Turns every move that a plan within `limit` (money) above the bound of these prices may use into a column.
   * @returns false if they are too many
   */
  function addWithin(prices: Prices, limit: number, most: number): boolean {
    const more = pricer.within(prices, limit, most - arcs.source.length);
    if (!more) return false;
    columns.add(problem, more, isPhaseOne);
    return true;
  }

  /**
   * Continues with a problem of other numbers: supply, demand, limits, allowed moves. Columns, rows and their last
   * basis stay.
   * @returns false, without any change, if the new problem's model has another form
   */
  function setProblem(changed: Problem): boolean {
    const { model: next, integerColumns, demandScale } = createBaseModel(changed);
    const { model: m } = base;
    const isSameForm = next.columnCount === m.columnCount && next.rowCount === m.rowCount;
    if (!isSameForm || demandScale !== base.demandScale) return false;
    problem = changed;
    pricer = createPricer(changed, columns.has, isOver);
    rows.change(changed, next.rowLower, next.rowUpper);
    m.lower.set(next.lower);
    m.upper.set(next.upper);
    whole.lower.set(next.lower.subarray(0, integerColumns));
    whole.upper.set(next.upper.subarray(0, integerColumns));
    isStale = true;
    return true;
  }

  /** Passes the changed problem to the solver, only when it runs: bounds by multipliers do not need it. */
  function sendProblem(): void {
    if (!isStale) return;
    isStale = false;
    rows.send();
    const { model: m, integerColumns } = base;
    model.setColumnBounds(integerColumns, m.lower.slice(integerColumns), m.upper.slice(integerColumns));
    model.setColumnBounds(0, whole.lower, whole.upper);
    const { network, limits, supply } = problem;
    setMoveBounds(
      Float64Array.from(arcs.source, (i, a) =>
        isAllowed(network, n, limits.maxDistanceKm, i, arcs.target[a])
          ? supply[arcs.capacityClass[a] * n + i]
          : 0,
      ),
    );
  }

  /** What any row multipliers prove about the current problem under these bounds of the integer columns, in money. */
  function boundOf(rowDual: Float64Array, lower: Float64Array, upper: Float64Array): number {
    return (
      dualBound.ofBase(rowDual, { lower, upper }, isPhaseOne).bound + pricer.bound(dualBound.prices(rowDual))
    );
  }

  columns.add(problem, pricer.nearest(FIRST_PER_ROW), isPhaseOne);
  return {
    problem: () => problem,
    setProblem,
    boundOf,
    addWithin,
    addMoves: (moves: Moves) => columns.addPlan(problem, moves),
    setMoveBounds,
    costOf,
    addCeiling,
    fixArtificialColumns,
    /** Keeps an integral solution to start branching from, with zeros for the columns added after it. */
    keepStart(values: Float64Array): void {
      start = values;
    },
    startOf(): Float64Array | undefined {
      if (!start) return undefined;
      const values = new Float64Array(firstArc + arcs.source.length);
      values.set(start);
      return values;
    },
    relax,
    addRows: rows.add,
    setIntegerBounds,
    setPenalty,
    leastArtificialSum,
    whole: whole as { readonly lower: Float64Array; readonly upper: Float64Array },
    firstArc,
    counts,
    arcs,
    rows: rows.count,
  };
}
