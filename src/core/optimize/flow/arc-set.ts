/**
 * The arcs of an instance as the simplex needs them: cheapest arcs, pricing of all arcs, one row, the largest cost. And
 * what its kinds share.
 */
import type { Check } from '../run/stopping.ts';
import { addCandidate, type Candidates } from './candidates.ts';
import type { CostTable } from './cost-table.ts';
import { type SpanningTree, sinkNode } from './spanning-tree.ts';

export type ArcSet = {
  /**
   * Adds the k cheapest arcs of each source and sink to the candidates; with a guide those of the least reduced costs,
   * which take the place of their costs.
   * @throws what `check` throws, which is called every few milliseconds
   */
  addNearest(
    list: Candidates,
    sources: Int32Array,
    sinks: Int32Array,
    k: number,
    check: Check,
    guide?: GuidePrices | null,
  ): void;
  /**
   * Prices every arc from `sources` to `sinks` and adds the most violated ones of each row.
   * @returns how many it added
   * @throws what `check` throws, which is called every few milliseconds
   */
  addViolated(
    list: Candidates,
    tree: SpanningTree,
    sources: Int32Array,
    sinks: Int32Array,
    check: Check,
  ): number;
  /** Calls `visit` for each allowed move from i to another location. */
  forEachInRow(i: number, visit: (j: number, cost: number) => void): void;
  /** The largest cost of an allowed move. */
  largestCost(): number;
  /**
   * The costs from `sources` to `sinks` as a table; absent: arcs are listed; null: a table would not pay off.
   * @throws what `check` throws
   */
  tableOf?(sources: Int32Array, sinks: Int32Array, check: Check): CostTable | null;
};

/** n each: prices of sources and of sinks that are likely to be near the potentials of the optimum; whole numbers. */
export type GuidePrices = { source: Float64Array; sink: Float64Array };

/** Violated arcs that one pass adds per source. */
const VIOLATED_PER_ROW = 8;

/** First position from `from` up to `end` whose cost is below `most`; compares four positions at a time. */
export function nextBelow(units: Float64Array | Int32Array, from: number, end: number, most: number): number {
  let a = from;
  while (
    a + 4 <= end &&
    !(units[a] < most || units[a + 1] < most || units[a + 2] < most || units[a + 3] < most)
  ) {
    a += 4;
  }
  while (a < end && !(units[a] < most)) a++;
  return a;
}

/**
 * First sink from `from` up to `n` whose cost, in the row that begins at `row`, is below its price plus `most`; `n` if
 * none is. A loop of its own, since nothing else then takes up registers: that makes it three times as fast.
 */
export function nextViolated(
  units: Float64Array | Int32Array,
  row: number,
  n: number,
  from: number,
  most: number,
  prices: Float64Array,
): number {
  for (let j = from; j < n; j++) if (units[row + j] - prices[j] < most) return j;
  return n;
}

export function largestOf(values: Float64Array): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (let j = 0; j < values.length; j++) if (values[j] > largest) largest = values[j];
  return largest;
}

/** The most violated arcs of one row. */
export function worstOfRow() {
  const reducedCosts = new Float64Array(VIOLATED_PER_ROW);
  const ends = new Int32Array(VIOLATED_PER_ROW);
  const costs = new Float64Array(VIOLATED_PER_ROW);
  let count = 0;
  return {
    /** @returns the reduced cost that a further arc has to beat */
    offer(to: number, cost: number, reduced: number): number {
      let r = count < VIOLATED_PER_ROW ? count++ : VIOLATED_PER_ROW - 1;
      while (r > 0 && reducedCosts[r - 1] > reduced) {
        reducedCosts[r] = reducedCosts[r - 1];
        ends[r] = ends[r - 1];
        costs[r] = costs[r - 1];
        r--;
      }
      reducedCosts[r] = reduced;
      ends[r] = to;
      costs[r] = cost;
      return count < VIOLATED_PER_ROW ? 0 : reducedCosts[VIOLATED_PER_ROW - 1];
    },
    flush(list: Candidates, n: number, from: number): void {
      for (let r = 0; r < count; r++) addCandidate(list, from, sinkNode(n, ends[r]), costs[r]);
      count = 0;
    },
  };
}
