/**
 * Says why a problem has no plan: the constraints in conflict, for each the smallest change that alone helps, and where some do
 * not help alone, what else is in conflict without them and what helps together.
 */

import type { ErrorItem } from '../../../contracts/envelope.ts';
import type { OptimizeRequest } from '../../../contracts/optimize.ts';
import type { ConstraintName } from '../problem/constraints.ts';
import { unreachableLocations } from '../problem/distances/reachable.ts';
import type { Conflict, JointChange, Problem } from '../problem/model.ts';
import { dropConstraint } from '../problem/variants.ts';
import { allTimeOf, evenPartOf, explanationMs, timeFor } from '../run/budget.ts';
import { nowMs } from '../run/clock.ts';
import type { SolveControl } from '../run/control.ts';
import { byClock, isOver, isStopped, type Stopping } from '../run/stopping.ts';
import { type ConflictSet, findConflict, findConflictWithin } from './conflict.ts';
import { findFeasibility } from './feasibility.ts';
import { findJointRelaxation, withChange, withoutConstraint } from './joint-relaxations.ts';
import { describeConflict, describeJoint } from './messages.ts';
import { findRelaxation, type Relaxation } from './relaxations.ts';
import { statedValue } from './stated-value.ts';

export type Explained = {
  errors: ErrorItem[];
  conflicts: Conflict[];
  /** The conflicts that the constraints are in; the first one always. */
  sets: ConflictSet[];
  /** Changes that together are enough; null where one constraint's change is the only way looked for, or time ran out. */
  together: JointChange[] | null;
};

/**
 * Explains an infeasible problem within the control's deadline; what was not found in time is said to be so.
 * @param problem proved infeasible
 * @param mostMs ends it before the deadline
 */
export async function explainInfeasible(
  request: OptimizeRequest,
  problem: Problem,
  outer: SolveControl,
  mostMs = explanationMs(problem.capacities.length),
): Promise<Explained> {
  const control = byClock(outer, Math.min(outer.deadlineMs, nowMs() + mostMs));
  const first = await findConflict(problem, timeFor('firstConflict', control));
  const conflicts: Conflict[] = [];
  let ceilingMs = 0;
  if (first.names.includes('max_rebalancing_cost')) {
    const startedMs = nowMs();
    const found = await findAlone(problem, first, 'max_rebalancing_cost', timeFor('ceilingAlone', control));
    conflicts.push(createConflict(problem, 'max_rebalancing_cost', found));
    ceilingMs = nowMs() - startedMs;
  }
  conflicts.push(...(await findEachAlone(problem, first, timeFor('eachAlone', control))));
  const sets = [
    first,
    ...(await findFurther(problem, first, conflicts, timeFor('furtherConflicts', control))),
  ];
  // Who is not in the first conflict cannot help alone: that conflict would stay.
  for (const { names } of sets) {
    for (const constraint of names) {
      if (conflicts.some((known) => known.constraint === constraint)) continue;
      conflicts.push(
        createConflict(problem, constraint, { relaxation: null, insufficient: null, proved: true }),
      );
    }
  }
  // Where one change alone helps, how large each has to be says more than what helps together; else that comes first.
  const isHelped = helpfulAlone(conflicts).length > 0;
  if (isHelped) await settleOpenOnes(problem, first, conflicts, ceilingMs, timeFor('openConflicts', control));
  const isOnlyTogether = conflicts.some(({ relaxation, proved }) => relaxation === null && proved);
  const together =
    isOnlyTogether && !isStopped(control.stopFlag)
      ? await findJointRelaxation(problem, first, helpfulAlone(conflicts), allTimeOf(control))
      : null;
  await settleOpenOnes(problem, first, conflicts, ceilingMs, control);
  const worthSaying = together !== null && together.length > 1 ? together : null;
  return {
    conflicts,
    sets,
    together: worthSaying,
    errors: [
      ...conflicts.map((conflict) => describeConflict(request, problem, conflict, sets)),
      ...(worthSaying ? [describeJoint(request, problem, conflicts, worthSaying)] : []),
    ],
  };
}

function helpfulAlone(conflicts: readonly Conflict[]): ConstraintName[] {
  return conflicts.filter(({ relaxation }) => relaxation !== null).map(({ constraint }) => constraint);
}

async function findEachAlone(problem: Problem, first: ConflictSet, control: Stopping): Promise<Conflict[]> {
  const names = first.names.filter((name) => name !== 'max_rebalancing_cost');
  const conflicts: Conflict[] = [];
  for (const [at, constraint] of names.entries()) {
    if (isStopped(control.stopFlag)) break;
    const found = await findAlone(problem, first, constraint, evenPartOf(control, names.length - at));
    conflicts.push(createConflict(problem, constraint, found));
  }
  return conflicts;
}

/**
 * The change of a constraint that alone helps. A ceiling that is in no conflict mostly is in the way of none: then the question is looked
 * at without it, which is far easier, and the answer holds where a plan within the ceiling is found for it.
 */
async function findAlone(
  problem: Problem,
  { names }: ConflictSet,
  constraint: ConstraintName,
  control: Stopping,
  known?: Conflict,
): Promise<Relaxation> {
  const hasCeiling = problem.limits.maxCostUnits !== Number.POSITIVE_INFINITY;
  if (hasCeiling && !names.includes('max_rebalancing_cost') && constraint !== 'network') {
    const free = dropConstraint(problem, 'max_rebalancing_cost');
    const found = await findRelaxation(free, constraint, timeFor('withoutCeiling', control), known);
    if (found.relaxation === null && found.proved) return found;
    if (found.relaxation !== null) {
      const verdict = await findFeasibility(
        withChange(problem, constraint, found),
        timeFor('withoutCeiling', control),
      );
      if (verdict === 'feasible') return found;
    }
  }
  return await findRelaxation(problem, constraint, control, known);
}

/**
 * What its share of the time did not settle is looked at once more where time is left; the ceiling, which begins anew, last and only where
 * more is left than it had.
 * @param ceilingMs what it had
 */
async function settleOpenOnes(
  problem: Problem,
  first: ConflictSet,
  conflicts: Conflict[],
  ceilingMs: number,
  control: Stopping,
): Promise<void> {
  const isCeiling = ({ constraint }: Conflict) => constraint === 'max_rebalancing_cost';
  const isLonger = control.deadlineMs - nowMs() > ceilingMs;
  const open = conflicts.filter((conflict) => !conflict.proved && (isLonger || !isCeiling(conflict)));
  open.sort((a, b) => Number(isCeiling(a)) - Number(isCeiling(b)));
  for (const [at, conflict] of open.entries()) {
    if (isOver(control)) return;
    const share = evenPartOf(control, open.length - at);
    const found = await findAlone(problem, first, conflict.constraint, share, conflict);
    if (found.proved || isNearer(conflict, found)) Object.assign(conflict, found);
  }
}

/** Whether it changes less, or leaves less open about as little a change. */
function isNearer(conflict: Conflict, { relaxation, insufficient }: Relaxation): boolean {
  if (relaxation === null || conflict.value === null) return false;
  if (conflict.relaxation === null) return true;
  const change = (value: number) => Math.abs(value - conflict.value!);
  if (relaxation !== conflict.relaxation) return change(relaxation) < change(conflict.relaxation);
  return insufficient !== null && change(insufficient) > change(conflict.insufficient ?? conflict.value);
}

function createConflict(
  problem: Problem,
  constraint: ConstraintName,
  found: Pick<Conflict, 'relaxation' | 'insufficient' | 'proved'>,
): Conflict {
  return {
    constraint,
    value: statedValue(problem, constraint),
    ...found,
    ...unreachableOf(problem, constraint),
  };
}

/** A constraint that does not help alone leaves another conflict, of others. */
async function findFurther(
  problem: Problem,
  first: ConflictSet,
  conflicts: readonly Conflict[],
  control: Stopping,
): Promise<ConflictSet[]> {
  const found: ConflictSet[] = [];
  for (const { constraint, relaxation, proved } of conflicts) {
    if (relaxation !== null || !proved) continue;
    if (found.some(({ names }) => !names.includes(constraint))) continue;
    if (isOver(control)) break;
    const further = await findWithout(problem, constraint, control);
    const isKnown = [first, ...found].some(({ names }) => isSubset(names, further.names));
    if (further.names.length > 0 && !isKnown) found.push(further);
  }
  return found;
}

/**
 * The conflict that is left without a constraint. What is left with more vehicles is a conflict of the fleet as it is too, of which it may
 * not take as much.
 */
async function findWithout(
  problem: Problem,
  constraint: ConstraintName,
  control: Stopping,
): Promise<ConflictSet> {
  const left = await findConflict(withoutConstraint(problem, constraint), control);
  if (constraint !== 'supply' || left.names.length === 0) return left;
  return await findConflictWithin(problem, left.names, control);
}

/** A set that has all of another says nothing new: time left in what does not belong, or vehicles more do not help. */
function isSubset(names: readonly ConstraintName[], others: readonly ConstraintName[]): boolean {
  return names.every((name) => others.includes(name));
}

function unreachableOf(problem: Problem, constraint: ConstraintName): Pick<Conflict, 'unreachable'> {
  if (constraint !== 'max_distance' && constraint !== 'network') return {};
  const unreachable = unreachableLocations(problem).map((j) => problem.locationIds[j]);
  return unreachable.length > 0 ? { unreachable } : {};
}
