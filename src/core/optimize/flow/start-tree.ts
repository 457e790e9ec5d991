/**
 * A strongly feasible initial tree: the cheapest candidates first, each with as much flow as possible; then what is
 * left of each source to the nearest sinks that are open.
 *
 * A source or sink that an arc exhausts becomes the child of the arc's other end. The rest is attached to the idle
 * sink (any flow: the arc leads up) or to the slack source (the arc leads down and carries the rest, which is never
 * 0). Units that no allowed move can serve go through the artificial node at a prohibitive cost.
 *
 * That cost: rerouting one unit off the artificial node closes a simple cycle with at most n + 1 other forward arcs.
 * A cost above the sum of all these leaves flow on the artificial node only if no other arc can carry it.
 * O(candidates + n), and O(n log n) per source that has units left.
 */
import { KeyHeap } from '../problem/key-heap.ts';
import type { Check } from '../run/stopping.ts';
import type { ArcSet, GuidePrices } from './arc-set.ts';
import { addCandidate, type Candidates, orderByCost } from './candidates.ts';
import {
  artificialNode,
  attach,
  idleNode,
  layOut,
  type SpanningTree,
  sinkNode,
  slackNode,
} from './spanning-tree.ts';

export type Amounts = {
  /** Locations with vehicles to send, and locations with demand to fill, ascending. */
  sources: Int32Array;
  sinks: Int32Array;
  /** n each; consumed. */
  supply: Float64Array;
  demand: Float64Array;
  /**
   * Units to serve, at most Σ supply and Σ demand. Less than 0 if more are served already; without costs of unserved
   * demand nothing is left to do then.
   */
  required: number;
  /** n: cost of a unit of demand that is not served; absent: 0. */
  unservedCost: Float64Array | undefined;
};

/**
 * Builds the tree. The candidates contain real arcs only; slack arcs (and arcs of the artificial node if needed) are
 * appended.
 * @param check called for each source that the nearest sinks leave with units
 * @param guide the prices at which the candidates have reduced costs instead of costs
 * @returns the cost of the artificial node, or null if it is not needed
 * @throws what `check` throws
 */
export function startTree(
  tree: SpanningTree,
  amounts: Amounts,
  list: Candidates,
  arcs: ArcSet,
  check: Check,
  guide?: GuidePrices | null,
): number | null {
  const { n, parent } = tree;
  const { sources, sinks, supply, demand, unservedCost } = amounts;
  const idle = idleNode(n);
  const slack = slackNode(n);
  let toServe = amounts.required;
  attach(tree, slack, idle, 0, 0);

  const send = (i: number, j: number, cost: number): void => {
    // With a cost of unserved demand more than required may be served, and all that pays off is.
    const most = unservedCost ? Number.POSITIVE_INFINITY : toServe;
    const units = Math.min(supply[i], demand[j], most);
    if (units === 0 || (toServe <= 0 && cost >= unservedCost![j])) return;
    const sink = sinkNode(n, j);
    supply[i] -= units;
    demand[j] -= units;
    toServe -= units;
    if (demand[j] === 0) attach(tree, sink, i, units, cost);
    else if (supply[i] === 0) attach(tree, i, sink, units, cost);
    else {
      // The last required unit, and both ends have units left: the slack source becomes a child of this sink.
      attach(tree, sink, i, units, cost);
      attach(tree, slack, sink, demand[j], 0);
    }
  };

  const order = orderByCost(list, list.count);
  if (guide) restoreCosts(list, n, guide);
  for (let r = 0; r < order.length && (toServe > 0 || unservedCost); r++) {
    const a = order[r];
    send(list.from[a], list.to[a] - sinkNode(n, 0), list.cost[a]);
  }
  let open: KeyHeap | undefined;
  for (let s = 0; s < sources.length && toServe > 0; s++) {
    const i = sources[s];
    if (supply[i] === 0) continue;
    check();
    open ??= new KeyHeap(n);
    open.clear();
    arcs.forEachInRow(i, (j, cost) => {
      if (demand[j] > 0) open!.push(j, guide ? cost - guide.sink[j] : cost);
    });
    // An exhausted source has a parent. Until then every sink that it fills becomes its child.
    while (supply[i] > 0 && toServe > 0 && open.size() > 0) {
      const j = open.pop();
      send(i, j, guide ? open.keyOf(j) + guide.sink[j] : open.keyOf(j));
    }
  }
  if (toServe < 0) attach(tree, slack, idle, -toServe, 0);
  const bigM = toServe > 0 ? artificialCost(n, arcs, unservedCost) : null;
  if (bigM !== null) attachArtificial(tree, amounts, toServe, bigM);
  for (const i of sources) if (parent[i] < 0) attach(tree, i, idle, supply[i], 0);
  for (const j of sinks) {
    if (parent[sinkNode(n, j)] < 0) attach(tree, sinkNode(n, j), slack, demand[j], unservedCost?.[j] ?? 0);
  }
  addCandidate(list, slack, idle, 0);
  addSlackArcs(list, n, amounts, bigM);
  layOut(tree);
  return bigM;
}

/** Costs again instead of reduced costs at the prices of the guide. */
function restoreCosts({ count, from, to, cost }: Candidates, n: number, guide: GuidePrices): void {
  for (let a = 0; a < count; a++) cost[a] += guide.sink[to[a] - sinkNode(n, 0)] - guide.source[from[a]];
}

/**
 * Adds the arcs "serves nobody" of the sources, "not served" of the sinks, and those of the artificial node if it is
 * used.
 */
export function addSlackArcs(
  list: Candidates,
  n: number,
  { sources, sinks, unservedCost }: Pick<Amounts, 'sources' | 'sinks' | 'unservedCost'>,
  bigM: number | null,
): void {
  for (const i of sources) addCandidate(list, i, idleNode(n), 0);
  for (const j of sinks) addCandidate(list, slackNode(n), sinkNode(n, j), unservedCost?.[j] ?? 0);
  if (bigM === null) return;
  for (const i of sources) addCandidate(list, i, artificialNode(n), bigM);
  for (const j of sinks) addCandidate(list, artificialNode(n), sinkNode(n, j), 0);
}

/** @throws RangeError if costs are too large for exact sums */
function artificialCost(n: number, arcs: ArcSet, unservedCost: Float64Array | undefined): number {
  const largest =
    unservedCost?.reduce((most, cost) => Math.max(most, cost), arcs.largestCost()) ?? arcs.largestCost();
  const cost = 4 * (n + 2) * (largest + 1);
  if (cost > Number.MAX_SAFE_INTEGER / 8) {
    throw new RangeError(`a cost of ${largest} units is too large for exact sums over ${n} locations`);
  }
  return cost;
}

/** Attaches `missing` units of sources and sinks to the artificial node, and that node to one of the sources. */
function attachArtificial(
  tree: SpanningTree,
  { sources, sinks, supply, demand, unservedCost }: Amounts,
  missing: number,
  cost: number,
): void {
  const { n, parent } = tree;
  const artificial = artificialNode(n);
  const idle = idleNode(n);
  let artificialParent = -1;
  let left = missing;
  for (let s = 0; s < sources.length && left > 0; s++) {
    const i = sources[s];
    if (supply[i] === 0) continue;
    const units = Math.min(supply[i], left);
    left -= units;
    supply[i] -= units;
    attach(tree, i, artificial, units, cost);
    // The artificial node reaches the idle sink through the source that also keeps idle vehicles, else through the
    // last one.
    if (left === 0) artificialParent = i;
  }
  attach(tree, artificial, artificialParent, tree.flow[artificialParent], cost);
  attach(tree, artificialParent, idle, supply[artificialParent], 0);
  left = missing;
  for (let t = 0; t < sinks.length && left > 0; t++) {
    const j = sinks[t];
    const sink = sinkNode(n, j);
    if (parent[sink] >= 0) continue;
    const units = Math.min(demand[j], left);
    left -= units;
    demand[j] -= units;
    attach(tree, sink, artificial, units, 0);
    if (demand[j] > 0) attach(tree, slackNode(n), sink, demand[j], unservedCost?.[j] ?? 0);
  }
}
