/**
 * All arcs from some sources to some sinks, if they are few: their costs are copied once, in the order of sources and
 * sinks, so that each pass over them reads memory in order. With few arcs a table in blocks (`cost-table.ts`) takes
 * longer to make than it saves.
 */
import { type ArcSet, nextBelow, nextViolated, worstOfRow } from './arc-set.ts';
import { addCandidate, type Candidates, insert } from './candidates.ts';
import { sinkNode } from './spanning-tree.ts';

/**
 * The arcs, which always are all that the callers ask for. O(sources · sinks), without a look at the clock.
 * @param units n × n, below 0 or infinite where there is no arc
 */
export function createSmallArcs(
  n: number,
  units: Float64Array | Int32Array,
  sources: Int32Array,
  sinks: Int32Array,
): Pick<ArcSet, 'addNearest' | 'addViolated'> {
  const height = sources.length;
  const width = sinks.length;
  const costs = copyCosts(n, units, sources, sinks);
  const firstSink = sinkNode(n, 0);
  return {
    // Once by rows and once by columns: that keeps both loops short.
    addNearest(list, _sources, _sinks, k) {
      const nearest = new Float64Array(k);
      const ends = new Int32Array(k);
      /** The first arc of each source in the list, and the dearest one. */
      const starts = new Int32Array(height);
      const dearest = new Float64Array(height);
      for (let s = 0; s < height; s++) {
        const first = s * width;
        const end = first + width;
        nearest.fill(Number.POSITIVE_INFINITY);
        let worst = Number.POSITIVE_INFINITY;
        for (let a = nextBelow(costs, first, end, worst); a < end; a = nextBelow(costs, a + 1, end, worst)) {
          insert(nearest, ends, 0, k, costs[a], a - first);
          worst = nearest[k - 1];
        }
        starts[s] = list.count;
        for (let r = 0; r < k && nearest[r] !== Number.POSITIVE_INFINITY; r++) {
          addCandidate(list, sources[s], firstSink + sinks[ends[r]], nearest[r]);
          dearest[s] = nearest[r];
        }
      }
      for (let t = 0; t < width; t++) {
        nearest.fill(Number.POSITIVE_INFINITY);
        let worst = Number.POSITIVE_INFINITY;
        for (let s = 0, a = t; s < height; s++, a += width) {
          if (!(costs[a] < worst)) continue;
          insert(nearest, ends, 0, k, costs[a], s);
          worst = nearest[k - 1];
        }
        const sink = firstSink + sinks[t];
        for (let r = 0; r < k && nearest[r] !== Number.POSITIVE_INFINITY; r++) {
          const s = ends[r];
          if (nearest[r] < dearest[s]) continue;
          // A tie with the dearest arc of the source may be in the list or not.
          if (nearest[r] === dearest[s] && isListed(list, starts[s], sources[s], sink)) continue;
          addCandidate(list, sources[s], sink, nearest[r]);
        }
      }
    },
    addViolated(list, { potential }) {
      const before = list.count;
      const prices = new Float64Array(width);
      for (let t = 0; t < width; t++) prices[t] = potential[firstSink + sinks[t]];
      const worst = worstOfRow();
      for (let s = 0; s < height; s++) {
        const row = s * width;
        const own = potential[sources[s]];
        let most = -own;
        let t = nextViolated(costs, row, width, 0, most, prices);
        while (t < width) {
          most = worst.offer(sinks[t], costs[row + t], costs[row + t] + own - prices[t]) - own;
          t = nextViolated(costs, row, width, t + 1, most, prices);
        }
        worst.flush(list, n, sources[s]);
      }
      return list.count - before;
    },
  };
}

/** Row by row, infinite where there is no arc. */
function copyCosts(
  n: number,
  units: Float64Array | Int32Array,
  sources: Int32Array,
  sinks: Int32Array,
): Float64Array {
  const width = sinks.length;
  const costs = new Float64Array(sources.length * width);
  for (let s = 0; s < sources.length; s++) {
    const i = sources[s];
    const row = i * n;
    const first = s * width;
    for (let t = 0; t < width; t++) {
      const j = sinks[t];
      const cost = units[row + j];
      costs[first + t] = cost >= 0 && j !== i ? cost : Number.POSITIVE_INFINITY;
    }
  }
  return costs;
}

/** Whether the arc is among those of its source, which begin at `start`. */
function isListed({ from, to, count }: Candidates, start: number, i: number, sink: number): boolean {
  for (let a = start; a < count && from[a] === i; a++) if (to[a] === sink) return true;
  return false;
}
