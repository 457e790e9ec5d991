/** What a running solve listens to and what it tells. */

/** What running work listens to, and how it tells of itself: P is its progress. */
export type Control<P> = {
  /** When to stop, on the clock of `clock.ts`. */
  deadlineMs: number;
  /** Shared with the caller: any value but 0 in the first element cancels. */
  stopFlag?: Int32Array | undefined;
  onProgress?: ((progress: P) => void) | undefined;
  /** Called whenever flag and clock are looked at: every few milliseconds of work. */
  onLook?: (() => void) | undefined;
  /** Least time between two calls of `onProgress` from within the solver, ms. */
  progressIntervalMs?: number | undefined;
};

export type SolveControl = Control<SolveProgress>;

/** Costs in cost units; `share` of the work done, 0 … 1. */
export type SolveProgress = {
  share: number;
  incumbentUnits: number | null;
  boundUnits: number | null;
  gap: number | null;
  iterations?: number;
};

/** Where a run is; `nodes` and `bound` are those of a tree. */
export type SolverProgress = {
  iterations: number;
  nodes: number;
  incumbent: number | null;
  bound: number | null;
};
