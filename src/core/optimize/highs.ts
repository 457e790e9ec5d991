/**
 * The only importer of `highs`: a linear or mixed-integer programme opened as a model that is solved, changed and
 * solved again, and always disposed. Calls block the thread; a stop flag and a deadline are read in the callbacks.
 * The module is loaded once per thread and kept, because loading it and its first solve take longer than most solves.
 */
import highsModule, { type Highs, type ModelStatusCode } from 'highs';
import type { LinearModel } from './linear-model.ts';
import type { SolveControl } from './model.ts';

/** More columns than this run out of the 2 GB that WebAssembly has. */
export const MOST_COLUMNS = 3_000_000;

// The package's ES module exports the loader itself; its declarations are read as those of a CommonJS module.
const loadHighs = highsModule as unknown as typeof highsModule.default;

let loading: Promise<Highs> | undefined;

/** Loads the solver, once per thread. */
export function loadSolver(): Promise<Highs> {
  loading ??= loadHighs();
  return loading;
}

/** Forgets a solver whose memory may be damaged; the next call loads a new one. */
export function dropSolver(): void {
  loading = undefined;
}

/** `stopped`: the stop flag or the deadline came first. `failed`: the solver gave up; `status` says how. */
export type RunStatus = 'optimal' | 'infeasible' | 'stopped' | 'failed';

export type LinearResult = {
  status: RunStatus;
  code: ModelStatusCode;
  /** Empty, like `rowDual`, where the model is infeasible or the run never began. */
  values: Float64Array;
  rowDual: Float64Array;
  objective: number;
  iterations: number;
};

export type MixedResult = {
  status: RunStatus;
  code: ModelStatusCode;
  /** The best point found, also where the run was stopped; null where there is none. */
  values: Float64Array | null;
  /** Proved lower bound of the objective; −Infinity where none is known. */
  bound: number;
  iterations: number;
  nodes: number;
};

const NO_LINEAR_RESULT = {
  status: 'stopped' as RunStatus,
  values: new Float64Array(0),
  rowDual: new Float64Array(0),
  objective: Number.NaN,
  iterations: 0,
};
const NO_MIXED_RESULT = {
  status: 'stopped' as RunStatus,
  values: null,
  bound: Number.NEGATIVE_INFINITY,
  iterations: 0,
  nodes: 0,
};

export type SolverProgress = { iterations: number; incumbent: number | null; bound: number | null };

export type SolverModel = {
  /** Solves the linear relaxation from the last basis, by dual simplex unless told; `graceMs` past the deadline is allowed. */
  runLinear(graceMs?: number, method?: 'dual' | 'primal'): LinearResult;
  /** Solves with the given columns integer, to the gap (or to `absoluteGap`, money). */
  runMixed(options: {
    integerFrom: number;
    integerTo: number;
    gap: number;
    absoluteGap: number;
    start?: Float64Array | undefined;
    /** Off: starts sooner and listens sooner, where reduction finds little. */
    presolve?: 'choose' | 'off' | undefined;
    /** `performance.now()` at which to stop, where that is before the deadline. */
    untilMs?: number | undefined;
  }): MixedResult;
  setColumnBounds(from: number, lower: Float64Array, upper: Float64Array): void;
  setRowBounds(row: number, lower: number, upper: number): void;
  /** Appends columns, which stay at their lower bound until the next run. */
  addColumns(columns: NewColumns): void;
  setCosts(cost: Float64Array): void;
  /** Where the next linear run starts: a status per column and per row, as many basic as there are rows. */
  setBasis(columnStatus: Int32Array, rowStatus: Int32Array): void;
  addRow(indices: Int32Array, values: Float64Array, lower: number, upper: number): number;
};

/** Columns to append, entries compressed by column. */
export type NewColumns = {
  cost: Float64Array;
  lower: Float64Array;
  upper: Float64Array;
  starts: Int32Array;
  indices: Int32Array;
  values: Float64Array;
};

export type RunControl = Pick<SolveControl, 'deadlineMs' | 'stopFlag' | 'progressIntervalMs'> & {
  onProgress?: (p: SolverProgress) => void;
};

export function isStopped(stopFlag: Int32Array | undefined): boolean {
  return stopFlag !== undefined && Atomics.load(stopFlag, 0) !== 0;
}

const DUAL_SIMPLEX = 1;
const PRIMAL_SIMPLEX = 4;
const DEVEX = 1;

const DEFAULT_PROGRESS_INTERVAL_MS = 200;

/**
 * Opens a model, runs `operation` on it and disposes it, whatever happens.
 * @param tolerance feasibility tolerance of rows, columns and integrality
 * @throws what `operation` throws, and the solver's own errors (bad model, out of memory)
 */
export async function withSolverModel<T>(
  source: LinearModel,
  tolerance: number,
  control: RunControl,
  operation: (model: SolverModel) => T | Promise<T>,
): Promise<T> {
  const highs = await loadSolver();
  try {
    return await highs.withModel(async (model) => {
      model.options.set({
        output_flag: false,
        primal_feasibility_tolerance: tolerance,
        mip_feasibility_tolerance: tolerance,
      });
      model.passModel({
        numCols: source.columnCount,
        numRows: source.rowCount,
        colCost: source.cost,
        colLower: source.lower,
        colUpper: source.upper,
        rowLower: source.rowLower,
        rowUpper: source.rowUpper,
        matrix: {
          format: 'csr',
          numRows: source.rowCount,
          numCols: source.columnCount,
          starts: source.starts,
          indices: source.indices,
          values: source.values,
        },
      });
      return await operation(openModel(highs, model, control));
    });
  } catch (error) {
    if (error instanceof Error && error.name === 'RuntimeError') dropSolver();
    throw error;
  }
}

function openModel(highs: Highs, model: ReturnType<Highs['createModel']>, control: RunControl): SolverModel {
  const { callbackType, modelStatus, solutionStatus, variableType } = highs.constants;
  let hasIntegers = false;

  const isOver = (deadlineMs: number) => isStopped(control.stopFlag) || performance.now() >= deadlineMs;

  const statusOf = (code: ModelStatusCode): RunStatus => {
    if (code === modelStatus.optimal || code === modelStatus.empty) return 'optimal';
    // Costs and bounds are finite: nothing here is unbounded.
    if (code === modelStatus.infeasible || code === modelStatus.unboundedOrInfeasible) return 'infeasible';
    if (code === modelStatus.timeLimit || code === modelStatus.interrupted) return 'stopped';
    return 'failed';
  };

  const run = (deadlineMs: number): ModelStatusCode => {
    const interval = control.progressIntervalMs ?? DEFAULT_PROGRESS_INTERVAL_MS;
    let nextReportMs = performance.now() + interval;
    const report = (progress: () => SolverProgress) => {
      if (!control.onProgress || performance.now() < nextReportMs) return;
      nextReportMs = performance.now() + interval;
      control.onProgress(progress());
    };
    model.zeroAllClocks();
    model.options.set('time_limit', Math.max(0.001, (deadlineMs - performance.now()) / 1000));
    return model.run({
      [callbackType.simplexInterrupt](event) {
        if (isOver(deadlineMs)) event.interrupt();
        else {
          report(() => ({
            iterations: event.data.simplex_iteration_count ?? 0,
            incumbent: null,
            bound: null,
          }));
        }
      },
      [callbackType.mipInterrupt](event) {
        if (isOver(deadlineMs)) event.interrupt();
        else {
          report(() => ({
            iterations: Number(event.data.mip_total_lp_iterations ?? 0),
            incumbent: finiteOrNull(event.data.mip_primal_bound),
            bound: finiteOrNull(event.data.mip_dual_bound),
          }));
        }
      },
    }).modelStatus;
  };

  return {
    runLinear(graceMs = 0, method = 'dual') {
      if (hasIntegers) model.clearIntegrality();
      hasIntegers = false;
      const deadlineMs = control.deadlineMs + graceMs;
      if (isOver(deadlineMs)) return { ...NO_LINEAR_RESULT, code: modelStatus.interrupted };
      // Presolve costs more than it saves on networks; the dual method starts from staying, which is dual feasible.
      model.options.set({
        presolve: 'off',
        solver: 'simplex',
        simplex_strategy: method === 'dual' ? DUAL_SIMPLEX : PRIMAL_SIMPLEX,
        // Exact initial weights of steepest edges take a solve per row each time.
        simplex_dual_edge_weight_strategy: DEVEX,
      });
      const code = run(deadlineMs);
      const status = statusOf(code);
      const iterations = Number(model.info.get('simplex_iteration_count'));
      if (status === 'infeasible') return { ...NO_LINEAR_RESULT, status, code, iterations };
      // An interrupted run still has its last basis, whose duals prove a bound like any others.
      const solution = model.getSolution();
      return {
        status,
        code,
        values: solution.colValue,
        rowDual: solution.rowDual,
        objective: model.getObjectiveValue(),
        iterations,
      };
    },
    runMixed({ integerFrom, integerTo, gap, absoluteGap, start, presolve, untilMs }) {
      if (integerTo > integerFrom) {
        model.changeColsIntegrality(
          { kind: 'range', from: integerFrom, to: integerTo - 1 },
          new Int32Array(integerTo - integerFrom).fill(variableType.integer),
        );
        hasIntegers = true;
      }
      if (isOver(control.deadlineMs)) return { ...NO_MIXED_RESULT, code: modelStatus.interrupted };
      model.options.set({
        presolve: presolve ?? 'choose',
        solver: 'choose',
        mip_rel_gap: gap,
        mip_abs_gap: absoluteGap,
      });
      if (start) model.setSolution({ colValue: start });
      const code = run(Math.min(control.deadlineMs, untilMs ?? Number.POSITIVE_INFINITY));
      const status = statusOf(code);
      const hasPoint = Number(model.info.get('primal_solution_status')) === solutionStatus.feasible;
      return {
        status,
        code,
        values: status !== 'infeasible' && hasPoint ? model.getSolution().colValue : null,
        bound: Number(model.info.get('mip_dual_bound')),
        iterations: Math.max(0, Number(model.info.get('simplex_iteration_count'))),
        nodes: Math.max(0, Number(model.info.get('mip_node_count'))),
      };
    },
    setColumnBounds(from, lower, upper) {
      if (lower.length > 0) {
        model.changeColsBounds({ kind: 'range', from, to: from + lower.length - 1 }, lower, upper);
      }
    },
    setRowBounds(row, lower, upper) {
      model.changeRowBounds(row, lower, upper);
    },
    addColumns({ cost, lower, upper, starts, indices, values }) {
      if (cost.length === 0) return;
      const { numRows } = model.getDimensions();
      model.addCols({
        cost,
        lower,
        upper,
        matrix: { format: 'csc', numRows, numCols: cost.length, starts, indices, values },
      });
    },
    setBasis(columnStatus, rowStatus) {
      model.setBasis({ colStatus: columnStatus, rowStatus });
    },
    setCosts(cost) {
      if (cost.length > 0) model.changeColsCost({ kind: 'range', from: 0, to: cost.length - 1 }, cost);
    },
    addRow(indices, values, lower, upper) {
      model.addRow(lower, upper, { indices, values });
      return model.getDimensions().numRows - 1;
    },
  };
}

function finiteOrNull(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}
