/**
 * From flows at a Lagrangian multiplier to plans. At the best multiplier the flow serves too little or too much, by
 * some units along cycles of almost no reduced cost. Pivots at a slightly higher (or lower) multiplier send them, and
 * of the last cycle only as many units as needed. The excess is then less than one cycle serves, at most a vehicle's
 * load, and the plan is within a move of the bound. Further units along up to three cycles at a time reduce the excess,
 * from that flow or from the flow at another multiplier.
 *
 * A unit along the cycle of an arc outside the tree: O(cycle). Examining all of them: O(candidates · cycle).
 */
import { pivotCandidates } from '../flow/network-simplex.ts';
import { readFlow, realArcs } from '../flow/read-tree.ts';
import { type SpanningTree, sinkNode } from '../flow/spanning-tree.ts';
import type { Flow } from '../flow/types.ts';
import {
  highestMultiplier,
  type LagrangianSearch,
  measureTree,
  setMultiplier,
  unservedBy,
  unservedNode,
} from './lagrangian-tree.ts';
import { type Change, chooseChanges } from './step-changes.ts';

/**
 * First distance to the multiplier at which units are sent, and the factor by which it grows if they do not suffice.
 */
const FIRST_STEP = 2 ** -10;
const STEP_FACTOR = 8;
const MAX_STEPS = 24;
/** Maximum number of cycles that are combined. */
const MAX_CHANGES = 80;

/**
 * A flow with units outside the tree, by candidate. The tree's own flow is copied from the search's. `cost`: of moves,
 * and of unmet demand only as far as the tree has it.
 */
export type WholeFlow = { s: LagrangianSearch; outside: Map<number, number>; served: number; cost: number };

function wholeFlow(s: LagrangianSearch): WholeFlow {
  const tree = { ...s.tree, flow: s.tree.flow.slice() };
  return { s: { ...s, tree }, outside: new Map(), ...measureTree(s) };
}

/** The least to serve, or the most that moves may cost; both grow with the multiplier. */
export type Limit = { of: 'served'; least: number } | { of: 'cost'; most: number };

/**
 * The flow at the best multiplier, changed until it keeps the limit, and is as close to it as one cycle allows.
 * @param s with the optimal tree at that multiplier; returned with the tree before the last cycle
 * @returns null if the stop flag or the deadline ended the search, or no flow serves enough
 */
export function keepLimit(s: LagrangianSearch, limit: Limit): WholeFlow | null {
  const best = s.multiplier;
  const highest = highestMultiplier(s);
  const { of } = limit;
  const at = of === 'served' ? limit.least : limit.most;
  const isAbove = (amount: number) => (of === 'served' ? amount >= at : amount > at);
  let reached = measureTree(s)[of];
  const isRising = !isAbove(reached);
  let last = -1;
  const isEnough = (arc: number): boolean => {
    const cycle = cycleOf(s, arc);
    const after = reached + cycle.amount * cycle[of];
    if (isAbove(after) === isRising) {
      last = arc;
      return true;
    }
    reached = after;
    return false;
  };
  for (let step = FIRST_STEP, tries = 0; last < 0; step *= STEP_FACTOR, tries++) {
    if (tries === MAX_STEPS || best + step > highest || (!isRising && s.multiplier === 0)) break;
    setMultiplier(s, Math.max(0, isRising ? best + step : best - step));
    if (!pivotCandidates(s, 0, isEnough)) return null;
  }
  setMultiplier(s, best);
  const whole = wholeFlow(s);
  if (last >= 0) {
    const cycle = cycleOf(s, last);
    const units = (at - reached) / cycle[of];
    const isUp = isRising === (of === 'served');
    send(whole, last, Math.min(cycle.amount, isUp ? Math.ceil(units) : Math.floor(units)), cycle);
  }
  return last >= 0 || of === 'cost' || !isRising ? whole : null;
}

/**
 * The flow at another multiplier, with the present one restored.
 * @returns null if the stop flag or the deadline ended the search
 */
export function flowAt(s: LagrangianSearch, multiplier: number): WholeFlow | null {
  const now = s.multiplier;
  setMultiplier(s, multiplier);
  if (!pivotCandidates(s, 0)) return null;
  setMultiplier(s, now);
  return wholeFlow(s);
}

/**
 * Sends units along the cycles that together minimize their reduced costs plus the worth of the demand served beyond
 * `least`.
 * @param limit the minimum must be below this
 * @returns the minimum, or null if no such cycles exist
 */
export function leaveLess(whole: WholeFlow, least: number, noise: number, limit: number): number | null {
  const { s, served } = whole;
  const perGain = s.multiplier / s.problem.capacity;
  const chosen = chooseChanges(findChanges(s, limit, noise), served - least, perGain, limit);
  if (!chosen || !sendEach(whole, chosen)) return null;
  return addedBy(chosen) + perGain * (whole.served - least);
}

/**
 * The same for a budget: sends units along the cycles that together minimize their reduced costs plus what is left of
 * the budget. Both keep demand from being served.
 */
export function spendMore(whole: WholeFlow, budget: number, noise: number, limit: number): number | null {
  const { s, cost } = whole;
  const changes = findChanges(s, limit, noise).map((change) => ({
    ...change,
    gain: -cycleOf(s, change.step).cost,
  }));
  const chosen = chooseChanges(changes, budget - cost, 1, limit);
  if (!chosen || !sendEach(whole, chosen)) return null;
  return addedBy(chosen) + budget - whole.cost;
}

function addedBy(chosen: readonly Change[]): number {
  return chosen.reduce((sum, { reduced }) => sum + reduced, 0);
}

/** Sends a unit along each cycle. @returns false if earlier cycles used up what another one needs */
function sendEach(whole: WholeFlow, chosen: readonly Change[]): boolean {
  for (const { step } of chosen) {
    const cycle = cycleOf(whole.s, step);
    if (cycle.amount < 1) return false;
    send(whole, step, 1, cycle);
  }
  return true;
}

/** Arcs outside the tree whose cycle has a reduced cost below `limit` and can carry a unit, cheapest first. */
function findChanges(s: LagrangianSearch, limit: number, noise: number): Change[] {
  const { list, tree } = s;
  const { potential } = tree;
  let within = limit;
  const found: Change[] = [];
  for (let a = 0; a < list.count; a++) {
    const reduced = list.cost[a] + potential[list.from[a]] - potential[list.to[a]];
    if (reduced >= within) continue;
    const { amount, served: gain } = cycleOf(s, a);
    if (amount < 1 || Math.abs(gain) <= noise) continue;
    found.push({ step: a, by: 1, reduced: Math.max(0, reduced), gain });
    if (found.length < 2 * MAX_CHANGES) continue;
    found.sort((x, y) => x.reduced - y.reduced).length = MAX_CHANGES;
    within = found[MAX_CHANGES - 1].reduced;
  }
  return found.sort((x, y) => x.reduced - y.reduced);
}

/** What each unit on a cycle adds to the demand served, and to the cost of moves. */
type PerUnit = { served: number; cost: number };

/** How many units the cycle of a candidate can carry (0: the arc is in the tree), and what each adds. */
function cycleOf(s: LagrangianSearch, arc: number): PerUnit & { amount: number } {
  const { parent, flow, cost: costs } = s.tree;
  const from = s.list.from[arc];
  const to = s.list.to[arc];
  if (parent[from] === to || parent[to] === from) return { amount: 0, served: 0, cost: 0 };
  const unserved = unservedNode(s.problem.n);
  let amount = Number.POSITIVE_INFINITY;
  let served = from === unserved ? -s.places.gain[to] : 0;
  let cost = from === unserved ? 0 : s.list.cost[arc];
  walkCycle(s.tree, from, to, (node, isGrowing) => {
    if (!isGrowing && flow[node] < amount) amount = flow[node];
    const left = unservedBy(s, node);
    served += isGrowing ? -left : left;
    if (node === unserved || parent[node] === unserved) return;
    cost += isGrowing ? costs[node] : -costs[node];
  });
  return { amount, served, cost };
}

/** Sends units around the cycle of a candidate; the tree stays unchanged. */
function send(whole: WholeFlow, arc: number, units: number, { served, cost }: PerUnit): void {
  const { s, outside } = whole;
  const { flow } = s.tree;
  walkCycle(s.tree, s.list.from[arc], s.list.to[arc], (node, isGrowing) => {
    flow[node] += isGrowing ? units : -units;
  });
  outside.set(arc, (outside.get(arc) ?? 0) + units);
  whole.served += units * served;
  whole.cost += units * cost;
}

/**
 * Walks along an arc and back through the tree, from its end up to the join and down to its start.
 * @param visit receives each node whose arc to its parent is on the way, and whether that arc gains flow
 */
function walkCycle(
  { parent, size }: SpanningTree,
  from: number,
  to: number,
  visit: (node: number, isGrowing: boolean) => void,
): void {
  let u = from;
  let v = to;
  while (u !== v) {
    if (size[u] < size[v]) {
      visit(u, u > parent[u]);
      u = parent[u];
    } else {
      visit(v, v < parent[v]);
      v = parent[v];
    }
  }
}

/** Moves of the vehicles in the tree and outside of it. */
export function readMoves(
  { tree, list }: Pick<LagrangianSearch, 'tree' | 'list'>,
  outside: ReadonlyMap<number, number> = new Map(),
): Flow {
  const { n } = tree;
  const arcs = realArcs(tree);
  const from = Array.from(arcs.from);
  const to = Array.from(arcs.to);
  const units = Array.from(arcs.units);
  for (const [arc, more] of outside) {
    const sink = list.to[arc] - sinkNode(n, 0);
    if (list.from[arc] >= n || sink < 0 || sink >= n) continue;
    from.push(list.from[arc]);
    to.push(sink);
    units.push(more);
  }
  return readFlow({
    from: Int32Array.from(from),
    to: Int32Array.from(to),
    units: Int32Array.from(units),
  });
}
