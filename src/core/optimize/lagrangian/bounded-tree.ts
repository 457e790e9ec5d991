/**
 * Bounds on the vehicles per location, L_j ≤ x_j ≤ U_j: the places of a location and the first tree.
 *
 * Location j has min(U_j, V) places for V vehicles, in the order in which they are filled:
 *
 *   must    L_j                              gain: a constant, what L_j vehicles serve
 *   full    full loads beyond L_j, up to U_j gain c each
 *   part    if L_j ≤ full loads < U_j        gain D_j − c⌊D_j/c⌋
 *   bay     the rest, if U_j < V             gain 0
 *
 * Without a maximum the rest is the arc from its sink to the idle node. A unit of "unserved" is a place that stays
 * empty: it costs what the place is worth, a bay nothing, and a must place the force of forced loads. The same force
 * keeps vehicles from staying at a location without a place. It is raised until neither is left; if it is never enough,
 * the bound (`bound.ts`) exceeds the cost of all plans: there is none.
 *
 * The sink of a location is its must place if it has one, else its full loads; each further kind has a node behind it.
 */
import { orderByCost } from '../flow/candidates.ts';
import { totalUnits } from '../flow/solve-flow.ts';
import { attach, idleNode, layOut, partNode, sinkNode, slackNode } from '../flow/spanning-tree.ts';
import {
  addOtherArcs,
  type LagrangianAmounts,
  type LagrangianSearch,
  unservedNode,
} from './lagrangian-tree.ts';
import type { LagrangianProblem } from './types.ts';

/** Greedy choices end at cheaper moves than the cheapest plan. */
const FIRST_FACTOR = 1.3;
/** Nodes of a location behind its sink: the part, full loads beyond the must places, bays. */
export const BOUNDED_NODES = 3;
const fullNode = (n: number, j: number) => partNode(n, n + j);
const bayNode = (n: number, j: number) => partNode(n, 2 * n + j);

/** n: whether a location has a maximum that counts; undefined without bounds. */
export function cappedLocations({ supply, bounds }: LagrangianProblem): Uint8Array | undefined {
  if (!bounds) return undefined;
  const vehicles = totalUnits(supply);
  return Uint8Array.from(bounds.most, (most) => (most < vehicles ? 1 : 0));
}

/** Demand that the places of a location serve, and the number of full loads and of parts among them. */
export function servedAtMost(
  { capacity, bounds }: LagrangianProblem,
  { full, rest }: LagrangianSearch['loads'],
  j: number,
): { demand: number; full: number; part: number } {
  const most = bounds ? bounds.most[j] : Number.POSITIVE_INFINITY;
  const served = { full: Math.min(full[j], most), part: rest[j] > 0 && most > full[j] ? 1 : 0 };
  return { ...served, demand: served.full * capacity + served.part * rest[j] };
}

export type BoundedAmounts = Pick<LagrangianAmounts, 'sources' | 'sinks' | 'supply'>;

/**
 * Lays out the places of the locations. With `isNetted`, what remains after vehicles fill must places and full loads at
 * their own location.
 */
export function boundedAmounts(s: LagrangianSearch, isNetted: boolean): BoundedAmounts {
  const { n, supply, capacity, bounds } = s.problem;
  const { amount, gain, rank } = s.places;
  const isCapped = s.isCapped!;
  const isAnyCapped = isCapped.includes(1);
  const left = Float64Array.from(supply);
  const sources: number[] = [];
  const sinks: number[] = [];
  for (let j = 0; j < n; j++) {
    const served = servedAtMost(s.problem, s.loads, j);
    let must = bounds!.least[j];
    let full = Math.max(0, served.full - must);
    const part = must <= served.full ? served.part : 0;
    const bay = isCapped[j] ? bounds!.most[j] - Math.max(must, served.full + served.part) : 0;
    if (isNetted) {
      const own = Math.min(supply[j], must + full);
      left[j] -= own;
      full -= Math.max(0, own - must);
      must -= Math.min(own, must);
    }
    const sink = sinkNode(n, j);
    amount[sink] = must > 0 ? must : full;
    gain[sink] = must > 0 ? 0 : capacity;
    rank[sink] = must > 0 ? 1 : 0;
    amount[fullNode(n, j)] = must > 0 ? full : 0;
    gain[fullNode(n, j)] = capacity;
    amount[partNode(n, j)] = part;
    gain[partNode(n, j)] = s.loads.rest[j];
    amount[bayNode(n, j)] = bay;
    if (left[j] > 0) sources.push(j);
    if (must + full + part + bay > 0 || (isAnyCapped && !isCapped[j])) sinks.push(j);
  }
  return { sources: Int32Array.from(sources), sinks: Int32Array.from(sinks), supply: left };
}

/**
 * A strongly feasible initial tree: every vehicle stays, as far as its location has places. Appends the slack arcs to
 * the candidates. O(n).
 */
export function startWithinBounds(s: LagrangianSearch, amounts: BoundedAmounts): void {
  const { sources, sinks, supply } = amounts;
  const { tree, places } = s;
  const { n } = s.problem;
  const { amount } = places;
  const idle = idleNode(n);
  const unserved = unservedNode(n);
  let filled = 0;
  let empty = 0;
  for (const j of sinks) {
    const sink = sinkNode(n, j);
    const nodes = [sink, fullNode(n, j), partNode(n, j), bayNode(n, j)];
    let left = supply[j];
    /** The first node with empty places, through which the sink reaches the unserved node. */
    let open = -1;
    for (const v of nodes) {
      if (amount[v] === 0) continue;
      const units = Math.min(amount[v], left);
      left -= units;
      filled += units;
      empty += amount[v] - units;
      if (units < amount[v]) {
        attach(tree, v, unserved, amount[v] - units, 0);
        if (open < 0 && v !== sink) attach(tree, sink, v, units, 0);
        if (open < 0) open = v;
      } else if (v !== sink) attach(tree, v, sink, units, 0);
    }
    const here = supply[j] - left;
    if (open >= 0) {
      if (here > 0) attach(tree, j, sink, here, 0);
    } else if (here > 0) {
      attach(tree, sink, j, here, 0);
      attach(tree, j, idle, left, 0);
    } else attach(tree, sink, idle, 0, 0);
  }
  for (const i of sources) if (tree.parent[i] < 0) attach(tree, i, idle, supply[i], 0);
  attach(tree, slackNode(n), idle, filled, 0);
  attach(tree, unserved, slackNode(n), empty + 1, 0);
  addOtherArcs(s, amounts);
  layOut(tree);
}

/**
 * About the multiplier at which enough is served, from the dearest move that a greedy choice takes: the cheapest
 * candidates first. A higher one is better than a lower one: it finds more of the arcs that matter at once.
 * O(candidates + n).
 */
export function multiplierWithinBounds(s: LagrangianSearch, amounts: BoundedAmounts): number {
  const { list, places } = s;
  const { n, required, capacity } = s.problem;
  const { amount, gain, rank } = places;
  const supply = amounts.supply.slice();
  const must = new Float64Array(n);
  const loads = new Float64Array(n);
  let served = s.totalDemand;
  for (const j of amounts.sinks) {
    for (const v of [sinkNode(n, j), fullNode(n, j), partNode(n, j)]) {
      (rank[v] > 0 ? must : loads)[j] += amount[v];
      served -= amount[v] * gain[v];
    }
  }
  let dearest = 0;
  for (const a of orderByCost(list, list.count)) {
    if (served >= required) break;
    const i = list.from[a];
    const j = list.to[a] - sinkNode(n, 0);
    const forced = Math.min(supply[i], must[j]);
    const serving = Math.min(supply[i] - forced, loads[j]);
    supply[i] -= forced + serving;
    must[j] -= forced;
    loads[j] -= serving;
    served += serving * capacity;
    if (serving > 0) dearest = Math.max(dearest, list.cost[a]);
  }
  return FIRST_FACTOR * dearest;
}
