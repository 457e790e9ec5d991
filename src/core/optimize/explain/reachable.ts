/**
 * The most demand that vehicles of one class can serve, whatever it costs: who can come where is all that matters.
 *
 * Sets of vehicles' places that can be filled at once are the independent sets of a matroid (a transversal one, cut off at the fleet
 * size), so the greedy choice is best: places of the most demand first, each filled by an augmenting path where there
 * is one, and none is ever given up again. Places are the ⌊D_j/c⌋ full vehicles of demand c and the one part of the rest.
 * x_ij vehicles; a path from location j to a source with vehicles left goes back along the moves of others.
 * O(n²) per path, which carries as many as it can; a path that fails closes its locations for good, so at most n fail.
 * Reference: Edmonds and Fulkerson, Transversals and matroid partition, J. Res. NBS 69B (1965).
 */
import type { Moves, Problem } from '../model.ts';
import { isAllowed } from '../network.ts';
import { splitDemand } from '../variables.ts';

/** Whether `reachMost` has the answer: one class (or none), and any number of vehicles may stand anywhere. */
export function canReachMost({ capacities, limits }: Problem): boolean {
  return (
    capacities.length <= 1 &&
    limits.minVehiclesPerLocation === 0 &&
    limits.maxVehiclesPerLocation === Number.POSITIVE_INFINITY
  );
}

/** @returns moves of a plan that serves most; the service level and the ceiling are not looked at; null where time ran out */
export function reachMost(problem: Problem, isOver: () => boolean): Moves | null {
  const n = problem.locationIds.length;
  const going = new Int32Array(n * n);
  if (problem.capacities.length === 1 && !fillPlaces(problem, going, isOver)) return null;
  const used: number[] = [];
  for (let at = 0; at < going.length; at++) {
    if (going[at] > 0 && Math.floor(at / n) !== at % n) used.push(at);
  }
  return {
    capacityClass: new Int32Array(used.length),
    source: Int32Array.from(used, (at) => Math.floor(at / n)),
    target: Int32Array.from(used, (at) => at % n),
    count: Int32Array.from(used, (at) => going[at]),
  };
}

/** @returns false where time ran out */
function fillPlaces(problem: Problem, going: Int32Array, isOver: () => boolean): boolean {
  const n = problem.locationIds.length;
  const { network, limits, demand } = problem;
  const split = Array.from(demand, (d) => splitDemand(d, problem.capacities[0]));
  const free = problem.supply.slice();
  /** Sources that may go to j, j itself first, then by cost. */
  const lists = new Map<number, Int32Array>();
  const sourcesOf = (j: number): Int32Array => {
    const known = lists.get(j);
    if (known) return known;
    const { costUnits } = network;
    const near = new Float64Array(n).fill(Number.POSITIVE_INFINITY);
    const list = new Int32Array(n);
    let count = 0;
    for (let i = 0; i < n; i++) {
      if (problem.supply[i] === 0 || !isAllowed(network, n, limits.maxDistanceKm, i, j)) continue;
      near[i] = i === j ? -1 : costUnits[i * n + j];
      list[count++] = i;
    }
    const sorted = list.subarray(0, count).sort((a, b) => near[a] - near[b] || a - b);
    lists.set(j, sorted);
    return sorted;
  };
  let unused = free.reduce((sum, count) => sum + count, 0);
  const closed = new Uint8Array(n);
  let left = limits.totalFleetSize;

  function fill(j: number, count: number): void {
    let open = Math.min(count, left);
    const take = (i: number) => {
      const taken = Math.min(open, free[i]);
      going[i * n + j] += taken;
      free[i] -= taken;
      open -= taken;
      left -= taken;
      unused -= taken;
    };
    take(j);
    if (open === 0 || unused === 0) return;
    for (const i of sourcesOf(j)) {
      take(i);
      if (open === 0) return;
    }
    while (open > 0 && unused > 0 && !closed[j] && !isOver()) {
      const come = augment(j, open);
      if (come === 0) return;
      open -= come;
      left -= come;
      unused -= come;
    }
  }

  /** Up to `most` vehicles more at `target`, where others can be moved up. @returns how many */
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
        for (let other = 0; other < n; other++) {
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

  /** Free vehicles of `source` come to the last location, whose vehicles from `through` go to the location before, and so on. */
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
    going[source * n + last] += count;
    for (let j = last; j !== target; j = cameFrom[j]) {
      going[through[j] * n + j] -= count;
      going[through[j] * n + cameFrom[j]] += count;
    }
    return count;
  }

  for (let j = 0; j < n && !isOver(); j++) if (split[j].full > 0) fill(j, split[j].full);
  const parts = [...split.keys()].filter((j) => split[j].rest > 0);
  parts.sort((a, b) => split[b].rest - split[a].rest || a - b);
  for (const j of parts) {
    if (isOver()) return false;
    fill(j, 1);
  }
  return !isOver();
}

/** Locations with something to do where no operational vehicle may come. */
export function unreachableLocations(problem: Problem): number[] {
  const n = problem.locationIds.length;
  const { network, limits, demand, supply } = problem;
  const present = new Uint8Array(n);
  for (let at = 0; at < supply.length; at++) if (supply[at] > 0) present[at % n] = 1;
  const isReached = (j: number) => {
    for (let i = 0; i < n; i++) {
      if (present[i] && isAllowed(network, n, limits.maxDistanceKm, i, j)) return true;
    }
    return false;
  };
  return Array.from({ length: n }, (_, j) => j).filter(
    (j) => (demand[j] > 0 || limits.minVehiclesPerLocation > 0) && !isReached(j),
  );
}
