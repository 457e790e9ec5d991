/**
 * For one constraint of an infeasible problem: the sufficient value nearest to the requested one, all others unchanged.
 * Limits are monotone (a looser one allows every plan that a tighter one does), so whole numbers and distances are
 * found by bisection over feasibility, as is the service level if it is not known at once; the ceiling by one solve.
 */
import { type ConstraintName, LIMIT_CONSTRAINTS } from '../problem/constraints.ts';
import { fromUnits } from '../problem/costs.ts';
import { canReachMost } from '../problem/distances/reachable.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import type { Conflict, Moves, Problem } from '../problem/model.ts';
import { withoutPairCost } from '../problem/pairs.ts';
import { countOperational } from '../problem/pinned.ts';
import { statedCapacity } from '../problem/stated-capacity.ts';
import { dropConstraint, withLimits } from '../problem/variants.ts';
import { timeFor } from '../run/budget.ts';
import { isOver, type Stopping } from '../run/stopping.ts';
import { solveProblem } from '../solve.ts';
import { type Bisected, bisect, FIRST_LIKELY } from './bisect.ts';
import type { BoundSide } from './coverage/coverage-model.ts';
import { findFeasibility, findPlan, quickAnswer } from './feasibility.ts';
import { fewestServing } from './fewest-vehicles.ts';
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

/** A sufficient value, and the nearest insufficient one. */
type Known = Pick<Relaxation, 'relaxation' | 'insufficient'>;

const NO_HELP: Relaxation = { relaxation: null, insufficient: null, proved: true };

/**
 * @param known what an earlier search left open, to be continued
 * @param gap relative, at which a ceiling or a number of vehicles counts as the nearest: the search for it ends
 * @returns `relaxation` null and proved: changing this constraint alone does not help
 */
export async function findRelaxation(
  problem: Problem,
  name: ConstraintName,
  control: Stopping,
  known: Known = { relaxation: null, insufficient: null },
  gap = 0,
): Promise<Relaxation> {
  switch (name) {
    case 'min_service_level': {
      const { relaxation, insufficient, proved } = await findHighestServiceLevel(problem, control, known);
      return { relaxation, insufficient, proved };
    }
    case 'max_rebalancing_cost':
      return await cheapestPlanCost(problem, gap, control);
    case 'max_distance':
      return await shortestDistance(problem, control, known);
    case 'min_vehicles_per_location': {
      if (problem.bounds?.isMap?.least) return await looserBounds(problem, 'least', control);
      const values = problem.limits.minVehiclesPerLocation;
      return await largestCount(problem, 'minVehiclesPerLocation', values, control);
    }
    case 'min_vehicles_per_move': {
      // A pair that is used has a vehicle.
      const values = problem.limits.minVehiclesPerMove - 1;
      return await largestCount(problem, 'minVehiclesPerMove', values, control);
    }
    case 'max_pairs':
    case 'max_moves_from': {
      const { limit } = LIMIT_CONSTRAINTS[name];
      return await smallestCount(problem, limit, problem.limits[limit] + 1, control, known);
    }
    case 'max_vehicles_per_location':
      if (problem.bounds?.isMap?.most) return await looserBounds(problem, 'most', control);
      return await smallestCount(
        problem,
        'maxVehiclesPerLocation',
        problem.limits.maxVehiclesPerLocation + 1,
        control,
        known,
      );
    case 'total_fleet_size':
      return await smallestFleetSize(problem, control, known);
    case 'network': {
      const verdict = await findFeasibility(dropConstraint(problem, 'network'), control);
      return { ...NO_HELP, proved: verdict === 'infeasible' };
    }
    case 'supply': {
      const vehicles = countOperational(problem);
      const more = (count: number | null) => (count === null ? null : count - vehicles);
      const left = { nearest: more(known.relaxation), tooTight: more(known.insufficient) };
      const found = await findVehiclesNeeded(problem, control, left, gap);
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
  const outcome = await solveProblem(free, gap, timeFor('cheapestPlan', control));
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
    (await findLooserBounds(problem, side, timeFor('looserBounds', control))) ??
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
async function shortestDistance(problem: Problem, control: Stopping, known: Known): Promise<Relaxation> {
  const tenths = new Set<number>();
  const isSeen = new Uint8Array(SEEN_TENTHS);
  const limit = known.insufficient ?? problem.limits.maxDistanceKm;
  const most = known.relaxation ?? Number.POSITIVE_INFINITY;
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
  const candidates = Float64Array.from(tenths)
    .filter((tenth) => tenth / 10 <= most)
    .sort();
  // If no question is hard, none needs to leave time for the others.
  const isQuick = canReachMost(problem);
  const withDistance = (p: number) => withLimits(problem, { maxDistanceKm: candidates[p] / 10 });
  const quickly = quickAnswer(problem, control);
  const found = await bisect(
    candidates.length,
    control,
    (p, share) => findPlan(withDistance(p), isQuick ? control : share),
    quickly && { ...quickly, find: (p, share) => quickly.find(withDistance(p), share) },
    known.relaxation !== null,
    ({ moves }) => {
      const longest = longestTenth(problem, moves);
      return candidates.findIndex((tenth) => tenth >= longest);
    },
  );
  const values = toValues(found, (p) => candidates[p] / 10);
  return { ...values, insufficient: values.insufficient ?? known.insufficient };
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

/** One class: by reach, unless the ceiling interferes. */
async function smallestFleetSize(problem: Problem, control: Stopping, known: Known): Promise<Relaxation> {
  const least = problem.limits.totalFleetSize + 1;
  if (!canReachMost(problem) || problem.capacities.length === 0) {
    return await smallestCount(problem, 'totalFleetSize', least, control, known);
  }
  const fewest = fewestServing(problem, () => isOver(control));
  if (fewest === 'out of time') return { ...NO_HELP, proved: false };
  if (fewest === 'none') return NO_HELP;
  const { costUnits } = evaluateMoves(problem, fewest.moves);
  if (costUnits <= problem.limits.maxCostUnits) {
    return {
      relaxation: fewest.count,
      insufficient: fewest.count > least ? fewest.count - 1 : null,
      proved: true,
    };
  }
  return await smallestCount(problem, 'totalFleetSize', Math.max(least, fewest.count), control, known);
}

/** The largest sufficient value of a minimum. @param values looser than the limit */
async function largestCount(
  problem: Problem,
  limit: 'minVehiclesPerLocation' | 'minVehiclesPerMove',
  values: number,
  control: Stopping,
): Promise<Relaxation> {
  // Counted downwards: position p stands for limit − 1 − p.
  const first = problem.limits[limit] - 1;
  const quickly = quickAnswer(problem, control);
  const withLeast = (p: number) => withLimits(problem, { [limit]: first - p });
  const found = await bisect(
    values,
    control,
    (p, share) => findPlan(withLeast(p), share),
    quickly && { ...quickly, find: (p, share) => quickly.find(withLeast(p), share) },
  );
  return toValues(found, (p) => first - p);
}

/** @param least looser than the limit; tighter values are proved insufficient */
async function smallestCount(
  problem: Problem,
  limit: 'maxVehiclesPerLocation' | 'totalFleetSize' | 'maxPairs' | 'maxMovesFrom',
  least: number,
  control: Stopping,
  known: Known,
): Promise<Relaxation> {
  const isBound = least > problem.limits[limit] + 1;
  const first = Math.max(least, (known.insufficient ?? 0) + 1);
  const quickly = quickAnswer(problem, control);
  const withMost = (p: number) => withLimits(problem, { [limit]: first + p });
  const found = await bisect(
    Math.max(0, (known.relaxation ?? countOperational(problem)) - first + 1),
    control,
    (p, share) => findPlan(withMost(p), share),
    isBound ? FIRST_LIKELY : quickly && { ...quickly, find: (p, share) => quickly.find(withMost(p), share) },
    known.relaxation !== null,
  );
  const relaxation = toValues(found, (p) => first + p);
  if (relaxation.relaxation === null || first === problem.limits[limit] + 1) return relaxation;
  return { ...relaxation, insufficient: relaxation.insufficient ?? first - 1 };
}
