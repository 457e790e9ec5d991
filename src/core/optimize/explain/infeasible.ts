/** Says why a problem has no plan: the constraints in conflict, and for each the smallest change that alone helps. */
import type { ErrorItem } from '../../../contracts/envelope.ts';
import type { OptimizeRequest } from '../../../contracts/optimize.ts';
import { fromUnits } from '../costs.ts';
import { isStopped } from '../highs.ts';
import type { Conflict, ConstraintName, Problem, SolveControl } from '../model.ts';
import { countVehicles } from '../variants.ts';
import { findConflict } from './conflict.ts';
import { describeConflict } from './messages.ts';
import { unreachableLocations } from './reachable.ts';
import { findRelaxation } from './relaxations.ts';

/** Share of the explanation's progress and time for finding the conflict. */
const CONFLICT_SHARE = 0.5;

/** No explanation takes longer, whatever the time limit is: it is no plan, and a reader waits for it. */
const MOST_MS = 2000;

/**
 * Explains an infeasible problem within the control's deadline; what was not found in time is said to be so.
 * @param problem proved infeasible
 */
export async function explainInfeasible(
  request: OptimizeRequest,
  problem: Problem,
  outer: SolveControl,
): Promise<{ errors: ErrorItem[]; conflicts: Conflict[] }> {
  const control = { ...outer, deadlineMs: Math.min(outer.deadlineMs, performance.now() + MOST_MS) };
  const tell = (share: number) =>
    control.onProgress?.({ share, incumbentUnits: null, boundUnits: null, gap: null });
  const { names } = await findConflict(problem, {
    ...control,
    deadlineMs: shareOfTime(control, CONFLICT_SHARE),
    onProgress: ({ share }) => tell(CONFLICT_SHARE * share),
  });
  const conflicts: Conflict[] = [];
  for (const [at, constraint] of names.entries()) {
    if (isStopped(control.stopFlag)) break;
    const deadlineMs = shareOfTime(control, 1 / (names.length - at));
    const found = await findRelaxation(problem, constraint, { deadlineMs, stopFlag: control.stopFlag });
    conflicts.push({
      constraint,
      value: requestedValue(problem, constraint),
      ...found,
      ...unreachableOf(problem, constraint),
    });
    tell(CONFLICT_SHARE + ((1 - CONFLICT_SHARE) * (at + 1)) / names.length);
  }
  return { conflicts, errors: conflicts.map((c) => describeConflict(request, problem, c, names)) };
}

function unreachableOf(problem: Problem, constraint: ConstraintName): Pick<Conflict, 'unreachable'> {
  if (constraint !== 'max_distance' && constraint !== 'network') return {};
  const unreachable = unreachableLocations(problem).map((j) => problem.locationIds[j]);
  return unreachable.length > 0 ? { unreachable } : {};
}

function shareOfTime(control: SolveControl, share: number): number {
  const now = performance.now();
  return now + share * Math.max(0, control.deadlineMs - now);
}

function requestedValue(problem: Problem, name: ConstraintName): number | null {
  const { limits } = problem;
  switch (name) {
    case 'min_service_level':
      return limits.minServiceLevel;
    case 'max_distance':
      return limits.maxDistanceKm;
    case 'max_rebalancing_cost':
      return fromUnits(limits.maxCostUnits);
    case 'min_vehicles_per_location':
      return limits.minVehiclesPerLocation;
    case 'max_vehicles_per_location':
      return limits.maxVehiclesPerLocation;
    case 'total_fleet_size':
      return limits.totalFleetSize;
    case 'supply':
      return countVehicles(problem);
    case 'network':
      return null;
  }
}
