/**
 * A relaxation of several constraints together, where an infeasible problem has more than one obstacle: from each conflict in turn one
 * constraint is dropped until a plan exists, then each of these gets the nearest value that is enough with those
 * before it at theirs and those after it still dropped. What turns out not to be needed stays as it was requested.
 *
 * Limits are dropped before what the plan is for (service level, vehicles per location). Forbidden moves never are: what they
 * would cost is not known. The ceiling's value is found last, because the others decide it. The plan that the last value was found
 * by keeps them all, and the whole is solved once more.
 */

import type { ConstraintName } from '../problem/constraints.ts';
import { DROP_ORDER, VALUE_ORDER, withRequestedValue } from '../problem/constraints.ts';
import type { JointChange, Problem } from '../problem/model.ts';
import { dropConstraint } from '../problem/variants.ts';
import type { Stopping } from '../run/stopping.ts';
import { type ConflictSet, findConflict } from './conflict.ts';
import { findFeasibility } from './feasibility.ts';
import { findRelaxation, type Relaxation } from './relaxations.ts';
import { statedValue } from './stated-value.ts';
import { withAdditions, withAnySupply } from './vehicles-needed.ts';

type ChangeableName = Exclude<ConstraintName, 'network'>;

/**
 * @param first a conflict of the problem that is known already
 * @param alone constraints that help alone, which are left as they are
 * @returns null where there is no such way, or time ran out first
 */
export async function findJointRelaxation(
  problem: Problem,
  first: ConflictSet,
  alone: readonly ConstraintName[],
  control: Stopping,
): Promise<JointChange[] | null> {
  const dropped = await dropUntilFeasible(problem, first, alone, control);
  if (!dropped) return null;
  const names = VALUE_ORDER.filter((name) => dropped.includes(name));
  const changes: JointChange[] = [];
  let changed = problem;
  for (const [at, name] of names.entries()) {
    const open = names.slice(at + 1).reduce(withoutConstraint, changed);
    if ((await findFeasibility(open, control)) === 'feasible') continue;
    const found = await findRelaxation(open, name, control);
    if (found.relaxation === null) return null;
    changes.push({
      constraint: name,
      value: statedValue(problem, name)!,
      relaxation: found.relaxation,
      proved: found.proved,
      ...(found.additions ? { additions: found.additions } : {}),
    });
    changed = withChange(changed, name, found);
  }
  return (await findFeasibility(changed, control)) === 'feasible' ? changes : null;
}

async function dropUntilFeasible(
  problem: Problem,
  first: ConflictSet,
  alone: readonly ConstraintName[],
  control: Stopping,
): Promise<ChangeableName[] | null> {
  const dropped: ChangeableName[] = [];
  let rest = problem;
  let conflict = first;
  for (;;) {
    const next = DROP_ORDER.find(
      (name) => conflict.names.includes(name) && !dropped.includes(name) && !alone.includes(name),
    );
    if (next === undefined) return null;
    dropped.push(next);
    rest = withoutConstraint(rest, next);
    const verdict = await findFeasibility(rest, control);
    if (verdict === 'feasible') return dropped;
    if (verdict === 'unknown') return null;
    conflict = await findConflict(rest, control);
  }
}

/** The problem without a constraint; of supply: with as many vehicles more as can be of use. */
export function withoutConstraint(problem: Problem, name: ConstraintName): Problem {
  return name === 'supply' ? withAnySupply(problem) : dropConstraint(problem, name);
}

/** The problem with a change that `findRelaxation` has found. */
export function withChange(
  problem: Problem,
  name: ChangeableName,
  { relaxation, additions }: Relaxation,
): Problem {
  if (name === 'supply') {
    return withAdditions(
      problem,
      (additions ?? []).map(({ location_id, vehicles }) => ({
        location: problem.locationIds.indexOf(location_id),
        vehicles,
      })),
    );
  }
  return { ...problem, limits: withRequestedValue(problem.limits, name, relaxation!) };
}
