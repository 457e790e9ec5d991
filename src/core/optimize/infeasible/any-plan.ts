import type { Moves } from '../problem/model.ts';

/** What is known of whether a problem has a plan. */
export type Feasibility = 'feasible' | 'infeasible' | 'unknown';

export type AnyPlan =
  | { verdict: 'feasible'; moves: Moves; served: number; costUnits: number }
  | { verdict: 'infeasible' | 'unknown' };
