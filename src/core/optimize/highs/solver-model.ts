/**
 * A linear or mixed-integer programme that is open in the solver, in the calling thread (`highs.ts`) or in a separate
 * one (`highs-in-worker.ts`): its operations and their results. Calls block the calling thread.
 */
import type { Control, RunState } from '../run/control.ts';

/** `stopped`: the stop flag or the deadline ended the run. `failed`: the solver gave up. */
export type RunStatus = 'optimal' | 'infeasible' | 'stopped' | 'failed';

export type LinearResult = {
  status: RunStatus;
  /** Empty, like `rowDual`, if the model is infeasible or the run did not start or finish. */
  values: Float64Array;
  rowDual: Float64Array;
  objective: number;
  iterations: number;
  /** The last basis, if it was asked for and the run was optimal. */
  basis?: LinearBasis | undefined;
};

/** A status per column and per row: 0 at its lower bound, 1 basic, 2 at its upper bound. */
export type LinearBasis = { columnStatus: Int32Array; rowStatus: Int32Array };

export type MixedResult = {
  status: RunStatus;
  /** The best point found, even if the run was stopped; null if none was found. */
  values: Float64Array | null;
  /** Proved lower bound on the objective; −Infinity if none is known. */
  bound: number;
  iterations: number;
  nodes: number;
};

/** Result of a run of which only the stop is known. */
export const NO_LINEAR_RESULT: LinearResult = {
  status: 'stopped',
  values: new Float64Array(0),
  rowDual: new Float64Array(0),
  objective: Number.NaN,
  iterations: 0,
};
export const NO_MIXED_RESULT: MixedResult = {
  status: 'stopped',
  values: null,
  bound: Number.NEGATIVE_INFINITY,
  iterations: 0,
  nodes: 0,
};

export type LinearMethod = 'dual' | 'primal';

export type MixedOptions = {
  /** Integer columns: from the first number up to, but not including, the second. */
  integerFrom: number;
  integerTo: number;
  /** All columns from this one on are integer too. */
  moreIntegersFrom?: number | undefined;
  gap: number;
  /** In money. */
  absoluteGap: number;
  start?: Float64Array | undefined;
  /** Ends the tree before the control's deadline; a time of the caller's clock. */
  untilMs?: number | undefined;
};

/** Changes of a model; none of them returns a result. */
export type ModelChanges = {
  setColumnBounds(from: number, lower: Float64Array, upper: Float64Array): void;
  setRowBounds(row: number, lower: number, upper: number): void;
  /** Appends columns, which stay at their lower bound until the next run. */
  addColumns(columns: NewColumns): void;
  setCosts(cost: Float64Array): void;
  /**
   * Sets the starting basis of the next linear run: one status per column and per row, with as many basic ones as
   * rows.
   */
  setBasis(columnStatus: Int32Array, rowStatus: Int32Array): void;
  /** Appends rows, all at once: each call passes over the whole matrix. */
  addRows(rows: readonly NewRow[]): void;
};

export type SolverModel = ModelChanges & {
  /**
   * Solves the linear relaxation from the last basis, by default with the dual simplex method; may run `graceMs` past
   * the deadline.
   * @param keepsBasis whether the result has the basis
   */
  runLinear(graceMs?: number, method?: LinearMethod, keepsBasis?: boolean): LinearResult;
  /** Solves with the given columns integer, to the gap. */
  runMixed(options: MixedOptions): MixedResult;
};

/** A model, and the function with which its opener disposes it. */
export type OpenModel = { model: SolverModel; dispose(): void };

/** lower ≤ Σ values · columns ≤ upper. */
export type NewRow = { indices: Int32Array; values: Float64Array; lower: number; upper: number };

/** Columns to append, entries compressed by column. */
type NewColumns = {
  cost: Float64Array;
  lower: Float64Array;
  upper: Float64Array;
  starts: Int32Array;
  indices: Int32Array;
  values: Float64Array;
};

export type RunControl = Control<RunState> & {
  /** Called with every better point of a tree as soon as it is found. */
  onImproved?: (values: Float64Array) => void;
};
