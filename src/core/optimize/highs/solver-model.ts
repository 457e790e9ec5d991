/**
 * A linear or mixed-integer programme that is open in the solver: what can be done with it and what comes of it, be it open
 * in the calling thread (`highs.ts`) or in a thread of its own (`highs-in-worker.ts`). Calls block the calling thread.
 */
import type { Control, SolverProgress } from '../run/control.ts';

/** `stopped`: the stop flag or the deadline came first. `failed`: the solver gave up. */
export type RunStatus = 'optimal' | 'infeasible' | 'stopped' | 'failed';

export type LinearResult = {
  status: RunStatus;
  /** Empty, like `rowDual`, where the model is infeasible or the run was not begun or not ended. */
  values: Float64Array;
  rowDual: Float64Array;
  objective: number;
  iterations: number;
};

export type MixedResult = {
  status: RunStatus;
  /** The best point found, also where the run was stopped; null where there is none. */
  values: Float64Array | null;
  /** Proved lower bound of the objective; −Infinity where none is known. */
  bound: number;
  iterations: number;
  nodes: number;
};

/** Of a run of which nothing is known but that it was stopped. */
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
  /** Columns from the first up to, not including, the second are integer. */
  integerFrom: number;
  integerTo: number;
  /** All columns from here on are integer too. */
  moreIntegersFrom?: number | undefined;
  gap: number;
  /** Money. */
  absoluteGap: number;
  start?: Float64Array | undefined;
};

/** Changes of a model, none of which has an answer. */
export type ModelChanges = {
  setColumnBounds(from: number, lower: Float64Array, upper: Float64Array): void;
  setRowBounds(row: number, lower: number, upper: number): void;
  /** Appends columns, which stay at their lower bound until the next run. */
  addColumns(columns: NewColumns): void;
  setCosts(cost: Float64Array): void;
  /** Where the next linear run starts: a status per column and per row, as many basic as there are rows. */
  setBasis(columnStatus: Int32Array, rowStatus: Int32Array): void;
  /** Appends rows, all at once: each call passes over the whole matrix. */
  addRows(rows: readonly NewRow[]): void;
  /** Takes rows away, ascending; those after them move up. Where they were not binding the last basis stays. */
  deleteRows(rows: Int32Array): void;
};

export type SolverModel = ModelChanges & {
  /** Solves the linear relaxation from the last basis, by dual simplex unless told; `graceMs` past the deadline is allowed. */
  runLinear(graceMs?: number, method?: LinearMethod): LinearResult;
  /** Solves with the given columns integer, to the gap. */
  runMixed(options: MixedOptions): MixedResult;
};

/** A model that whoever opened it disposes. */
export type OpenModel = { model: SolverModel; dispose(): void };

/** lower ≤ Σ values · columns ≤ upper. */
export type NewRow = { indices: Int32Array; values: Float64Array; lower: number; upper: number };

/** Columns to append, entries compressed by column. */
export type NewColumns = {
  cost: Float64Array;
  lower: Float64Array;
  upper: Float64Array;
  starts: Int32Array;
  indices: Int32Array;
  values: Float64Array;
};

export type RunControl = Control<SolverProgress> & {
  /** Hears of every better point of a tree, as soon as it is found. */
  onImproved?: (values: Float64Array) => void;
};
