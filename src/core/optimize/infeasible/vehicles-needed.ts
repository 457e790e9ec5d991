/**
 * The smallest number of additional vehicles, placed where they help most, that makes a plan possible.
 *
 *   one class, no bounds, enough money   the vehicles that serve most of what the fleet
 *                                        cannot reach (`fewest-vehicles.ts`)
 *   the same within a ceiling            what the fleet serves within it (`most-within-ceiling.ts`): an additional
 *                                        vehicle comes from outside at no cost and serves at most a full load
 *   otherwise                            the vehicles start at an outside location, from where all moves are free;
 *                                        while there is room, an additional vehicle never makes a plan
 *                                        impossible, so the number is found by bisection
 */

import { canReachMost } from '../problem/distances/reachable.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import { leastAt, mostAt } from '../problem/location-bounds.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { homeOf } from '../problem/pinned-places.ts';
import { leastServed, totalDemand } from '../problem/service-level.ts';
import { mostCommonClass } from '../problem/serving.ts';
import { splitDemand } from '../problem/steps.ts';
import { countVehicles, MAX_VEHICLES } from '../problem/variants.ts';
import { isOver, type Stopping } from '../run/stopping.ts';
import { type Bisected, bisect, FIRST_LIKELY } from './bisect.ts';
import { startWithPlaceOutside } from './coverage/coverage-relaxation.ts';
import { findPlan, quickAnswer } from './feasibility.ts';
import { type Addition, fewestAdditions } from './fewest-vehicles.ts';
import { canSearchCeiling, keptMostWithin, mostWithinCeiling } from './most-within-ceiling.ts';

/** Loads; sums of demand are off by far less. */
const LOAD_NOISE = 1e-6;

export type VehiclesNeeded = Omit<Bisected, 'plan'> & {
  /** Demand that each serves: as a vehicle of the fleet's most common capacity. */
  capacity: number;
  /** Where they can be put; empty if no number was found. */
  additions: Addition[];
};

/**
 * @param known additional vehicles found to be sufficient before, and the largest number found insufficient
 * @param gap relative, at which a number within a ceiling is close enough to the fewest
 */
export async function findVehiclesNeeded(
  problem: Problem,
  control: Stopping,
  known: Pick<VehiclesNeeded, 'nearest' | 'tooTight'> = { nearest: null, tooTight: null },
  gap = 0,
): Promise<VehiclesNeeded> {
  const capacity = commonCapacity(problem);
  const none = { nearest: null, tooTight: null, capacity, additions: [] };
  const classed = withAdditions(problem, []);
  if (!canReachMost(problem))
    return await findByBisection(problem, (known.tooTight ?? 0) + 1, control, known.nearest);
  const fewest = fewestAdditions(classed, () => isOver(control));
  if (fewest === 'out of time' || fewest === 'too many') return { ...none, proved: false };
  if (fewest === 'none') return { ...none, proved: true };
  const { additions, count, moves } = fewest;
  const { costUnits } = evaluateMoves(classed, moves);
  if (costUnits > problem.limits.maxCostUnits) return await findWithinCeiling(problem, count, gap, control);
  return { nearest: count, tooTight: count > 1 ? count - 1 : null, proved: true, capacity, additions };
}

/**
 * With m vehicles more a plan serves R within the ceiling only if the fleet alone serves R − m · capacity within it,
 * and wherever the fleet's plan leaves whole loads open, m vehicles serve that much more.
 * @param least vehicles; fewer are proved insufficient at any cost
 */
async function findWithinCeiling(
  problem: Problem,
  least: number,
  gap: number,
  control: Stopping,
): Promise<VehiclesNeeded> {
  const capacity = commonCapacity(problem);
  const required = leastServed(problem);
  const isKnown = canSearchCeiling(problem) && problem.limits.totalFleetSize === Number.POSITIVE_INFINITY;
  if (!isKnown) return await findByBisection(problem, Math.max(1, least), control);
  const found =
    keptMostWithin(problem) ?? mostWithinCeiling(problem, totalDemand(problem.demand), required, control);
  const fewest = Math.max(1, least, Math.ceil((required - found.most) / capacity - LOAD_NOISE));
  const additions = fillOpen(problem, found.plan.moves, required);
  const enough = additions.reduce((sum, { vehicles }) => sum + vehicles, 0);
  const tooMany = enough > MAX_VEHICLES - countVehicles(problem);
  const bisected =
    tooMany || enough - fewest > gap * enough
      ? await findByBisection(problem, fewest, control, tooMany ? null : enough)
      : null;
  // Bisection names no places if it finds no smaller number.
  if (tooMany || (bisected && bisected.nearest !== enough)) return bisected!;
  const tooTight = fewest > 1 ? fewest - 1 : null;
  return bisected
    ? { ...bisected, additions }
    : { nearest: enough, tooTight, proved: fewest >= enough, capacity, additions };
}

/** Vehicles for what the moves leave open, the largest gains first, until this much is served. */
function fillOpen(problem: Problem, moves: Moves, required: number): Addition[] {
  const capacity = commonCapacity(problem);
  const { presence, served } = evaluateMoves(problem, moves);
  const gains = [...problem.demand].flatMap((of, location) => {
    const { full, rest } = splitDemand(Math.max(0, of - capacity * presence[location]), capacity);
    const places = full > 0 ? [{ location, gain: capacity, count: full }] : [];
    return rest > 0 ? [...places, { location, gain: rest, count: 1 }] : places;
  });
  gains.sort((a, b) => b.gain - a.gain);
  const added = new Map<number, number>();
  let missing = required - served;
  for (const { location, gain, count } of gains) {
    const vehicles = Math.min(count, Math.max(0, Math.ceil(missing / gain - LOAD_NOISE)));
    if (vehicles > 0) added.set(location, (added.get(location) ?? 0) + vehicles);
    missing -= vehicles * gain;
  }
  return [...added]
    .map(([location, vehicles]) => ({ location, vehicles }))
    .sort((a, b) => a.location - b.location);
}

/**
 * @param least vehicles; fewer are proved insufficient
 * @param enough vehicles known to be sufficient
 */
export async function findByBisection(
  problem: Problem,
  least: number,
  control: Stopping,
  enough: number | null = null,
): Promise<VehiclesNeeded> {
  const common = mostCommonClass(problem) ?? 0;
  const withPlace = withPlaceOutside(problem);
  const most = mostToAdd(problem);
  const quickly = quickAnswer(problem, control);
  const isBound = canReachMost(problem) && least > 1;
  const withMore = (p: number) => withVehiclesFromOutside(withPlace, common, p + least);
  const found = await bisect(
    Math.max(0, (enough ?? most) - least + 1),
    control,
    (p, share) => findPlan(withMore(p), share),
    isBound ? FIRST_LIKELY : quickly && { ...quickly, find: (p, share) => quickly.find(withMore(p), share) },
    enough !== null,
  );
  const count = (position: number | null) => (position === null ? null : position + least);
  const known = found.nearest !== null && least > 1 ? least - 1 : null;
  return {
    nearest: count(found.nearest),
    tooTight: count(found.tooTight) ?? known,
    proved: found.proved && (found.nearest !== null || most === mostOfUse(problem)),
    capacity: commonCapacity(problem),
    additions: found.plan ? fromOutside(problem, found.plan.moves) : [],
  };
}

/** Vehicles that come from the outside location, by target. */
function fromOutside(problem: Problem, moves: Moves): Addition[] {
  const n = problem.locationIds.length;
  const byLocation = new Int32Array(n);
  for (let m = 0; m < moves.count.length; m++) {
    if (moves.source[m] === n) byLocation[moves.target[m]] += moves.count[m];
  }
  return [...byLocation].flatMap((vehicles, location) => (vehicles > 0 ? [{ location, vehicles }] : []));
}

/**
 * The problem with as many vehicles of the common capacity at the outside location as can be of use (and are searched
 * for). The outside location is the last one; its moves are free.
 */
export function withAnySupply(problem: Problem): Problem {
  const common = mostCommonClass(problem) ?? 0;
  return withVehiclesFromOutside(withPlaceOutside(problem), common, mostToAdd(problem));
}

/** The problem with vehicles of the common capacity added. */
export function withAdditions(problem: Problem, additions: readonly Addition[]): Problem {
  const n = problem.locationIds.length;
  const common = mostCommonClass(problem) ?? 0;
  const capacities =
    problem.capacities.length > 0 ? problem.capacities : Float64Array.of(problem.capacityPerVehicle);
  const supply = problem.capacities.length > 0 ? problem.supply.slice() : new Int32Array(n);
  for (const { location, vehicles } of additions) supply[common * n + location] += vehicles;
  return { ...problem, capacities, supply };
}

function commonCapacity(problem: Problem): number {
  const common = mostCommonClass(problem);
  return common === null ? problem.capacityPerVehicle : problem.capacities[common];
}

/**
 * The largest number of vehicles of the common capacity that can be of use; those without room at any location are not.
 */
function mostOfUse(problem: Problem): number {
  const capacity = commonCapacity(problem);
  let most = 0;
  let room = -countVehicles(problem);
  for (const [j, d] of problem.demand.entries()) {
    const { full, rest } = splitDemand(d, capacity);
    most += leastAt(problem, j) + full + (rest > 0 ? 1 : 0);
    room += mostAt(problem, j);
  }
  return Math.max(0, Math.min(most, room));
}

/** The same, capped at the searched number. */
function mostToAdd(problem: Problem): number {
  return Math.max(0, Math.min(mostOfUse(problem), MAX_VEHICLES - countVehicles(problem)));
}

/** The problem with one more location, last: vehicles leave it to any location at no cost, and none go there. */
function withPlaceOutside(problem: Problem): Problem {
  const n = problem.locationIds.length;
  const classes = Math.max(1, problem.capacities.length);
  const supply = new Int32Array(classes * (n + 1));
  for (let k = 0; k < problem.capacities.length; k++) {
    supply.set(problem.supply.subarray(k * n, (k + 1) * n), k * (n + 1));
  }
  const costUnits = new Float64Array((n + 1) * (n + 1));
  const distanceKm = problem.network.distanceKm && new Float64Array(costUnits.length);
  for (let i = 0; i < n; i++) {
    costUnits.set(problem.network.costUnits.subarray(i * n, (i + 1) * n), i * (n + 1));
    costUnits[i * (n + 1) + n] = Number.POSITIVE_INFINITY;
    distanceKm?.set(problem.network.distanceKm!.subarray(i * n, (i + 1) * n), i * (n + 1));
  }
  for (let j = 0; j < n; j++)
    if (homeOf(problem, j) >= 0) costUnits[n * (n + 1) + j] = Number.POSITIVE_INFINITY;
  startWithPlaceOutside(problem);
  return {
    ...problem,
    locationIds: Int32Array.from([...problem.locationIds, 2147483647]),
    capacities:
      problem.capacities.length > 0 ? problem.capacities : Float64Array.of(problem.capacityPerVehicle),
    supply,
    demand: Float64Array.from([...problem.demand, 0]),
    network: { costUnits, distanceKm },
    greatCircle: null,
    hasPlaceOutside: true,
  };
}

/** With `count` vehicles at the outside location. They may leave, or stay there. */
function withVehiclesFromOutside(problem: Problem, common: number, count: number): Problem {
  const places = problem.locationIds.length;
  const supply = problem.supply.slice();
  supply[common * places + places - 1] = count;
  return { ...problem, supply };
}
