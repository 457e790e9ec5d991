/**
 * The arcs of an instance from its costs. Dense costs of many arcs become a table (`table-arcs.ts`), others are read as
 * they are; no other file knows how costs are stored.
 */

import type { DenseCosts, FlowCosts, SparseCosts } from '../problem/distances/move-costs.ts';
import type { Check } from '../run/stopping.ts';
import { type ArcSet, worstOfRow } from './arc-set.ts';
import type { Arrays } from './arrays.ts';
import { addCandidate, type Candidates, createNearestCollector, insert } from './candidates.ts';
import { type CostTable, createCostTable, MIN_GROUPED, ROWS_PER_LOOK } from './cost-table.ts';
import { type SpanningTree, sinkNode } from './spanning-tree.ts';
import { createTableArcs } from './table-arcs.ts';

const NONE: Int32Array = new Int32Array(0);

export function createArcSet(arrays: Arrays, n: number, costs: FlowCosts): ArcSet {
  return costs.kind === 'dense' ? createDenseArcs(arrays, n, costs) : createSparseArcs(arrays, n, costs);
}

function createDenseArcs(arrays: Arrays, n: number, { units }: DenseCosts): ArcSet {
  let priced = { sources: NONE, sinks: NONE };
  let table: CostTable | undefined;
  let arcs: ReturnType<typeof createTableArcs> | undefined;
  const prepare = (sources: Int32Array, sinks: Int32Array, check: Check) => {
    if (arcs && priced.sources === sources && priced.sinks === sinks) return arcs;
    table = createCostTable(arrays, n, units, sources, sinks, check);
    arcs = createTableArcs(arrays, table);
    priced = { sources, sinks };
    return arcs;
  };
  return {
    addNearest(list, sources, sinks, k, check, guide) {
      if (isSmall(sources, sinks)) addNearestOfRows(arrays, n, units, list, sources, sinks, k);
      else prepare(sources, sinks, check).addNearest(list, sources, sinks, k, check, guide);
    },
    addViolated(list, tree, sources, sinks, check) {
      if (arcs && priced.sources === sources && priced.sinks === sinks)
        return arcs.addViolated(list, tree, sources, sinks, check);
      return addViolatedOfRows(arrays, n, units, list, tree, sources, check);
    },
    tableOf(sources, sinks, check) {
      if (isSmall(sources, sinks)) return null;
      prepare(sources, sinks, check);
      return table!;
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

/** Whether reading the costs where they are takes less time than a table of them. */
function isSmall(sources: Int32Array, sinks: Int32Array): boolean {
  return sources.length + sinks.length < MIN_GROUPED;
}

/** Reads the costs where they are, once by rows and once by columns: that keeps both loops short. */
function addNearestOfRows(
  arrays: Arrays,
  n: number,
  units: Float64Array | Int32Array,
  list: Candidates,
  sources: Int32Array,
  sinks: Int32Array,
  k: number,
): void {
  const costs = arrays.float64(k);
  const ends = arrays.int32(k);
  /** Where the arcs of each source begin in the list, and the dearest of them. */
  const starts = arrays.int32(n);
  const dearest = arrays.float64(n);
  for (let s = 0; s < sources.length; s++) {
    const i = sources[s];
    const row = i * n;
    costs.fill(Number.POSITIVE_INFINITY);
    let worst = Number.POSITIVE_INFINITY;
    for (let t = 0; t < sinks.length; t++) {
      const j = sinks[t];
      const cost = units[row + j];
      if (cost < worst && cost >= 0 && j !== i) {
        insert(costs, ends, 0, k, cost, j);
        worst = costs[k - 1];
      }
    }
    starts[i] = list.count;
    for (let r = 0; r < k && costs[r] !== Number.POSITIVE_INFINITY; r++) {
      addCandidate(list, i, sinkNode(n, ends[r]), costs[r]);
      dearest[i] = costs[r];
    }
  }
  for (let t = 0; t < sinks.length; t++) {
    const j = sinks[t];
    costs.fill(Number.POSITIVE_INFINITY);
    let worst = Number.POSITIVE_INFINITY;
    for (let s = 0; s < sources.length; s++) {
      const i = sources[s];
      const cost = units[i * n + j];
      if (cost < worst && cost >= 0 && j !== i) {
        insert(costs, ends, 0, k, cost, i);
        worst = costs[k - 1];
      }
    }
    for (let r = 0; r < k && costs[r] !== Number.POSITIVE_INFINITY; r++) {
      const i = ends[r];
      if (costs[r] < dearest[i]) continue;
      // A tie with the dearest arc of the source may be in the list or not.
      if (costs[r] === dearest[i] && isListed(list, starts[i], i, sinkNode(n, j))) continue;
      addCandidate(list, i, sinkNode(n, j), costs[r]);
    }
  }
}

/** Whether the arc is among those of its source, which begin at `start`. */
function isListed({ from, to, count }: Candidates, start: number, i: number, sink: number): boolean {
  for (let a = start; a < count && from[a] === i; a++) if (to[a] === sink) return true;
  return false;
}

/**
 * Prices the costs where they are. Of few arcs, and of all arcs after a netted search, a few passes are left, and a
 * table would take longer than these. Sinks outside the tree have the potential −Infinity.
 */
function addViolatedOfRows(
  arrays: Arrays,
  n: number,
  units: Float64Array | Int32Array,
  list: Candidates,
  { potential }: SpanningTree,
  sources: Int32Array,
  check: Check,
): number {
  const before = list.count;
  const prices = potential.subarray(sinkNode(n, 0), sinkNode(n, n));
  const worst = worstOfRow(arrays);
  for (let s = 0; s < sources.length; s++) {
    if (s % ROWS_PER_LOOK === ROWS_PER_LOOK - 1) check();
    const i = sources[s];
    const row = i * n;
    const own = potential[i];
    let most = -own;
    let j = nextViolated(units, row, n, 0, most, prices);
    while (j < n) {
      const cost = units[row + j];
      if (cost >= 0 && j !== i) most = worst.offer(j, cost, cost + own - prices[j]) - own;
      j = nextViolated(units, row, n, j + 1, most, prices);
    }
    worst.flush(list, n, i);
  }
  return list.count - before;
}

/**
 * First sink from `from` up to `n` whose cost, in the row that begins at `row`, is below its price plus `most`; `n` if
 * none is. A loop of its own, since nothing else then takes up registers: that makes it three times as fast.
 */
function nextViolated(
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

function createSparseArcs(arrays: Arrays, n: number, { starts, targets, units }: SparseCosts): ArcSet {
  const firstSink = sinkNode(n, 0);
  return {
    addNearest(list, sources, sinks, k, check) {
      const isSink = maskOf(arrays, n, sinks);
      const nearest = createNearestCollector(n, k, list, firstSink);
      const { sinkWorst } = nearest;
      for (let s = 0; s < sources.length; s++) {
        if (s % ROWS_PER_LOOK === ROWS_PER_LOOK - 1) check();
        const i = sources[s];
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
    addViolated(list, tree, sources, _sinks, check) {
      const { potential } = tree;
      const before = list.count;
      const worst = worstOfRow(arrays);
      for (let s = 0; s < sources.length; s++) {
        if (s % ROWS_PER_LOOK === ROWS_PER_LOOK - 1) check();
        const i = sources[s];
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
