/**
 * A plan without a solver: the whole part of a relaxed solution (or nothing), then one vehicle after the other along the move of least
 * cost per demand that it adds, until the service level holds. A vehicle that leaves takes along what it served.
 * Only moves that are columns already; O(moves) per vehicle added. A heuristic: it proves nothing.
 */
import type { Moves, Problem } from '../model.ts';
import { leastServed } from '../service-level.ts';
import type { Master } from './master.ts';

const ROUNDING_NOISE = 1e-6;

/** @param values column values of a relaxed solution, or null to begin with nothing moved; null where the moves do not suffice */
export function planGreedily(problem: Problem, master: Master, values: Float64Array | null): Moves | null {
  const { capacityClass, source, target } = master.arcs;
  const { capacities, demand, supply, network } = problem;
  const n = demand.length;
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
  while (served < required) {
    let best = -1;
    let leastPrice = Number.POSITIVE_INFINITY;
    for (let a = 0; a < source.length; a++) {
      if (free[capacityClass[a] * n + source[a]] === 0) continue;
      const net = added(a);
      if (net <= 1e-9) continue;
      const price = network.costUnits[source[a] * n + target[a]] / Math.min(net, required - served);
      if (price < leastPrice) {
        leastPrice = price;
        best = a;
      }
    }
    if (best < 0) return null;
    served += added(best);
    send(best, 1);
  }
  const chosen = [...moved.keys()].filter((a) => moved[a] > 0);
  return {
    capacityClass: Int32Array.from(chosen, (a) => capacityClass[a]),
    source: Int32Array.from(chosen, (a) => source[a]),
    target: Int32Array.from(chosen, (a) => target[a]),
    count: Int32Array.from(chosen, (a) => moved[a]),
  };
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
