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

/** Progress of a solve. Costs in cost units; `share`: the completed share of the work, 0 … 1. */
export type SolveProgress = {
  share: number;
  incumbentUnits: number | null;
  boundUnits: number | null;
  gap: number | null;
  iterations?: number;
};

/** What the network simplex reports of a solve: its pivots, and the cost of a plan once one serves enough. */
export type FlowProgress = Required<Pick<SolveProgress, 'iterations' | 'incumbentUnits'>>;

/** State of a run of HiGHS, in its own money; `nodes` and `bound` are those of a branch-and-bound tree. */
export type SolverProgress = {
  iterations: number;
  nodes: number;
  incumbent: number | null;
  bound: number | null;
};
