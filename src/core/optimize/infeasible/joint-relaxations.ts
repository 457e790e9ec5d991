/**
 * A joint relaxation of several constraints, for an infeasible problem with more than one conflict. From each conflict
 * in turn one constraint is dropped, until a plan exists. Then each dropped constraint gets its nearest sufficient
 * value, with those before it at their values and those after it still dropped. A constraint whose relaxation turns out
 * to be unnecessary keeps its requested value.
 *
 * Limits are dropped before the purposes of a plan (service level, vehicles per location). Forbidden moves are never
 * dropped: their costs are unknown. The ceiling's value comes last, because the others decide it. The last value comes
 * with a plan that satisfies all values; the whole problem is solved once more.
 */

import type { ConstraintName } from '../problem/constraints.ts';
import { DROP_ORDER, VALUE_ORDER, withRequestedValue } from '../problem/constraints.ts';
import type { JointChange, Problem } from '../problem/model.ts';
import { dropConstraint } from '../problem/variants.ts';
import type { Stopping } from '../run/stopping.ts';
import { type ConflictSet, findConflict } from './conflict.ts';
import { findFeasibility } from './feasibility.ts';
import { withLooserBounds } from './looser-bounds.ts';
import { findRelaxation, type Relaxation } from './relaxations.ts';
import { statedValue } from './stated-value.ts';
import { withAdditions, withAnySupply } from './vehicles-needed.ts';

type ChangeableName = Exclude<ConstraintName, 'network'>;

/**
 * @param first a known conflict of the problem
 * @param alone constraints that help alone; they stay as they are
 * @returns null if there is no joint relaxation, or time runs out first
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
      ...(found.changes ? { changes: found.changes } : {}),
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

/** The problem without a constraint; for supply: with as many additional vehicles as can be of use. */
export function withoutConstraint(problem: Problem, name: ConstraintName): Problem {
  return name === 'supply' ? withAnySupply(problem) : dropConstraint(problem, name);
}

/** The problem with a change that `findRelaxation` has found. */
export function withChange(
  problem: Problem,
  name: ChangeableName,
  { relaxation, additions, changes }: Relaxation,
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
  if (changes) {
    return withLooserBounds(problem, name === 'min_vehicles_per_location' ? 'least' : 'most', changes);
  }
  return { ...problem, limits: withRequestedValue(problem.limits, name, relaxation!) };
}
