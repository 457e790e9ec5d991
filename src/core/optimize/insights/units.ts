/** One unit of each constraint that insights relax: 0.01 of service level, 1 km, one vehicle (at every location). */
import { BINDING_CONSTRAINTS } from '../../../contracts/optimize.ts';
import { LIMIT_CONSTRAINTS } from '../problem/constraints.ts';
import type { Problem } from '../problem/model.ts';
import { isSet, withLimits } from '../problem/variants.ts';

/** Constraints whose value per unit is reported; not the ceiling, which does not change the cheapest plan. */
export type RelaxableName = (typeof BINDING_CONSTRAINTS)[number];

/** Digits that a relaxed value keeps: 0.95 − 0.01 is 0.94. */
const VALUE_DIGITS = 12;

/** The constraints of the request that can be relaxed. */
export function relaxableConstraints(problem: Problem): RelaxableName[] {
  return BINDING_CONSTRAINTS.filter((name) => isSet(problem, name));
}

export function requestedLimit(problem: Problem, name: RelaxableName): number {
  return problem.limits[LIMIT_CONSTRAINTS[name].limit];
}

/** The value one unit looser. */
export function relaxedValue(problem: Problem, name: RelaxableName): number {
  const relaxed = requestedLimit(problem, name) + LIMIT_CONSTRAINTS[name].insightStep;
  return Math.max(0, Number(relaxed.toPrecision(VALUE_DIGITS)));
}

export function relaxByOne(problem: Problem, name: RelaxableName): Problem {
  return withLimits(problem, { [LIMIT_CONSTRAINTS[name].limit]: relaxedValue(problem, name) });
}
