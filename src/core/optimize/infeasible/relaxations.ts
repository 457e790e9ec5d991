/**
 * For one constraint of an infeasible problem: the sufficient value nearest to the requested one, all others unchanged.
 * Limits are monotone (a looser one allows every plan that a tighter one does), so whole numbers and distances are
 * found by bisection over feasibility, as is the service level if it is not known at once; the ceiling by one solve.
 */
import { type ConstraintName, LIMIT_CONSTRAINTS, type LimitName } from '../problem/constraints.ts';
import { fromUnits } from '../problem/costs.ts';
import type { Conflict, Moves, Problem } from '../problem/model.ts';
import { withoutPairCost } from '../problem/pairs.ts';
import { countOperational } from '../problem/pinned.ts';
import { statedCapacity } from '../problem/stated-capacity.ts';
import { dropConstraint, withLimits } from '../problem/variants.ts';
import { timeFor } from '../run/budget.ts';
import { isOver, type Stopping } from '../run/stopping.ts';
import { solveProblem } from '../solve.ts';
import { type Bisected, bisect } from './bisect.ts';
import type { BoundSide } from './elastic.ts';
import { findFeasibility, findPlan } from './feasibility.ts';
import { findHighestServiceLevel } from './highest-service-level.ts';
import { findLooserBounds, type LooserBounds, looserBoundsOf, totalChange } from './looser-bounds.ts';
import { findVehiclesNeeded } from './vehicles-needed.ts';

export type Relaxation = Pick<
  Conflict,
  'relaxation' | 'insufficient' | 'proved' | 'additions' | 'changes' | 'leastChange'
>;

/** Distances processed between two looks at the clock. */
const PAIRS_PER_LOOK = 1 << 18;

/** Up to this distance, a table tells which tenths of a km occur: a set takes several times as long for each pair. */
const SEEN_TENTHS = 2 ** 16;

const NO_HELP: Relaxation = { relaxation: null, insufficient: null, proved: true };

/**
 * @param gap relative, at which a ceiling counts as the nearest: the search for it ends
 * @returns `relaxation` null and proved: changing this constraint alone does not help
 */
export async function findRelaxation(
  problem: Problem,
  name: ConstraintName,
  control: Stopping,
  gap = 0,
): Promise<Relaxation> {
  switch (name) {
    case 'min_service_level': {
      const { relaxation, insufficient, proved } = await findHighestServiceLevel(problem, control);
      return { relaxation, insufficient, proved };
    }
    case 'max_rebalancing_cost':
      return await cheapestPlanCost(problem, gap, control);
    case 'max_distance':
      return await shortestDistance(problem, control);
    case 'min_vehicles_per_location':
      if (problem.bounds?.isMap?.least) return await looserBounds(problem, 'least', control);
      return await looserCount(problem, name, problem.limits.minVehiclesPerLocation, control);
    case 'max_vehicles_per_location':
      if (problem.bounds?.isMap?.most) return await looserBounds(problem, 'most', control);
      return await looserCount(problem, name, upToAll(problem, name), control);
    case 'min_vehicles_per_move':
      // A pair that is used has a vehicle.
      return await looserCount(problem, name, problem.limits.minVehiclesPerMove - 1, control);
    case 'max_pairs':
    case 'max_moves_from':
    case 'total_fleet_size':
      return await looserCount(problem, name, upToAll(problem, name), control);
    case 'network': {
      const verdict = await findFeasibility(dropConstraint(problem, 'network'), control);
      return { ...NO_HELP, proved: verdict === 'infeasible' };
    }
    case 'supply': {
      const vehicles = countOperational(problem);
      const found = await findVehiclesNeeded(problem, control);
      const additions = found.additions.map(({ location, vehicles: count }) => ({
        location_id: problem.locationIds[location],
        vehicles: count,
        capacity: statedCapacity(found.capacity, problem.servedPerUnit),
      }));
      const values = toValues(found, (p) => vehicles + p);
      // Fewer may do if they fill up a move that has too few, which is not searched for.
      const isOpen = problem.limits.minVehiclesPerMove > 1;
      return {
        ...values,
        ...(isOpen && { insufficient: null, proved: false }),
        ...(additions.length > 0 ? { additions } : {}),
      };
    }
  }
}

function toValues(
  { nearest, tooTight, proved }: Omit<Bisected, 'plan'>,
  valueAt: (position: number) => number,
): Relaxation {
  return {
    relaxation: nearest === null ? null : valueAt(nearest),
    insufficient: tooTight === null ? null : valueAt(tooTight),
    proved,
  };
}

async function cheapestPlanCost(problem: Problem, gap: number, control: Stopping): Promise<Relaxation> {
  const free = dropConstraint(withoutPairCost(problem), 'max_rebalancing_cost');
  const outcome = await solveProblem(free, gap, timeFor('most', control));
  if (outcome.kind === 'infeasible') return NO_HELP;
  if (outcome.kind !== 'solved') {
    // Any plan names a ceiling that is sufficient, and its proved absence that none is.
    const plan = await findPlan(free, control);
    if (plan.verdict === 'feasible')
      return { ...NO_HELP, relaxation: fromUnits(plan.costUnits), proved: false };
    return { ...NO_HELP, proved: plan.verdict === 'infeasible' };
  }
  const { costUnits, boundUnits, proved } = outcome.solution;
  // Plans cost whole units, so a value below the bound is insufficient.
  return {
    relaxation: fromUnits(costUnits),
    insufficient: boundUnits > problem.limits.maxCostUnits + 1 ? fromUnits(boundUnits - 1) : null,
    proved: gap > 0 ? boundUnits >= costUnits : proved,
  };
}

/** Bounds by location, loosened where that helps. */
async function looserBounds(problem: Problem, side: BoundSide, control: Stopping): Promise<Relaxation> {
  const found =
    (await findLooserBounds(problem, side, timeFor('most', control))) ??
    (await boundsOfAnyPlan(problem, side, control));
  if (found === 'none') return NO_HELP;
  if (found === null || found.changes.length === 0) return { ...NO_HELP, proved: false };
  const { changes, least } = found;
  const values = changes.map(({ to }) => to);
  return {
    relaxation: side === 'least' ? Math.min(...values) : Math.max(...values),
    insufficient: null,
    proved: totalChange(changes) === least,
    changes,
    leastChange: least,
  };
}

async function boundsOfAnyPlan(
  problem: Problem,
  side: BoundSide,
  control: Stopping,
): Promise<LooserBounds | 'none' | null> {
  const name = side === 'least' ? 'min_vehicles_per_location' : 'max_vehicles_per_location';
  const plan = await findPlan(dropConstraint(problem, name), control);
  if (plan.verdict === 'feasible') return looserBoundsOf(problem, side, plan.moves);
  return plan.verdict === 'infeasible' ? 'none' : null;
}

/** Tenths of a km, rounded up; the distance matters only if it allows another move. */
async function shortestDistance(problem: Problem, control: Stopping): Promise<Relaxation> {
  const tenths = new Set<number>();
  const isSeen = new Uint8Array(SEEN_TENTHS);
  const limit = problem.limits.maxDistanceKm;
  const { costUnits, distanceKm } = problem.network;
  for (let a = 0; a < costUnits.length; a++) {
    if (a % PAIRS_PER_LOOK === 0 && isOver(control)) return { ...NO_HELP, proved: false };
    const km = distanceKm![a];
    if (km > limit && km !== Number.POSITIVE_INFINITY && costUnits[a] !== Number.POSITIVE_INFINITY) {
      const tenth = roundUpToTenth(km);
      if (isSeen[tenth] === 1) continue;
      if (tenth < SEEN_TENTHS) isSeen[tenth] = 1;
      tenths.add(tenth);
    }
  }
  const candidates = Float64Array.from(tenths).sort();
  const found = await bisect(
    candidates.length,
    control,
    (p, part) => findPlan(withLimits(problem, { maxDistanceKm: candidates[p] / 10 }), part),
    ({ moves }) => {
      const longest = longestTenth(problem, moves);
      return candidates.findIndex((tenth) => tenth >= longest);
    },
  );
  return toValues(found, (p) => candidates[p] / 10);
}

/** The longest move of a plan in tenths of a km, rounded up. */
function longestTenth({ network: { distanceKm }, locationIds }: Problem, { source, target }: Moves): number {
  const n = locationIds.length;
  return roundUpToTenth(source.reduce((most, i, m) => Math.max(most, distanceKm![i * n + target[m]]), 0));
}

function roundUpToTenth(km: number): number {
  const tenths = Math.ceil(km * 10);
  return tenths / 10 < km ? tenths + 1 : tenths;
}

/** How many values of a maximum are looser: up to the number of vehicles, all are possible. */
function upToAll(problem: Problem, name: LimitName): number {
  return Math.max(0, countOperational(problem) - problem.limits[LIMIT_CONSTRAINTS[name].limit]);
}

/** The nearest sufficient whole number. @param count of looser values, the nearest first */
async function looserCount(
  problem: Problem,
  name: LimitName,
  count: number,
  control: Stopping,
): Promise<Relaxation> {
  const { limit, looser } = LIMIT_CONSTRAINTS[name];
  const valueAt = (p: number) => problem.limits[limit] + (looser === 'lower' ? -1 - p : 1 + p);
  const found = await bisect(count, control, (p, part) =>
    findPlan(withLimits(problem, { [limit]: valueAt(p) }), part),
  );
  return toValues(found, valueAt);
}
