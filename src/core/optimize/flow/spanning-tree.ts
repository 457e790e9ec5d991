/**
 * The spanning tree of the network simplex and its pivot.
 *
 * Nodes: source of location i: i; slack source (demand not served): n; artificial node: n + 1; sink of location j: n
 * + 2 + j; idle sink (vehicles that serve nobody): 2n + 2, the root; with a Lagrangian multiplier (`lagrangian/`),
 * the partial load wanted at j: 2n + 3 + j, and further nodes of j in steps of n. Arcs lead from lower to higher
 * numbers only, so the arc between node v and its parent leads up exactly if v < parent.
 * Arcs have no upper bound, so arcs outside the tree carry no flow and only the tree is stored: parent, flow and cost
 * of the arc to it, depth, and the preorder thread in both directions (circular through the root).
 *
 * Strongly feasible: every arc that leads down carries flow. The leaving arc is the last blocking one on the cycle in
 * the direction of the flow, counted from the join. This keeps the tree strongly feasible, so the search never
 * cycles.
 *
 * Potentials: π(to) = π(from) + cost on tree arcs; reduced cost = cost + π(from) − π(to). Whole numbers, exact.
 * A pivot takes O(cycle + nodes of the subtree that moves).
 * Reference: Cunningham, A network simplex method, Mathematical Programming 11 (1976); Ahuja, Magnanti, Orlin,
 * Network Flows (1993), §11; Kovács, Minimum-cost flow algorithms: an experimental evaluation (2015).
 */
import type { Arrays } from './arrays.ts';

export type SpanningTree = {
  n: number;
  root: number;
  /** −1: the root, or not in the tree. */
  parent: Int32Array;
  depth: Int32Array;
  next: Int32Array;
  previous: Int32Array;
  /** Flow on the arc to the parent, in the arc's direction. */
  flow: Float64Array;
  cost: Float64Array;
  /** −Infinity outside the tree, so that no arc there ever appears violated. */
  potential: Float64Array;
  /** Memory for the arrays that are read from the tree. */
  arrays: Arrays;
};

export const slackNode = (n: number) => n;
export const artificialNode = (n: number) => n + 1;
export const sinkNode = (n: number, location: number) => n + 2 + location;
export const idleNode = (n: number) => 2 * n + 2;
export const partNode = (n: number, location: number) => 2 * n + 3 + location;

/** A tree with only the root. @param more nodes per location beside its source and sink */
export function createSpanningTree(arrays: Arrays, n: number, more = 0): SpanningTree {
  const size = partNode(n, more * n);
  return {
    n,
    root: idleNode(n),
    parent: arrays.int32(size).fill(-1),
    depth: arrays.int32(size),
    next: arrays.int32(size),
    previous: arrays.int32(size),
    flow: arrays.float64(size),
    cost: arrays.float64(size),
    potential: arrays.float64(size).fill(Number.NEGATIVE_INFINITY),
    arrays,
  };
}

/** Makes `node` a child of `parent`. Call `layOut` afterwards. */
export function attach(tree: SpanningTree, node: number, parent: number, flow: number, cost: number): void {
  tree.parent[node] = parent;
  tree.flow[node] = flow;
  tree.cost[node] = cost;
}

/** Thread and depths from parents, and potentials. O(n). */
export function layOut(tree: SpanningTree): void {
  const { parent, depth, next, previous, root } = tree;
  const size = parent.length;
  const { arrays } = tree;
  const firstChild = arrays.int32(size).fill(-1);
  const sibling = arrays.int32(size).fill(-1);
  for (let v = size - 1; v >= 0; v--) {
    const p = parent[v];
    if (p < 0) continue;
    sibling[v] = firstChild[p];
    firstChild[p] = v;
  }
  depth[root] = 0;
  let last = root;
  let v = firstChild[root];
  while (v >= 0) {
    depth[v] = depth[parent[v]] + 1;
    next[last] = v;
    previous[v] = last;
    last = v;
    let up = v;
    v = firstChild[v];
    while (v < 0 && up !== root) {
      v = sibling[up];
      up = parent[up];
    }
  }
  next[last] = root;
  previous[root] = last;
  setPotentials(tree);
}

/** Potentials from the costs of the tree's arcs. O(n). */
export function setPotentials({ parent, next, cost, potential, root }: SpanningTree): void {
  potential[root] = 0;
  for (let v = next[root]; v !== root; v = next[v]) {
    const p = parent[v];
    potential[v] = v < p ? potential[p] - cost[v] : potential[p] + cost[v];
  }
}

/**
 * Brings the arc from → to into the tree, sends as much flow as possible around its cycle, and removes the blocking
 * arc.
 * @param reduced reduced cost of the arc, < 0
 */
export function pivot(tree: SpanningTree, from: number, to: number, arcCost: number, reduced: number): void {
  const { parent, depth, flow } = tree;
  let u = from;
  let v = to;
  let amount = Number.POSITIVE_INFINITY;
  let leaving = -1;
  let isFromSide = false;
  while (u !== v) {
    if (depth[u] >= depth[v]) {
      const p = parent[u];
      if (u < p && flow[u] < amount) {
        amount = flow[u];
        leaving = u;
        isFromSide = true;
      }
      u = p;
    } else {
      const p = parent[v];
      if (v > p && flow[v] <= amount) {
        amount = flow[v];
        leaving = v;
        isFromSide = false;
      }
      v = p;
    }
  }
  if (amount > 0) {
    for (let w = from; w !== u; w = parent[w]) flow[w] += w < parent[w] ? -amount : amount;
    for (let w = to; w !== u; w = parent[w]) flow[w] += w < parent[w] ? amount : -amount;
  }
  if (isFromSide) moveSubtree(tree, leaving, from, to, amount, arcCost, -reduced);
  else moveSubtree(tree, leaving, to, from, amount, arcCost, reduced);
}

/**
 * Takes the subtree of `top` out of the tree, makes `newTop` (a node in it) its top, and attaches it to `newParent`
 * (outside).
 * One walk in thread order: the nodes of each ancestor of `newTop` follow those of the one before, so only the links
 * between these runs change.
 */
export function moveSubtree(
  tree: SpanningTree,
  top: number,
  newTop: number,
  newParent: number,
  newFlow: number,
  newCost: number,
  rise: number,
): void {
  const { parent, depth, next, previous, flow, cost, potential } = tree;
  const before = previous[top];
  let w = newTop;
  let above = newParent;
  let aboveFlow = newFlow;
  let aboveCost = newCost;
  let done = -1;
  let tail = -1;
  let after = -1;
  for (;;) {
    const oldDepth = depth[w];
    const shift = depth[above] + 1 - oldDepth;
    depth[w] += shift;
    potential[w] += rise;
    if (tail >= 0) {
      next[tail] = w;
      previous[w] = tail;
    }
    tail = w;
    let x = next[w];
    if (done >= 0) {
      while (x !== done) {
        depth[x] += shift;
        potential[x] += rise;
        tail = x;
        x = next[x];
      }
      x = after;
      if (depth[x] > oldDepth) {
        next[tail] = x;
        previous[x] = tail;
      }
    }
    while (depth[x] > oldDepth) {
      depth[x] += shift;
      potential[x] += rise;
      tail = x;
      x = next[x];
    }
    after = x;
    const oldParent = parent[w];
    const oldFlow = flow[w];
    const oldCost = cost[w];
    parent[w] = above;
    flow[w] = aboveFlow;
    cost[w] = aboveCost;
    if (w === top) break;
    done = w;
    above = w;
    aboveFlow = oldFlow;
    aboveCost = oldCost;
    w = oldParent;
  }
  next[before] = after;
  previous[after] = before;
  const follower = next[newParent];
  next[newParent] = newTop;
  previous[newTop] = newParent;
  next[tail] = follower;
  previous[follower] = tail;
}
