/**
 * Which vehicles can reach which locations, and a flow of one class's vehicles from sources to the targets that need
 * them, by augmenting paths. If there is no path, no more vehicles can come, whatever the others do. O(allowed pairs)
 * per path.
 * Reference: Ahuja, Magnanti, Orlin, Network Flows (1993), section 6.
 */

import type { Problem } from '../../problem/model.ts';
import { isAllowed } from '../../problem/network.ts';
import { hasLocationBounds } from '../../problem/variants.ts';
import type { Check } from '../../run/stopping.ts';

/**
 * Per target, the locations whose vehicles (of any class) may come; the target itself first if it has vehicles.
 * `isComplete`: every location with demand can be reached by all vehicles or only by its own.
 */
export type Reach = { sourcesOf: Int32Array[]; isComplete: boolean };

/** @throws what `check` throws */
export function createReach(problem: Problem, check: Check): Reach {
  const { locationIds, supply, demand, network, limits, greatCircle } = problem;
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
    if (list.length < sources.length && !isIsland && (hasLocationBounds(problem) || demand[j] > 0))
      isComplete = false;
    return list;
  });
  return { sourcesOf, isComplete };
}

/** Fractions of a vehicle below this count as 0. */
const NOISE = 1e-9;

export type ReachFlow = ReturnType<typeof createReachFlow>;

/** Vehicles of one class on their way, whole or fractional. @param supply n */
export function createReachFlow(supply: Int32Array, { sourcesOf }: Reach) {
  const n = supply.length;
  const free = Float64Array.from(supply);
  /** Vehicles that come to j from its a-th source, by j, then a. */
  const coming = sourcesOf.map((list) => new Float64Array(list.length));
  /** Per source, the targets that have taken vehicles from it, and its position in their lists. */
  const usersOf = Array.from({ length: n }, (): { target: number; at: number }[] => []);
  const isUser = sourcesOf.map((list) => new Uint8Array(list.length));
  let closed: number[] = [];
  // State of a path search, per target: the target before it, the list position of the source that it gives up, and the
  // position of that source in the list of the target before.
  const cameFrom = new Int32Array(n);
  const givenUp = new Int32Array(n);
  const taken = new Int32Array(n);
  const isSeen = new Uint8Array(n);

  const send = (target: number, at: number, count: number) => {
    if (isUser[target][at] === 0) usersOf[sourcesOf[target][at]].push({ target, at });
    isUser[target][at] = 1;
    coming[target][at] += count;
  };

  /**
   * Finds a path from a source with vehicles left, over targets that switch to another source.
   * @returns vehicles; without a path, the targets searched: all vehicles that may come to any of them already do
   */
  function augment(target: number, most: number): number | number[] {
    cameFrom.fill(-1);
    isSeen.fill(0);
    const queue = [target];
    cameFrom[target] = target;
    for (let q = 0; q < queue.length; q++) {
      const j = queue[q];
      for (let at = 0; at < sourcesOf[j].length; at++) {
        const i = sourcesOf[j][at];
        if (isSeen[i] || supply[i] === 0) continue;
        isSeen[i] = 1;
        if (free[i] > NOISE) {
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
          if (cameFrom[user.target] >= 0 || coming[user.target][user.at] <= NOISE) continue;
          cameFrom[user.target] = j;
          givenUp[user.target] = user.at;
          taken[user.target] = at;
          queue.push(user.target);
        }
      }
    }
    return queue;
  }

  return {
    coming: coming as readonly Float64Array[],
    /** Brings up to this many more vehicles to j. @returns how many came */
    put(j: number, count: number): number {
      let open = count;
      for (let at = 0; at < sourcesOf[j].length && open > 0; at++) {
        const more = Math.min(open, free[sourcesOf[j][at]]);
        if (more <= NOISE) continue;
        send(j, at, more);
        free[sourcesOf[j][at]] -= more;
        open -= more;
      }
      while (open > NOISE) {
        const more = augment(j, open);
        if (typeof more !== 'number') {
          closed = more;
          break;
        }
        open -= more;
      }
      return count - open;
    },
    /** After a `put` that brought fewer than requested: the targets that would have to give up vehicles. */
    closedSet: () => closed as readonly number[],
    /** Removes this many of the vehicles that come to j. */
    take(j: number, count: number): void {
      let open = count;
      for (let at = sourcesOf[j].length - 1; at >= 0 && open > 0; at--) {
        const fewer = Math.min(open, coming[j][at]);
        coming[j][at] -= fewer;
        free[sourcesOf[j][at]] += fewer;
        open -= fewer;
      }
    },
  };
}
