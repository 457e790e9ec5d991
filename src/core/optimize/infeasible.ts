/** Says why a problem has no plan: the constraints in conflict, and for each the smallest change that alone helps. */
import type { ErrorItem } from '../../contracts/envelope.ts';
import type { OptimizeRequest } from '../../contracts/optimize.ts';
import { findConflict } from './conflict.ts';
import { fromUnits } from './costs.ts';
import { isStopped } from './highs.ts';
import type { Conflict, ConstraintName, Problem, SolveControl } from './model.ts';
import { findRelaxation } from './relaxations.ts';
import { requiredDemand, totalDemand } from './service-level.ts';
import { countVehicles } from './variants.ts';

/** Share of the explanation's progress and time for finding the conflict. */
const CONFLICT_SHARE = 0.5;

/**
 * Explains an infeasible problem within the control's deadline; what was not found in time is said to be so.
 * @param problem proved infeasible
 */
export async function explainInfeasible(
  request: OptimizeRequest,
  problem: Problem,
  control: SolveControl,
): Promise<{ errors: ErrorItem[]; conflicts: Conflict[] }> {
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
    conflicts.push({ constraint, value: requestedValue(problem, constraint), ...found });
    tell(CONFLICT_SHARE + ((1 - CONFLICT_SHARE) * (at + 1)) / names.length);
  }
  return { conflicts, errors: conflicts.map((c) => describe(request, problem, c, names)) };
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

const ALIASES: Partial<Record<ConstraintName, 'min_demand_coverage' | 'max_rebalancing_distance_km'>> = {
  min_service_level: 'min_demand_coverage',
  max_distance: 'max_rebalancing_distance_km',
};

function describe(
  request: OptimizeRequest,
  problem: Problem,
  conflict: Conflict,
  names: readonly ConstraintName[],
): ErrorItem {
  const alias = ALIASES[conflict.constraint];
  const name = alias && request.constraints?.[alias] !== undefined ? alias : conflict.constraint;
  const others = names.filter((other) => other !== conflict.constraint);
  return {
    code: 'INFEASIBLE_PROBLEM',
    message: describeMessage(problem, conflict, name),
    field: fieldOf(conflict.constraint, name),
    detail: others.length > 0 ? `in conflict with ${others.join(', ')}` : null,
  };
}

function fieldOf(constraint: ConstraintName, name: string): string {
  if (constraint === 'supply') return 'fleet_state.vehicles';
  return constraint === 'network' ? 'network.costs' : `constraints.${name}`;
}

function describeMessage(
  problem: Problem,
  { constraint, value, relaxation, proved }: Conflict,
  name: string,
): string {
  if (constraint === 'supply') return describeSupply(problem);
  if (constraint === 'network') {
    const fact = 'the moves that network.costs forbids (null) leave no plan';
    return proved ? `${fact}; ${ALONE}` : `${fact}; allow more of them`;
  }
  const wish = WISHES[constraint];
  const unit = constraint === 'max_distance' ? ' km' : '';
  const fact = `${name} ${value}${unit} ${wish.fact}`;
  if (relaxation !== null) {
    return `${fact}; ${wish.advice} ${relaxation}${unit}${proved ? '' : ' (enough; the time limit left no proof that less is not)'}`;
  }
  return proved
    ? `${fact}; ${ALONE}`
    : `${fact}; the time limit came before the value that would do was found`;
}

const ALONE = 'changing it alone does not help';

const WISHES: Record<Exclude<ConstraintName, 'supply' | 'network'>, { fact: string; advice: string }> = {
  min_service_level: { fact: 'cannot be reached', advice: 'lower it to at most' },
  max_distance: { fact: 'is too short', advice: 'raise it to at least' },
  max_rebalancing_cost: { fact: 'is less than the cheapest plan costs', advice: 'raise it to at least' },
  min_vehicles_per_location: { fact: 'cannot be kept everywhere', advice: 'lower it to at most' },
  max_vehicles_per_location: { fact: 'cannot be kept everywhere', advice: 'raise it to at least' },
  total_fleet_size: { fact: 'serves too little', advice: 'raise it to at least' },
};

function describeSupply(problem: Problem): string {
  const n = problem.locationIds.length;
  const capacity = problem.supply.reduce(
    (sum, count, at) => sum + count * problem.capacities[Math.floor(at / n)],
    0,
  );
  const required = requiredDemand(problem);
  const count = `${countVehicles(problem)} operational vehicles with a total capacity of ${rounded(capacity)}`;
  const total = totalDemand(problem.demand);
  if (capacity < required) {
    return (
      `${count} are less than the ${rounded(required)} to be served ` +
      `(${problem.limits.minServiceLevel} of the demand ${rounded(total)}); add vehicles`
    );
  }
  return `${count} do not fit the constraints where they are; add vehicles or place them elsewhere`;
}

function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
