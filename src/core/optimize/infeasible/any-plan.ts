import type { Moves } from '../problem/model.ts';

/** What is known about the existence of a plan. */
export type Feasibility = 'feasible' | 'infeasible' | 'unknown';

export type AnyPlan =
  | { verdict: 'feasible'; moves: Moves; served: number; costUnits: number }
  | { verdict: 'infeasible' | 'unknown' };
