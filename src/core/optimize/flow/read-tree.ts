/**
 * What the caller gets from a spanning tree: moves, prices, the basis, and the proof of the most that can be served.
 * O(n).
 */
import type { Candidates } from './candidates.ts';
import { artificialNode, idleNode, type SpanningTree, sinkNode, slackNode } from './spanning-tree.ts';
import type { Alternatives, Cover, Duals, Flow, FlowBasis, FlowProblem } from './types.ts';

export const NO_FLOW: Flow = { from: new Int32Array(0), to: new Int32Array(0), units: new Int32Array(0) };

export const NO_ALTERNATIVES: Alternatives = {
  from: new Int32Array(0),
  to: new Int32Array(0),
  cost: new Float64Array(0),
};

/** Prices if no vehicle has to move. */
export function noPrices(n: number): Duals {
  return { service: 0, supply: new Float64Array(n), demand: new Float64Array(n) };
}

/** Basis if every vehicle stays. */
export function stayingBasis({ n, supply, demand }: FlowProblem): FlowBasis {
  const both = Int32Array.from(Array.from(supply.keys()).filter((i) => supply[i] > 0 && demand[i] > 0));
  return {
    from: both,
    to: both,
    units: both.map((i) => Math.min(supply[i], demand[i])),
    cost: new Float64Array(both.length),
    idle: Uint8Array.from({ length: n }, (_, i) => (supply[i] > 0 && supply[i] >= demand[i] ? 1 : 0)),
    unserved: Uint8Array.from({ length: n }, (_, i) => (demand[i] > supply[i] ? 1 : 0)),
    slack: true,
  };
}

/** Tree arcs from a source to a sink, by source then target. */
export function realArcs(tree: SpanningTree): Pick<FlowBasis, 'from' | 'to' | 'units' | 'cost'> {
  const { n, parent, flow, cost } = tree;
  const firstSink = sinkNode(n, 0);
  const keys = new Float64Array(parent.length);
  let count = 0;
  for (let v = 0; v < n; v++) {
    const sink = parent[v] - firstSink;
    if (sink >= 0 && sink < n) keys[count++] = v * n + sink;
    const source = parent[firstSink + v];
    if (source >= 0 && source < n) keys[count++] = source * n + v;
  }
  const sorted = keys.subarray(0, count).sort();
  const arcs = {
    from: new Int32Array(count),
    to: new Int32Array(count),
    units: new Int32Array(count),
    cost: new Float64Array(count),
  };
  for (let a = 0; a < count; a++) {
    const from = Math.floor(sorted[a] / n);
    const to = sorted[a] - from * n;
    const child = parent[firstSink + to] === from ? firstSink + to : from;
    arcs.from[a] = from;
    arcs.to[a] = to;
    arcs.units[a] = flow[child];
    arcs.cost[a] = cost[child];
  }
  return arcs;
}

/** Vehicles that move. */
export function readFlow({ from, to, units }: Flow): Flow {
  let count = 0;
  const moves = new Int32Array(units.length);
  for (let a = 0; a < units.length; a++) if (units[a] > 0 && from[a] !== to[a]) moves[count++] = a;
  const flow = { from: new Int32Array(count), to: new Int32Array(count), units: new Int32Array(count) };
  for (let m = 0; m < count; m++) {
    flow.from[m] = from[moves[m]];
    flow.to[m] = to[moves[m]];
    flow.units[m] = units[moves[m]];
  }
  return flow;
}

/**
 * The candidates outside the tree that came closest to entering it: up to `k` per source, by reduced cost. "Unserved"
 * is the last source.
 * O(candidates).
 */
export function readAlternatives(tree: SpanningTree, list: Candidates, k: number): Alternatives {
  const { n, parent, potential } = tree;
  const firstSink = sinkNode(n, 0);
  const sources = slackNode(n) + 1;
  const least = new Float64Array(sources * k).fill(Number.POSITIVE_INFINITY);
  const arcs = new Int32Array(sources * k).fill(-1);
  let count = 0;
  for (let a = 0; a < list.count; a++) {
    const from = list.from[a];
    const to = list.to[a];
    if (from >= sources || to < firstSink || to >= firstSink + n) continue;
    if (parent[to] === from || parent[from] === to) continue;
    const reduced = list.cost[a] + potential[from] - potential[to];
    let r = from * k + k - 1;
    if (!(reduced < least[r])) continue;
    if (arcs[r] < 0) count++;
    while (r > from * k && least[r - 1] > reduced) {
      least[r] = least[r - 1];
      arcs[r] = arcs[r - 1];
      r--;
    }
    least[r] = reduced;
    arcs[r] = a;
  }
  const found = { from: new Int32Array(count), to: new Int32Array(count), cost: new Float64Array(count) };
  let next = 0;
  for (let r = 0; r < arcs.length; r++) {
    if (arcs[r] < 0) continue;
    found.from[next] = list.from[arcs[r]];
    found.to[next] = list.to[arcs[r]] - firstSink;
    found.cost[next++] = list.cost[arcs[r]];
  }
  return found;
}

/** Prices from the potentials of an optimal tree of all locations. */
export function readDuals(
  { n, potential }: SpanningTree,
  { supply, demand, unservedCost }: FlowProblem,
): Duals {
  const idle = potential[idleNode(n)];
  const slack = potential[slackNode(n)];
  const duals: Duals = {
    service: slack - idle,
    supply: new Float64Array(n),
    demand: new Float64Array(n),
  };
  for (let i = 0; i < n; i++) {
    if (supply[i] > 0) duals.supply[i] = potential[i] - idle;
    if (demand[i] > 0) duals.demand[i] = slack + (unservedCost?.[i] ?? 0) - potential[sinkNode(n, i)];
  }
  return duals;
}

/**
 * The basis of the tree. An artificial node left without flow is removed; its children become children of the idle
 * sink.
 */
export function readBasis(tree: SpanningTree): FlowBasis {
  const { n, parent } = tree;
  const idle = idleNode(n);
  const slack = slackNode(n);
  const artificial = artificialNode(n);
  const basis: FlowBasis = {
    ...realArcs(tree),
    idle: new Uint8Array(n),
    unserved: new Uint8Array(n),
    slack: parent[slack] === idle,
  };
  if (parent[slack] !== idle) basis.unserved[parent[slack] - sinkNode(n, 0)] = 1;
  for (let i = 0; i < n; i++) {
    if (parent[i] === idle || parent[i] === artificial) basis.idle[i] = 1;
    if (parent[sinkNode(n, i)] === slack) basis.unserved[i] = 1;
  }
  return basis;
}

/** The locations priced by the artificial node's cost, in an optimal tree with flow on that node. */
export function readCover(tree: SpanningTree, problem: FlowProblem): Cover {
  const duals = readDuals(tree, problem);
  const half = duals.service / 2;
  return {
    sources: Uint8Array.from(duals.supply, (price) => (price > half ? 1 : 0)),
    sinks: Uint8Array.from(duals.demand, (price) => (price > half ? 1 : 0)),
  };
}
