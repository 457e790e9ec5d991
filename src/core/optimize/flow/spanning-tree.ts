/**
 * The spanning tree of the network simplex and its pivot.
 *
 * Nodes: source of location i: i; slack source (demand not served): n; artificial node: n + 1; sink of location j: n
 * + 2 + j; idle sink (vehicles that serve nobody): 2n + 2, the root; with a Lagrangian multiplier (`lagrangian/`),
 * the partial load wanted at j: 2n + 3 + j, and further nodes of j in steps of n. Arcs lead from lower to higher
 * numbers only, so the arc between node v and its parent leads up exactly if v < parent.
 * Arcs have no upper bound, so arcs outside the tree carry no flow and only the tree is stored: parent, flow and cost
 * of the arc to it, the number of nodes below and the last of them, and the preorder thread in both directions
 * (circular through the root).
 *
 * Strongly feasible: every arc that leads down carries flow. The leaving arc is the last blocking one on the cycle in
 * the direction of the flow, counted from the join. This keeps the tree strongly feasible, so the search never
 * cycles.
 *
 * Potentials: π(to) = π(from) + cost on tree arcs; reduced cost = cost + π(from) − π(to). Whole numbers, exact.
 * Between two nodes only the difference of potentials counts. So a pivot changes those of the subtree that moves, or of
 * all other nodes if they are fewer, and takes O(cycle + nodes changed). `rootAtZero` undoes the shift.
 * Reference: Cunningham, A network simplex method, Mathematical Programming 11 (1976); Ahuja, Magnanti, Orlin,
 * Network Flows (1993), §11; Kovács, Minimum-cost flow algorithms: an experimental evaluation (2015).
 */

export type SpanningTree = {
  n: number;
  root: number;
  /** −1: the root, or not in the tree. */
  parent: Int32Array;
  /** Nodes of the subtree, its top included. */
  size: Int32Array;
  /** The last node of the subtree in the thread. */
  last: Int32Array;
  next: Int32Array;
  previous: Int32Array;
  /** Flow on the arc to the parent, in the arc's direction. */
  flow: Float64Array;
  cost: Float64Array;
  /** −Infinity outside the tree, so that no arc there ever appears violated. */
  potential: Float64Array;
};

export const slackNode = (n: number) => n;
export const artificialNode = (n: number) => n + 1;
export const sinkNode = (n: number, location: number) => n + 2 + location;
export const idleNode = (n: number) => 2 * n + 2;
export const partNode = (n: number, location: number) => 2 * n + 3 + location;

/** A tree with only the root. @param more nodes per location beside its source and sink */
export function createSpanningTree(n: number, more = 0): SpanningTree {
  const tree = emptyTree(n, idleNode(n), partNode(n, more * n));
  tree.potential.fill(Number.NEGATIVE_INFINITY);
  return tree;
}

/** A tree with only the root. @param size number of nodes */
export function emptyTree(n: number, root: number, size: number): SpanningTree {
  return {
    n,
    root,
    parent: new Int32Array(size).fill(-1),
    size: new Int32Array(size),
    last: new Int32Array(size),
    next: new Int32Array(size),
    previous: new Int32Array(size),
    flow: new Float64Array(size),
    cost: new Float64Array(size),
    potential: new Float64Array(size),
  };
}

/** Makes `node` a child of `parent`. Call `layOut` afterwards. */
export function attach(tree: SpanningTree, node: number, parent: number, flow: number, cost: number): void {
  tree.parent[node] = parent;
  tree.flow[node] = flow;
  tree.cost[node] = cost;
}

/** Thread, sizes and last nodes from parents, and potentials. O(n). */
export function layOut(tree: SpanningTree): void {
  const { parent, size, last, next, previous, root } = tree;
  const nodes = parent.length;
  const firstChild = new Int32Array(nodes).fill(-1);
  const sibling = new Int32Array(nodes).fill(-1);
  for (let v = nodes - 1; v >= 0; v--) {
    const p = parent[v];
    if (p < 0) continue;
    sibling[v] = firstChild[p];
    firstChild[p] = v;
  }
  let end = root;
  let v = firstChild[root];
  while (v >= 0) {
    next[end] = v;
    previous[v] = end;
    end = v;
    let up = v;
    v = firstChild[v];
    while (v < 0 && up !== root) {
      v = sibling[up];
      up = parent[up];
    }
  }
  next[end] = root;
  previous[root] = end;
  size.fill(1);
  for (let w = root; ; w = next[w]) {
    last[w] = w;
    if (w === end) break;
  }
  for (let w = end; w !== root; w = previous[w]) {
    const p = parent[w];
    size[p] += size[w];
    // The last child comes first on this way back.
    if (last[p] === p) last[p] = last[w];
  }
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

/** Shifts all potentials so that that of the root is 0. O(n). */
export function rootAtZero({ next, potential, root }: SpanningTree): void {
  const shift = potential[root];
  if (shift === 0) return;
  potential[root] = 0;
  for (let v = next[root]; v !== root; v = next[v]) potential[v] -= shift;
}

/**
 * Brings the arc from → to into the tree, sends as much flow as possible around its cycle, and removes the blocking
 * arc.
 * @param reduced reduced cost of the arc, < 0
 */
export function pivot(tree: SpanningTree, from: number, to: number, arcCost: number, reduced: number): void {
  const { parent, size, flow } = tree;
  let u = from;
  let v = to;
  let amount = Number.POSITIVE_INFINITY;
  let leaving = -1;
  let isFromSide = false;
  while (u !== v) {
    // The smaller subtree holds no node of the other's way to the join.
    if (size[u] < size[v]) {
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
  if (isFromSide) moveSubtree(tree, leaving, from, to, u, amount, arcCost, -reduced);
  else moveSubtree(tree, leaving, to, from, u, amount, arcCost, reduced);
}

/**
 * Takes the subtree of `top` out of the tree, makes `newTop` (a node in it) its top, and attaches it to `newParent`
 * (outside).
 * The nodes of each ancestor of `newTop` follow those of the one before in the thread, so only the links between these
 * runs change.
 * @param join the lowest node above `top` and `newParent`, or `newParent` itself
 */
export function moveSubtree(
  tree: SpanningTree,
  top: number,
  newTop: number,
  newParent: number,
  join: number,
  newFlow: number,
  newCost: number,
  rise: number,
): void {
  const { parent, size, last, next, previous } = tree;
  const moved = size[top];
  const end = last[top];
  const before = previous[top];
  const after = next[end];
  const oldParent = parent[top];
  next[before] = after;
  previous[after] = before;
  for (let w = oldParent; w >= 0 && last[w] === end; w = parent[w]) last[w] = before;
  for (let w = oldParent; w !== join; w = parent[w]) size[w] -= moved;

  const tail = turn(tree, top, newTop, newParent, newFlow, newCost);

  const follower = next[newParent];
  next[newParent] = newTop;
  previous[newTop] = newParent;
  next[tail] = follower;
  previous[follower] = tail;
  for (let w = newParent; w >= 0 && last[w] === newParent; w = parent[w]) last[w] = tail;
  for (let w = newParent; w !== join; w = parent[w]) size[w] += moved;
  lift(tree, newTop, tail, rise);
}

/**
 * Makes `newTop` the top of the subtree of `top`, which is out of the thread, and a child of `newParent`.
 * @returns the last of its nodes
 */
function turn(
  { parent, size, last, next, previous, flow, cost }: SpanningTree,
  top: number,
  newTop: number,
  newParent: number,
  newFlow: number,
  newCost: number,
): number {
  const moved = size[top];
  let w = newTop;
  let above = newParent;
  let [aboveFlow, aboveCost] = [newFlow, newCost];
  /** The subtree of the node before on the way up: its nodes, the first after them, and the last before them. */
  let [below, end, after, before] = [0, -1, -1, -1];
  let tail = -1;
  for (;;) {
    const oldSize = size[w];
    const oldLast = last[w];
    const oldParent = parent[w];
    const oldFlow = flow[w];
    const oldCost = cost[w];
    const oldBefore = previous[w];
    const oldAfter = oldLast === end ? after : next[oldLast];
    if (tail >= 0) {
      next[tail] = w;
      previous[w] = tail;
    }
    if (below === 0) tail = oldLast;
    else if (oldLast === end) tail = before;
    else {
      // Nodes of w on both sides of those that have gone ahead.
      next[before] = after;
      previous[after] = before;
      tail = oldLast;
    }
    size[w] = moved - below;
    parent[w] = above;
    flow[w] = aboveFlow;
    cost[w] = aboveCost;
    if (w === top) break;
    [below, end, after, before] = [oldSize, oldLast, oldAfter, oldBefore];
    above = w;
    aboveFlow = oldFlow;
    aboveCost = oldCost;
    w = oldParent;
  }
  for (let x = top; ; x = parent[x]) {
    last[x] = tail;
    if (x === newTop) return tail;
  }
}

/** Raises the potentials from `first` to `tail` in the thread against the others: the fewer of them change. */
function lift(
  { size, next, potential, root }: SpanningTree,
  first: number,
  tail: number,
  rise: number,
): void {
  if (2 * size[first] <= size[root]) {
    for (let v = first; ; v = next[v]) {
      potential[v] += rise;
      if (v === tail) return;
    }
  }
  for (let v = next[tail]; v !== first; v = next[v]) potential[v] -= rise;
}
