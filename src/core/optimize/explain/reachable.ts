/**
 * The most demand that vehicles of one class can serve, whatever it costs: who can come where is all that matters.
 *
 * Sets of vehicles' places that can be filled at once are the independent sets of a matroid (a transversal one, cut off at the fleet
 * size), so the greedy choice is best: places of the most demand first, each filled by an augmenting path where there
 * is one, and none is ever given up again. Places are the ⌊D_j/c⌋ full vehicles of demand c and the one part of the rest.
 * x_ij vehicles; a path from location j to a source with vehicles left goes back along the moves of others.
 * O(n²) per path; a path that fails closes its locations for good, so at most n fail.
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

/** @returns moves of a plan that serves most; the service level and the ceiling are not looked at */
export function reachMost(problem: Problem): Moves {
  const n = problem.locationIds.length;
  const going = new Int32Array(n * n);
  if (problem.capacities.length === 1) fillPlaces(problem, going);
  const used = [...going.keys()].filter((at) => going[at] > 0 && Math.floor(at / n) !== at % n);
  return {
    capacityClass: new Int32Array(used.length),
    source: Int32Array.from(used, (at) => Math.floor(at / n)),
    target: Int32Array.from(used, (at) => at % n),
    count: Int32Array.from(used, (at) => going[at]),
  };
}

function fillPlaces(problem: Problem, going: Int32Array): void {
  const n = problem.locationIds.length;
  const { network, limits, demand } = problem;
  const split = Array.from(demand, (d) => splitDemand(d, problem.capacities[0]));
  const free = problem.supply.slice();
  /** Sources that may go to j, j itself first, then by cost. */
  const sourcesOf = Array.from({ length: n }, (_, j) => {
    const near = (i: number) => (i === j ? -1 : network.costUnits[i * n + j]);
    const list: number[] = [];
    for (let i = 0; i < n; i++) {
      if (problem.supply[i] > 0 && isAllowed(network, n, limits.maxDistanceKm, i, j)) list.push(i);
    }
    return list.sort((a, b) => near(a) - near(b) || a - b);
  });
  const closed = new Uint8Array(n);
  let left = limits.totalFleetSize;

  function fill(j: number, count: number): void {
    let open = Math.min(count, left);
    for (const i of sourcesOf[j]) {
      const taken = Math.min(open, free[i]);
      going[i * n + j] += taken;
      free[i] -= taken;
      open -= taken;
      left -= taken;
      if (open === 0) return;
    }
    for (; open > 0 && !closed[j]; open--) {
      if (!augment(j)) return;
      left--;
    }
  }

  /** One vehicle more at `target`, where others can be moved up. */
  function augment(target: number): boolean {
    const cameFrom = new Int32Array(n).fill(-1);
    const through = new Int32Array(n).fill(-1);
    const seenSource = new Uint8Array(n);
    const queue = [target];
    cameFrom[target] = target;
    for (let at = 0; at < queue.length; at++) {
      const j = queue[at];
      for (const i of sourcesOf[j]) {
        if (seenSource[i]) continue;
        seenSource[i] = 1;
        if (free[i] > 0) {
          moveUp(i, j, target, cameFrom, through);
          return true;
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
    return false;
  }

  /** The free vehicle of `source` comes to j, whose vehicle from `through[j]` goes to the location before, and so on. */
  function moveUp(
    source: number,
    last: number,
    target: number,
    cameFrom: Int32Array,
    through: Int32Array,
  ): void {
    free[source]--;
    going[source * n + last]++;
    for (let j = last; j !== target; j = cameFrom[j]) {
      going[through[j] * n + j]--;
      going[through[j] * n + cameFrom[j]]++;
    }
  }

  for (let j = 0; j < n; j++) if (split[j].full > 0) fill(j, split[j].full);
  const parts = [...split.keys()].filter((j) => split[j].rest > 0);
  parts.sort((a, b) => split[b].rest - split[a].rest || a - b);
  for (const j of parts) fill(j, 1);
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
