/**
 * Who may come where, and a flow of one class's vehicles from their sources to the targets that want them: as many as can come at all.
 * Augmenting paths; one that fails closes its targets for good, so at most n fail. O(pairs allowed) per path.
 * Reference: Ahuja, Magnanti, Orlin, Network Flows (1993), section 6.
 */
import type { Problem } from '../model.ts';
import { isAllowed } from '../network.ts';
import type { Check } from '../stopping.ts';

/**
 * Per target the locations with vehicles (of any class) that may come; the target itself first where it has some. `isComplete`: to every
 * location where there is something to do, all of them or only its own.
 */
export type Reach = { sourcesOf: Int32Array[]; isComplete: boolean };

/** @throws what `check` throws */
export function createReach(problem: Problem, check: Check): Reach {
  const { locationIds, supply, demand, network, limits, greatCircle } = problem;
  const isBounded =
    limits.minVehiclesPerLocation > 0 || limits.maxVehiclesPerLocation !== Number.POSITIVE_INFINITY;
  const n = locationIds.length;
  const present = new Uint8Array(n);
  for (let at = 0; at < supply.length; at++) if (supply[at] > 0) present[at % n] = 1;
  const sources = Int32Array.from(present.keys()).filter((i) => present[i] === 1);
  let isComplete = true;
  const sourcesOf = Array.from({ length: n }, (_, j) => {
    check();
    const mayCome = (i: number) =>
      // A symmetric matrix is read along its rows, which is several times faster.
      greatCircle
        ? isAllowed(network, n, limits.maxDistanceKm, j, i)
        : isAllowed(network, n, limits.maxDistanceKm, i, j);
    const others = sources.filter((i) => i !== j && mayCome(i));
    const list = present[j] ? Int32Array.of(j, ...others) : others;
    const isIsland = list.length === present[j];
    if (list.length < sources.length && !isIsland && (isBounded || demand[j] > 0)) isComplete = false;
    return list;
  });
  return { sourcesOf, isComplete };
}

/**
 * @param supply n vehicles of the class
 * @param wanted n, whole
 * @returns vehicles that come to j from its a-th source, by j, then a
 * @throws what `check` throws
 */
export function placeVehicles(
  supply: Int32Array,
  wanted: Int32Array,
  { sourcesOf }: Reach,
  check: Check,
): Int32Array[] {
  const n = supply.length;
  const free = supply.slice();
  const coming = sourcesOf.map((list) => new Int32Array(list.length));
  /** Per source the targets that have had some of it, and its place in their lists. */
  const usersOf = Array.from({ length: n }, (): { target: number; at: number }[] => []);
  const isClosed = new Uint8Array(n);

  const send = (target: number, at: number, count: number) => {
    if (coming[target][at] === 0) usersOf[sourcesOf[target][at]].push({ target, at });
    coming[target][at] += count;
  };

  /** One path from a source with vehicles left, over targets that take from another source instead. @returns vehicles */
  function augment(target: number, most: number): number {
    const cameFrom = new Int32Array(n).fill(-1);
    /** Of a target on the way: the place in its list of the source that it gives up, and in the list of the one before it. */
    const givenUp = new Int32Array(n);
    const taken = new Int32Array(n);
    const isSeen = new Uint8Array(n);
    const queue = [target];
    cameFrom[target] = target;
    for (let q = 0; q < queue.length; q++) {
      const j = queue[q];
      for (let at = 0; at < sourcesOf[j].length; at++) {
        const i = sourcesOf[j][at];
        if (isSeen[i] || supply[i] === 0) continue;
        isSeen[i] = 1;
        if (free[i] > 0) {
          let count = Math.min(most, free[i]);
          for (let t = j; t !== target; t = cameFrom[t]) count = Math.min(count, coming[t][givenUp[t]]);
          free[i] -= count;
          send(j, at, count);
          for (let t = j; t !== target; t = cameFrom[t]) {
            coming[t][givenUp[t]] -= count;
            send(cameFrom[t], taken[t], count);
          }
          return count;
        }
        for (const user of usersOf[i]) {
          if (cameFrom[user.target] >= 0 || coming[user.target][user.at] === 0) continue;
          cameFrom[user.target] = j;
          givenUp[user.target] = user.at;
          taken[user.target] = at;
          queue.push(user.target);
        }
      }
    }
    for (const j of queue) isClosed[j] = 1;
    return 0;
  }

  for (let j = 0; j < n; j++) {
    check();
    let open = wanted[j];
    for (let at = 0; at < sourcesOf[j].length && open > 0; at++) {
      const count = Math.min(open, free[sourcesOf[j][at]]);
      if (count === 0) continue;
      send(j, at, count);
      free[sourcesOf[j][at]] -= count;
      open -= count;
    }
    while (open > 0 && !isClosed[j]) {
      check();
      const count = augment(j, open);
      if (count === 0) break;
      open -= count;
    }
  }
  return coming;
}
