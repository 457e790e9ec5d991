/** A plan that is being changed pair by pair. */
import type { Moves, Problem } from '../problem/model.ts';
import { isRuled } from '../problem/pairs.ts';

export type Draft = ReturnType<typeof createDraft>;

/** A pair is source · n + target. Moves to which the rules do not apply stay as they are. */
export function createDraft(problem: Problem, moves: Moves) {
  const { capacities, demand, supply, locationIds } = problem;
  const n = locationIds.length;
  const classes = capacities.length;
  /** Vehicles that are at their source, and those that are present, K × n. */
  const staying = supply.slice();
  const present = supply.slice();
  const byPair = new Map<number, Int32Array>();
  const others: number[] = [];
  const send = (pair: number, k: number, vehicles: number) => {
    const source = Math.floor(pair / n);
    staying[k * n + source] -= vehicles;
    present[k * n + source] -= vehicles;
    present[k * n + (pair % n)] += vehicles;
  };
  const ofPair = (pair: number) => {
    const known = byPair.get(pair) ?? new Int32Array(classes);
    byPair.set(pair, known);
    return known;
  };
  const total = (counts: Int32Array) => counts.reduce((sum, count) => sum + count, 0);
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
        .map(([pair, counts]): [number, number] => [pair, total(counts)])
        .filter(([, count]) => count > 0),
    /** All its vehicles stay. */
    drop(pair: number): void {
      const counts = ofPair(pair);
      for (let k = 0; k < classes; k++) send(pair, k, -counts[k]);
      byPair.delete(pair);
    },
    /** Sends vehicles that stay, the smallest first. @returns false, and changes nothing, if they are too few */
    add(pair: number, vehicles: number): boolean {
      const source = Math.floor(pair / n);
      let left = vehicles;
      for (let k = 0; k < classes; k++) left -= Math.min(left, staying[k * n + source]);
      if (left > 0) return false;
      left = vehicles;
      for (let k = 0; k < classes && left > 0; k++) {
        const sent = Math.min(left, staying[k * n + source]);
        if (sent === 0) continue;
        ofPair(pair)[k] += sent;
        send(pair, k, sent);
        left -= sent;
      }
      return true;
    },
    /** Vehicles that stay at a location. */
    stayingAt(location: number): number {
      let vehicles = 0;
      for (let k = 0; k < classes; k++) vehicles += staying[k * n + location];
      return vehicles;
    },
    /** Demand beyond the capacity present. */
    unserved: (location: number) => demand[location] - capacityAt(location),
    /** Capacity of a vehicle that may leave without leaving demand unserved there; 0 if there is none. */
    spare(location: number): number {
      const beyond = capacityAt(location) - demand[location];
      for (let k = 0; k < classes; k++) {
        if (staying[k * n + location] > 0) return capacities[k] <= beyond ? capacities[k] : 0;
      }
      return 0;
    },
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
  function capacityAt(location: number): number {
    let sum = 0;
    for (let k = 0; k < classes; k++) sum += present[k * n + location] * capacities[k];
    return sum;
  }
}
