/**
 * The arc on which vehicles stay at location j through step t: the first of them serve, the others wait. Its cost is
 * convex and piecewise linear in the number of vehicles x: a full load is worth the most, then the part of a load that
 * remains, then nothing; of demand in parts, those that are less likely are worth less. Fewer vehicles than the least,
 * or more than the most, are allowed at a prohibitive cost, so every flow is one of the network and the search needs no
 * other artificial arcs.
 *
 * Nodes: (j, t) is t · n + j, for t = 0 … T; the root, where all vehicles end, is (T + 1) · n. The arc of node u leads
 * to u + n, that of a node of layer T to the root.
 */
import { splitDemand } from '../problem/steps.ts';
import { wholePieces } from './demand-parts.ts';
import type { HorizonProblem } from './types.ts';

export type Segments = {
  /** Costs are multiples of this many units, so that sums along paths are exact. */
  quantum: number;
  /** Segments of node u: `starts[u]` up to `starts[u + 1]`; the last has no upper bound. */
  starts: Int32Array;
  /** Vehicles, > 0. */
  capacity: Float64Array;
  /** Demand that a vehicle of the segment serves. */
  gain: Float64Array;
  /** Cost units per vehicle, without what the service level adds to it: multiples of the quantum. */
  fixed: Float64Array;
  /** −1: below the least number of vehicles; 1: above the most; else 0. */
  side: Int8Array;
  /** Cost units per vehicle at the present multiplier; ascending within a node. */
  slope: Float64Array;
};

/** In cost units. A larger one if costs are large (`createSegments`). */
const SMALLEST_QUANTUM = 2 ** -10;

function toQuanta(units: number, quantum: number): number {
  return Math.round(units / quantum) * quantum;
}

/**
 * @param largest no cost is larger, in cost units
 */
export function createSegments({ n, steps, demand, ...problem }: HorizonProblem, largest: number): Segments {
  // Moves cost whole units, so they are multiples of any quantum up to 1.
  const sums = 64 * (steps + 2) ** 2 * n * (largest + 1);
  const quantum = sums / SMALLEST_QUANTUM > Number.MAX_SAFE_INTEGER ? 1 : SMALLEST_QUANTUM;
  const { capacity: load, parts, unmetUnits, least, most } = problem;
  const starts = new Int32Array((steps + 1) * n + 1);
  const capacity: number[] = [];
  const gain: number[] = [];
  const fixed: number[] = [];
  const side: number[] = [];
  const add = (vehicles: number, served: number, units: number, beyond: number) => {
    if (vehicles <= 0) return;
    capacity.push(vehicles);
    gain.push(served);
    fixed.push(toQuanta(units, quantum));
    side.push(beyond);
  };
  for (let u = 0; u < steps * n; u++) {
    const price = unmetUnits?.[u] ?? 0;
    const low = least?.[u] ?? 0;
    const high = most?.[u] ?? Number.POSITIVE_INFINITY;
    /** Pieces of the arc: from their first vehicle up to `upTo`. */
    const pieces = parts ? wholePieces(parts, u, load) : certainPieces(demand[u], load);
    let from = 0;
    for (const { upTo, served } of pieces) {
      for (const [border, beyond] of [
        [low, -1],
        [high, 0],
        [Number.POSITIVE_INFINITY, 1],
      ]) {
        const to = Math.min(upTo, border);
        if (to <= from) continue;
        // Vehicles that are too many serve nobody.
        add(to - from, beyond === 1 ? 0 : served, beyond === 1 ? 0 : -price * served, beyond);
        from = to;
      }
    }
    starts[u + 1] = capacity.length;
  }
  for (let j = 0; j < n; j++) {
    add(Number.POSITIVE_INFINITY, 0, 0, 0);
    starts[steps * n + j + 1] = capacity.length;
  }
  return {
    quantum,
    starts,
    capacity: Float64Array.from(capacity),
    gain: Float64Array.from(gain),
    fixed: Float64Array.from(fixed),
    side: Int8Array.from(side),
    slope: new Float64Array(capacity.length),
  };
}

function certainPieces(demand: number, load: number): { upTo: number; served: number }[] {
  const { full, rest } = splitDemand(demand, load);
  return [
    { upTo: full, served: load },
    { upTo: full + (rest > 0 ? 1 : 0), served: rest },
    { upTo: Number.POSITIVE_INFINITY, served: 0 },
  ];
}

/** @param multiplier cost units that a unit of served demand is worth beside its price @param penalty cost units */
export function setSlopes(
  { gain, fixed, side, slope, quantum }: Segments,
  multiplier: number,
  penalty: number,
): void {
  for (let s = 0; s < slope.length; s++)
    slope[s] = fixed[s] - toQuanta(multiplier * gain[s], quantum) + side[s] * penalty;
}
