/**
 * Arcs that the simplex prices in blocks: a growing list in typed arrays, and the collector of the initial arcs,
 * which are the k cheapest of each source and of each sink.
 */

export type Candidates = {
  count: number;
  from: Int32Array;
  to: Int32Array;
  cost: Float64Array;
};

export function createCandidates(expected: number): Candidates {
  return {
    count: 0,
    from: new Int32Array(expected),
    to: new Int32Array(expected),
    cost: new Float64Array(expected),
  };
}

/** Appends the arc between two nodes of the tree. */
export function addCandidate(list: Candidates, from: number, to: number, cost: number): void {
  const a = list.count++;
  if (a === list.from.length) grow(list);
  list.from[a] = from;
  list.to[a] = to;
  list.cost[a] = cost;
}

function grow(list: Candidates): void {
  const size = 2 * list.from.length + 16;
  const from = new Int32Array(size);
  const to = new Int32Array(size);
  const cost = new Float64Array(size);
  from.set(list.from);
  to.set(list.to);
  cost.set(list.cost);
  Object.assign(list, { from, to, cost });
}

export type NearestCollector = {
  /** n: an arc that costs this much or more is not among the k cheapest into the location. */
  sinkWorst: Float64Array;
  /** Offers an arc that is cheaper than the worst of its row or of its sink. @returns the new worst of the row */
  offer(from: number, to: number, cost: number): number;
  /** Ends the row of `from` and begins another. */
  endRow(from: number): void;
  /** Adds the remaining arcs: those that only their sink selected. */
  finish(): void;
};

/** Collects into `list`, as tree nodes, the k cheapest arcs of every row and of every sink offered. O(k) each. */
export function createNearestCollector(
  n: number,
  k: number,
  list: Candidates,
  sinkOffset: number,
): NearestCollector {
  const first = list.count;
  const rowCost = new Float64Array(k).fill(Number.POSITIVE_INFINITY);
  const rowTo = new Int32Array(k);
  /** The dearest arc that the row of each source kept; cheaper arcs are in the list already. */
  const rowLimit = new Float64Array(n);
  const sinkCost = new Float64Array(n * k).fill(Number.POSITIVE_INFINITY);
  const sinkFrom = new Int32Array(n * k).fill(-1);
  const sinkWorst = new Float64Array(n).fill(Number.POSITIVE_INFINITY);
  return {
    sinkWorst,
    offer(from, to, cost) {
      if (cost < rowCost[k - 1]) insert(rowCost, rowTo, 0, k, cost, to);
      if (cost < sinkWorst[to]) {
        insert(sinkCost, sinkFrom, to * k, k, cost, from);
        sinkWorst[to] = sinkCost[to * k + k - 1];
      }
      return rowCost[k - 1];
    },
    endRow(from) {
      for (let r = 0; r < k && rowCost[r] !== Number.POSITIVE_INFINITY; r++) {
        addCandidate(list, from, sinkOffset + rowTo[r], rowCost[r]);
        // An arc that ties with the dearest one kept may be in the list or not: the sinks' arcs of that cost are
        // checked one by one.
        rowLimit[from] = rowCost[r];
      }
      rowCost.fill(Number.POSITIVE_INFINITY);
    },
    finish() {
      const rowStart = startsByRow(list, n, first, list.count);
      for (let to = 0; to < n; to++) {
        for (let r = to * k; r < to * k + k && sinkFrom[r] >= 0; r++) {
          const from = sinkFrom[r];
          if (sinkCost[r] < rowLimit[from]) continue;
          let isListed = false;
          for (let a = rowStart[from]; a < rowStart[from + 1]; a++) {
            if (list.to[a] === sinkOffset + to) isListed = true;
          }
          if (!isListed) addCandidate(list, from, sinkOffset + to, sinkCost[r]);
        }
      }
    },
  };
}

/** Puts an arc among the k cheapest, which are at `first` on, in the place of the dearest. O(k). */
export function insert(
  costs: Float64Array,
  ends: Int32Array,
  first: number,
  k: number,
  cost: number,
  end: number,
): void {
  let r = first + k - 1;
  while (r > first && costs[r - 1] > cost) {
    costs[r] = costs[r - 1];
    ends[r] = ends[r - 1];
    r--;
  }
  costs[r] = cost;
  ends[r] = end;
}

/** The first arc of each source. The list is in ascending order of sources from `first` up to `end`. */
function startsByRow(list: Candidates, n: number, first: number, end: number): Int32Array {
  const starts = new Int32Array(n + 1);
  starts[0] = first;
  for (let a = first; a < end; a++) starts[list.from[a] + 1]++;
  for (let i = 0; i < n; i++) starts[i + 1] += starts[i];
  return starts;
}

/** Positions of the first `count` candidates in approximate order of cost, by buckets of equal width. O(count). */
export function orderByCost(list: Candidates, count: number): Int32Array {
  let least = Number.POSITIVE_INFINITY;
  let largest = 0;
  for (let a = 0; a < count; a++) {
    if (list.cost[a] > largest) largest = list.cost[a];
    if (list.cost[a] < least) least = list.cost[a];
  }
  const buckets = Math.max(1, 2 * count);
  const scale = largest > least ? (buckets - 1) / (largest - least) : 0;
  const starts = new Int32Array(buckets + 1);
  for (let a = 0; a < count; a++) starts[Math.floor((list.cost[a] - least) * scale) + 1]++;
  for (let b = 0; b < buckets; b++) starts[b + 1] += starts[b];
  const order = new Int32Array(count);
  for (let a = 0; a < count; a++) order[starts[Math.floor((list.cost[a] - least) * scale)]++] = a;
  return order;
}
