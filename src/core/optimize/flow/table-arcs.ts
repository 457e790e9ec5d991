/**
 * All arcs from some sources to some sinks, at costs that stand in blocks of sinks (`cost-table.ts`). A block whose
 * least cost is too high for its highest price is skipped with one comparison.
 */
import { type ArcSet, worstOfRow } from './arc-set.ts';
import { createNearestCollector } from './candidates.ts';
import { type CostTable, highestOfBlocks, ROWS_PER_LOOK } from './cost-table.ts';
import { sinkNode } from './spanning-tree.ts';

/** Rows between two updates of the cost above which no sink wants an arc. */
const ROWS_PER_GATE = 32;

/** The arcs of a table, which always are all that its callers ask for. */
export function createTableArcs({
  n,
  sources,
  blocks,
  costs: { costs, least, forbidden },
}: CostTable): Pick<ArcSet, 'addNearest' | 'addViolated' | 'forEachInRow' | 'largestCost'> {
  const { count, starts, sinks } = blocks;
  const firstSink = sinkNode(n, 0);
  return {
    // Its callers ask for all sources and sinks of the table.
    addNearest(list, _sources, _sinks, k, check, guide) {
      const nearest = createNearestCollector(n, k, list, firstSink);
      const { sinkWorst } = nearest;
      const gates = new Float64Array(count);
      const highest = new Float64Array(count);
      const prices = new Float64Array(sinks.length);
      if (guide) {
        for (let t = 0; t < sinks.length; t++) prices[t] = guide.sink[sinks[t]];
        highestOfBlocks(highest, blocks, guide.sink);
      }
      for (let s = 0; s < sources.length; s++) {
        const i = sources[s];
        const first = s * sinks.length;
        const own = guide ? guide.source[i] : 0;
        if (s % ROWS_PER_GATE === 0) highestOfBlocks(gates, blocks, sinkWorst);
        if (s % ROWS_PER_LOOK === ROWS_PER_LOOK - 1) check();
        let rowWorst = Number.POSITIVE_INFINITY;
        for (let b = 0; b < count; b++) {
          const low = least[s * count + b] + own - highest[b];
          if (low >= rowWorst && low >= gates[b]) continue;
          for (let t = starts[b]; t < starts[b + 1]; t++) {
            const cost = costs[first + t];
            const reduced = cost + own - prices[t];
            if ((reduced < rowWorst || reduced < sinkWorst[sinks[t]]) && cost < forbidden)
              rowWorst = nearest.offer(i, sinks[t], reduced);
          }
        }
        nearest.endRow(i);
      }
      nearest.finish();
    },
    addViolated(list, { potential }, _sources, _sinks, check) {
      const before = list.count;
      const prices = new Float64Array(sinks.length);
      for (let t = 0; t < sinks.length; t++) prices[t] = potential[firstSink + sinks[t]];
      const highest = new Float64Array(count);
      highestOfBlocks(highest, blocks, potential.subarray(firstSink, firstSink + n));
      const worst = worstOfRow();
      for (let s = 0; s < sources.length; s++) {
        if (s % ROWS_PER_LOOK === ROWS_PER_LOOK - 1) check();
        const i = sources[s];
        const first = s * sinks.length;
        const own = potential[i];
        let limit = 0;
        for (let b = 0; b < count; b++) {
          if (least[s * count + b] + own - highest[b] >= limit) continue;
          for (let t = starts[b]; t < starts[b + 1]; t++) {
            const cost = costs[first + t];
            const reduced = cost + own - prices[t];
            if (reduced < limit && cost < forbidden) limit = worst.offer(sinks[t], cost, reduced);
          }
        }
        worst.flush(list, n, i);
      }
      return list.count - before;
    },
    forEachInRow(i, visit) {
      const first = sources.indexOf(i) * sinks.length;
      for (let t = 0; t < sinks.length; t++)
        if (costs[first + t] < forbidden) visit(sinks[t], costs[first + t]);
    },
    largestCost() {
      let largest = 0;
      for (let a = 0; a < costs.length; a++)
        if (costs[a] > largest && costs[a] < forbidden) largest = costs[a];
      return largest;
    },
  };
}
