/**
 * A plan without a solver: the whole part of a relaxed solution (or no moves), then one vehicle after the other along
 * the move of least cost per demand that it adds, until the service level holds. A vehicle that leaves takes along
 * what it served.
 * Only moves that already are columns are used. The cheapest move into each location is kept. After a move, the moves
 * out of its source and into its target are worth less, those out of its target and into its source more: O(locations
 * + moves around those two, and around locations whose cheapest move was one of the former) per move added. A
 * heuristic: it proves nothing.
 */
import type { Moves, Problem } from '../../problem/model.ts';
import { movesOn } from '../../problem/moves.ts';
import { isAllowed } from '../../problem/network.ts';
import { leastServed } from '../../problem/service-level.ts';
import type { Master } from '../master.ts';

const ROUNDING_NOISE = 1e-6;
/** Moves and locations visited between two looks at the clock: some milliseconds. */
const MAX_UNSEEN = 100_000;

/**
 * @param values column values of a relaxed solution, or null to start without moves
 * @returns null if the moves do not suffice, or `isOver` ended the search
 */
export function planGreedily(
  problem: Problem,
  master: Master,
  values: Float64Array | null,
  isOver: () => boolean,
): Moves | null {
  if (isOver()) return null;
  let unseen = 0;
  const isTooLong = (more: number) => {
    unseen += more;
    if (unseen < MAX_UNSEEN) return false;
    unseen = 0;
    return isOver();
  };
  const { capacityClass, source, target } = master.columns.arcs;
  const { capacities, demand, supply, network, limits } = problem;
  const n = demand.length;
  // The columns may stem from another problem of the same form.
  const isMove = Uint8Array.from(source, (i, a) =>
    isAllowed(network, n, limits.maxDistanceKm, i, target[a]) ? 1 : 0,
  );
  if (isTooLong(source.length)) return null;
  const moved = new Int32Array(source.length);
  const free = supply.slice();
  const capacity = new Float64Array(n);
  for (let at = 0; at < supply.length; at++) capacity[at % n] += capacities[Math.floor(at / n)] * supply[at];
  const send = (a: number, count: number) => {
    const k = capacityClass[a];
    moved[a] += count;
    free[k * n + source[a]] -= count;
    capacity[source[a]] -= count * capacities[k];
    capacity[target[a]] += count * capacities[k];
  };
  for (let a = 0; values && a < source.length; a++) {
    const count = Math.floor(values[master.firstArc + a] + ROUNDING_NOISE);
    if (count > 0) send(a, Math.min(count, free[capacityClass[a] * n + source[a]]));
  }
  let served = 0;
  for (let j = 0; j < n; j++) served += Math.min(capacity[j], demand[j]);
  const required = leastServed(problem);
  const added = (a: number) => {
    const size = capacities[capacityClass[a]];
    const gain = Math.min(size, demand[target[a]] - capacity[target[a]]);
    if (gain <= 0) return 0;
    return gain - Math.max(0, Math.min(size, demand[source[a]] - capacity[source[a]] + size));
  };
  const into = groupByLocation(target, n);
  const outOf = groupByLocation(source, n);
  const cheapest = new Int32Array(n).fill(-1);
  const price = new Float64Array(n);
  /** Cost per demand that a move adds; Infinity if it adds none. */
  const priceOf = (a: number) => {
    if (free[capacityClass[a] * n + source[a]] === 0 || isMove[a] === 0) return Number.POSITIVE_INFINITY;
    const net = added(a);
    if (net <= 1e-9) return Number.POSITIVE_INFINITY;
    return network.costUnits[source[a] * n + target[a]] / Math.min(net, required - served);
  };
  const findCheapest = (j: number) => {
    cheapest[j] = -1;
    price[j] = Number.POSITIVE_INFINITY;
    for (let e = into.starts[j]; e < into.starts[j + 1]; e++) {
      const perUnit = priceOf(into.arcs[e]);
      if (perUnit >= price[j]) continue;
      price[j] = perUnit;
      cheapest[j] = into.arcs[e];
    }
    unseen += into.starts[j + 1] - into.starts[j];
  };
  const findAll = () => {
    for (let j = 0; j < n; j++) {
      findCheapest(j);
      if (isTooLong(1)) return false;
    }
    return true;
  };
  if (isTooLong(source.length)) return null;
  const largest = capacities.reduce((most, size) => Math.max(most, size), 0);
  if (!findAll()) return null;
  while (served < required) {
    if (isTooLong(n)) return null;
    // Near the end no move counts for more than the demand still missing.
    if (required - served < largest && !findAll()) return null;
    let to = -1;
    for (let j = 0; j < n; j++) {
      if (cheapest[j] < 0) continue;
      const ahead = to < 0 ? -1 : price[j] - price[to] || cheapest[j] - cheapest[to];
      if (ahead < 0) to = j;
    }
    if (to < 0) return null;
    const best = cheapest[to];
    const size = capacities[capacityClass[best]];
    const from = source[best];
    // While the source has spare capacity and the target can use a full vehicle, the best move stays the same.
    const alike = Math.min(
      free[capacityClass[best] * n + from],
      Math.floor((demand[to] - capacity[to]) / size),
      Math.floor((capacity[from] - demand[from]) / size),
      Math.floor((required - served) / size),
    );
    served += alike > 1 ? alike * size : added(best);
    send(best, Math.max(1, alike));
    findCheapest(from);
    findCheapest(to);
    for (let e = outOf.starts[from]; e < outOf.starts[from + 1]; e++) {
      const a = outOf.arcs[e];
      if (cheapest[target[a]] === a) findCheapest(target[a]);
    }
    for (let e = outOf.starts[to]; e < outOf.starts[to + 1]; e++) {
      const a = outOf.arcs[e];
      const j = target[a];
      const perUnit = priceOf(a);
      const ahead = perUnit - price[j] || a - cheapest[j];
      if (perUnit === Number.POSITIVE_INFINITY || ahead >= 0) continue;
      price[j] = perUnit;
      cheapest[j] = a;
    }
    unseen += outOf.starts[from + 1] - outOf.starts[from] + outOf.starts[to + 1] - outOf.starts[to];
  }
  const chosen = [...moved.keys()].filter((a) => moved[a] > 0);
  return movesOn(chosen, master.columns.arcs, (a) => moved[a]);
}

/** Moves by the location at one of their ends, in order: those of j are at `starts[j]` up to `starts[j + 1]`. */
function groupByLocation(ends: readonly number[], n: number) {
  const starts = new Int32Array(n + 1);
  for (const j of ends) starts[j + 1]++;
  for (let j = 0; j < n; j++) starts[j + 1] += starts[j];
  const next = starts.slice();
  const arcs = new Int32Array(ends.length);
  for (let a = 0; a < ends.length; a++) arcs[next[ends[a]]++] = a;
  return { starts, arcs };
}

/** Integer columns (arriving and leaving vehicles) of moves, in the form of `classes.ts` without idle vehicles. */
export function integerColumnsOf(problem: Problem, moves: Moves): Float64Array {
  const size = problem.supply.length;
  const n = problem.demand.length;
  const whole = new Float64Array(2 * size);
  for (let m = 0; m < moves.count.length; m++) {
    whole[moves.capacityClass[m] * n + moves.target[m]] += moves.count[m];
    whole[size + moves.capacityClass[m] * n + moves.source[m]] += moves.count[m];
  }
  return whole;
}
