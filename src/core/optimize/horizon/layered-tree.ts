/**
 * The spanning tree of the time-expanded network: nodes as in `segments.ts`, moves (arcs without upper bound) and
 * staying (arcs of convex cost). Arcs lead from lower to higher numbers only, as in `../flow/spanning-tree.ts`, whose
 * layout and potentials these are. The potential of a node is what one more vehicle there is worth.
 *
 * Staying at node u is on segment `level[u]` if its arc is in the tree; if not, all segments below `level[u]` are full,
 * and the others empty. At most one segment of an arc is in the tree.
 *
 * Strongly feasible: from every node a vehicle more could go up the tree to the root. The leaving arc is the last
 * blocking one on the cycle, so the search never cycles. A pivot takes O(cycle + nodes of the subtree that moves).
 * Reference: Ahuja, Magnanti, Orlin, Network Flows (1993), §11.6 and §14 (convex costs).
 */
import { emptyTree, layOut, moveSubtree, type SpanningTree, setPotentials } from '../flow/spanning-tree.ts';
import type { Segments } from './segments.ts';
import type { HorizonProblem, StepMoves } from './types.ts';

export type LayeredTree = SpanningTree & { segments: Segments; level: Int32Array };

/** The tree in which nobody moves. */
export function startStaying(problem: HorizonProblem, segments: Segments): LayeredTree {
  const { n, steps, supply } = problem;
  const root = (steps + 1) * n;
  const tree: LayeredTree = {
    ...emptyTree(n, root, root + 1),
    segments,
    level: segments.starts.slice(0, root),
  };
  const present = new Float64Array(n);
  for (let u = 0; u < root; u++) {
    const j = u % n;
    if (u < steps * n) present[j] += supply[u];
    let left = present[j];
    let s = segments.starts[u];
    while (left >= segments.capacity[s]) left -= segments.capacity[s++];
    tree.level[u] = s;
    tree.parent[u] = headOf(tree, u);
    tree.flow[u] = left;
    tree.cost[u] = segments.slope[s];
  }
  layOut(tree);
  return tree;
}

/** Where those go who stay at node u. */
export function headOf({ n, root }: LayeredTree, u: number): number {
  return Math.min(root, u + n);
}

/** Whether the tree has a segment of staying at u. */
export function staysInTree(tree: LayeredTree, u: number): boolean {
  const head = headOf(tree, u);
  return tree.parent[u] === head || (head !== tree.root && tree.parent[head] === u);
}

function isStay({ n, root }: LayeredTree, tail: number, head: number): boolean {
  return head - tail === n || head === root;
}

/** The upper bound of the tree's arc between v and its parent. */
function capacityAbove(tree: LayeredTree, v: number): number {
  const p = tree.parent[v];
  const tail = Math.min(v, p);
  if (!isStay(tree, tail, Math.max(v, p))) return Number.POSITIVE_INFINITY;
  return tree.segments.capacity[tree.level[tail]];
}

/** Brings an arc without upper bound into the tree. @param reduced its reduced cost, < 0 */
export function enterMove(
  tree: LayeredTree,
  tail: number,
  head: number,
  cost: number,
  reduced: number,
): void {
  const cycle = findBlocking(tree, tail, head, Number.POSITIVE_INFINITY);
  sendAround(tree, tail, head, cycle.amount);
  replace(tree, tail, head, cycle, cycle.amount, cost, reduced);
}

/** Lets more vehicles stay at u, on its next segment. @param reduced the segment's reduced cost, < 0 */
export function enterMore(tree: LayeredTree, u: number, reduced: number): void {
  const { capacity, slope } = tree.segments;
  const head = headOf(tree, u);
  const s = tree.level[u];
  const cycle = findBlocking(tree, u, head, capacity[s]);
  sendAround(tree, u, head, cycle.amount);
  if (cycle.leaving < 0) tree.level[u]++;
  else replace(tree, u, head, cycle, cycle.amount, slope[s], reduced);
}

/** Lets fewer vehicles stay at u, on its last full segment. @param reduced the segment's reduced cost, > 0 */
export function enterFewer(tree: LayeredTree, u: number, reduced: number): void {
  const { capacity, slope } = tree.segments;
  const head = headOf(tree, u);
  const s = --tree.level[u];
  const cycle = findBlocking(tree, head, u, capacity[s]);
  sendAround(tree, head, u, cycle.amount);
  if (cycle.leaving >= 0) replace(tree, head, u, cycle, capacity[s] - cycle.amount, slope[s], -reduced);
}

/** `leaving`: the node below the arc that leaves; −1: the entering arc itself. `join`: where both sides meet. */
type Blocking = { amount: number; leaving: number; isFromSide: boolean; join: number };

/** The last blocking arc on the cycle from the join to `from`, over the entering arc to `to`, and back to the join. */
function findBlocking(tree: LayeredTree, from: number, to: number, most: number): Blocking {
  const { parent, size, flow } = tree;
  let u = from;
  let v = to;
  let amount = most;
  let leaving = -1;
  let isFromSide = false;
  while (u !== v) {
    if (size[u] < size[v]) {
      const room = u < parent[u] ? flow[u] : capacityAbove(tree, u) - flow[u];
      if (room < amount) {
        amount = room;
        leaving = u;
        isFromSide = true;
      }
      u = parent[u];
    } else {
      const room = v < parent[v] ? capacityAbove(tree, v) - flow[v] : flow[v];
      if (room <= amount) {
        amount = room;
        leaving = v;
        isFromSide = false;
      }
      v = parent[v];
    }
  }
  return { amount, leaving, isFromSide, join: u };
}

/** What the cycle of an entering arc can carry, and the demand that a unit around it serves more. */
export function cycleOf(
  tree: LayeredTree,
  tail: number,
  head: number,
  sign: 1 | -1,
): { amount: number; gain: number } {
  const { capacity, gain } = tree.segments;
  const entering = isStay(tree, tail, head) ? tree.level[tail] - (sign > 0 ? 0 : 1) : -1;
  const most = entering < 0 ? Number.POSITIVE_INFINITY : capacity[entering];
  const [from, to] = sign > 0 ? [tail, head] : [head, tail];
  const { amount } = findBlocking(tree, from, to, most);
  let more = entering < 0 ? 0 : sign * gain[entering];
  const gainAbove = (v: number) => {
    const p = tree.parent[v];
    const below = Math.min(v, p);
    return isStay(tree, below, Math.max(v, p)) ? gain[tree.level[below]] : 0;
  };
  let u = from;
  let v = to;
  while (u !== v) {
    if (tree.size[u] < tree.size[v]) {
      more += u < tree.parent[u] ? -gainAbove(u) : gainAbove(u);
      u = tree.parent[u];
    } else {
      more += v < tree.parent[v] ? gainAbove(v) : -gainAbove(v);
      v = tree.parent[v];
    }
  }
  return { amount, gain: more };
}

/** Vehicles that stay at node u. */
export function stayingAt(tree: LayeredTree, u: number): number {
  const { starts, capacity } = tree.segments;
  let vehicles = 0;
  for (let s = starts[u]; s < tree.level[u]; s++) vehicles += capacity[s];
  const head = headOf(tree, u);
  if (tree.parent[u] === head) return vehicles + tree.flow[u];
  return head !== tree.root && tree.parent[head] === u ? vehicles + tree.flow[head] : vehicles;
}

/** Sends units around the cycle, the entering arc excepted. */
export function sendAround(
  { parent, size, flow }: LayeredTree,
  from: number,
  to: number,
  amount: number,
): void {
  if (amount === 0) return;
  let u = from;
  let v = to;
  while (u !== v) {
    if (size[u] < size[v]) {
      flow[u] += u < parent[u] ? -amount : amount;
      u = parent[u];
    } else {
      flow[v] += v < parent[v] ? amount : -amount;
      v = parent[v];
    }
  }
}

/** @param reduced what a unit around the cycle costs, < 0 */
function replace(
  tree: LayeredTree,
  from: number,
  to: number,
  { leaving, isFromSide, join }: Blocking,
  newFlow: number,
  cost: number,
  reduced: number,
): void {
  const above = tree.parent[leaving];
  const tail = Math.min(leaving, above);
  if (isStay(tree, tail, Math.max(leaving, above)) && tree.flow[leaving] > 0) tree.level[tail]++;
  if (isFromSide) moveSubtree(tree, leaving, from, to, join, newFlow, cost, -reduced);
  else moveSubtree(tree, leaving, to, from, join, newFlow, cost, reduced);
}

/** Costs of the tree's arcs and potentials after the slopes have changed. O(nodes) */
export function renewCosts(tree: LayeredTree): void {
  const { parent, cost, segments, level, root } = tree;
  for (let v = 0; v < root; v++) {
    const p = parent[v];
    const tail = Math.min(v, p);
    if (isStay(tree, tail, Math.max(v, p))) cost[v] = segments.slope[level[tail]];
  }
  setPotentials(tree);
}

/** The moves on the tree's arcs, and those of one more arc that carries units outside the tree. */
export function readStepMoves(
  tree: LayeredTree,
  extra?: { tail: number; head: number; amount: number },
): StepMoves {
  const { n, parent, flow, root } = tree;
  const found: { tail: number; head: number; vehicles: number }[] = [];
  const add = (tail: number, head: number, vehicles: number) => {
    if (vehicles > 0 && !isStay(tree, tail, head)) found.push({ tail, head, vehicles });
  };
  for (let v = 0; v < root; v++) add(Math.min(v, parent[v]), Math.max(v, parent[v]), flow[v]);
  if (extra) add(extra.tail, extra.head, extra.amount);
  found.sort((a, b) => a.tail - b.tail || (a.head % n) - (b.head % n));
  return {
    step: Int32Array.from(found, ({ tail }) => Math.floor(tail / n)),
    from: Int32Array.from(found, ({ tail }) => tail % n),
    to: Int32Array.from(found, ({ head }) => head % n),
    vehicles: Float64Array.from(found, ({ vehicles }) => vehicles),
  };
}
