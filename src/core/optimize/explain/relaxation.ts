/**
 * The linear relaxation kept open, to be solved again with one thing changed: from the last basis, over few moves; all
 * others are priced against the duals after each solve and appended where they would help, so every value is that of all moves.
 * O(n² K) per pricing pass beside the simplex. Reference: Desaulniers, Desrosiers, Solomon, Column Generation (2005).
 */
import { fromUnits, UNITS_PER_COST } from '../costs.ts';
import { type SolverModel, withSolverModel } from '../highs.ts';
import type { Problem, SolveControl } from '../model.ts';
import { isAllowed } from '../network.ts';
import { totalDemand } from '../service-level.ts';
import { type Check, checkOf } from '../stopping.ts';
import { createRelaxationRows, serviceSide } from './relaxation-rows.ts';

/** Moves to begin with: this many nearest targets of each source and sources of each target. */
const FIRST_PER_LOCATION = 8;
/** Moves appended per source and pricing pass. */
const PER_SOURCE = 4;
/** Reduced cost, money, below which a move would help: a hundredth of a cost unit. */
const LEAST_REDUCED = 1e-6;
const TOLERANCE = 1e-9;
/** Moves appended between two looks at the clock. */
const MOVES_PER_LOOK = 1 << 14;

/** Least cost in units, not rounded; null: no plan; `stopped`: the time limit came first, or the solver gave up. */
export type RelaxedCost = number | null | 'stopped';

export type Relaxation = {
  cost: () => RelaxedCost;
  /** By the duals of `cost`, without solving: no plan of the changed problem costs less. Units; needs `cost` to be a number. */
  boundWithVehicle: (k: number, i: number, by: 1 | -1) => number;
  boundWithDemand: (j: number) => number;
  costWithVehicle: (k: number, i: number, by: 1 | -1) => RelaxedCost;
  costWithDemand: (j: number) => RelaxedCost;
  /** Without moves from `source` to `target`, of any class. */
  costWithoutMove: (source: number, target: number) => RelaxedCost;
};

type Solved = { cost: RelaxedCost; values: Float64Array; rowDual: Float64Array };

/**
 * Opens the relaxation of a problem of at least one class.
 * @param load demand that counts as one more
 * @throws OutOfTime, and `use` may too: every function of the relaxation does
 */
export async function withRelaxation<T>(
  problem: Problem,
  load: number,
  control: SolveControl,
  use: (relaxation: Relaxation) => T,
): Promise<T> {
  const rows = createRelaxationRows(problem, load);
  const runControl = { deadlineMs: control.deadlineMs, stopFlag: control.stopFlag };
  return await withSolverModel(rows.model, TOLERANCE, runControl, (model) =>
    use(openRelaxation(problem, load, rows, model, checkOf(control))),
  );
}

function openRelaxation(
  problem: Problem,
  load: number,
  rows: ReturnType<typeof createRelaxationRows>,
  model: SolverModel,
  check: Check,
): Relaxation {
  const n = problem.locationIds.length;
  const classes = problem.capacities.length;
  const { network, limits, supply } = problem;
  const money = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    check();
    for (let j = 0; j < n; j++) money[i * n + j] = i === j ? 0 : fromUnits(network.costUnits[i * n + j]);
  }
  const vehicles = supply.reduce((sum, count) => sum + count, 0) + 1;
  /** Column of move (k · n + i) · n + j, −1: none yet, −2: not allowed. */
  const columnOf = new Int32Array(classes * n * n).fill(-1);
  let columnCount = rows.model.columnCount;
  let hasAll = false;
  let base: Solved | null = null;

  for (let k = 0; k < classes; k++) {
    for (let i = 0; i < n; i++) {
      check();
      for (let j = 0; j < n; j++) {
        if (!isAllowed(network, n, limits.maxDistanceKm, i, j)) columnOf[(k * n + i) * n + j] = -2;
      }
    }
  }

  function append(moves: readonly number[]): void {
    for (let from = 0; from < moves.length; from += MOVES_PER_LOOK) {
      check();
      appendSome(moves.slice(from, from + MOVES_PER_LOOK));
    }
  }

  function appendSome(moves: readonly number[]): void {
    const cost = new Float64Array(moves.length);
    const starts = new Int32Array(moves.length + 1);
    const indices: number[] = [];
    moves.forEach((move, m) => {
      const j = move % n;
      const i = Math.floor(move / n) % n;
      const k = Math.floor(move / (n * n));
      columnOf[move] = columnCount++;
      cost[m] = money[i * n + j];
      indices.push(rows.supplyRow(k, i), rows.presenceRow(k, j));
      if (rows.boundRow(j) >= 0) indices.push(rows.boundRow(j));
      starts[m + 1] = indices.length;
    });
    model.addColumns({
      cost,
      lower: new Float64Array(moves.length),
      upper: new Float64Array(moves.length).fill(vehicles),
      starts,
      indices: Int32Array.from(indices),
      values: new Float64Array(indices.length).fill(1),
    });
  }

  function appendFirst(): void {
    const chosen = new Set<number>();
    for (let i = 0; i < n; i++) {
      check();
      for (const near of nearest(money, n, i)) {
        for (let k = 0; k < classes; k++) {
          for (const move of [(k * n + i) * n + near, (k * n + near) * n + i]) {
            if (columnOf[move] === -1) chosen.add(move);
          }
        }
      }
    }
    append([...chosen]);
  }

  function appendAll(): void {
    hasAll = true;
    const open: number[] = [];
    for (let move = 0; move < columnOf.length; move++) {
      if (move % MOVES_PER_LOOK === 0) check();
      if (columnOf[move] === -1) open.push(move);
    }
    append(open);
  }

  /** Moves that the duals say would help: the best few of each source. */
  function helpful(rowDual: Float64Array): number[] {
    const found: number[] = [];
    for (let k = 0; k < classes; k++) {
      const worth = Float64Array.from({ length: n }, (_, j) => {
        const bound = rows.boundRow(j);
        return rowDual[rows.presenceRow(k, j)] + (bound >= 0 ? rowDual[bound] : 0);
      });
      for (let i = 0; i < n; i++) {
        check();
        const own = rowDual[rows.supplyRow(k, i)] - LEAST_REDUCED;
        const some: { move: number; reduced: number }[] = [];
        for (let j = 0; j < n; j++) {
          const reduced = money[i * n + j] - worth[j] - own;
          if (reduced < 0 && columnOf[(k * n + i) * n + j] === -1)
            some.push({ move: (k * n + i) * n + j, reduced });
        }
        some.sort((a, b) => a.reduced - b.reduced);
        for (const { move } of some.slice(0, PER_SOURCE)) found.push(move);
      }
    }
    return found;
  }

  function solve(): Solved {
    let method: 'dual' | 'primal' = 'dual';
    for (;;) {
      const linear = model.runLinear(0, method);
      if (linear.status === 'infeasible') {
        if (hasAll) return { cost: null, values: linear.values, rowDual: linear.rowDual };
        appendAll();
        method = 'dual';
        continue;
      }
      if (linear.status !== 'optimal')
        return { cost: 'stopped', values: linear.values, rowDual: linear.rowDual };
      const more = helpful(linear.rowDual);
      if (more.length === 0) {
        const { values, rowDual } = linear;
        return { cost: linear.objective * UNITS_PER_COST, values, rowDual };
      }
      append(more);
      method = 'primal';
    }
  }

  /** No plan serves more than all capacity together: spares a solve that would have to look at all moves. */
  function lacksCapacity(k: number, by: number, extraDemand: number): boolean {
    let capacity = by * problem.capacities[k];
    for (let at = 0; at < supply.length; at++)
      capacity += supply[at] * problem.capacities[Math.floor(at / n)];
    const side = serviceSide(problem, extraDemand, 1);
    return side > 0 && capacity < side - TOLERANCE * totalDemand(problem.demand);
  }

  function changed(change: () => void, undo: () => void): RelaxedCost {
    change();
    const { cost } = solve();
    undo();
    return cost;
  }

  const found = () => {
    base ??= solve();
    return base;
  };

  /** The dual value of location j's columns and rounding rows; with a load more those rows count for nothing. */
  function dualValue(j: number, rowDual: Float64Array, which: 'usual' | 'more'): number {
    let value = 0;
    const reduced = rows.reducedCosts(j, rowDual, which);
    let c = 0;
    for (const columns of rows.columnsOf(j)) {
      for (const upper of columns[which]) value += Math.min(0, reduced[c++]) * upper;
    }
    if (which === 'more') return value;
    for (const { row, usual } of rows.roundingRowsOf(j)) {
      if (Number.isFinite(usual)) value += rowDual[row] * usual;
    }
    return value;
  }

  appendFirst();
  return {
    cost: () => found().cost,
    boundWithVehicle(k, i, by) {
      const { cost, rowDual } = found();
      return (cost as number) + by * rowDual[rows.supplyRow(k, i)] * UNITS_PER_COST;
    },
    boundWithDemand(j) {
      const { cost, rowDual } = found();
      const sides = [load, 0].map((extra) => serviceSide(problem, extra, rows.demandScale));
      const added =
        rowDual[rows.serviceRow] * (sides[0] - sides[1]) +
        dualValue(j, rowDual, 'more') -
        dualValue(j, rowDual, 'usual');
      return (cost as number) + added * UNITS_PER_COST;
    },
    costWithVehicle(k, i, by) {
      if (lacksCapacity(k, by, 0)) return null;
      const set = (count: number) => model.setRowBounds(rows.supplyRow(k, i), count, count);
      const count = supply[k * n + i];
      return changed(
        () => set(count + by),
        () => set(count),
      );
    },
    costWithDemand(j) {
      if (lacksCapacity(0, 0, load)) return null;
      const set = (which: 'usual' | 'more') => {
        for (const columns of rows.columnsOf(j)) {
          model.setColumnBounds(columns.from, new Float64Array(columns[which].length), columns[which]);
        }
        for (const { row, [which]: upper } of rows.roundingRowsOf(j)) {
          model.setRowBounds(row, Number.NEGATIVE_INFINITY, upper);
        }
        const side = serviceSide(problem, which === 'more' ? load : 0, rows.demandScale);
        model.setRowBounds(rows.serviceRow, side, Number.POSITIVE_INFINITY);
      };
      return changed(
        () => set('more'),
        () => set('usual'),
      );
    },
    costWithoutMove(source, target) {
      const { cost, values } = found();
      const columns = Array.from({ length: classes }, (_, k) => columnOf[(k * n + source) * n + target]);
      // What the relaxation does not use can go without changing it.
      if (columns.every((column) => column < 0 || (values[column] ?? 0) === 0)) return cost;
      const set = (upper: number) => {
        for (const column of columns) {
          if (column >= 0) model.setColumnBounds(column, Float64Array.of(0), Float64Array.of(upper));
        }
      };
      const shut = columns.flatMap((column, k) => (column === -1 ? [(k * n + source) * n + target] : []));
      for (const move of shut) columnOf[move] = -2;
      const without = changed(
        () => set(0),
        () => set(vehicles),
      );
      for (const move of shut) columnOf[move] = -1;
      return without;
    },
  };
}

/** The location itself and its nearest. */
function nearest(money: Float64Array, n: number, i: number): number[] {
  const others = Array.from({ length: n }, (_, j) => j).sort(
    (a, b) => money[i * n + a] - money[i * n + b] || a - b,
  );
  return [i, ...others.filter((j) => j !== i).slice(0, FIRST_PER_LOCATION)];
}
