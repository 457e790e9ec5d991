/**
 * Finds moves that would improve a linear solution: prices ALL allowed moves with the prices at their ends, without
 * listing them.
 *
 * Notation: U_ik is the value of a vehicle of class k at its source i, V_jk at its target j; the reduced cost of i →
 * j is c_ij − V_jk + U_ik. Negative ones are candidates, and Σ min(0, reduced cost) · s_ik over all moves is the most
 * by which they can lower a bound. O(sources · targets). Money.
 *
 * In a large city targets stand in blocks: the least cost from a source to a block, with the highest value in it, rules
 * out most blocks with one comparison. Rounding is monotone, so no negative reduced cost is missed.
 */
import { blockStarts, highestOfBlocks } from '../flow/cost-table.ts';
import { halved, placesOf } from '../flow/halving.ts';
import type { Problem } from '../problem/model.ts';
import { isAllowed } from '../problem/network.ts';
import { movableVehicles, standingVehicles } from '../problem/pinned-places.ts';
import { hasLocationBounds } from '../problem/variants.ts';
import { OutOfTime } from '../run/stopping.ts';

/** Moves i → j of class k, in parallel arrays. */
export type MoveArcs = { capacityClass: Int32Array; source: Int32Array; target: Int32Array };

type Priced = {
  /** Moves of negative reduced cost that are not columns yet, the most negative of each source and of each target. */
  arcs: MoveArcs;
  /** Σ over all allowed moves of min(0, reduced cost) · supply; ≤ 0. */
  bound: number;
};

export type Prices = { atSource: Float64Array; atTarget: Float64Array };

export type Pricer = {
  /** @param isFree sets the cost of every allowed move to 0 */
  price(prices: Prices, perRow: number, isFree: boolean): Priced;
  /** Only the bound of `price`. */
  bound(prices: Prices): number;
  /** The nearest targets of each source and the nearest sources of each target, for the first programme. */
  nearest(perRow: number): MoveArcs;
  /**
   * Every allowed move that is not a column yet and has a reduced cost of at most `limit` (money); null if they are
   * more than `most`.
   */
  within(prices: Prices, limit: number, most: number): MoveArcs | null;
};

const MIN_REDUCED = 1e-9;
/** Moves visited between two looks at the clock: a few milliseconds. */
const PAIRS_PER_LOOK = 1 << 18;
/** With fewer locations the least costs to blocks take longer than they save. */
const MIN_IN_BLOCKS = 1000;

/**
 * @param has whether a move (k · n + i) · n + j is already a column
 * @param isOver ends a pass early, which then throws OutOfTime; `nearest` returns the moves found by then
 */
export function createPricer(problem: Problem, has: (arc: number) => boolean, isOver: () => boolean): Pricer {
  const n = problem.locationIds.length;
  const classes = problem.capacities.length;
  const { network, limits, demand } = problem;
  const supply = movableVehicles(problem);
  const money = network.costUnits;
  const anyTarget = hasLocationBounds(problem);
  const isOverBefore = lookByPairs(isOver);
  const isMove = (i: number, j: number) => i !== j && isAllowed(network, n, limits.maxDistanceKm, i, j);

  const targets = new Int32Array(n);
  const worth = new Float64Array(n);
  let blocks: Blocks | undefined;

  /** Visits all allowed moves of negative reduced cost (units). @returns by how much they lower a bound, in money */
  function forEachNegative(
    { atSource, atTarget }: Prices,
    isFree: boolean,
    visit: ((k: number, i: number, j: number, reduced: number) => void) | null,
  ): number {
    if (n >= MIN_IN_BLOCKS && !isFree) return forEachNegativeInBlocks({ atSource, atTarget }, visit);
    let bound = 0;
    for (let k = 0; k < classes; k++) {
      let count = 0;
      for (let j = 0; j < n; j++) {
        if (isTarget(atTarget, k, j)) targets[count++] = j;
      }
      // Costs are not negative, so a source gains nothing from a target where a vehicle is worth no more.
      targets.subarray(0, count).sort((a, b) => atTarget[k * n + b] - atTarget[k * n + a] || a - b);
      for (let t = 0; t < count; t++) worth[t] = atTarget[k * n + targets[t]] * 1e4;
      for (let i = 0; i < n; i++) {
        const vehicles = supply[k * n + i];
        if (vehicles === 0) continue;
        if (isOverBefore(count)) throw new OutOfTime();
        const row = i * n;
        const own = atSource[k * n + i] * 1e4;
        for (let t = 0; t < count && worth[t] > own; t++) {
          const reduced = (isFree ? 0 : money[row + targets[t]]) + own - worth[t];
          if (reduced >= 0) continue;
          const j = targets[t];
          if (!isMove(i, j)) continue;
          bound += reduced * vehicles;
          visit?.(k, i, j, reduced);
        }
      }
    }
    return bound / 1e4;
  }

  // With bounds per location it may pay to leave even for a location where vehicles have no value.
  function isTarget(atTarget: Float64Array, k: number, j: number): boolean {
    return anyTarget || (demand[j] !== 0 && atTarget[k * n + j] > MIN_REDUCED);
  }

  function forEachNegativeInBlocks(
    { atSource, atTarget }: Prices,
    visit: ((k: number, i: number, j: number, reduced: number) => void) | null,
  ): number {
    blocks ??= blocksOf(money, n, isOverBefore);
    const { count, starts, sinks, least } = blocks;
    const highest = new Float64Array(count);
    let bound = 0;
    for (let k = 0; k < classes; k++) {
      for (let j = 0; j < n; j++)
        worth[j] = isTarget(atTarget, k, j) ? atTarget[k * n + j] * 1e4 : Number.NEGATIVE_INFINITY;
      highestOfBlocks(highest, blocks, worth);
      for (let i = 0; i < n; i++) {
        const vehicles = supply[k * n + i];
        if (vehicles === 0) continue;
        if (isOverBefore(n)) throw new OutOfTime();
        const row = i * n;
        const own = atSource[k * n + i] * 1e4;
        for (let b = 0; b < count; b++) {
          if (least[i * count + b] + own - highest[b] >= 0) continue;
          for (let t = starts[b]; t < starts[b + 1]; t++) {
            const j = sinks[t];
            const reduced = money[row + j] + own - worth[j];
            if (reduced >= 0 || !isMove(i, j)) continue;
            bound += reduced * vehicles;
            visit?.(k, i, j, reduced);
          }
        }
      }
    }
    return bound / 1e4;
  }

  return {
    price(prices, perRow, isFree) {
      const found = createShortlist(classes * n, perRow, n);
      const bound = forEachNegative(prices, isFree, (k, i, j, reduced) => {
        if (reduced < -MIN_REDUCED * 1e4 && !has((k * n + i) * n + j)) found.add(k, i, j, reduced);
      });
      return { arcs: found.take(), bound };
    },
    bound: (prices) => forEachNegative(prices, false, null),
    nearest(perRow) {
      const found = createShortlist(classes * n, perRow, n);
      const here = capacityHere(problem);
      const targets: number[] = [];
      for (let j = 0; j < n; j++) if (anyTarget || here[j] < demand[j]) targets.push(j);
      for (let k = 0; k < classes; k++) {
        for (let i = 0; i < n; i++) {
          if (supply[k * n + i] === 0 || (!anyTarget && here[i] <= demand[i])) continue;
          if (isOverBefore(targets.length)) return found.take();
          for (const j of targets) if (isMove(i, j)) found.add(k, i, j, money[i * n + j]);
        }
      }
      return found.take();
    },
    within({ atSource, atTarget }, limit, most) {
      const list: number[] = [];
      for (let k = 0; k < classes; k++) {
        for (let i = 0; i < n; i++) {
          if (supply[k * n + i] === 0) continue;
          if (isOverBefore(n)) throw new OutOfTime();
          const own = (atSource[k * n + i] - limit) * 1e4;
          for (let j = 0; j < n; j++) {
            if ((!anyTarget && demand[j] === 0) || money[i * n + j] + own - atTarget[k * n + j] * 1e4 > 0)
              continue;
            if (!isMove(i, j) || has((k * n + i) * n + j)) continue;
            if (list.length === most) return null;
            list.push((k * n + i) * n + j);
          }
        }
      }
      return unpack(list, n);
    },
  };
}

/** @returns whether to give up before a row of so many pairs */
function lookByPairs(isOver: () => boolean): (pairs: number) => boolean {
  let pairs = 0;
  return (count) => {
    pairs += count;
    if (pairs < PAIRS_PER_LOOK) return false;
    pairs = 0;
    return isOver();
  };
}

type Blocks = {
  count: number;
  /** count + 1: where each block begins. */
  starts: Int32Array;
  /** Locations by block. */
  sinks: Int32Array;
  /** n × count: the least cost of a move to a location of the block, staying included. */
  least: Float64Array;
};

/** O(n²). @param isOverBefore whether to give up before a row of so many pairs @throws OutOfTime */
function blocksOf(units: Float64Array, n: number, isOverBefore: (pairs: number) => boolean): Blocks {
  const all = Int32Array.from({ length: n }, (_, j) => j);
  const { ordered, starts: every } = halved(all, placesOf(n, units, all, all), 1);
  const { count, starts } = blockStarts(n, every);
  const least = new Float64Array(n * count).fill(Number.POSITIVE_INFINITY);
  for (let i = 0; i < n; i++) {
    if (isOverBefore(n)) throw new OutOfTime();
    for (let b = 0; b < count; b++) {
      let low = Number.POSITIVE_INFINITY;
      for (let t = starts[b]; t < starts[b + 1]; t++) low = Math.min(low, units[i * n + ordered[t]]);
      least[i * count + b] = low;
    }
  }
  return { count, starts, sinks: ordered, least };
}

function capacityHere(problem: Problem): Float64Array {
  const n = problem.locationIds.length;
  const capacity = new Float64Array(n);
  const standing = standingVehicles(problem);
  for (let k = 0; k < problem.capacities.length; k++) {
    for (let i = 0; i < n; i++) capacity[i] += problem.capacities[k] * standing[k * n + i];
  }
  return capacity;
}

function unpack(list: number[], n: number): MoveArcs {
  const count = list.length;
  const arcs = {
    capacityClass: new Int32Array(count),
    source: new Int32Array(count),
    target: new Int32Array(count),
  };
  for (let m = 0; m < count; m++) {
    const from = Math.floor(list[m] / n);
    arcs.capacityClass[m] = from / n;
    arcs.source[m] = from % n;
    arcs.target[m] = list[m] - from * n;
  }
  return arcs;
}

/** The `perRow` moves of least value of each source and of each target (k, location); ties by order. */
function createShortlist(rows: number, perRow: number, n: number) {
  const counts = new Int32Array(2 * rows);
  const values = new Float64Array(2 * rows * perRow);
  const arcs = new Float64Array(2 * rows * perRow);
  const insert = (row: number, arc: number, value: number) => {
    const from = row * perRow;
    let at = from + counts[row];
    if (counts[row] === perRow) {
      if (value >= values[--at]) return;
    } else counts[row]++;
    for (; at > from && values[at - 1] > value; at--) {
      values[at] = values[at - 1];
      arcs[at] = arcs[at - 1];
    }
    values[at] = value;
    arcs[at] = arc;
  };
  return {
    add(k: number, i: number, j: number, value: number) {
      const arc = (k * n + i) * n + j;
      insert(k * n + i, arc, value);
      insert(rows + k * n + j, arc, value);
    },
    take(): MoveArcs {
      const chosen = new Set<number>();
      for (let row = 0; row < 2 * rows; row++) {
        for (let at = row * perRow; at < row * perRow + counts[row]; at++) chosen.add(arcs[at]);
      }
      return unpack([...chosen], n);
    },
  };
}
