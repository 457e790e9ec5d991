import { type ConstraintName, requestedValue } from '../problem/constraints.ts';
import type { Problem } from '../problem/model.ts';
import { countVehicles } from '../problem/variants.ts';

/** What a request states by a constraint; of supply the number of operational vehicles; null of forbidden moves. */
export function statedValue(problem: Problem, name: ConstraintName): number | null {
  return name === 'supply' ? countVehicles(problem) : requestedValue(problem.limits, name);
}
