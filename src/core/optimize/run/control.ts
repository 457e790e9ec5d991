/** Inputs that running work observes, and how it reports its progress of type P. */
export type Control<P> = {
  /** When to stop, on the clock of `clock.ts`. */
  deadlineMs: number;
  /** Shared with the caller: any value but 0 in the first element cancels. */
  stopFlag?: Int32Array | undefined;
  onProgress?: ((progress: P) => void) | undefined;
  /** Called with every look at flag and clock: every few milliseconds of work. */
  onLook?: (() => void) | undefined;
  /** Minimum time between two calls of `onProgress` from within the solver, in ms. */
  progressIntervalMs?: number | undefined;
};

export type SolveControl = Control<SolveProgress>;

/**
 * Progress of work. Costs in whole cost units. A figure that is not known is null: the network simplex knows neither
 * its bound nor the share of its work that is completed.
 */
export type SolveProgress = {
  /** Absent: the first stage. */
  stage?: 'milp_refinement';
  /** Completed share of the work, 0 … 1. */
  share: number | null;
  incumbentUnits: number | null;
  boundUnits: number | null;
  gap: number | null;
  /** Iterations of the simplex method, or pivots of the network simplex. */
  iterations: number | null;
};

/** Progress of which nothing is known yet. */
export const UNKNOWN_PROGRESS: SolveProgress = {
  share: null,
  incumbentUnits: null,
  boundUnits: null,
  gap: null,
  iterations: null,
};

/** State of a run of HiGHS, in its own money; `nodes` and `bound` are those of a branch-and-bound tree. */
export type RunState = {
  iterations: number;
  nodes: number;
  incumbent: number | null;
  bound: number | null;
};
