/**
 * A plan without a solver: the whole part of a relaxed solution (or nothing), then one vehicle after the other along the move of least
 * cost per demand that it adds, until the service level holds. A vehicle that leaves takes along what it served.
 * Only moves that are columns already. The cheapest move into each location is kept and looked for again where it may have changed:
 * O(locations + moves around two of them) per move added. A heuristic: it proves nothing.
 */
import type { Moves, Problem } from '../model.ts';
import { isAllowed } from '../network.ts';
import { leastServed } from '../service-level.ts';
import type { Master } from './master.ts';

const ROUNDING_NOISE = 1e-6;
const STEPS_PER_LOOK = 32;

/**
 * @param values column values of a relaxed solution, or null to begin with nothing moved
 * @returns null where the moves do not suffice, or `isOver` came first
 */
export function planGreedily(
  problem: Problem,
  master: Master,
  values: Float64Array | null,
  isOver: () => boolean,
): Moves | null {
  const { capacityClass, source, target } = master.arcs;
  const { capacities, demand, supply, network, limits } = problem;
  const n = demand.length;
  // Columns may be left from another problem of the same form.
  const isMove = Uint8Array.from(source, (i, a) =>
    isAllowed(network, n, limits.maxDistanceKm, i, target[a]) ? 1 : 0,
  );
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
  const findCheapest = (j: number) => {
    cheapest[j] = -1;
    price[j] = Number.POSITIVE_INFINITY;
    for (let e = into.starts[j]; e < into.starts[j + 1]; e++) {
      const a = into.arcs[e];
      if (free[capacityClass[a] * n + source[a]] === 0 || isMove[a] === 0) continue;
      const net = added(a);
      if (net <= 1e-9) continue;
      const perUnit = network.costUnits[source[a] * n + j] / Math.min(net, required - served);
      if (perUnit >= price[j]) continue;
      price[j] = perUnit;
      cheapest[j] = a;
    }
  };
  const findAll = () => {
    for (let j = 0; j < n; j++) findCheapest(j);
  };
  const largest = capacities.reduce((most, size) => Math.max(most, size), 0);
  findAll();
  for (let step = 1; served < required; step++) {
    if (step % STEPS_PER_LOOK === 0 && isOver()) return null;
    // Near the end, no move is worth more than what is still missing.
    if (required - served < largest) findAll();
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
    // As long as vehicles are idle here and full there, the next one is the best move again.
    const alike = Math.min(
      free[capacityClass[best] * n + from],
      Math.floor((demand[to] - capacity[to]) / size),
      Math.floor((capacity[from] - demand[from]) / size),
      Math.floor((required - served) / size),
    );
    served += alike > 1 ? alike * size : added(best);
    send(best, Math.max(1, alike));
    for (const changed of [from, to]) {
      findCheapest(changed);
      for (let e = outOf.starts[changed]; e < outOf.starts[changed + 1]; e++) {
        findCheapest(target[outOf.arcs[e]]);
      }
    }
  }
  const chosen = [...moved.keys()].filter((a) => moved[a] > 0);
  return {
    capacityClass: Int32Array.from(chosen, (a) => capacityClass[a]),
    source: Int32Array.from(chosen, (a) => source[a]),
    target: Int32Array.from(chosen, (a) => target[a]),
    count: Int32Array.from(chosen, (a) => moved[a]),
  };
}

/** Moves by the location at one of their ends, in order: those of j from `starts[j]` up to `starts[j + 1]`. */
function groupByLocation(ends: readonly number[], n: number) {
  const starts = new Int32Array(n + 1);
  for (const j of ends) starts[j + 1]++;
  for (let j = 0; j < n; j++) starts[j + 1] += starts[j];
  const next = starts.slice();
  const arcs = new Int32Array(ends.length);
  for (let a = 0; a < ends.length; a++) arcs[next[ends[a]]++] = a;
  return { starts, arcs };
}

/** Whole columns (arriving and leaving vehicles) of moves, in the form of `classes.ts` without idle vehicles. */
export function wholeColumnsOf(problem: Problem, moves: Moves): Float64Array {
  const size = problem.supply.length;
  const n = problem.demand.length;
  const whole = new Float64Array(2 * size);
  for (let m = 0; m < moves.count.length; m++) {
    whole[moves.capacityClass[m] * n + moves.target[m]] += moves.count[m];
    whole[size + moves.capacityClass[m] * n + moves.source[m]] += moves.count[m];
  }
  return whole;
}
