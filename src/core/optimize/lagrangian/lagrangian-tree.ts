/**
 * The flow at one Lagrangian multiplier: a spanning tree of `flow/` whose slack arcs have costs. If only the multiplier
 * changes, the tree stays feasible and the next search starts from it.
 */

import { addCandidate, type Candidates, orderByCost } from '../flow/candidates.ts';
import { type SimplexSearch, treeCost } from '../flow/network-simplex.ts';
import {
  artificialNode,
  attach,
  idleNode,
  layOut,
  partNode,
  type SpanningTree,
  setPotentials,
  sinkNode,
  slackNode,
} from '../flow/spanning-tree.ts';
import { splitDemand } from '../problem/steps.ts';
import type { LagrangianProblem } from './types.ts';

/** The source of unserved demand. No artificial node is needed, because serving nothing is a plan too. */
export const unservedNode = artificialNode;

/** Multipliers are multiples of this, or of a larger power of two if numbers are large. */
const FINEST_MULTIPLIER = 2 ** -10;
const EXACT = 2 ** 53;

export type Loads = {
  /** n: full loads of demand, and the rest that one more vehicle would serve. */
  full: Float64Array;
  rest: Float64Array;
};

/** What the nodes of locations take, by node of the tree; 0 at other nodes. */
type Places = {
  /** Units that fill the node. */
  amount: Float64Array;
  /** Demand that a unit serves. */
  gain: Float64Array;
  /** How strongly a unit is forced; 0: not at all. */
  rank: Float64Array;
  /** What a unit costs that is not there: λ + p_j times its demand, and what forces it. */
  worth: Float64Array;
};

export type LagrangianSearch = Omit<SimplexSearch, 'counts'> & {
  /** `multipliers`: how many multipliers the flow was solved for. */
  counts: SimplexSearch['counts'] & { multipliers: number };
  problem: LagrangianProblem;
  loads: Loads;
  /** λc, the multiplier per full load. */
  multiplier: number;
  /** F: what a unit is worth at least that is forced, by rank, in cost units. */
  force: number;
  places: Places;
  /** n: whether a location has a maximum; absent: no bounds. A vehicle beyond it costs as much as a forced unit. */
  isCapped?: Uint8Array | undefined;
  /** Position of the first slack arc among the candidates. */
  firstSlack: number;
  endSlack: number;
  /** Demand served if every load is served, and what the demand costs that has no place. */
  totalDemand: number;
  placelessCost: number;
};

export function splitLoads({ n, demand, capacity }: LagrangianProblem): Loads {
  const loads = { full: new Float64Array(n), rest: new Float64Array(n) };
  for (let j = 0; j < n; j++) {
    const { full, rest } = splitDemand(demand[j], capacity);
    loads.full[j] = full;
    loads.rest[j] = rest;
  }
  return loads;
}

export type LagrangianAmounts = {
  /** Locations with vehicles to send, and locations with demand to fill, ascending. */
  sources: Int32Array;
  sinks: Int32Array;
  /** n each; consumed. */
  supply: Float64Array;
  full: Float64Array;
  /** How many of these vehicles may serve, and the demand already served by the others. */
  fleetSize: number;
  served: number;
};

/**
 * All vehicles and all demand. With `isNetted`, what remains after vehicles serve full loads at their own location.
 */
export function lagrangianAmounts(
  { n, supply, capacity, fleetSize }: LagrangianProblem,
  { full, rest }: Loads,
  isNetted: boolean,
): LagrangianAmounts {
  const left = { supply: Float64Array.from(supply), full: full.slice() };
  const sources = new Int32Array(n);
  const sinks = new Int32Array(n);
  let sourceCount = 0;
  let sinkCount = 0;
  let netted = 0;
  for (let i = 0; i < n; i++) {
    const own = isNetted ? Math.min(supply[i], full[i]) : 0;
    left.supply[i] -= own;
    left.full[i] -= own;
    netted += own;
    if (left.supply[i] > 0) sources[sourceCount++] = i;
    if (left.full[i] > 0 || rest[i] > 0) sinks[sinkCount++] = i;
  }
  return {
    ...left,
    sources: sources.subarray(0, sourceCount),
    sinks: sinks.subarray(0, sinkCount),
    fleetSize: fleetSize - netted,
    served: netted * capacity,
  };
}

/** Adds the arc "serve where you are" for every source that is a sink too. */
export function addStays(
  list: Candidates,
  n: number,
  { sources, sinks }: Pick<LagrangianAmounts, 'sources' | 'sinks'>,
): void {
  const isSink = new Uint8Array(n);
  for (const j of sinks) isSink[j] = 1;
  for (const i of sources) if (isSink[i] === 1) addCandidate(list, i, sinkNode(n, i), 0);
}

/**
 * A strongly feasible initial tree: the cheapest candidates first, each with as much flow as possible, until the
 * requirement is met and no further move pays off. Appends the slack arcs to the candidates; `setMultiplier` sets their
 * costs. O(candidates + n).
 * @param amounts with at least one vehicle that may serve
 * @returns the cost of the dearest move that was needed
 */
export function startLagrangianTree(s: LagrangianSearch, amounts: LagrangianAmounts): number {
  const { tree, list, problem, loads } = s;
  const { n, capacity, required, unmetUnits, forced } = problem;
  const { sources, sinks, supply } = amounts;
  const { parent } = tree;
  const slack = slackNode(n);
  const idle = idleNode(n);
  const unserved = unservedNode(n);
  /** Loads not served yet; a part counts as one. */
  const left = new Float64Array(n);
  let allLoads = 0;
  for (const j of sinks) {
    left[j] = amounts.full[j] + (loads.rest[j] > 0 ? 1 : 0);
    allLoads += left[j];
  }
  // One more than all loads: the arc to the unserved node leads down, so it must carry flow.
  const mayServe = Math.min(amounts.fleetSize, allLoads + 1);
  let { served } = amounts;
  let units = 0;
  let dearest = 0;
  const order = orderByCost(list, list.count);
  for (let r = 0; r < order.length && (served < required || unmetUnits || forced); r++) {
    const i = list.from[order[r]];
    const j = list.to[order[r]] - sinkNode(n, 0);
    const isForced = forced !== undefined && (forced.fullRank[j] > 0 || forced.partRank[j] > 0);
    if (served >= required && !isForced && list.cost[order[r]] >= (unmetUnits?.[j] ?? 0) * capacity) continue;
    const amount = Math.min(supply[i], left[j]);
    if (amount === 0) continue;
    if (units + amount >= mayServe) break;
    const cost = list.cost[order[r]];
    supply[i] -= amount;
    left[j] -= amount;
    units += amount;
    dearest = Math.max(dearest, cost);
    served += amount * capacity;
    if (left[j] === 0) {
      attach(tree, sinkNode(n, j), i, amount, cost);
      if (loads.rest[j] > 0) served += loads.rest[j] - capacity;
    } else attach(tree, i, sinkNode(n, j), amount, cost);
  }
  attach(tree, slack, idle, units, 0);
  attach(tree, unserved, slack, mayServe - units, 0);
  for (const i of sources) if (parent[i] < 0) attach(tree, i, idle, supply[i], 0);
  for (const j of sinks) attachDemand(tree, j, left[j], loads.rest[j] > 0);
  addPlaces(s, amounts);
  addOtherArcs(s, amounts);
  layOut(tree);
  return dearest;
}

/** Full loads are at the sink of a location, the part of a load at a node of its own. */
function addPlaces({ places, problem, loads }: LagrangianSearch, { sinks, full }: LagrangianAmounts): void {
  const { n, capacity, forced } = problem;
  for (const j of sinks) {
    const sink = sinkNode(n, j);
    places.amount[sink] = full[j];
    places.gain[sink] = capacity;
    places.rank[sink] = forced?.fullRank[j] ?? 0;
    const part = partNode(n, j);
    places.amount[part] = loads.rest[j] > 0 ? 1 : 0;
    places.gain[part] = loads.rest[j];
    places.rank[part] = forced?.partRank[j] ?? 0;
  }
}

/** Appends the arcs other than moves. `setMultiplier` sets their costs. O(n). */
export function addOtherArcs(
  s: LagrangianSearch,
  { sources, sinks }: Pick<LagrangianAmounts, 'sources' | 'sinks'>,
): void {
  const { list, isCapped } = s;
  const { n } = s.problem;
  const { amount } = s.places;
  s.firstSlack = list.count;
  addCandidate(list, slackNode(n), idleNode(n), 0);
  addCandidate(list, slackNode(n), unservedNode(n), 0);
  for (const i of sources) addCandidate(list, i, idleNode(n), 0);
  for (const j of sinks) {
    const sink = sinkNode(n, j);
    if (amount[sink] > 0) addCandidate(list, unservedNode(n), sink, 0);
    for (let v = partNode(n, j); v < amount.length; v += n) {
      if (amount[v] === 0) continue;
      addCandidate(list, sink, v, 0);
      addCandidate(list, unservedNode(n), v, 0);
    }
    if (isCapped?.[j] === 0) addCandidate(list, sink, idleNode(n), 0);
  }
  s.endSlack = list.count;
}

/** Attaches the rest of a location's demand to the unserved node: the part, then full loads. */
function attachDemand(tree: SpanningTree, j: number, left: number, hasPart: boolean): void {
  const { n } = tree;
  const sink = sinkNode(n, j);
  const part = partNode(n, j);
  const unserved = unservedNode(n);
  if (left === 0) {
    if (hasPart) attach(tree, part, sink, 1, 0);
    return;
  }
  const full = left - (hasPart ? 1 : 0);
  if (hasPart) attach(tree, part, unserved, 1, 0);
  // If only the part is unserved, the location becomes its child, by an arc that leads up and carries no flow.
  if (full > 0) attach(tree, sink, unserved, full, 0);
  else attach(tree, sink, part, 0, 0);
}

/**
 * Changes the multiplier, to the nearest value that exact sums allow, and everything that depends on it,
 * including the potentials. O(n).
 */
export function setMultiplier(s: LagrangianSearch, multiplier: number): void {
  const { tree, list, problem, places, isCapped } = s;
  const { n, capacity, unmetUnits } = problem;
  const { amount, gain, rank, worth } = places;
  const grain = multiplierGrain(s, multiplier);
  s.multiplier = Math.round(multiplier / grain) * grain;
  const share = s.multiplier / capacity / grain;
  const perRank = ranksOf(problem) > 0 ? forceAt(s, s.multiplier) : 0;
  for (let v = sinkNode(n, 0); v < worth.length; v++) {
    if (amount[v] === 0) continue;
    const unmet = (unmetUnits?.[locationOf(n, v)] ?? 0) / grain;
    const full = s.multiplier + Math.round(unmet * capacity) * grain;
    worth[v] = gain[v] === capacity ? full : Math.min(full, Math.round((share + unmet) * gain[v]) * grain);
    worth[v] += rank[v] * perRank;
  }
  const unserved = unservedNode(n);
  const idle = idleNode(n);
  for (let a = s.firstSlack; a < s.endSlack; a++) {
    if (list.from[a] === unserved) list.cost[a] = worth[list.to[a]];
    else if (isCapped && list.to[a] === idle && isCapped[list.from[a]]) list.cost[a] = perRank;
  }
  const { parent, cost } = tree;
  for (let v = sinkNode(n, 0); v < parent.length; v++) if (parent[v] === unserved) cost[v] = worth[v];
  cost[unserved] = worth[parent[unserved]];
  for (let i = 0; isCapped && i < n; i++) if (isCapped[i] && parent[i] === idle) cost[i] = perRank;
  setPotentials(tree);
}

/** How many ranks of forced units there are. */
function ranksOf({ bounds, forced }: LagrangianProblem): number {
  return bounds ? 1 : (forced?.highest ?? 0);
}

/** What a rank is worth at a multiplier: more than exchanging a load for any of a lower rank. */
function forceAt({ force, problem }: LagrangianSearch, multiplier: number): number {
  return force + 2 * (multiplier + Math.ceil(dearestUnmetLoad(problem)));
}

/** Whether the flow serves as many loads of every group as it has to, and keeps the bounds per location. O(n). */
export function isPlan(s: LagrangianSearch): boolean {
  const { loads, places, isCapped } = s;
  const { n, forced } = s.problem;
  const { parent, flow } = s.tree;
  const unserved = unservedNode(n);
  const unservedAt = (node: number): number => {
    if (parent[node] === unserved) return flow[node];
    return parent[unserved] === node ? flow[unserved] : 0;
  };
  for (let i = 0; isCapped && i < n; i++) {
    if (isCapped[i] && parent[i] === idleNode(n) && flow[i] > 0) return false;
    const sink = sinkNode(n, i);
    if (places.rank[sink] > 0 && unservedAt(sink) > 0) return false;
  }
  return (forced?.groups ?? []).every(({ isPart, locations, loads: all, served }) => {
    let missed = 0;
    for (const j of locations) {
      if (isPart ? loads.rest[j] > 0 : loads.full[j] > 0)
        missed += unservedAt(isPart ? partNode(n, j) : sinkNode(n, j));
    }
    return missed === all - served;
  });
}

/**
 * Multipliers are multiples of this number, which keeps sums along a path exact.
 * @throws RangeError if they cannot be exact
 */
function multiplierGrain(s: LagrangianSearch, multiplier: number): number {
  const { problem, list } = s;
  let largest = multiplier + dearestUnmetLoad(problem);
  largest += ranksOf(problem) * forceAt(s, multiplier);
  for (let a = 0; a < list.count; a++) if (list.cost[a] > largest) largest = list.cost[a];
  const longest = 8 * (problem.n + 2) * (largest + 1);
  let grain = FINEST_MULTIPLIER;
  while (grain < 1 && longest > EXACT * grain) grain *= 2;
  if (longest > EXACT * grain)
    throw new RangeError(`a multiplier of ${multiplier} units is too large for exact sums`);
  return grain;
}

/** The highest multiplier that `setMultiplier` accepts. */
export function highestMultiplier({ problem, force }: LagrangianSearch): number {
  const ranks = ranksOf(problem);
  const largest = EXACT / (8 * (problem.n + 2)) - ranks * force;
  return Math.floor(largest / (1 + 2 * ranks) - dearestUnmetLoad(problem)) - 1;
}

/** The most that a full load costs which is not served, in cost units. */
export function dearestUnmetLoad({ unmetUnits, capacity }: LagrangianProblem): number {
  return unmetUnits ? capacity * unmetUnits.reduce((most, units) => Math.max(most, units), 0) : 0;
}

/** Demand left unserved by one unit on the arc between a node and its parent. */
export function unservedBy({ tree, places, problem }: LagrangianSearch, node: number): number {
  const { parent } = tree;
  const unserved = unservedNode(problem.n);
  if (node === unserved) return places.gain[parent[node]];
  return parent[node] === unserved ? places.gain[node] : 0;
}

/** Cost of the current flow, in moves and demand that is not served, and the demand it serves. O(n). */
export function measureTree(s: LagrangianSearch): { cost: number; served: number } {
  const { isCapped, placelessCost } = s;
  const { parent, flow } = s.tree;
  const { n, unmetUnits } = s.problem;
  const unservedAt = unservedNode(n);
  let served = s.totalDemand;
  let cost = treeCost(s.tree) + placelessCost;
  for (let v = unservedAt; v < parent.length; v++) {
    const unserved = flow[v] * unservedBy(s, v);
    served -= unserved;
    if (unmetUnits && unserved > 0)
      cost += unserved * unmetUnits[locationOf(n, v === unservedAt ? parent[v] : v)];
  }
  for (let i = 0; isCapped && i < n; i++)
    if (isCapped[i] && parent[i] === idleNode(n)) cost -= flow[i] * s.tree.cost[i];
  return { cost, served };
}

/** The location of a node that takes vehicles. */
function locationOf(n: number, node: number): number {
  return node < idleNode(n) ? node - sinkNode(n, 0) : (node - partNode(n, 0)) % n;
}
