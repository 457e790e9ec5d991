/**
 * The most demand that vehicles of one class can serve at any cost. Only the allowed moves matter, not their costs.
 *
 * The sets of service places that can be filled at the same time are the independent sets of a matroid (a transversal
 * matroid, truncated at the fleet size), so the greedy choice is optimal: take the places in descending order of
 * demand, fill each by an augmenting path if one exists, and never give it up again. The places of a location are
 * ⌊D_j/c⌋ full vehicles of demand c and one part of the rest.
 * x_ij vehicles move from i to j. A path from location j to a source with unused vehicles runs back along the moves
 * of others.
 * O(n²) per path at worst, and each path carries as many vehicles as it can. A path that fails closes its locations
 * for good, so at most n paths fail.
 * Reference: Edmonds and Fulkerson, Transversals and matroid partition, J. Res. NBS 69B (1965).
 */

import { keptIn, type Slot } from '../../run/cache.ts';
import { hasFurtherRules, levelAt } from '../floors.ts';
import { leastAt } from '../location-bounds.ts';
import type { Moves, Network, Problem } from '../model.ts';
import { movesOfFlow } from '../moves.ts';
import { isAllowed } from '../network.ts';
import { hasPairLimits } from '../pairs.ts';
import { splitDemand } from '../steps.ts';

/** Up to this cost, one double holds cost and location exactly, in the order of the costs. */
const MAX_SORTED_COST = 2 ** 39;

/** Whether `reachMost` applies: at most one class, no bounds per location, no limits of pairs. */
export function canReachMost(problem: Problem): boolean {
  return problem.capacities.length <= 1 && !hasFurtherRules(problem) && !hasPairLimits(problem);
}

/** Filled places per location, and the moves that fill them. */
export type Reached = {
  moves: Moves;
  full: Int32Array;
  part: Int32Array;
};

/**
 * A plan that serves the most demand. Ignores the service level and the ceiling.
 * @param mayMiss demand; the search ends early once it is certain that more than this stays unserved
 * @returns null if time ran out
 */
export function reachMost(
  problem: Problem,
  isOver: () => boolean,
  mayMiss = Number.POSITIVE_INFINITY,
): Reached | null {
  return mayMiss === Number.POSITIVE_INFINITY
    ? reachByLevel(problem, [0], isOver)
    : reach(problem, [[...problem.demand.keys()]], isOver, mayMiss);
}

/** The last answer of `reachByLevel`: the solves of one request ask the same. */
const BY_LEVEL: Slot<{ last: { question: readonly unknown[]; reached: Reached } | null }> = {
  create: () => ({ last: null }),
};

/**
 * A plan that serves the most demand of the highest priority level, then of the next, and so on. Ignores the service
 * level and the ceiling.
 * @param levels the highest first; locations of other levels get nothing
 * @returns null if time ran out
 */
export function reachByLevel(
  problem: Problem,
  levels: readonly number[],
  isOver: () => boolean,
): Reached | null {
  const { demand, supply, capacities, network, limits } = problem;
  const question = [
    demand,
    supply,
    capacities,
    network,
    limits.maxDistanceKm,
    limits.totalFleetSize,
    ...levels,
  ];
  const kept = keptIn(problem.caches.problem, BY_LEVEL);
  const isSame =
    kept.last?.question.length === question.length &&
    question.every((part, q) => part === kept.last?.question[q]);
  if (isSame && kept.last) return kept.last.reached;
  const at = [...problem.demand.keys()];
  let before = Number.POSITIVE_INFINITY;
  const groups = levels.map((level) => {
    const group = at.filter((j) => levelAt(problem, j) >= level && levelAt(problem, j) < before);
    before = level;
    return group;
  });
  const reached = reach(problem, groups, isOver, Number.POSITIVE_INFINITY);
  if (reached) kept.last = { question, reached };
  return reached;
}

/** @param groups locations, those that are served first in the first group */
function reach(
  problem: Problem,
  groups: readonly (readonly number[])[],
  isOver: () => boolean,
  mayMiss: number,
): Reached | null {
  const n = problem.locationIds.length;
  const going = new Int32Array(n * n);
  const full = new Int32Array(n);
  const part = new Int32Array(n);
  /** Locations that vehicles of a source go to. The list may contain locations that no longer get any. */
  const targetsOf = Array.from({ length: n }, (): number[] => []);
  const places = { going, full, part, targetsOf };
  if (problem.capacities.length === 1 && !fillPlaces(problem, places, groups, isOver, mayMiss)) return null;
  const used: number[] = [];
  for (let i = 0; i < n; i++) {
    for (const j of new Set(targetsOf[i].sort((a, b) => a - b))) {
      if (going[i * n + j] > 0 && i !== j) used.push(i * n + j);
    }
  }
  const moves = movesOfFlow(
    Int32Array.from(used, (at) => Math.floor(at / n)),
    Int32Array.from(used, (at) => at % n),
    Int32Array.from(used, (at) => going[at]),
  );
  return { moves, full, part };
}

/** @returns false if time ran out */
function fillPlaces(
  problem: Problem,
  {
    going,
    full,
    part,
    targetsOf,
  }: { going: Int32Array; full: Int32Array; part: Int32Array; targetsOf: number[][] },
  groups: readonly (readonly number[])[],
  isOver: () => boolean,
  mayMiss: number,
): boolean {
  const n = problem.locationIds.length;
  const { limits } = problem;
  const free = problem.supply.slice();
  const { sourcesOf, nearestWithFree } = createSources(problem, free);
  const send = (i: number, j: number, count: number) => {
    if (going[i * n + j] === 0 && count > 0) targetsOf[i].push(j);
    going[i * n + j] += count;
  };
  let unused = free.reduce((sum, count) => sum + count, 0);
  const closed = new Uint8Array(n);
  let left = limits.totalFleetSize;

  /** @returns how many of `count` places at j were filled */
  function fill(j: number, count: number): number {
    const wanted = Math.min(count, left);
    let open = wanted;
    const take = (i: number) => {
      const taken = Math.min(open, free[i]);
      send(i, j, taken);
      free[i] -= taken;
      open -= taken;
      left -= taken;
      unused -= taken;
    };
    take(j);
    while (open > 0 && unused > 0) {
      const i = nearestWithFree(j);
      if (i < 0) break;
      take(i);
    }
    if (open === 0) return wanted;
    while (open > 0 && unused > 0 && !closed[j] && !isOver()) {
      const come = augment(j, open);
      if (come === 0) break;
      open -= come;
      left -= come;
      unused -= come;
    }
    return wanted - open;
  }

  /** Brings up to `most` more vehicles to `target`, by rerouting others if necessary. @returns how many */
  function augment(target: number, most: number): number {
    const cameFrom = new Int32Array(n).fill(-1);
    const through = new Int32Array(n).fill(-1);
    const seenSource = new Uint8Array(n);
    const queue = [target];
    cameFrom[target] = target;
    for (let at = 0; at < queue.length; at++) {
      const j = queue[at];
      for (const i of sourcesOf(j)) {
        if (seenSource[i]) continue;
        seenSource[i] = 1;
        if (free[i] > 0) {
          return moveUp(i, j, target, cameFrom, through, most);
        }
        for (const other of targetsOf[i]) {
          if (going[i * n + other] === 0 || cameFrom[other] >= 0 || closed[other]) continue;
          cameFrom[other] = j;
          through[other] = i;
          queue.push(other);
        }
      }
    }
    for (const j of queue) closed[j] = 1;
    return 0;
  }

  /**
   * Free vehicles of `source` go to the last location of the path; its vehicles from `through` go to the location
   * before it, and so on.
   */
  function moveUp(
    source: number,
    last: number,
    target: number,
    cameFrom: Int32Array,
    through: Int32Array,
    most: number,
  ): number {
    let count = Math.min(most, free[source]);
    for (let j = last; j !== target; j = cameFrom[j]) count = Math.min(count, going[through[j] * n + j]);
    free[source] -= count;
    send(source, last, count);
    for (let j = last; j !== target; j = cameFrom[j]) {
      send(through[j], j, -count);
      send(through[j], cameFrom[j], count);
    }
    return count;
  }

  // A place passed over once is never filled later: the greedy choice of the largest places first serves the most.
  let missed = 0;
  for (const { j, count, gain, filled } of placesInOrder(problem, groups, { full, part })) {
    if (isOver()) return false;
    if (missed > mayMiss) break;
    filled[j] = fill(j, count);
    missed += (count - filled[j]) * gain;
  }
  return !isOver();
}

/** The sources of a location's vehicles. @param free vehicles left by source, while they are taken */
function createSources(problem: Problem, free: Int32Array) {
  const n = problem.locationIds.length;
  const { network, limits, supply } = problem;
  const nearestOf = nearestFirst(problem, (i, j) => supply[i] > 0 && mayGo(i, j));
  // Then the matrices can be read along their rows, which is several times faster.
  const isSymmetric = problem.greatCircle !== null;
  // The matrices are read once: they are built on demand, and asking for them takes longer than reading a number.
  const matrices = { costUnits: network.costUnits, distanceKm: network.distanceKm };
  const mayGo = (i: number, j: number) =>
    isSymmetric
      ? isAllowed(matrices, n, limits.maxDistanceKm, j, i)
      : isAllowed(matrices, n, limits.maxDistanceKm, i, j);
  const lists = new Map<number, Int32Array>();
  /** Sources that may have vehicles left, ascending, up to `count`. */
  const sources = Int32Array.from(free.keys());
  let count = n;

  return {
    /** Sources that may go to j: j itself first, then by cost. */
    sourcesOf(j: number): Int32Array {
      const known = lists.get(j);
      if (known) return known;
      const list = nearestOf(j);
      lists.set(j, list);
      return list;
    },
    /**
     * The source of the cheapest move to j that has vehicles left; −1: none. Each answer is either used up or fills all
     * that is open at j, so this is asked O(n) times; sorting all sources of all locations would take several times as
     * long.
     */
    nearestWithFree(j: number): number {
      let best = -1;
      let least = Number.POSITIVE_INFINITY;
      let kept = 0;
      for (let at = 0; at < count; at++) {
        const i = sources[at];
        if (free[i] === 0) continue;
        sources[kept++] = i;
        const cost = matrices.costUnits[isSymmetric ? j * n + i : i * n + j];
        if (cost < least && mayGo(i, j)) {
          best = i;
          least = cost;
        }
      }
      count = kept;
      return best;
    },
  };
}

/** `count` places at j, each of which serves `gain`; how many are filled is noted in `filled`. */
type Places = { j: number; count: number; gain: number; filled: Int32Array };

/** In the order of groups, then of gain. */
function placesInOrder(
  { demand, capacities: [capacity] }: Problem,
  groups: readonly (readonly number[])[],
  { full, part }: { full: Int32Array; part: Int32Array },
): Places[] {
  return groups.flatMap((group) => {
    const split = group.map((j) => ({ j, ...splitDemand(demand[j], capacity) }));
    const parts = split.filter(({ rest }) => rest > 0).sort((a, b) => b.rest - a.rest || a.j - b.j);
    return [
      ...split.map(({ j, full: count }) => ({ j, count, gain: capacity, filled: full })),
      ...parts.map(({ j, rest }) => ({ j, count: 1, gain: rest, filled: part })),
    ];
  });
}

/**
 * Lists of `nearestFirst`, shared by all questions about one network. With more locations they would take too much
 * memory.
 */
const NEAREST: Slot<WeakMap<Network, Map<number, Int32Array>>> = { create: () => new WeakMap() };
const MAX_KEPT_LOCATIONS = 2048;
/** Share of the locations up to which allowed sources are few. */
const FEW_SOURCES = 0.25;

/**
 * The allowed sources by the cost of a move from there to j, with j first. If they are few, only they are sorted, else
 * all locations, once for all questions.
 */
function nearestFirst(
  { network, greatCircle, locationIds, caches }: Problem,
  isSource: (i: number, j: number) => boolean,
): (j: number) => Int32Array {
  const n = locationIds.length;
  const kept = keptIn(caches.problem, NEAREST);
  const lists = kept.get(network) ?? new Map<number, Int32Array>();
  if (n <= MAX_KEPT_LOCATIONS) kept.set(network, lists);
  const { costUnits } = network;
  // Cost and location in one number: plain numbers sort several times faster than with a comparison function.
  const keyOf = (i: number, j: number) => {
    const cost = greatCircle ? costUnits[j * n + i] : costUnits[i * n + j];
    return (i === j ? 0 : 1 + Math.min(MAX_SORTED_COST, cost)) * n + i;
  };
  const sorted = (keys: Float64Array) => Int32Array.from(keys.sort(), (key) => key - n * Math.floor(key / n));
  const few = new Float64Array(Math.floor(FEW_SOURCES * n));
  return (j) => {
    const known = lists.get(j);
    if (known) return known.filter((i) => isSource(i, j));
    let count = 0;
    for (let i = 0; i < n && count <= few.length; i++) {
      if (!isSource(i, j)) continue;
      if (count < few.length) few[count] = keyOf(i, j);
      count++;
    }
    if (count <= few.length) return sorted(few.slice(0, count));
    const all = sorted(Float64Array.from({ length: n }, (_, i) => keyOf(i, j)));
    lists.set(j, all);
    return all.filter((i) => isSource(i, j));
  };
}

/** Locations with demand, or with a minimum, that no operational vehicle may reach. */
export function unreachableLocations(problem: Problem): number[] {
  const n = problem.locationIds.length;
  const { network, limits, demand, supply } = problem;
  const present = new Uint8Array(n);
  for (let at = 0; at < supply.length; at++) if (supply[at] > 0) present[at % n] = 1;
  let open = Array.from({ length: n }, (_, j) => j).filter(
    (j) => present[j] === 0 && (demand[j] > 0 || leastAt(problem, j) > 0),
  );
  // By source: reading rows in order is several times faster than reading columns.
  for (let i = 0; i < n && open.length > 0; i++) {
    if (present[i]) open = open.filter((j) => !isAllowed(network, n, limits.maxDistanceKm, i, j));
  }
  return open;
}
