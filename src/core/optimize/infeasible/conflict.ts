/**
 * The constraints in conflict: an irreducible infeasible set of constraint groups, by the deletion filter.
 *
 * Each constraint is dropped in turn. If the rest is still infeasible, it stays dropped; otherwise it is restored. The
 * remaining constraints cannot hold together, but can without any one of them. Every constraint whose relaxation alone
 * allows a plan is in every such set, so in this one. At most one solve per constraint.
 * Reference: Chinneck and Dravnieks, Locating minimal infeasible constraint sets in linear programs, ORSA Journal on
 * Computing 3 (1991).
 */

import type { ConstraintName } from '../problem/constraints.ts';
import { CONFLICT_ORDER } from '../problem/constraints.ts';
import { servedDemand } from '../problem/evaluate.ts';
import { leastAt, mostAt } from '../problem/location-bounds.ts';
import type { Problem } from '../problem/model.ts';
import { pinnedByLocation } from '../problem/pinned-places.ts';
import { leastServed } from '../problem/service-level.ts';
import { dropConstraint, isSet } from '../problem/variants.ts';
import type { Stopping } from '../run/stopping.ts';
import type { Feasibility } from './any-plan.ts';
import { findFeasibility } from './feasibility.ts';

/** Constraints that cannot hold together; `irreducible`: proved that they can without any one of them. */
export type ConflictSet = { names: ConstraintName[]; irreducible: boolean };

/**
 * @param problem proved infeasible
 * @returns the set; when time runs out it may contain constraints that do not belong
 */
export async function findConflict(problem: Problem, control: Stopping): Promise<ConflictSet> {
  const names: ConstraintName[] = [];
  let rest = problem;
  let anySupply = false;
  let irreducible = true;
  for (const name of CONFLICT_ORDER) {
    // Checked in `rest`: once a limit is dropped, another one may become binding that was not before.
    if (name !== 'supply' && !isSet(rest, name)) continue;
    const without = name === 'supply' ? rest : dropConstraint(rest, name);
    const verdict =
      anySupply || name === 'supply'
        ? feasibilityWithAnySupply(without)
        : await findFeasibility(without, control);
    if (verdict === 'infeasible') {
      rest = without;
      if (name === 'supply') anySupply = true;
    } else {
      names.push(name);
      if (verdict === 'unknown') irreducible = false;
    }
  }
  return { names, irreducible };
}

/** The conflict among some of the constraints. @param names constraints that cannot hold together */
export async function findConflictWithin(
  problem: Problem,
  names: readonly ConstraintName[],
  control: Stopping,
): Promise<ConflictSet> {
  let only = problem;
  for (const name of CONFLICT_ORDER) {
    if (name !== 'supply' && !names.includes(name) && isSet(only, name)) only = dropConstraint(only, name);
  }
  return await findConflict(only, control);
}

/**
 * Whether demand, fleet size and bounds per location fit together if any number of vehicles, each as large as the
 * largest class, could be anywhere: then nothing has to move.
 */
function feasibilityWithAnySupply(problem: Problem): Feasibility {
  const { limits, demand } = problem;
  const pinned = pinnedByLocation(problem);
  const isTooFull = (j: number) => Math.max(pinned[j], leastAt(problem, j)) > mostAt(problem, j);
  if (demand.some((_, j) => isTooFull(j))) return 'infeasible';
  const largest = problem.capacities.at(-1) ?? problem.capacityPerVehicle;
  const plentiful: Problem = { ...problem, capacities: Float64Array.of(largest) };
  // These counts may exceed the number of vehicles that a problem can have.
  const presence = demand.map((d, j) => Math.min(mostAt(problem, j), Math.ceil(d / largest)));
  const served = servedDemand(plentiful, presence, limits.totalFleetSize);
  return served >= leastServed(problem) ? 'feasible' : 'infeasible';
}
