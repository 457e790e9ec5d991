/**
 * For one constraint of an infeasible problem: the value nearest to the requested one with which, all others as they are,
 * a plan exists. Limits are monotone (a looser one allows every plan that a tighter one does), so whole numbers and distances
 * are found by bisection over feasibility, as is the service level where it is not known at once; the ceiling by one solve.
 */
import { fromUnits } from '../costs.ts';
import type { Conflict, ConstraintName, Problem, SolveControl } from '../model.ts';
import { solveProblem } from '../solve.ts';
import { countVehicles, dropConstraint, withLimits } from '../variants.ts';
import { type Bisected, bisect } from './bisect.ts';
import { findFeasibility, findPlan } from './feasibility.ts';
import { findHighestServiceLevel } from './highest-service-level.ts';
import { findVehiclesNeeded } from './vehicles-needed.ts';

export type Relaxation = Pick<Conflict, 'relaxation' | 'insufficient' | 'proved' | 'additions'>;

const NO_HELP: Relaxation = { relaxation: null, insufficient: null, proved: true };

/** `relaxation` null and proved: changing this constraint alone does not help. */
export async function findRelaxation(
  problem: Problem,
  name: ConstraintName,
  control: SolveControl,
): Promise<Relaxation> {
  switch (name) {
    case 'min_service_level':
      return await findHighestServiceLevel(problem, control);
    case 'max_rebalancing_cost':
      return await cheapestPlanCost(problem, control);
    case 'max_distance':
      return await shortestDistance(problem, control);
    case 'min_vehicles_per_location': {
      const least = problem.limits.minVehiclesPerLocation;
      // Counted downwards: position p stands for least − 1 − p.
      const found = await bisect(least, (p) =>
        findPlan(withLimits(problem, { minVehiclesPerLocation: least - 1 - p }), control),
      );
      return toValues(found, (p) => least - 1 - p);
    }
    case 'max_vehicles_per_location':
      return await smallestCount(problem, 'maxVehiclesPerLocation', control);
    case 'total_fleet_size':
      return await smallestCount(problem, 'totalFleetSize', control);
    case 'network': {
      const verdict = await findFeasibility(dropConstraint(problem, 'network'), control);
      return { ...NO_HELP, proved: verdict === 'infeasible' };
    }
    case 'supply': {
      const found = await findVehiclesNeeded(problem, control);
      const vehicles = countVehicles(problem);
      const additions = found.additions.map(({ location, vehicles: count }) => ({
        location_id: problem.locationIds[location],
        vehicles: count,
        capacity: found.capacity,
      }));
      return { ...toValues(found, (p) => vehicles + p), ...(additions.length > 0 ? { additions } : {}) };
    }
  }
}

function toValues(
  { nearest, tooTight, proved }: Bisected,
  valueAt: (position: number) => number,
): Relaxation {
  return {
    relaxation: nearest === null ? null : valueAt(nearest),
    insufficient: tooTight === null ? null : valueAt(tooTight),
    proved,
  };
}

async function cheapestPlanCost(problem: Problem, control: SolveControl): Promise<Relaxation> {
  const outcome = await solveProblem(dropConstraint(problem, 'max_rebalancing_cost'), 0, {
    deadlineMs: control.deadlineMs,
    stopFlag: control.stopFlag,
  });
  if (outcome.kind !== 'solved') return { ...NO_HELP, proved: outcome.kind === 'infeasible' };
  const { costUnits, boundUnits, proved } = outcome.solution;
  // Plans cost whole units: what is below the bound is too little.
  return {
    relaxation: fromUnits(costUnits),
    insufficient: boundUnits > problem.limits.maxCostUnits + 1 ? fromUnits(boundUnits - 1) : null,
    proved,
  };
}

/** Tenths of a km, rounded up; the distance matters only where it lets another move in. */
async function shortestDistance(problem: Problem, control: SolveControl): Promise<Relaxation> {
  const tenths = new Set<number>();
  const limit = problem.limits.maxDistanceKm;
  problem.network.distanceKm!.forEach((km, a) => {
    if (km > limit && km !== Number.POSITIVE_INFINITY && Number.isFinite(problem.network.costUnits[a])) {
      tenths.add(roundUpToTenth(km));
    }
  });
  const candidates = Float64Array.from(tenths).sort();
  const found = await bisect(candidates.length, (p) =>
    findPlan(withLimits(problem, { maxDistanceKm: candidates[p] / 10 }), control),
  );
  return toValues(found, (p) => candidates[p] / 10);
}

function roundUpToTenth(km: number): number {
  const tenths = Math.ceil(km * 10);
  return tenths / 10 < km ? tenths + 1 : tenths;
}

async function smallestCount(
  problem: Problem,
  limit: 'maxVehiclesPerLocation' | 'totalFleetSize',
  control: SolveControl,
): Promise<Relaxation> {
  const now = problem.limits[limit];
  const found = await bisect(Math.max(0, countVehicles(problem) - now), (p) =>
    findPlan(withLimits(problem, { [limit]: now + 1 + p }), control),
  );
  return toValues(found, (p) => now + 1 + p);
}
