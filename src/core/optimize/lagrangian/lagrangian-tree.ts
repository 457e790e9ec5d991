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

export type LagrangianSearch = Omit<SimplexSearch, 'counts'> & {
  /** `multipliers`: how many multipliers the flow was solved for. */
  counts: SimplexSearch['counts'] & { multipliers: number };
  problem: LagrangianProblem;
  loads: Loads;
  /** λc, the multiplier per full load. */
  multiplier: number;
  /** F: what serving a forced load is worth at least, by rank, in cost units. */
  force: number;
  /** n: λ + p_j times the demand of a full load, and of the part, and what forces them. */
  fullWorth: Float64Array;
  partWorth: Float64Array;
  /** Position of the first slack arc among the candidates. */
  firstSlack: number;
  endSlack: number;
  /** Demand served if every load is served. */
  totalDemand: number;
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
export function addStays(list: Candidates, n: number, { sources, sinks }: LagrangianAmounts): void {
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
  addSlackArcs(s, amounts);
  layOut(tree);
  return dearest;
}

function addSlackArcs(s: LagrangianSearch, { sources, sinks, full }: LagrangianAmounts): void {
  const { list, loads } = s;
  const { n } = s.problem;
  s.firstSlack = list.count;
  addCandidate(list, slackNode(n), idleNode(n), 0);
  addCandidate(list, slackNode(n), unservedNode(n), 0);
  for (const i of sources) addCandidate(list, i, idleNode(n), 0);
  for (const j of sinks) {
    if (full[j] > 0) addCandidate(list, unservedNode(n), sinkNode(n, j), 0);
    if (loads.rest[j] === 0) continue;
    addCandidate(list, sinkNode(n, j), partNode(n, j), 0);
    addCandidate(list, unservedNode(n), partNode(n, j), 0);
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
  const { tree, list, problem, loads, fullWorth, partWorth } = s;
  const { n, capacity, unmetUnits, forced } = problem;
  const grain = multiplierGrain(s, multiplier);
  s.multiplier = Math.round(multiplier / grain) * grain;
  const share = s.multiplier / capacity / grain;
  const perRank = forced ? forceAt(s, s.multiplier) : 0;
  for (let j = 0; j < n; j++) {
    const unmet = (unmetUnits?.[j] ?? 0) / grain;
    fullWorth[j] = s.multiplier + Math.round(unmet * capacity) * grain;
    partWorth[j] = Math.min(fullWorth[j], Math.round((share + unmet) * loads.rest[j]) * grain);
    if (!forced) continue;
    fullWorth[j] += forced.fullRank[j] * perRank;
    partWorth[j] += forced.partRank[j] * perRank;
  }
  const unserved = unservedNode(n);
  for (let a = s.firstSlack; a < s.endSlack; a++) {
    if (list.from[a] === unserved) list.cost[a] = worthOf(s, list.to[a]);
  }
  const { parent, cost } = tree;
  for (let v = sinkNode(n, 0); v < parent.length; v++) if (parent[v] === unserved) cost[v] = worthOf(s, v);
  cost[unserved] = worthOf(s, parent[unserved]);
  setPotentials(tree);
}

/** What a rank is worth at a multiplier: more than exchanging a load for any of a lower rank. */
function forceAt({ force, problem }: LagrangianSearch, multiplier: number): number {
  return force + 2 * (multiplier + dearestUnmetLoad(problem));
}

/** Whether the flow serves as many loads of every group as it has to. O(n). */
export function servesForced({ tree, loads, problem: { n, forced } }: LagrangianSearch): boolean {
  if (!forced) return true;
  const { parent, flow } = tree;
  const unserved = unservedNode(n);
  const unservedAt = (node: number): number => {
    if (parent[node] === unserved) return flow[node];
    return parent[unserved] === node ? flow[unserved] : 0;
  };
  return forced.groups.every(({ isPart, locations, loads: all, served }) => {
    let missed = 0;
    for (const j of locations) {
      if (isPart ? loads.rest[j] > 0 : loads.full[j] > 0)
        missed += unservedAt(isPart ? partNode(n, j) : sinkNode(n, j));
    }
    return missed === all - served;
  });
}

/** The cost of not serving a unit at a node of demand; 0 for other nodes. */
function worthOf({ problem: { n }, fullWorth, partWorth }: LagrangianSearch, node: number): number {
  if (node < sinkNode(n, 0)) return 0;
  return node < idleNode(n) ? fullWorth[node - sinkNode(n, 0)] : partWorth[node - partNode(n, 0)];
}

/**
 * Multipliers are multiples of this number, which keeps sums along a path exact.
 * @throws RangeError if they cannot be exact
 */
function multiplierGrain(s: LagrangianSearch, multiplier: number): number {
  const { problem, list } = s;
  let largest = multiplier + dearestUnmetLoad(problem);
  if (problem.forced) largest += problem.forced.highest * forceAt(s, multiplier);
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
  const ranks = problem.forced?.highest ?? 0;
  const largest = EXACT / (8 * (problem.n + 2)) - ranks * force;
  return Math.floor(largest / (1 + 2 * ranks) - dearestUnmetLoad(problem)) - 1;
}

/** The most that a full load costs which is not served, in cost units. */
export function dearestUnmetLoad({ unmetUnits, capacity }: LagrangianProblem): number {
  return unmetUnits ? capacity * unmetUnits.reduce((most, units) => Math.max(most, units), 0) : 0;
}

/** Demand that one unit at a node of demand serves; 0 for other nodes. */
export function demandOf({ problem: { n, capacity }, loads }: LagrangianSearch, node: number): number {
  if (node < sinkNode(n, 0) || node === idleNode(n)) return 0;
  return node < idleNode(n) ? capacity : loads.rest[node - partNode(n, 0)];
}

/** Demand left unserved by one unit on the arc between a node and its parent. */
export function unservedBy(s: LagrangianSearch, node: number): number {
  const { parent } = s.tree;
  const unserved = unservedNode(s.problem.n);
  if (node === unserved) return demandOf(s, parent[node]);
  return parent[node] === unserved ? demandOf(s, node) : 0;
}

/** Cost of the current flow, in moves and demand that is not served, and the demand it serves. O(n). */
export function measureTree(s: LagrangianSearch): { cost: number; served: number } {
  const { parent, flow } = s.tree;
  const { n, unmetUnits } = s.problem;
  const unservedAt = unservedNode(n);
  let served = s.totalDemand;
  let cost = treeCost(s.tree);
  for (let v = unservedAt; v < parent.length; v++) {
    const unserved = flow[v] * unservedBy(s, v);
    served -= unserved;
    if (unmetUnits && unserved > 0)
      cost += unserved * unmetUnits[locationOf(n, v === unservedAt ? parent[v] : v)];
  }
  return { cost, served };
}

/** The location of a node of demand. */
function locationOf(n: number, node: number): number {
  return node < idleNode(n) ? node - sinkNode(n, 0) : node - partNode(n, 0);
}
