/**
 * The linear relaxation over ALL moves, by column generation: a restricted programme over few moves is solved by HiGHS, all
 * moves are priced against its duals, those that would improve it become columns, until there are none.
 *
 * The bound needs no trust in the solver: any row multipliers give one (`bound.ts`), to which every allowed move adds
 * min(0, reduced cost) · s_ik, columns or not. Shortages, which no plan has, are left out of it.
 * O(n² K) per pass, 2–6 passes. Reference: Desaulniers, Desrosiers, Solomon, Column Generation (2005).
 */
import { fromUnits } from '../costs.ts';
import type { SolverModel } from '../highs.ts';
import type { Moves, Problem } from '../model.ts';
import { isAllowed } from '../network.ts';
import { OutOfTime } from '../stopping.ts';
import { type BaseModel, createBaseModel } from './base-model.ts';
import { type Arcs, createPricer, type Prices } from './pricing.ts';

/** A row over base columns, or over moves (at most s_ik leave). */
export type ExtraRow = {
  indices: Int32Array;
  values: Float64Array;
  lower: number;
  /** The side of the same row in a changed problem; without it the row is only true of the one it was added for. */
  lowerFor?: (changed: Problem) => number;
};

export type Relaxed = {
  /** `infeasible`: the columns' bounds and rows contradict each other whatever the moves are. */
  status: 'optimal' | 'infeasible' | 'stopped' | 'failed';
  values: Float64Array;
  /** Proved under the whole columns' present bounds, money. */
  bound: number;
  /** Whether shortages are left. */
  isShort: boolean;
  /** What proves the bound: what a vehicle is worth, reduced costs of the base columns, row multipliers; null where nothing does. */
  duals: { prices: Prices; reduced: Float64Array; rowDual: Float64Array } | null;
};

export type Master = ReturnType<typeof createMaster>;

const FIRST_PER_ROW = 6;
const PER_ROW = 4;
const SHORTAGE_NOISE = 1e-9;
/** Moves appended between two looks at the clock. */
const ARCS_PER_LOOK = 1 << 14;

/** @param isOver ends what takes long: every function that passes over all moves throws OutOfTime then */
export function createMaster(first: Problem, base: BaseModel, model: SolverModel, isOver: () => boolean) {
  let problem = first;
  const n = problem.locationIds.length;
  const size = problem.supply.length;
  const firstArc = base.model.columnCount;
  const arcClass: number[] = [];
  const arcSource: number[] = [];
  const arcTarget: number[] = [];
  const known = new Set<number>();
  const has = (arc: number) => known.has(arc);
  let pricer = createPricer(problem, has, isOver);
  const extraRows: ExtraRow[] = [];
  /** Row "at most s_ik leave" by k · n + i; −1 where there is none. */
  const leavingRow = new Int32Array(size).fill(-1);
  const whole = {
    lower: base.model.lower.slice(0, base.wholeColumns),
    upper: base.model.upper.slice(0, base.wholeColumns),
  };
  const counts = { iterations: 0 };
  let rowCount = base.model.rowCount;
  let isPhaseOne = false;
  /** Sides of rows as the solver knows them, and whether it has to be told others. */
  const told = {
    rowLower: base.model.rowLower.slice(),
    rowUpper: base.model.rowUpper.slice(),
    extra: [] as number[],
  };
  let isStale = false;
  let start: Float64Array | null = null;

  function addArcs(more: Arcs): void {
    for (let from = 0; from < more.source.length; from += ARCS_PER_LOOK) {
      if (from > 0 && isOver()) throw new OutOfTime();
      const to = from + ARCS_PER_LOOK;
      addSomeArcs({
        capacityClass: more.capacityClass.subarray(from, to),
        source: more.source.subarray(from, to),
        target: more.target.subarray(from, to),
      });
    }
  }

  function addSomeArcs(more: Arcs): void {
    const count = more.source.length;
    const cost = new Float64Array(count);
    const upper = new Float64Array(count);
    const starts = new Int32Array(count + 1);
    const indices: number[] = [];
    const values: number[] = [];
    for (let m = 0; m < count; m++) {
      const k = more.capacityClass[m];
      const from = k * n + more.source[m];
      known.add(from * n + more.target[m]);
      arcClass.push(k);
      arcSource.push(more.source[m]);
      arcTarget.push(more.target[m]);
      cost[m] = isPhaseOne ? 0 : fromUnits(problem.network.costUnits[more.source[m] * n + more.target[m]]);
      upper[m] = problem.supply[from];
      indices.push(base.sourceRow[from], base.targetRow[k * n + more.target[m]]);
      values.push(-1, 1);
      if (leavingRow[from] >= 0) {
        indices.push(leavingRow[from]);
        values.push(-1);
      }
      starts[m + 1] = indices.length;
    }
    model.addColumns({
      cost,
      lower: new Float64Array(count),
      upper,
      starts,
      indices: Int32Array.from(indices),
      values: Float64Array.from(values),
    });
  }

  function addLeavingRows(values: Float64Array): boolean {
    if (base.limitsLeaving) return false;
    const leaving = new Float64Array(size);
    for (let a = 0; a < arcSource.length; a++)
      leaving[arcClass[a] * n + arcSource[a]] += values[firstArc + a];
    const rows: ExtraRow[] = [];
    for (let at = 0; at < size; at++) {
      if (leaving[at] <= problem.supply[at] + 1e-6 || leavingRow[at] >= 0) continue;
      const columns: number[] = [];
      for (let a = 0; a < arcSource.length; a++) {
        if (arcClass[a] * n + arcSource[a] === at) columns.push(firstArc + a);
      }
      leavingRow[at] = rowCount + rows.length;
      rows.push({
        indices: Int32Array.from(columns),
        values: new Float64Array(columns.length).fill(-1),
        lower: -problem.supply[at],
      });
    }
    addRows(rows);
    return rows.length > 0;
  }

  /** Appends Σ values · columns ≥ lower. */
  function addRows(rows: readonly ExtraRow[]): void {
    model.addRows(rows.map((row) => ({ ...row, upper: Number.POSITIVE_INFINITY })));
    extraRows.push(...rows);
    told.extra.push(...rows.map(({ lower }) => lower));
    rowCount += rows.length;
  }

  /** What a vehicle is worth at its source and at its target. */
  function pricesOf(rowDual: Float64Array): Prices {
    const atSource = new Float64Array(size);
    const atTarget = new Float64Array(size);
    for (let at = 0; at < size; at++) {
      atTarget[at] = rowDual[base.targetRow[at]];
      atSource[at] = rowDual[base.sourceRow[at]];
      if (leavingRow[at] >= 0) atSource[at] += Math.max(0, rowDual[leavingRow[at]]);
    }
    return { atSource, atTarget };
  }

  /** The dual bound of the base columns and all rows; moves are priced apart. */
  function baseBound(
    rowDual: Float64Array,
    least: Float64Array = whole.lower,
    most: Float64Array = whole.upper,
  ): { bound: number; reduced: Float64Array } {
    const { model: m } = base;
    const reduced = isPhaseOne ? new Float64Array(m.columnCount) : m.cost.slice();
    let bound = 0;
    for (let r = 0; r < m.rowCount; r++) {
      const dual = rowDual[r];
      const side = dual > 0 ? m.rowLower[r] : m.rowUpper[r];
      // A multiplier of the wrong sign is taken as 0, in the prices of moves too (they are bounds of their own).
      if (dual === 0 || !Number.isFinite(side)) continue;
      bound += dual * side;
      for (let e = m.starts[r]; e < m.starts[r + 1]; e++) reduced[m.indices[e]] -= dual * m.values[e];
    }
    for (let x = 0; x < extraRows.length; x++) {
      // Multipliers may be older than the row.
      const dual = rowDual[m.rowCount + x] ?? 0;
      const { indices, values, lower } = extraRows[x];
      if (!(dual > 0)) continue;
      bound += dual * lower;
      if (indices[0] >= firstArc) continue;
      for (let e = 0; e < indices.length; e++) reduced[indices[e]] -= dual * values[e];
    }
    for (let c = 0; c < base.firstShortage; c++) {
      const lower = c < base.wholeColumns ? least[c] : m.lower[c];
      const upper = c < base.wholeColumns ? most[c] : m.upper[c];
      bound += reduced[c] * (reduced[c] > 0 ? lower : upper);
    }
    return { bound, reduced };
  }

  /** Multipliers that a bound may use: none of the sign that would meet an infinite side. */
  function cleanDuals(rowDual: Float64Array): Float64Array {
    const clean = rowDual.slice();
    const { rowLower, rowUpper, rowCount: rows } = base.model;
    for (let r = 0; r < clean.length; r++) {
      const side =
        clean[r] > 0 ? (r < rows ? rowLower[r] : 0) : r < rows ? rowUpper[r] : Number.POSITIVE_INFINITY;
      if (!Number.isFinite(side)) clean[r] = 0;
    }
    return clean;
  }

  /** Solves to the optimum over all moves under the present bounds of the whole columns. */
  function relax(): Relaxed {
    const relaxed: Relaxed = {
      status: 'failed',
      values: new Float64Array(0),
      bound: Number.NEGATIVE_INFINITY,
      isShort: true,
      duals: null,
    };
    tellProblem();
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
      const rowDual = cleanDuals(linear.rowDual);
      const prices = pricesOf(rowDual);
      const priced = pricer.price(prices, PER_ROW, isPhaseOne);
      const ofBase = baseBound(rowDual);
      const bound = ofBase.bound + priced.bound;
      if (bound > relaxed.bound) {
        relaxed.bound = bound;
        relaxed.duals = { prices, reduced: ofBase.reduced, rowDual };
      }
      relaxed.values = linear.values;
      if (priced.arcs.source.length === 0) break;
      addArcs(priced.arcs);
      method = 'primal';
    }
    relaxed.status = 'optimal';
    relaxed.isShort = false;
    for (let c = base.firstShortage; c < base.model.columnCount; c++) {
      if (relaxed.values[c] > SHORTAGE_NOISE) relaxed.isShort = true;
    }
    return relaxed;
  }

  function setWhole(lower: Float64Array, upper: Float64Array): void {
    whole.lower.set(lower);
    whole.upper.set(upper);
    model.setColumnBounds(0, lower, upper);
  }

  /** Lets no shortage be, or lets it be again. */
  function shutShortages(isShut: boolean): void {
    const { lower, upper, columnCount } = base.model;
    const from = base.firstShortage;
    const open = upper.slice(from);
    model.setColumnBounds(from, lower.slice(from), isShut ? new Float64Array(columnCount - from) : open);
  }

  /** No plan above `money`: over the moves that are columns now, so none may come after it. */
  function addCeiling(money: number): void {
    const columns = Int32Array.from({ length: arcSource.length }, (_, a) => firstArc + a);
    const values = Float64Array.from(columns, (_, a) => -costOf(a));
    model.addRows([{ indices: columns, values, lower: -money, upper: Number.POSITIVE_INFINITY }]);
    rowCount++;
  }

  /** Bounds the moves, to be lifted again by their supply before more are added. */
  function setMostOfMoves(upper: Float64Array): void {
    model.setColumnBounds(firstArc, new Float64Array(upper.length), upper);
  }

  /** What a unit of each shortage costs. */
  function setPenalty(penalty: number): void {
    base.model.cost.fill(penalty, base.firstShortage);
    setCosts();
  }

  function setCosts(): void {
    const cost = new Float64Array(firstArc + arcSource.length);
    cost.set(base.model.cost);
    if (isPhaseOne) cost.fill(1, base.firstShortage, firstArc);
    else for (let a = 0; a < arcSource.length; a++) cost[firstArc + a] = costOf(a);
    model.setCosts(cost);
  }

  const costOf = (a: number) => fromUnits(problem.network.costUnits[arcSource[a] * n + arcTarget[a]]);

  /** The least sum of shortages, as a proved bound: above 0 there is no plan. Leaves costs as they were. */
  function leastShortage(): Relaxed {
    isPhaseOne = true;
    setCosts();
    const relaxed = relax();
    isPhaseOne = false;
    setCosts();
    return relaxed;
  }

  /** Every move that a plan within `limit` money above the bound of these prices may use becomes a column. @returns false where they are too many */
  function addWithin(prices: Prices, limit: number, most: number): boolean {
    const more = pricer.within(prices, limit, most - arcSource.length);
    if (!more) return false;
    addArcs(more);
    return true;
  }

  /** The moves of a plan become columns where they are none. */
  function addMoves(moves: Moves): void {
    const more: number[] = [];
    for (let m = 0; m < moves.count.length; m++) {
      if (!known.has((moves.capacityClass[m] * n + moves.source[m]) * n + moves.target[m])) more.push(m);
    }
    addArcs({
      capacityClass: Int32Array.from(more, (m) => moves.capacityClass[m]),
      source: Int32Array.from(more, (m) => moves.source[m]),
      target: Int32Array.from(more, (m) => moves.target[m]),
    });
  }

  /**
   * Goes on with a problem of other numbers: supply, demand, limits, moves allowed. Columns, rows and their last basis stay.
   * @returns false, with nothing changed, where its model has another form
   */
  function setProblem(changed: Problem): boolean {
    const { model: next, wholeColumns } = createBaseModel(changed);
    const { model: m } = base;
    if (next.columnCount !== m.columnCount || next.rowCount !== m.rowCount) return false;
    problem = changed;
    pricer = createPricer(changed, has, isOver);
    m.rowLower.set(next.rowLower);
    m.rowUpper.set(next.rowUpper);
    m.lower.set(next.lower);
    m.upper.set(next.upper);
    whole.lower.set(next.lower.subarray(0, wholeColumns));
    whole.upper.set(next.upper.subarray(0, wholeColumns));
    for (const row of extraRows) row.lower = row.lowerFor?.(changed) ?? row.lower;
    isStale = true;
    return true;
  }

  /** The solver learns of another problem only when it is run: a bound by multipliers needs none. */
  function tellProblem(): void {
    if (!isStale) return;
    isStale = false;
    const { model: m } = base;
    for (let r = 0; r < m.rowCount; r++) {
      if (m.rowLower[r] === told.rowLower[r] && m.rowUpper[r] === told.rowUpper[r]) continue;
      model.setRowBounds(r, m.rowLower[r], m.rowUpper[r]);
    }
    told.rowLower.set(m.rowLower);
    told.rowUpper.set(m.rowUpper);
    extraRows.forEach(({ lower }, x) => {
      if (lower === told.extra[x]) return;
      model.setRowBounds(m.rowCount + x, lower, Number.POSITIVE_INFINITY);
      told.extra[x] = lower;
    });
    const { wholeColumns } = base;
    model.setColumnBounds(wholeColumns, m.lower.slice(wholeColumns), m.upper.slice(wholeColumns));
    model.setColumnBounds(0, whole.lower, whole.upper);
    const { network, limits, supply } = problem;
    setMostOfMoves(
      Float64Array.from(arcSource, (i, a) =>
        isAllowed(network, n, limits.maxDistanceKm, i, arcTarget[a]) ? supply[arcClass[a] * n + i] : 0,
      ),
    );
  }

  /** What any row multipliers prove of the problem at hand under these bounds of the whole columns, money. */
  function boundOf(rowDual: Float64Array, lower: Float64Array, upper: Float64Array): number {
    return baseBound(rowDual, lower, upper).bound + pricer.bound(pricesOf(rowDual));
  }

  addArcs(pricer.nearest(FIRST_PER_ROW));
  return {
    problem: () => problem,
    setProblem,
    boundOf,
    addWithin,
    addMoves,
    setMostOfMoves,
    costOf,
    addCeiling,
    shutShortages,
    /** A whole solution to start branching from, filled up with zeros for the columns that came after it. */
    keepStart(values: Float64Array): void {
      start = values;
    },
    startOf(): Float64Array | undefined {
      if (!start) return undefined;
      const values = new Float64Array(firstArc + arcSource.length);
      values.set(start);
      return values;
    },
    relax,
    addRows,
    setWhole,
    setPenalty,
    leastShortage,
    whole: whole as { readonly lower: Float64Array; readonly upper: Float64Array },
    firstArc,
    counts,
    arcs: { capacityClass: arcClass, source: arcSource, target: arcTarget },
    rows: () => rowCount,
  };
}
