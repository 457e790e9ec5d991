/**
 * For one constraint of an infeasible problem: the value nearest to the requested one with which, all others as they are,
 * a plan exists. Limits are monotone (a looser one allows every plan that a tighter one does), so whole numbers and distances are
 * found by bisection over feasibility; the service level and the ceiling by one solve each.
 */
import { findFeasibility } from './conflict.ts';
import { fromUnits } from './costs.ts';
import type { Conflict, ConstraintName, Problem, SolveControl } from './model.ts';
import { findMostServed } from './most-served.ts';
import { totalDemand } from './service-level.ts';
import { solveProblem } from './solve.ts';
import { countVehicles, dropConstraint, withLimits } from './variants.ts';

/** Suggested service levels are rounded down to this many steps of the whole. */
const LEVEL_STEPS = 1e6;
/** Keeps 0.3 · 10⁶ from becoming 299999; a tenth of the service level's tolerance. */
const LEVEL_NOISE = 1e-4;

type Relaxation = Pick<Conflict, 'relaxation' | 'proved'>;

/** `relaxation` null and proved: changing this constraint alone does not help. */
export async function findRelaxation(
  problem: Problem,
  name: ConstraintName,
  control: SolveControl,
): Promise<Relaxation> {
  switch (name) {
    case 'min_service_level':
      return await highestServiceLevel(problem, control);
    case 'max_rebalancing_cost':
      return await cheapestPlanCost(problem, control);
    case 'max_distance':
      return await shortestDistance(problem, control);
    case 'min_vehicles_per_location': {
      const least = problem.limits.minVehiclesPerLocation;
      // Counted downwards: position p stands for least − 1 − p.
      const found = await bisect(least, control, (p) =>
        withLimits(problem, { minVehiclesPerLocation: least - 1 - p }),
      );
      return { ...found, relaxation: found.relaxation === null ? null : least - 1 - found.relaxation };
    }
    case 'max_vehicles_per_location':
      return await smallestCount(problem, 'maxVehiclesPerLocation', control);
    case 'total_fleet_size':
      return await smallestCount(problem, 'totalFleetSize', control);
    case 'network': {
      const verdict = await findFeasibility(dropConstraint(problem, 'network'), control);
      return { relaxation: null, proved: verdict === 'infeasible' };
    }
    case 'supply':
      return { relaxation: null, proved: false };
  }
}

async function highestServiceLevel(problem: Problem, control: SolveControl): Promise<Relaxation> {
  const { served, proved } = await findMostServed(problem, control);
  if (served === null) return { relaxation: null, proved };
  const level = served / totalDemand(problem.demand);
  return { relaxation: Math.floor(level * LEVEL_STEPS + LEVEL_NOISE) / LEVEL_STEPS, proved };
}

async function cheapestPlanCost(problem: Problem, control: SolveControl): Promise<Relaxation> {
  const outcome = await solveProblem(dropConstraint(problem, 'max_rebalancing_cost'), 0, {
    deadlineMs: control.deadlineMs,
    stopFlag: control.stopFlag,
  });
  if (outcome.kind === 'solved') {
    return { relaxation: fromUnits(outcome.solution.costUnits), proved: outcome.solution.proved };
  }
  return { relaxation: null, proved: outcome.kind === 'infeasible' };
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
  const found = await bisect(candidates.length, control, (p) =>
    withLimits(problem, { maxDistanceKm: candidates[p] / 10 }),
  );
  return { ...found, relaxation: found.relaxation === null ? null : candidates[found.relaxation] / 10 };
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
  const found = await bisect(Math.max(0, countVehicles(problem) - now), control, (p) =>
    withLimits(problem, { [limit]: now + 1 + p }),
  );
  return { ...found, relaxation: found.relaxation === null ? null : now + 1 + found.relaxation };
}

/**
 * The first of `count` ever looser variants that is feasible, as a position. log₂ count solves.
 * Where the time limit comes first: the tightest one that is known to be feasible, not proved.
 */
async function bisect(
  count: number,
  control: SolveControl,
  variant: (position: number) => Problem,
): Promise<Relaxation> {
  if (count === 0) return { relaxation: null, proved: true };
  const loosest = await findFeasibility(variant(count - 1), control);
  if (loosest !== 'feasible') return { relaxation: null, proved: loosest === 'infeasible' };
  let infeasible = -1;
  let feasible = count - 1;
  while (feasible - infeasible > 1) {
    const middle = (feasible + infeasible) >> 1;
    const verdict = await findFeasibility(variant(middle), control);
    if (verdict === 'unknown') return { relaxation: feasible, proved: false };
    if (verdict === 'feasible') feasible = middle;
    else infeasible = middle;
  }
  return { relaxation: feasible, proved: true };
}
