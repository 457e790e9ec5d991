/**
 * Explains why a problem has no plan: the constraints in conflict and, for each, the smallest change that alone is
 * sufficient. If some changes are not sufficient alone, also the remaining conflict and the changes that are sufficient
 * together.
 */

import type { ErrorItem } from '../../../contracts/envelope.ts';
import type { OptimizeRequest } from '../../../contracts/optimize.ts';
import type { ConstraintName } from '../problem/constraints.ts';
import { unreachableLocations } from '../problem/distances/reachable.ts';
import type { Conflict, JointChange, Problem } from '../problem/model.ts';
import { dropConstraint } from '../problem/variants.ts';
import { evenPartOf, explanationMs, timeFor } from '../run/budget.ts';
import { nowMs } from '../run/clock.ts';
import type { SolveControl } from '../run/control.ts';
import { byClock, isOver, isStopped, type Stopping } from '../run/stopping.ts';
import { type ConflictSet, findConflict, findConflictWithin } from './conflict.ts';
import { findFeasibility } from './feasibility.ts';
import { findJointRelaxation, withChange, withoutConstraint } from './joint-relaxations.ts';
import { describeConflict, describeJoint, type LocationNames } from './messages.ts';
import { findRelaxation, type Relaxation } from './relaxations.ts';
import { statedValue } from './stated-value.ts';

export type KnownLevel = Pick<Conflict, 'relaxation' | 'insufficient' | 'proved'>;

export type Asked = {
  /** Ends the search before the deadline. */
  mostMs?: number;
  /** Relative, at which a ceiling or a number of vehicles counts as found. Default 0. */
  gap?: number;
  /** What is known of the service level alone, which is then not searched for. */
  serviceLevel?: KnownLevel;
  /** A service level that a plan reaches, in the six decimals of messages: lowering it to that is sufficient. */
  reached?: number | undefined;
  /** For messages. */
  names?: LocationNames;
};

export type Explained = {
  errors: ErrorItem[];
  conflicts: Conflict[];
  /** The conflicts that contain the constraints; always the first one. */
  sets: ConflictSet[];
  /**
   * Changes that are sufficient together; null if only changes of a single constraint were searched for, or time ran
   * out.
   */
  together: JointChange[] | null;
};

/**
 * Explains an infeasible problem within the control's deadline; the result marks what was not found in time.
 * @param problem proved infeasible
 */
export async function explainInfeasible(
  request: OptimizeRequest,
  problem: Problem,
  outer: SolveControl,
  {
    mostMs = explanationMs(problem.capacities.length),
    gap = 0,
    serviceLevel,
    reached,
    names = new Map(),
  }: Asked = {},
): Promise<Explained> {
  const control = byClock(outer, Math.min(outer.deadlineMs, nowMs() + mostMs));
  let first = await findConflict(problem, timeFor('question', control));
  const conflicts: Conflict[] = [];
  if (first.names.includes('max_rebalancing_cost')) {
    const found = await findAlone(
      { problem, first, gap },
      'max_rebalancing_cost',
      timeFor('question', control),
    );
    if (!first.irreducible && found.relaxation === null && found.proved) {
      // Time alone kept it in the conflict: there is no plan of any cost.
      const free = dropConstraint(problem, 'max_rebalancing_cost');
      first = await findConflict(free, timeFor('question', control));
    } else conflicts.push(createConflict(problem, 'max_rebalancing_cost', found));
  }
  conflicts.push(...(await findEachAlone({ problem, first, gap }, serviceLevel, control)));
  if (reached !== undefined) raiseToReached(conflicts, reached);
  const sets = [first, ...(await findFurther(problem, first, conflicts, timeFor('question', control)))];
  // A constraint outside the first conflict cannot help alone: that conflict would remain.
  for (const { names } of sets) {
    for (const constraint of names) {
      if (conflicts.some((known) => known.constraint === constraint)) continue;
      conflicts.push(
        createConflict(problem, constraint, { relaxation: null, insufficient: null, proved: true }),
      );
    }
  }
  const isOnlyTogether = conflicts.some(({ relaxation, proved }) => relaxation === null && proved);
  const together =
    isOnlyTogether && !isStopped(control.stopFlag)
      ? await findJointRelaxation(problem, first, helpfulAlone(conflicts), timeFor('half', control))
      : null;
  // All that is known of the service level came with the question, if anything did.
  const open = serviceLevel
    ? conflicts.filter(({ constraint }) => constraint !== 'min_service_level')
    : conflicts;
  await settleOpenOnes({ problem, first, gap }, open, control);
  const at = conflicts.findIndex(({ constraint }) => constraint === 'max_rebalancing_cost');
  if (at >= 0 && conflicts.length > 1 && isOutside(conflicts[at], sets)) conflicts.splice(at, 1);
  const worthSaying = together !== null && together.length > 1 ? together : null;
  return {
    conflicts,
    sets,
    together: worthSaying,
    errors: [
      ...conflicts.map((conflict) => describeConflict(request, problem, conflict, sets, names)),
      ...(worthSaying ? [describeJoint(request, problem, conflicts, worthSaying, names)] : []),
    ],
  };
}

/** Whether lifting it is proved not to help, and time alone kept it in a conflict. */
function isOutside({ constraint, relaxation, proved }: Conflict, sets: readonly ConflictSet[]): boolean {
  const isNeeded = sets.some(({ names, irreducible }) => irreducible && names.includes(constraint));
  return relaxation === null && proved && !isNeeded;
}

function helpfulAlone(conflicts: readonly Conflict[]): ConstraintName[] {
  return conflicts.filter(({ relaxation }) => relaxation !== null).map(({ constraint }) => constraint);
}

/** Which change of one constraint is sufficient. `first`: the first conflict. */
type Question = { problem: Problem; first: ConflictSet; gap: number };

async function findEachAlone(
  question: Question,
  serviceLevel: KnownLevel | undefined,
  control: Stopping,
): Promise<Conflict[]> {
  const { problem, first } = question;
  const names = first.names.filter((name) => name !== 'max_rebalancing_cost');
  const conflicts: Conflict[] = [];
  for (const [at, constraint] of names.entries()) {
    if (isStopped(control.stopFlag)) break;
    // One part is for further conflicts and joint changes.
    const share = evenPartOf(control, names.length - at + 1);
    const isKnown = serviceLevel && constraint === 'min_service_level';
    const found = isKnown ? serviceLevel : await findAlone(question, constraint, share);
    conflicts.push(createConflict(problem, constraint, found));
  }
  return conflicts;
}

/**
 * The smallest change of a constraint that alone is sufficient. A ceiling outside all conflicts rarely matters. The
 * problem is then solved without it, which is far easier; the answer holds if a plan within the ceiling is found for
 * it.
 */
async function findAlone(
  { problem, first: { names }, gap }: Question,
  constraint: ConstraintName,
  control: Stopping,
): Promise<Relaxation> {
  const hasCeiling = problem.limits.maxCostUnits !== Number.POSITIVE_INFINITY;
  if (hasCeiling && !names.includes('max_rebalancing_cost') && constraint !== 'network') {
    const free = dropConstraint(problem, 'max_rebalancing_cost');
    const found = await findRelaxation(free, constraint, timeFor('half', control), gap);
    if (found.relaxation === null && found.proved) return found;
    if (found.relaxation !== null) {
      const verdict = await findFeasibility(withChange(problem, constraint, found), timeFor('half', control));
      if (verdict === 'feasible') return found;
    }
  }
  return await findRelaxation(problem, constraint, control, gap);
}

/** Repeats the searches that their shares of time did not settle, if time is left. */
async function settleOpenOnes(question: Question, conflicts: Conflict[], control: Stopping): Promise<void> {
  const open = conflicts.filter((conflict) => !conflict.proved && !isNearEnough(conflict, question.gap));
  for (const [at, conflict] of open.entries()) {
    if (isOver(control)) return;
    const found = await findAlone(question, conflict.constraint, evenPartOf(control, open.length - at));
    if (found.proved) Object.assign(conflict, found);
  }
}

/** Whether a sufficient ceiling, or number of additional vehicles, is as close to the nearest as the gap asks for. */
export function isNearEnough(
  { constraint, value, relaxation, insufficient }: Conflict,
  gap: number,
): boolean {
  if (value === null || relaxation === null || insufficient === null) return false;
  if (constraint === 'max_rebalancing_cost') return relaxation - insufficient <= gap * relaxation;
  return constraint === 'supply' && relaxation - insufficient - 1 <= gap * (relaxation - value);
}

function createConflict(problem: Problem, constraint: ConstraintName, found: Relaxation): Conflict {
  return {
    constraint,
    value: statedValue(problem, constraint),
    ...found,
    ...unreachableOf(problem, constraint),
  };
}

/** A search that time ended may know less of the service level than a plan that is there. */
function raiseToReached(conflicts: readonly Conflict[], reached: number): void {
  const level = conflicts.find(({ constraint }) => constraint === 'min_service_level');
  if (level && !level.proved && (level.relaxation ?? 0) < reached) level.relaxation = reached;
}

/** A constraint that does not help alone leaves another conflict, among other constraints. */
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
 * The conflict that remains without a constraint. A conflict that remains with additional vehicles is also one of the
 * present fleet, which may not need all of its constraints.
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

/** A superset of another set adds nothing: time ran out before it was reduced, or additional vehicles do not help. */
function isSubset(names: readonly ConstraintName[], others: readonly ConstraintName[]): boolean {
  return names.every((name) => others.includes(name));
}

function unreachableOf(problem: Problem, constraint: ConstraintName): Pick<Conflict, 'unreachable'> {
  if (constraint !== 'max_distance' && constraint !== 'network') return {};
  const unreachable = unreachableLocations(problem).map((j) => problem.locationIds[j]);
  return unreachable.length > 0 ? { unreachable } : {};
}
