import { type ConstraintName, requestedValue } from '../problem/constraints.ts';
import type { Problem } from '../problem/model.ts';
import { countOperational } from '../problem/pinned.ts';

/**
 * The value that a request states for a constraint; for supply the number of operational vehicles; null for forbidden
 * moves.
 */
export function statedValue(problem: Problem, name: ConstraintName): number | null {
  return name === 'supply' ? countOperational(problem) : requestedValue(problem.limits, name);
}
