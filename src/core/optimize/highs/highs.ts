/**
 * The only importer of `highs`. Opens a linear or mixed-integer programme as a model that is solved, changed and
 * solved again, and always disposed. Calls block the thread; the solver's callbacks read stop flag and deadline.
 *
 * The simplex method calls back at every iteration. A tree does not while it presolves, solves its first relaxation,
 * separates cuts and searches smaller trees for points, which takes up to seconds (tenths of a second even with 12
 * locations). Nor does HiGHS call back while a large model is passed to it. Both therefore run in a separate thread,
 * which can be ended (`highs-in-worker.ts`).
 * The module is loaded once per thread and kept, because loading it and its first solve take longer than most solves.
 */
import highsModule, { type Highs, type Model, type ModelStatusCode } from 'highs';

import { msOf } from '../run/budget.ts';
import { type Cache, keptIn, type Slot } from '../run/cache.ts';
import { nowMs } from '../run/clock.ts';
import { isOver } from '../run/stopping.ts';
import { scaleControl, scaleModel, scaleSource } from './cost-scale.ts';
import { openInWorker } from './highs-in-worker.ts';
import { createRowBuilder, type LinearModel } from './linear-model.ts';
import {
  type LinearBasis,
  type LinearMethod,
  type LinearResult,
  type MixedOptions,
  type MixedResult,
  type ModelChanges,
  NO_LINEAR_RESULT,
  NO_MIXED_RESULT,
  type OpenModel,
  type RunControl,
  type RunStatus,
  type SolverModel,
} from './solver-model.ts';

export type { RunControl, SolverModel } from './solver-model.ts';

/** More columns than this exhaust the 2 GB of WebAssembly memory. */
export const MAX_COLUMNS = 3_000_000;
/** Passing more columns takes some tens of milliseconds, during which nothing can be stopped. */
const MAX_COLUMNS_HERE = 50_000;

// The package's ES module exports the loader itself; its declarations are read as those of a CommonJS module.
const loadHighs = highsModule as unknown as typeof highsModule.default;

const LOADED: Slot<{ loading?: Promise<Highs> | undefined }> = { create: () => ({}) };

/** Loads the solver, once per cache. */
export function loadSolver(cache: Cache): Promise<Highs> {
  const kept = keptIn(cache, LOADED);
  kept.loading ??= loadHighs();
  return kept.loading;
}

/** The memory of an aborted module may be damaged, so the next call loads a new one. */
export function dropIfDamaged(cache: Cache, error: unknown): void {
  if (error instanceof Error && error.name === 'RuntimeError') keptIn(cache, LOADED).loading = undefined;
}

const DUAL_SIMPLEX = 1;
const PRIMAL_SIMPLEX = 4;
const DEVEX = 1;
const NO_SCALING = 0;

/**
 * Opens a model, runs `operation` on it and always disposes it.
 * @param tolerance feasibility tolerance of rows, columns and integrality
 * @throws what `operation` throws, and the solver's own errors (bad model, out of memory)
 */
export async function withSolverModel<T>(
  cache: Cache,
  source: LinearModel,
  tolerance: number,
  control: RunControl,
  operation: (model: SolverModel) => T | Promise<T>,
): Promise<T> {
  const highs = await loadSolver(cache);
  const { costScale = 1 } = source;
  const hasCostScale = costScale !== 1;
  const { model, dispose } = open(
    cache,
    highs,
    hasCostScale ? scaleSource(source, costScale) : source,
    tolerance,
    hasCostScale ? scaleControl(control, costScale) : control,
  );
  try {
    return await operation(hasCostScale ? scaleModel(model, costScale) : model);
  } catch (error) {
    dropIfDamaged(cache, error);
    throw error;
  } finally {
    dispose();
  }
}

function open(
  cache: Cache,
  highs: Highs,
  source: LinearModel,
  tolerance: number,
  control: RunControl,
): OpenModel {
  return source.columnCount > MAX_COLUMNS_HERE
    ? openInWorker(cache, source, tolerance, control)
    : openHere(highs, source, tolerance, control, cache);
}

/** A model in the solver's own format. @param format whether its matrix is by rows (csr) or by columns (csc) */
export function passed(source: LinearModel, format: 'csr' | 'csc' = 'csr') {
  return {
    numCols: source.columnCount,
    numRows: source.rowCount,
    colCost: source.cost,
    colLower: source.lower,
    colUpper: source.upper,
    rowLower: source.rowLower,
    rowUpper: source.rowUpper,
    matrix: {
      format,
      numRows: source.rowCount,
      numCols: source.columnCount,
      starts: asList(source.starts),
      indices: source.indices,
      values: source.values,
    },
  };
}

/** The package copies starts as lists are copied, which takes some ten times as long for a typed array. */
function asList(values: Int32Array): number[] {
  const list = new Array<number>(values.length);
  for (let v = 0; v < values.length; v++) list[v] = values[v];
  return list;
}

/** A model that is open in this thread. */
type ModelHere = {
  highs: Highs;
  opened: Model;
  tolerance: number;
  control: RunControl;
  /** Whether columns were made integer since the last linear run. */
  hasIntegers: boolean;
};

/**
 * Opens a model in this thread.
 * @param workerCache cache that keeps the separate thread in which trees run and can be ended; null: trees run in this
 * thread
 */
export function openHere(
  highs: Highs,
  source: LinearModel,
  tolerance: number,
  control: RunControl,
  workerCache: Cache | null,
): OpenModel {
  const opened = highs.createModel();
  const dispose = () => opened.dispose();
  try {
    opened.options.set({
      output_flag: false,
      primal_feasibility_tolerance: tolerance,
      mip_feasibility_tolerance: tolerance,
      ...(source.isScaled === false && { simplex_scale_strategy: NO_SCALING }),
    });
    opened.passModel(passed(source));
  } catch (error) {
    dispose();
    throw error;
  }
  const here: ModelHere = { highs, opened, tolerance, control, hasIntegers: false };
  return {
    dispose,
    model: {
      ...changesOf(opened),
      runLinear: (graceMs = 0, method = 'dual', keepsBasis = false) =>
        runLinear(here, graceMs, method, keepsBasis),
      runMixed(options) {
        if (isOver(control)) return NO_MIXED_RESULT;
        return workerCache ? runMixedInWorker(here, workerCache, options) : runMixedHere(here, options);
      },
    },
  };
}

/** Each change, passed on to the solver in its own format. */
function changesOf(opened: Model): ModelChanges {
  return {
    setColumnBounds(from, lower, upper) {
      if (lower.length > 0) {
        opened.changeColsBounds({ kind: 'range', from, to: from + lower.length - 1 }, lower, upper);
      }
    },
    setRowBounds(row, lower, upper) {
      opened.changeRowBounds(row, lower, upper);
    },
    addColumns({ cost, lower, upper, starts, indices, values }) {
      if (cost.length === 0) return;
      const { numRows } = opened.getDimensions();
      opened.addCols({
        cost,
        lower,
        upper,
        matrix: { format: 'csc', numRows, numCols: cost.length, starts, indices, values },
      });
    },
    setBasis(columnStatus, rowStatus) {
      opened.setBasis({ colStatus: columnStatus, rowStatus });
    },
    setCosts(cost) {
      if (cost.length > 0) opened.changeColsCost({ kind: 'range', from: 0, to: cost.length - 1 }, cost);
    },
    addRows(rows) {
      const builder = createRowBuilder(rows.reduce((sum, { indices }) => sum + indices.length, 0));
      for (const { indices, values, lower, upper } of rows) {
        for (let e = 0; e < indices.length; e++) builder.add(indices[e], values[e]);
        builder.end(lower, upper);
      }
      const { rowLower, rowUpper, starts, indices, values, rowCount } = builder.finish();
      const { numCols } = opened.getDimensions();
      const matrix = { format: 'csr' as const, numRows: rowCount, numCols, starts, indices, values };
      if (rowCount > 0) opened.addRows({ lower: rowLower, upper: rowUpper, matrix });
    },
  };
}

function runLinear(
  here: ModelHere,
  graceMs: number,
  method: LinearMethod,
  keepsBasis: boolean,
): LinearResult {
  const { opened, control } = here;
  if (here.hasIntegers) opened.clearIntegrality();
  here.hasIntegers = false;
  const deadlineMs = control.deadlineMs + graceMs;
  if (isOver({ ...control, deadlineMs })) return NO_LINEAR_RESULT;
  // Presolve costs more than it saves on networks. The dual method starts from every vehicle staying, which is
  // dual feasible.
  opened.options.set({
    presolve: 'off',
    solver: 'simplex',
    simplex_strategy: method === 'dual' ? DUAL_SIMPLEX : PRIMAL_SIMPLEX,
    // Exact initial steepest-edge weights would take one solve per row each time.
    simplex_dual_edge_weight_strategy: DEVEX,
  });
  const status = run(here, deadlineMs);
  const iterations = Number(opened.info.get('simplex_iteration_count'));
  if (status === 'infeasible' || status === 'failed') return { ...NO_LINEAR_RESULT, status, iterations };
  // An interrupted run still has its last basis; the duals of any basis prove a bound.
  const solution = opened.getSolution();
  return {
    status,
    values: solution.colValue,
    rowDual: solution.rowDual,
    objective: opened.getObjectiveValue(),
    iterations,
    ...(keepsBasis && status === 'optimal' && { basis: basisOf(opened) }),
  };
}

function basisOf(opened: Model): LinearBasis {
  const { colStatus, rowStatus } = opened.getBasis();
  return { columnStatus: Int32Array.from(colStatus), rowStatus: Int32Array.from(rowStatus) };
}

/**
 * Without presolve: with it HiGHS 1.15 called points optimal that were 6 % too dear. Without it HiGHS called small
 * feasible models infeasible, so "infeasible" counts only if a run with presolve confirms it, and otherwise the search
 * begins again at the point that this run found.
 */
function runMixedHere(here: ModelHere, options: MixedOptions): MixedResult {
  const plain = runTree(here, options, 'off');
  if (plain.status !== 'infeasible') return plain;
  here.opened.clearIntegrality();
  const presolved = runTree(here, { ...options, moreIntegersFrom: undefined }, 'choose');
  const { status, values } = presolved;
  const again = values && runTree(here, { ...options, start: values }, 'off');
  if (again?.values) return again;
  return {
    status: status === 'infeasible' || status === 'stopped' ? status : 'failed',
    values,
    bound: status === 'infeasible' ? plain.bound : NO_MIXED_RESULT.bound,
    iterations: plain.iterations + presolved.iterations,
    nodes: plain.nodes + presolved.nodes,
  };
}

function runTree(here: ModelHere, options: MixedOptions, presolve: 'choose' | 'off'): MixedResult {
  const { opened, control } = here;
  const { solutionStatus, variableType } = here.highs.constants;
  const { integerFrom, integerTo, moreIntegersFrom, gap, absoluteGap, start } = options;
  const { numCols } = opened.getDimensions();
  for (const [from, to] of [
    [integerFrom, integerTo],
    [moreIntegersFrom ?? numCols, numCols],
  ]) {
    if (to <= from) continue;
    opened.changeColsIntegrality(
      { kind: 'range', from, to: to - 1 },
      new Int32Array(to - from).fill(variableType.integer),
    );
    here.hasIntegers = true;
  }
  opened.options.set({
    presolve,
    solver: 'choose',
    mip_rel_gap: gap,
    mip_abs_gap: absoluteGap,
  });
  if (start) opened.setSolution({ colValue: start });
  const status = run(here, control.deadlineMs);
  const hasPoint = Number(opened.info.get('primal_solution_status')) === solutionStatus.feasible;
  return {
    status,
    values: status !== 'infeasible' && hasPoint ? opened.getSolution().colValue : null,
    bound: Number(opened.info.get('mip_dual_bound')),
    iterations: Math.max(0, Number(opened.info.get('simplex_iteration_count'))),
    nodes: Math.max(0, Number(opened.info.get('mip_node_count'))),
  };
}

/** Runs the same on a copy of the model, in a separate thread. */
function runMixedInWorker(here: ModelHere, cache: Cache, options: MixedOptions): MixedResult {
  const { numCols, numRows, colCost, colLower, colUpper, rowLower, rowUpper, matrix } =
    here.opened.getLp('csr');
  const { starts, indices, values } = matrix;
  const copy = openInWorker(
    cache,
    {
      columnCount: numCols,
      rowCount: numRows,
      cost: colCost,
      lower: colLower,
      upper: colUpper,
      rowLower,
      rowUpper,
      starts,
      indices,
      values,
    },
    here.tolerance,
    here.control,
  );
  try {
    return copy.model.runMixed(options);
  } finally {
    copy.dispose();
  }
}

/** Runs the model as its options are set, until it is solved, stopped or `deadlineMs` has passed. */
function run({ highs, opened, control }: ModelHere, deadlineMs: number): RunStatus {
  const { callbackType } = highs.constants;
  const stopping = { ...control, deadlineMs };
  const interval = control.progressIntervalMs ?? msOf('progress');
  let nextReportMs = nowMs() + interval;
  const isReportDue = () => {
    if (!control.onProgress || nowMs() < nextReportMs) return false;
    nextReportMs = nowMs() + interval;
    return true;
  };
  opened.zeroAllClocks();
  opened.options.set('time_limit', Math.max(0.001, (deadlineMs - nowMs()) / 1000));
  const callbacks: Parameters<typeof opened.run>[0] = {
    [callbackType.simplexInterrupt](event) {
      if (isOver(stopping)) event.interrupt();
      else if (isReportDue()) {
        const iterations = event.data.simplex_iteration_count ?? 0;
        control.onProgress?.({ iterations, nodes: 0, incumbent: null, bound: null });
      }
    },
    [callbackType.mipInterrupt](event) {
      if (isOver(stopping)) event.interrupt();
      else if (isReportDue()) {
        control.onProgress?.({
          iterations: Number(event.data.mip_total_lp_iterations ?? 0),
          nodes: Number(event.data.mip_node_count ?? 0),
          incumbent: finiteOrNull(event.data.mip_primal_bound),
          bound: finiteOrNull(event.data.mip_dual_bound),
        });
      }
    },
    ...(control.onImproved && {
      [callbackType.mipImprovingSolution](event) {
        if (event.data.mip_solution) control.onImproved?.(event.data.mip_solution);
      },
    }),
  };
  try {
    return statusOf(highs, opened.run(callbacks).modelStatus);
  } catch (error) {
    // The solver gave up, in most cases over numbers of very different size.
    if (error instanceof Error && error.name === 'HighsError') return 'failed';
    throw error;
  }
}

function statusOf({ constants: { modelStatus } }: Highs, code: ModelStatusCode): RunStatus {
  if (code === modelStatus.optimal || code === modelStatus.empty) return 'optimal';
  // All costs and bounds are finite, so no model is unbounded.
  if (code === modelStatus.infeasible || code === modelStatus.unboundedOrInfeasible) return 'infeasible';
  if (code === modelStatus.timeLimit || code === modelStatus.interrupted) return 'stopped';
  return 'failed';
}

function finiteOrNull(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}
