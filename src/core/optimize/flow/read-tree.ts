/** What the caller gets from a spanning tree: moves, prices, the basis, and the proof that no more can be served. O(n). */
import { hubNode, idleNode, sinkNode, slackNode, type Tree } from './spanning-tree.ts';
import type { Cover, Duals, Flow, FlowBasis, FlowProblem } from './types.ts';

export const NO_MOVES: Flow = { from: new Int32Array(0), to: new Int32Array(0), units: new Int32Array(0) };

/** Prices where nothing has to move. */
export function noPrices(n: number): Duals {
  return { service: 0, supply: new Float64Array(n), demand: new Float64Array(n) };
}

/** Basis where every vehicle stays. */
export function stillBasis({ n, supply, demand }: FlowProblem): FlowBasis {
  const both = Int32Array.from(Array.from(supply.keys()).filter((i) => supply[i] > 0 && demand[i] > 0));
  return {
    from: both,
    to: both,
    units: both.map((i) => Math.min(supply[i], demand[i])),
    idle: Uint8Array.from({ length: n }, (_, i) => (supply[i] > 0 && supply[i] >= demand[i] ? 1 : 0)),
    unserved: Uint8Array.from({ length: n }, (_, i) => (demand[i] > supply[i] ? 1 : 0)),
    slack: true,
  };
}

/** Tree arcs from a source to a sink, by source then target. */
function realArcs(tree: Tree): { from: Int32Array; to: Int32Array; units: Int32Array } {
  const { n, parent, flow } = tree;
  const firstSink = sinkNode(n, 0);
  const found: number[] = [];
  for (let v = 0; v < parent.length; v++) {
    const p = parent[v];
    if (v < n && p >= firstSink && p < idleNode(n)) found.push(v);
    else if (v >= firstSink && v < idleNode(n) && p >= 0 && p < n) found.push(v);
  }
  const fromOf = (v: number) => (v < n ? v : parent[v]);
  const toOf = (v: number) => (v < n ? parent[v] : v) - firstSink;
  found.sort((a, b) => fromOf(a) - fromOf(b) || toOf(a) - toOf(b));
  return {
    from: Int32Array.from(found, fromOf),
    to: Int32Array.from(found, toOf),
    units: Int32Array.from(found, (v) => flow[v]),
  };
}

/** Vehicles that move. */
export function readFlow(tree: Tree): Flow {
  const { from, to, units } = realArcs(tree);
  const moves = Array.from(from.keys()).filter((a) => units[a] > 0 && from[a] !== to[a]);
  return {
    from: Int32Array.from(moves, (a) => from[a]),
    to: Int32Array.from(moves, (a) => to[a]),
    units: Int32Array.from(moves, (a) => units[a]),
  };
}

/** Prices from the potentials of an optimal tree of all locations. */
export function readDuals({ n, potential }: Tree, { supply, demand }: FlowProblem): Duals {
  const idle = potential[idleNode(n)];
  const slack = potential[slackNode(n)];
  const duals: Duals = {
    service: slack - idle,
    supply: new Float64Array(n),
    demand: new Float64Array(n),
  };
  for (let i = 0; i < n; i++) {
    if (supply[i] > 0) duals.supply[i] = potential[i] - idle;
    if (demand[i] > 0) duals.demand[i] = slack - potential[sinkNode(n, i)];
  }
  return duals;
}

/**
 * The basis of the tree. A hub that is left over without flow goes out: what hangs on it hangs on the idle sink instead.
 */
export function readBasis(tree: Tree): FlowBasis {
  const { n, parent } = tree;
  const idle = idleNode(n);
  const slack = slackNode(n);
  const hub = hubNode(n);
  const basis: FlowBasis = {
    ...realArcs(tree),
    idle: new Uint8Array(n),
    unserved: new Uint8Array(n),
    slack: parent[slack] === idle,
  };
  if (parent[slack] !== idle) basis.unserved[parent[slack] - sinkNode(n, 0)] = 1;
  for (let i = 0; i < n; i++) {
    if (parent[i] === idle || parent[i] === hub) basis.idle[i] = 1;
    if (parent[sinkNode(n, i)] === slack) basis.unserved[i] = 1;
  }
  return basis;
}

/** Locations that the hub's cost has priced, in an optimal tree with flow on the hub. */
export function readCover(tree: Tree, problem: FlowProblem): Cover {
  const duals = readDuals(tree, problem);
  const half = duals.service / 2;
  return {
    sources: Uint8Array.from(duals.supply, (price) => (price > half ? 1 : 0)),
    sinks: Uint8Array.from(duals.demand, (price) => (price > half ? 1 : 0)),
  };
}
