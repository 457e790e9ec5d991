/**
 * The arcs of an instance as the simplex needs them: cheapest arcs, pricing of all arcs, one row, the largest cost.
 * Dense and sparse costs have a tight loop each; no other file knows how costs are stored.
 */

import type { DenseCosts, FlowCosts, SparseCosts } from '../problem/distances/move-costs.ts';
import type { Arrays } from './arrays.ts';
import { addCandidate, type Candidates, createNearestCollector } from './candidates.ts';
import { type BlockCosts, costsByBlock, createSinkBlocks, type SinkBlocks } from './sink-blocks.ts';
import type { SpanningTree } from './spanning-tree.ts';
import { sinkNode } from './spanning-tree.ts';

export type ArcSet = {
  /** Adds the k cheapest arcs of each source and sink to the candidates. */
  addNearest(list: Candidates, sources: Int32Array, sinks: Int32Array, k: number): void;
  /**
   * Prices every arc from `sources` to `sinks` and adds the most violated ones of each row.
   * @returns how many it added
   */
  addViolated(list: Candidates, tree: SpanningTree, sources: Int32Array, sinks: Int32Array): number;
  /** Calls `visit` for each allowed move from i to another location. */
  forEachInRow(i: number, visit: (j: number, cost: number) => void): void;
  /** The largest cost of an allowed move. */
  largestCost(): number;
};

/** Violated arcs that one pass adds per source. */
const VIOLATED_PER_ROW = 8;

const NONE: Int32Array = new Int32Array(0);

/** Rows between two updates of the cost above which no sink wants an arc. */
const ROWS_PER_GATE = 32;

export function createArcSet(arrays: Arrays, n: number, costs: FlowCosts): ArcSet {
  return costs.kind === 'dense' ? createDenseArcs(arrays, n, costs) : createSparseArcs(arrays, n, costs);
}

function createDenseArcs(arrays: Arrays, n: number, { units }: DenseCosts): ArcSet {
  let priced = { sources: NONE, sinks: NONE };
  let blocks: SinkBlocks = { count: 0, starts: NONE, sinks: NONE, places: NONE };
  let table: BlockCosts = { costs: NONE, least: NONE, forbidden: 0 };
  const prepare = (sources: Int32Array, sinks: Int32Array) => {
    if (priced.sources === sources && priced.sinks === sinks) return;
    priced = { sources, sinks };
    blocks = createSinkBlocks(arrays, n, units, sources, sinks);
    table = costsByBlock(n, units, sources, sinks, blocks);
  };
  return {
    addNearest(list, sources, sinks, k) {
      prepare(sources, sinks);
      const { count, starts, sinks: ordered } = blocks;
      const { costs, least, forbidden } = table;
      const nearest = createNearestCollector(n, k, list, sinkNode(n, 0));
      const { sinkWorst } = nearest;
      const gates = arrays.float64(count);
      for (let s = 0; s < sources.length; s++) {
        const i = sources[s];
        const first = s * sinks.length;
        if (s % ROWS_PER_GATE === 0) highestOfBlocks(gates, blocks, sinkWorst);
        let rowWorst = Number.POSITIVE_INFINITY;
        for (let b = 0; b < count; b++) {
          const low = least[s * count + b];
          if (low >= rowWorst && low >= gates[b]) continue;
          for (let t = starts[b]; t < starts[b + 1]; t++) {
            const cost = costs[first + t];
            if (cost < forbidden && (cost < rowWorst || cost < sinkWorst[ordered[t]]))
              rowWorst = nearest.offer(i, ordered[t], cost);
          }
        }
        nearest.endRow(i);
      }
      nearest.finish();
    },
    addViolated(list, tree, sources, sinks) {
      prepare(sources, sinks);
      const { count, starts, sinks: ordered } = blocks;
      const { costs, least, forbidden } = table;
      const { potential } = tree;
      const before = list.count;
      const sinkPotential = potential.subarray(sinkNode(n, 0), sinkNode(n, n));
      const prices = arrays.float64(sinks.length);
      for (let t = 0; t < sinks.length; t++) prices[t] = sinkPotential[ordered[t]];
      const highest = arrays.float64(count);
      highestOfBlocks(highest, blocks, sinkPotential);
      const worst = worstOfRow(arrays);
      for (let s = 0; s < sources.length; s++) {
        const i = sources[s];
        const first = s * sinks.length;
        const own = potential[i];
        let limit = 0;
        for (let b = 0; b < count; b++) {
          if (least[s * count + b] + own - highest[b] >= limit) continue;
          for (let t = starts[b]; t < starts[b + 1]; t++) {
            const cost = costs[first + t];
            const reduced = cost + own - prices[t];
            if (reduced < limit && cost < forbidden) limit = worst.offer(ordered[t], cost, reduced);
          }
        }
        worst.flush(list, n, i);
      }
      return list.count - before;
    },
    forEachInRow(i, visit) {
      for (let j = 0; j < n; j++) {
        const cost = units[i * n + j];
        if (j !== i && cost >= 0 && cost !== Number.POSITIVE_INFINITY) visit(j, cost);
      }
    },
    largestCost() {
      let largest = 0;
      for (let a = 0; a < units.length; a++) {
        const cost = units[a];
        if (cost > largest && cost !== Number.POSITIVE_INFINITY) largest = cost;
      }
      return largest;
    },
  };
}

function createSparseArcs(arrays: Arrays, n: number, { starts, targets, units }: SparseCosts): ArcSet {
  const firstSink = sinkNode(n, 0);
  return {
    addNearest(list, sources, sinks, k) {
      const isSink = maskOf(arrays, n, sinks);
      const nearest = createNearestCollector(n, k, list, firstSink);
      const { sinkWorst } = nearest;
      for (const i of sources) {
        let rowWorst = Number.POSITIVE_INFINITY;
        for (let a = starts[i]; a < starts[i + 1]; a++) {
          const j = targets[a];
          const cost = units[a];
          if (isSink[j] && (cost < rowWorst || cost < sinkWorst[j]) && cost >= 0 && i !== j) {
            rowWorst = nearest.offer(i, j, cost);
          }
        }
        nearest.endRow(i);
      }
      nearest.finish();
    },
    // Sinks outside the tree have the potential −Infinity, so `sinks` is not needed here.
    addViolated(list, tree, sources) {
      const { potential } = tree;
      const before = list.count;
      const worst = worstOfRow(arrays);
      for (const i of sources) {
        const own = potential[i];
        let limit = 0;
        for (let a = starts[i]; a < starts[i + 1]; a++) {
          const cost = units[a];
          const reduced = cost + own - potential[firstSink + targets[a]];
          if (reduced < limit && cost >= 0 && targets[a] !== i)
            limit = worst.offer(targets[a], cost, reduced);
        }
        worst.flush(list, n, i);
      }
      return list.count - before;
    },
    forEachInRow(i, visit) {
      for (let a = starts[i]; a < starts[i + 1]; a++) {
        if (targets[a] !== i && units[a] >= 0 && units[a] !== Number.POSITIVE_INFINITY) {
          visit(targets[a], units[a]);
        }
      }
    },
    largestCost() {
      let largest = 0;
      for (let a = 0; a < units.length; a++) {
        if (units[a] > largest && units[a] !== Number.POSITIVE_INFINITY) largest = units[a];
      }
      return largest;
    },
  };
}

function maskOf(arrays: Arrays, n: number, locations: Int32Array): Uint8Array {
  const mask = arrays.uint8(n);
  for (let t = 0; t < locations.length; t++) mask[locations[t]] = 1;
  return mask;
}

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

/** @param into count: the largest value of a sink in each block @param values by location */
function highestOfBlocks(
  into: Float64Array,
  { count, starts, sinks }: SinkBlocks,
  values: Float64Array,
): void {
  for (let b = 0; b < count; b++) {
    let high = Number.NEGATIVE_INFINITY;
    for (let t = starts[b]; t < starts[b + 1]; t++) if (values[sinks[t]] > high) high = values[sinks[t]];
    into[b] = high;
  }
}

export function largestOf(values: Float64Array): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (let j = 0; j < values.length; j++) if (values[j] > largest) largest = values[j];
  return largest;
}

/** The most violated arcs of one row. */
export function worstOfRow(arrays: Arrays) {
  const reducedCosts = arrays.float64(VIOLATED_PER_ROW);
  const ends = arrays.int32(VIOLATED_PER_ROW);
  const costs = arrays.float64(VIOLATED_PER_ROW);
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
