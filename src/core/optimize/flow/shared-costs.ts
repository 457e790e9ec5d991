/**
 * Costs of a transportation problem whose sources and sinks share the locations of moves: several sinks of a location
 * cost the same. Nothing is copied, and a pass over all arcs reads each move once, since of the sinks of a location
 * the one with the highest price decides.
 */
import type { FlowCosts, SparseCosts } from '../problem/distances/move-costs.ts';
import type { ArcSet } from './arc-set.ts';
import { largestOf, nextBelow, worstOfRow } from './arc-set.ts';
import { createNearestCollector } from './candidates.ts';
import { ROWS_PER_LOOK } from './cost-table.ts';
import { sinkNode } from './spanning-tree.ts';

/**
 * An arc leads from s to every t at a location `column[t]` ≥ 0 to which a vehicle at `row[s]` ≥ 0 may move; its own
 * location costs 0. The listed arcs come on top.
 * With a factor, the arcs of s cost that many times the cost of the move, rounded down; those to its own location and
 * the listed ones are as they are.
 */
export type SharedCosts = {
  kind: 'shared';
  moves: FlowCosts;
  /** Locations of the moves. */
  size: number;
  row: Int32Array;
  column: Int32Array;
  listed: SparseCosts;
  /** By source, above 0; absent: 1. */
  factor?: Float64Array;
};

/** Sinks by their location. */
function sinksByColumn(column: Int32Array, size: number): { starts: Int32Array; sinks: Int32Array } {
  const starts = new Int32Array(size + 1);
  for (const j of column) if (j >= 0) starts[j + 1]++;
  for (let j = 0; j < size; j++) starts[j + 1] += starts[j];
  const next = starts.slice();
  const sinks = new Int32Array(starts[size]);
  for (let t = 0; t < column.length; t++) if (column[t] >= 0) sinks[next[column[t]]++] = t;
  return { starts, sinks };
}

/** The arcs as the simplex needs them. @param n sources and sinks of the flow problem */
export function createSharedArcs(n: number, costs: SharedCosts): ArcSet {
  const { moves, size, row: rowOf, column, listed, factor } = costs;
  const scanRow = scaledScan(rowScan(moves, size), factor);
  const at = sinksByColumn(column, size);
  const firstSink = sinkNode(n, 0);
  return {
    addNearest(list, sources, sinks, k, check) {
      const isSink = new Uint8Array(n);
      const hasSink = new Uint8Array(size);
      for (const t of sinks) {
        isSink[t] = 1;
        if (column[t] >= 0) hasSink[column[t]] = 1;
      }
      const nearest = createNearestCollector(n, k, list, firstSink);
      const { sinkWorst } = nearest;
      const columnWorst = new Float64Array(size);
      const updateWorst = () => {
        let gate = 0;
        for (let j = 0; j < size; j++) {
          columnWorst[j] = 0;
          for (let a = at.starts[j]; a < at.starts[j + 1]; a++) {
            const t = at.sinks[a];
            if (isSink[t] && sinkWorst[t] > columnWorst[j]) columnWorst[j] = sinkWorst[t];
          }
          if (columnWorst[j] > gate) gate = columnWorst[j];
        }
        return gate;
      };
      let gate = Number.POSITIVE_INFINITY;
      for (let s = 0; s < sources.length; s++) {
        const i = sources[s];
        if (s % ROWS_PER_GATE === 0) gate = updateWorst();
        if (s % ROWS_PER_LOOK === ROWS_PER_LOOK - 1) check();
        let rowWorst = Number.POSITIVE_INFINITY;
        const offer = (t: number, cost: number) => {
          if (isSink[t] && t !== i && cost >= 0 && (cost < rowWorst || cost < sinkWorst[t]))
            rowWorst = nearest.offer(i, t, cost);
        };
        for (let a = listed.starts[i]; a < listed.starts[i + 1]; a++)
          offer(listed.targets[a], listed.units[a]);
        const r = rowOf[i];
        if (r >= 0) {
          for (let a = at.starts[r]; a < at.starts[r + 1]; a++) offer(at.sinks[a], 0);
          scanRow(i, r, Math.max(gate, rowWorst), (j, cost) => {
            if (hasSink[j] && j !== r && (cost < rowWorst || cost < columnWorst[j])) {
              for (let b = at.starts[j]; b < at.starts[j + 1]; b++) offer(at.sinks[b], cost);
            }
            return Math.max(gate, rowWorst);
          });
        }
        nearest.endRow(i);
      }
      nearest.finish();
    },
    // Sinks outside the tree have the potential −Infinity, so `sinks` is not needed here.
    addViolated(list, { potential }, sources, _sinks, check) {
      const before = list.count;
      const best = new Float64Array(size).fill(Number.NEGATIVE_INFINITY);
      const bestSink = new Int32Array(size);
      for (let t = 0; t < n; t++) {
        const j = column[t];
        if (j < 0 || !(potential[firstSink + t] > best[j])) continue;
        best[j] = potential[firstSink + t];
        bestSink[j] = t;
      }
      const highest = largestOf(best);
      const worst = worstOfRow();
      for (let s = 0; s < sources.length; s++) {
        if (s % ROWS_PER_LOOK === ROWS_PER_LOOK - 1) check();
        const i = sources[s];
        const own = potential[i];
        let limit = 0;
        for (let a = listed.starts[i]; a < listed.starts[i + 1]; a++) {
          const reduced = listed.units[a] + own - potential[firstSink + listed.targets[a]];
          if (reduced < limit) limit = worst.offer(listed.targets[a], listed.units[a], reduced);
        }
        const r = rowOf[i];
        if (r >= 0) {
          if (own - best[r] < limit) limit = worst.offer(bestSink[r], 0, own - best[r]);
          const most = highest - own;
          scanRow(i, r, most, (j, cost) => {
            const reduced = cost + own - best[j];
            if (reduced < limit && cost >= 0 && j !== r) limit = worst.offer(bestSink[j], cost, reduced);
            return most;
          });
        }
        worst.flush(list, n, i);
      }
      return list.count - before;
    },
    forEachInRow(i, visit) {
      for (let a = listed.starts[i]; a < listed.starts[i + 1]; a++) visit(listed.targets[a], listed.units[a]);
      const r = rowOf[i];
      if (r < 0) return;
      const reach = (j: number, cost: number) => {
        for (let a = at.starts[j]; a < at.starts[j + 1]; a++) if (at.sinks[a] !== i) visit(at.sinks[a], cost);
      };
      reach(r, 0);
      scanRow(i, r, Number.POSITIVE_INFINITY, (j, cost) => {
        if (j !== r && cost >= 0) reach(j, cost);
        return Number.POSITIVE_INFINITY;
      });
    },
    largestCost() {
      const most = factor?.reduce((high, value) => Math.max(high, value), 0) ?? 1;
      // Whole, as all costs are: that of artificial arcs comes from it.
      return Math.max(Math.ceil(most * largestFinite(moves.units)), largestFinite(listed.units));
    },
  };
}

function largestFinite(values: Float64Array | Int32Array): number {
  let largest = 0;
  for (let a = 0; a < values.length; a++) {
    if (values[a] > largest && values[a] !== Number.POSITIVE_INFINITY) largest = values[a];
  }
  return largest;
}

/** Receives a move's target and cost. @returns the next cost below which moves are visited */
type Visit = (j: number, cost: number) => number;

/** `scan` at the costs of source i, whose location is `row`. Moves that cost up to two units more may be visited. */
function scaledScan(scan: ReturnType<typeof rowScan>, factor: Float64Array | undefined) {
  return (i: number, row: number, most: number, visit: Visit): void => {
    const times = factor ? factor[i] : 1;
    if (times === 1) scan(row, most, visit);
    else {
      scan(row, (most + 2) / times, (j, cost) => (visit(j, Math.floor(cost * times)) + 2) / times);
    }
  };
}

/**
 * Calls `visit` for each move of a row that costs less than `most`, below 0 included; it returns the next `most`.
 * Infinite costs are never below.
 */
function rowScan(moves: FlowCosts, size: number) {
  const { units } = moves;
  if (moves.kind === 'dense') {
    return (row: number, most: number, visit: Visit): void => {
      const first = row * size;
      const end = first + size;
      let below = most;
      for (let a = nextBelow(units, first, end, below); a < end; a = nextBelow(units, a + 1, end, below))
        below = visit(a - first, units[a]);
    };
  }
  const { starts, targets } = moves;
  return (row: number, most: number, visit: Visit): void => {
    let below = most;
    for (let a = starts[row]; a < starts[row + 1]; a++)
      if (units[a] < below) below = visit(targets[a], units[a]);
  };
}

/** Rows between two updates of the cost above which no sink wants an arc. */
const ROWS_PER_GATE = 32;
