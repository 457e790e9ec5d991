/**
 * A problem with a change cost δ as a problem without one, which every engine solves.
 *
 * Vehicles of a class at i that have the same target j' in the previous plan are alike: going to j costs
 * c_ij + δ·[j ≠ j']. Each such group is a location of its own, without demand, from which vehicles go to the locations
 * of the problem. A location keeps one kind of its vehicles, and the others become groups: the vehicles without a
 * target if there are some, else those whose target it is.
 *
 * A vehicle that serves nowhere stays in its group for nothing. Where it then is, costs h = min(δ, c_ij'): it stays at
 * i, or goes to j'. This is the least that a vehicle of the group costs, so h is taken off all its arcs and added to
 * the total, and no cost is below 0. Bounds per location count idle vehicles, too, and a ceiling counts their moves:
 * then groups have room for no vehicle, and h is 0.
 *
 * Moves that are merged again by class, source and target cost at most as much: which vehicle of a group goes where is
 * then free (`countChanged`). If a target is not allowed any more, its vehicles always pay δ.
 */
import { leastAt, mostAt } from '../problem/location-bounds.ts';
import type { Moves, Pinned, Problem } from '../problem/model.ts';
import { NO_MOVES } from '../problem/moves.ts';
import { isAllowed } from '../problem/network.ts';
import { countPinnedChanged, targetGroups } from '../problem/previous.ts';
import { hasLocationBounds } from '../problem/variants.ts';
import { createCache } from '../run/cache.ts';

export type TargetsProblem = {
  /** Locations 0 … n−1 are those of the original; then a location per group. */
  problem: Problem;
  /** Add these to costs and bounds of `problem`. */
  fixedUnits: number;
  /** The moves in the original problem. */
  toOriginal(moves: Moves): Moves;
};

/** A location of the new problem: where its vehicles are, and where the previous plan sends them (−1: nowhere). */
type Place = { location: number; target: number };

/** Rows of the matrix between two calls of the check. */
const ROWS_PER_LOOK = 64;

/** The number of locations of the new problem; O(fleet). */
export function countTargetLocations(problem: Problem): number {
  return placesOf(problem).places.length;
}

/**
 * @param problem with a previous plan
 * @param changeUnits cost units of sending a vehicle elsewhere
 * @param hasCeiling whether the ceiling holds, too
 * @param check called every few milliseconds; it throws to stop the work
 */
export function createTargetsProblem(
  problem: Problem,
  changeUnits: number,
  hasCeiling: boolean,
  check: () => void = () => {},
): TargetsProblem {
  const { previous: _, bounds: _bounds, ...plain } = problem;
  const n = problem.locationIds.length;
  const classes = problem.capacities.length;
  const isBounded = hasLocationBounds(problem) || hasCeiling;
  const { places, supply, unreachable } = placesOf(problem);
  const size = places.length;
  const { costUnits, distanceKm } = problem.network;
  const { maxDistanceKm } = problem.limits;
  const costs = new Float64Array(size * size);
  const moving = hasCeiling ? new Float64Array(size * size).fill(Number.POSITIVE_INFINITY) : null;
  /** Per place: what a vehicle there costs at least. */
  const least = new Float64Array(size);
  for (const [at, { location: i, target }] of places.entries()) {
    if (at % ROWS_PER_LOOK === 0) check();
    const row = costs.subarray(at * size, (at + 1) * size);
    if (at >= n && target !== i && !isBounded) least[at] = Math.min(changeUnits, costUnits[i * n + target]);
    const change = (target >= 0 ? changeUnits : 0) - least[at];
    // Without a call per pair, of which there are some millions; what is not allowed costs Infinity.
    for (let j = 0, a = i * n; j < n; j++, a++) {
      const isTooFar = distanceKm !== null && distanceKm[a] > maxDistanceKm && i !== j;
      row[j] = isTooFar ? Number.POSITIVE_INFINITY : costUnits[a] + change;
      if (moving && !isTooFar) moving[at * size + j] = costUnits[a];
    }
    row.fill(Number.POSITIVE_INFINITY, n);
    if (target >= 0) row[target] -= changeUnits;
    row[at] = 0;
    if (moving) moving[at * size + at] = 0;
  }
  let fixedUnits = unreachable * changeUnits;
  for (let k = 0; k < classes; k++)
    for (let at = 0; at < size; at++) fixedUnits += supply[k * size + at] * least[at];

  return {
    problem: {
      ...plain,
      locationIds: Int32Array.from(places, (_place, at) => at),
      supply,
      demand: longer(problem.demand, size),
      ...(problem.pinned && { pinned: pinnedOf(problem.pinned, size) }),
      ...(problem.unmetCost && { unmetCost: longer(problem.unmetCost, size) }),
      ...(problem.priorities && { priorities: Uint8Array.from(longer(problem.priorities, size)) }),
      network: { costUnits: costs, distanceKm: null },
      ...(moving && { movingUnits: moving }),
      greatCircle: null,
      limits: {
        ...problem.limits,
        maxDistanceKm: Number.POSITIVE_INFINITY,
        maxCostUnits: hasCeiling ? problem.limits.maxCostUnits : Number.POSITIVE_INFINITY,
        ...(isBounded && size > n && { maxVehiclesPerLocation: 0 }),
      },
      ...(isBounded && { bounds: boundsOf(problem, size) }),
      caches: { thread: problem.caches.thread, problem: createCache() },
    },
    fixedUnits,
    toOriginal: (moves) => mergeMoves(problem, { places, supply, least, costUnits }, moves),
  };
}

/** The places of the new problem, its supply, and the number of vehicles whose target is out of reach. */
function placesOf(problem: Problem): { places: Place[]; supply: Int32Array; unreachable: number } {
  const n = problem.locationIds.length;
  const classes = problem.capacities.length;
  const { costUnits, distanceKm } = problem.network;
  const matrices = { costUnits, distanceKm };
  let unreachable = countPinnedChanged(problem);
  const free = problem.supply.slice();
  const groups = targetGroups(problem).filter(({ capacityClass, location, target, count }) => {
    const isReachable = isAllowed(matrices, n, problem.limits.maxDistanceKm, location, target);
    if (isReachable) free[capacityClass * n + location] -= count;
    else unreachable += count;
    return isReachable;
  });
  const hasFree = new Uint8Array(n);
  for (let at = 0; at < free.length; at++) if (free[at] > 0) hasFree[at % n] = 1;
  const places: Place[] = Array.from({ length: n }, (_, location) => ({
    location,
    target: hasFree[location] ? -1 : location,
  }));
  const position = new Map<number, number>();
  const placed = groups.map((group) => {
    const { location, target } = group;
    if (target === location && !hasFree[location]) return { ...group, at: location };
    const key = location * n + target;
    const at = position.get(key) ?? places.push({ location, target }) - 1;
    position.set(key, at);
    return { ...group, at };
  });
  const size = places.length;
  const supply = new Int32Array(classes * size);
  for (let k = 0; k < classes; k++) supply.set(free.subarray(k * n, (k + 1) * n), k * size);
  for (const { capacityClass, at, count } of placed) supply[capacityClass * size + at] += count;
  return { places, supply, unreachable };
}

function longer(values: ArrayLike<number>, size: number): Float64Array {
  const all = new Float64Array(size);
  all.set(values);
  return all;
}

/** Pinned vehicles stay at the locations. */
function pinnedOf({ vehicles, capacity, demand, byCapacity }: Pinned, size: number): Pinned {
  return {
    vehicles: Int32Array.from(longer(vehicles, size)),
    capacity: longer(capacity, size),
    demand: longer(demand, size),
    byCapacity,
  };
}

/** Bounds of the locations as they are, pinned vehicles included; groups hold no vehicle. */
function boundsOf({ pinned: _, ...problem }: Problem, size: number): NonNullable<Problem['bounds']> {
  const n = problem.locationIds.length;
  const least = new Float64Array(size);
  const most = new Float64Array(size);
  for (let j = 0; j < n; j++) {
    least[j] = leastAt(problem, j);
    most[j] = mostAt(problem, j);
  }
  return { least, most };
}

/** Moves in the original problem, also those of idle vehicles for which keeping to the plan is cheaper than to stay. */
function mergeMoves(
  { locationIds, capacities }: Problem,
  {
    places,
    supply,
    least,
    costUnits,
  }: { places: Place[]; supply: Int32Array; least: Float64Array; costUnits: Float64Array },
  moves: Moves,
): Moves {
  const n = locationIds.length;
  const size = places.length;
  const left = supply.slice();
  const counts = new Map<number, number>();
  const add = (k: number, from: number, to: number, count: number) => {
    if (count === 0 || from === to) return;
    const key = (k * n + from) * n + to;
    counts.set(key, (counts.get(key) ?? 0) + count);
  };
  for (let m = 0; m < moves.count.length; m++) {
    const k = moves.capacityClass[m];
    left[k * size + moves.source[m]] -= moves.count[m];
    add(k, places[moves.source[m]].location, moves.target[m], moves.count[m]);
  }
  for (let k = 0; k < capacities.length; k++) {
    for (let at = n; at < size; at++) {
      const { location, target } = places[at];
      const keeps = target !== location && costUnits[location * n + target] <= least[at];
      if (keeps) add(k, location, target, left[k * size + at]);
    }
  }
  const merged = [...counts].sort(([a], [b]) => a - b);
  if (merged.length === 0) return NO_MOVES;
  return {
    capacityClass: Int32Array.from(merged, ([key]) => Math.floor(key / n / n)),
    source: Int32Array.from(merged, ([key]) => Math.floor(key / n) % n),
    target: Int32Array.from(merged, ([key]) => key % n),
    count: Int32Array.from(merged, ([, count]) => count),
  };
}
