/** A plan that is being changed pair by pair. Vehicles leave a location in descending order of capacity. */
import type { Moves, Problem } from '../problem/model.ts';
import { isRuled } from '../problem/pairs.ts';
import { withPinnedAtHome } from '../problem/pinned-places.ts';

export type Draft = ReturnType<typeof createDraft>;

/** A pair is source · n + target. Moves to which the rules do not apply stay as they are. */
export function createDraft(problem: Problem, given: Moves) {
  const moves = withPinnedAtHome(problem, given);
  const { capacities, demand, supply, locationIds } = problem;
  const n = locationIds.length;
  const classes = capacities.length;
  /** Vehicles that are at their source, K × n. */
  const staying = supply.slice();
  /** Capacity present, and demand that it serves, by location and in all. */
  const capacity = new Float64Array(n);
  const present = new Int32Array(n);
  for (let at = 0; at < supply.length; at++) present[at % n] += supply[at];
  for (let at = 0; at < supply.length; at++) capacity[at % n] += supply[at] * capacities[Math.floor(at / n)];
  const servedAt = (j: number) => Math.min(demand[j], capacity[j]);
  let served = 0;
  for (let j = 0; j < n; j++) served += servedAt(j);
  const byPair = new Map<number, Int32Array>();
  const others: number[] = [];

  function changeCapacity(j: number, by: number): void {
    served -= servedAt(j);
    capacity[j] += by;
    served += servedAt(j);
  }
  function send(pair: number, k: number, vehicles: number): void {
    const source = Math.floor(pair / n);
    staying[k * n + source] -= vehicles;
    present[source] -= vehicles;
    present[pair % n] += vehicles;
    changeCapacity(source, -vehicles * capacities[k]);
    changeCapacity(pair % n, vehicles * capacities[k]);
  }
  function ofPair(pair: number): Int32Array {
    const known = byPair.get(pair) ?? new Int32Array(classes);
    byPair.set(pair, known);
    return known;
  }
  function stayingAt(i: number): number {
    let vehicles = 0;
    for (let k = 0; k < classes; k++) vehicles += staying[k * n + i];
    return vehicles;
  }
  /** Capacity of the next vehicles to leave. */
  function capacityOf(i: number, vehicles: number): number {
    let left = vehicles;
    let sum = 0;
    for (let k = classes - 1; k >= 0 && left > 0; k--) {
      const sent = Math.min(left, staying[k * n + i]);
      sum += sent * capacities[k];
      left -= sent;
    }
    return sum;
  }
  /** How many of the next vehicles to leave have at most, or at least, this capacity together. */
  function countUpTo(i: number, limit: number, round: (vehicles: number) => number): number {
    let open = limit;
    let count = 0;
    for (let k = classes - 1; k >= 0; k--) {
      const wanted = round(open / capacities[k]);
      const sent = Math.min(Math.max(0, wanted), staying[k * n + i]);
      count += sent;
      open -= sent * capacities[k];
      if (sent < staying[k * n + i]) break;
    }
    return count;
  }

  for (let m = 0; m < moves.count.length; m++) {
    const pair = moves.source[m] * n + moves.target[m];
    send(pair, moves.capacityClass[m], moves.count[m]);
    if (isRuled(problem, moves.source[m])) ofPair(pair)[moves.capacityClass[m]] += moves.count[m];
    else others.push(m);
  }
  return {
    /** Used pairs and their vehicles. */
    pairs: (): [pair: number, vehicles: number][] =>
      [...byPair]
        .map(([pair, counts]): [number, number] => [pair, counts.reduce((sum, count) => sum + count, 0)])
        .filter(([, count]) => count > 0),
    /** All its vehicles stay. */
    drop(pair: number): void {
      const counts = ofPair(pair);
      for (let k = 0; k < classes; k++) send(pair, k, -counts[k]);
      byPair.delete(pair);
    },
    /** Sends vehicles that stay. @returns false, and changes nothing, if they are too few */
    add(pair: number, vehicles: number): boolean {
      const source = Math.floor(pair / n);
      if (stayingAt(source) < vehicles) return false;
      let left = vehicles;
      for (let k = classes - 1; k >= 0 && left > 0; k--) {
        const sent = Math.min(left, staying[k * n + source]);
        if (sent === 0) continue;
        ofPair(pair)[k] += sent;
        send(pair, k, sent);
        left -= sent;
      }
      return true;
    },
    /** Vehicles at a location after the moves. */
    presentAt: (j: number) => present[j],
    /** Vehicles that stay at a location. */
    stayingAt,
    capacityOf,
    /** Of these, the next to leave that together serve this demand. */
    vehiclesFor: (i: number, unserved: number) => countUpTo(i, unserved, Math.ceil),
    /** How many can leave without leaving more demand unserved there. */
    spareAt: (i: number) => countUpTo(i, capacity[i] - demand[i], Math.floor),
    /** Demand that is served no more if that many leave. */
    lossOf: (i: number, vehicles: number) =>
      servedAt(i) - Math.min(demand[i], capacity[i] - capacityOf(i, vehicles)),
    /** Demand beyond the capacity present. */
    unserved: (j: number) => demand[j] - capacity[j],
    /** Demand served in all, without a limit on serving vehicles. */
    served: () => served,
    moves(): Moves {
      const rows: [k: number, source: number, target: number, count: number][] = [];
      for (const m of others)
        rows.push([moves.capacityClass[m], moves.source[m], moves.target[m], moves.count[m]]);
      for (const [pair, counts] of byPair) {
        for (let k = 0; k < classes; k++)
          if (counts[k] > 0) rows.push([k, Math.floor(pair / n), pair % n, counts[k]]);
      }
      const column = (at: 0 | 1 | 2 | 3) => Int32Array.from(rows, (row) => row[at]);
      return { capacityClass: column(0), source: column(1), target: column(2), count: column(3) };
    },
  };
}
