/**
 * The arcs of an instance from its costs. Dense costs are copied (`small-arcs.ts`), those of many arcs into a table
 * (`table-arcs.ts`), and others are read where they are. No other file knows how costs are stored.
 */

import type { DenseCosts, FlowCosts, SparseCosts } from '../problem/distances/move-costs.ts';
import type { Check } from '../run/stopping.ts';
import { type ArcSet, nextViolated, worstOfRow } from './arc-set.ts';
import { type Candidates, createNearestCollector } from './candidates.ts';
import { type CostTable, createCostTable, MIN_GROUPED, ROWS_PER_LOOK } from './cost-table.ts';
import { createSmallArcs } from './small-arcs.ts';
import { type SpanningTree, sinkNode } from './spanning-tree.ts';
import { createTableArcs } from './table-arcs.ts';

/** Arcs from some sources to some sinks, and their table if they are many. */
type Prepared = {
  sources: Int32Array;
  sinks: Int32Array;
  table: CostTable | null;
  arcs: Pick<ArcSet, 'addNearest' | 'addViolated'>;
};

export function createArcSet(n: number, costs: FlowCosts): ArcSet {
  return costs.kind === 'dense' ? createDenseArcs(n, costs) : createSparseArcs(n, costs);
}

function createDenseArcs(n: number, { units }: DenseCosts): ArcSet {
  let prepared: Prepared | undefined;
  const arcsOf = (sources: Int32Array, sinks: Int32Array, check: Check): Prepared => {
    if (prepared?.sources === sources && prepared.sinks === sinks) return prepared;
    const table = isSmall(sources, sinks) ? null : createCostTable(n, units, sources, sinks, check);
    const arcs = table ? createTableArcs(table) : createSmallArcs(n, units, sources, sinks);
    prepared = { sources, sinks, table, arcs };
    return prepared;
  };
  return {
    addNearest(list, sources, sinks, k, check, guide) {
      arcsOf(sources, sinks, check).arcs.addNearest(list, sources, sinks, k, check, guide);
    },
    addViolated(list, tree, sources, sinks, check) {
      if (prepared?.sources === sources && prepared.sinks === sinks)
        return prepared.arcs.addViolated(list, tree, sources, sinks, check);
      return addViolatedOfRows(n, units, list, tree, sources, check);
    },
    tableOf(sources, sinks, check) {
      return arcsOf(sources, sinks, check).table;
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

/** Whether a copy of the costs takes less time than a table of them. */
function isSmall(sources: Int32Array, sinks: Int32Array): boolean {
  return sources.length + sinks.length < MIN_GROUPED;
}

/**
 * Prices the costs where they are: after a netted search few passes are left, and a copy would take longer than these.
 * Sinks outside the tree have the potential −Infinity.
 */
function addViolatedOfRows(
  n: number,
  units: Float64Array | Int32Array,
  list: Candidates,
  { potential }: SpanningTree,
  sources: Int32Array,
  check: Check,
): number {
  const before = list.count;
  const prices = potential.subarray(sinkNode(n, 0), sinkNode(n, n));
  const worst = worstOfRow();
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

function createSparseArcs(n: number, { starts, targets, units }: SparseCosts): ArcSet {
  const firstSink = sinkNode(n, 0);
  return {
    addNearest(list, sources, sinks, k, check) {
      const isSink = maskOf(n, sinks);
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
    addViolated(list, { potential }, sources, _sinks, check) {
      const before = list.count;
      const prices = potential.subarray(firstSink, firstSink + n);
      const worst = worstOfRow();
      for (let s = 0; s < sources.length; s++) {
        if (s % ROWS_PER_LOOK === ROWS_PER_LOOK - 1) check();
        const i = sources[s];
        const own = potential[i];
        const end = starts[i + 1];
        let most = -own;
        let a = nextViolatedListed(units, targets, starts[i], end, most, prices);
        while (a < end) {
          const j = targets[a];
          if (units[a] >= 0 && j !== i) most = worst.offer(j, units[a], units[a] + own - prices[j]) - own;
          a = nextViolatedListed(units, targets, a + 1, end, most, prices);
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

/** `nextViolated` for listed arcs instead of a row of costs: a position from `from` up to `end`; `end` if none is. */
function nextViolatedListed(
  units: Float64Array | Int32Array,
  targets: Int32Array,
  from: number,
  end: number,
  most: number,
  prices: Float64Array,
): number {
  for (let a = from; a < end; a++) if (units[a] - prices[targets[a]] < most) return a;
  return end;
}

function maskOf(n: number, locations: Int32Array): Uint8Array {
  const mask = new Uint8Array(n);
  for (let t = 0; t < locations.length; t++) mask[locations[t]] = 1;
  return mask;
}
