/**
 * From the flow at the best price to a plan. There the flow serves too little or too much by some units along cycles of next to no
 * reduced cost. Pivots at a price a little higher (or lower) send them, and of the last one as many units as it takes: what is
 * served beyond what is required is then less than a cycle serves, a vehicle's load at most, and the plan within a move of the bound.
 * Then units along up to three cycles at a time that leave less over, as long as that is cheaper.
 *
 * A unit along the cycle of an arc outside the tree: O(depth). Looking at all of them: O(candidates · depth).
 */
import { pivotCandidates } from '../flow/network-simplex.ts';
import { readFlow, realArcs } from '../flow/read-tree.ts';
import { sinkNode, type Tree } from '../flow/spanning-tree.ts';
import type { Flow } from '../flow/types.ts';
import { demandOf, measure, type PricedSearch, setPrice, unservedBy, unservedNode } from './priced-tree.ts';
import { type Change, chooseChanges } from './step-changes.ts';

/** First distance to the price at which units are sent, and by how much it grows where they do not suffice. */
const FIRST_STEP = 2 ** -10;
const STEP_FACTOR = 8;
const MOST_STEPS = 24;
/** Cycles that are looked at together. */
const MOST_CHANGES = 80;

/** Units on arcs outside the tree, by candidate, and the demand served with them. */
export type Beside = { units: Map<number, number>; served: number };

/**
 * Changes the flow until it serves at least `least` and as little beyond as one cycle allows.
 * @returns null where the stop flag or the deadline came first, or nothing serves enough
 */
export function serveEnough(s: PricedSearch, least: number): Beside | null {
  const beside: Beside = { units: new Map(), served: measure(s).served };
  const best = s.price;
  const isRising = beside.served < least;
  let isDone = false;
  const isEnough = (arc: number): boolean => {
    const { amount, gain } = cycleOf(s, arc);
    const after = beside.served + amount * gain;
    if (isRising ? after < least : after >= least) {
      beside.served = after;
      return false;
    }
    const units = (least - beside.served) / gain;
    send(s, arc, Math.min(amount, isRising ? Math.ceil(units) : Math.floor(units)), gain, beside);
    isDone = true;
    return true;
  };
  for (let step = FIRST_STEP, tries = 0; !isDone; step *= STEP_FACTOR, tries++) {
    if (tries === MOST_STEPS || (!isRising && s.price === 0)) return isRising ? null : beside;
    setPrice(s, Math.max(0, isRising ? best + step : best - step));
    if (!pivotCandidates(s, 0, 'candidates', isEnough)) return null;
  }
  return beside;
}

/**
 * Units along cycles that make the plan cheaper and leave it one, the best few together.
 * @returns whether there were any
 */
export function leaveLess(s: PricedSearch, beside: Beside, least: number, noise: number): boolean {
  const spare = beside.served - least;
  const perGain = s.price / s.problem.capacity;
  const chosen = chooseChanges(findChanges(s, perGain * spare, noise), spare, perGain, perGain * spare);
  if (!chosen) return false;
  for (const { step } of chosen) {
    const { amount, gain } = cycleOf(s, step);
    // The cycles before may have taken what this one needs.
    if (amount < 1) return false;
    send(s, step, 1, gain, beside);
  }
  return true;
}

/** Arcs outside the tree whose cycle costs less than `limit` beyond the prices and can take a unit, cheapest first. */
function findChanges(s: PricedSearch, limit: number, noise: number): Change[] {
  const { list, tree } = s;
  const { potential } = tree;
  let within = limit;
  const found: Change[] = [];
  for (let a = 0; a < list.count; a++) {
    const reduced = list.cost[a] + potential[list.from[a]] - potential[list.to[a]];
    if (reduced >= within) continue;
    const { amount, gain } = cycleOf(s, a);
    if (amount < 1 || Math.abs(gain) <= noise) continue;
    found.push({ step: a, by: 1, reduced: Math.max(0, reduced), gain });
    if (found.length < 2 * MOST_CHANGES) continue;
    found.sort((x, y) => x.reduced - y.reduced).length = MOST_CHANGES;
    within = found[MOST_CHANGES - 1].reduced;
  }
  return found.sort((x, y) => x.reduced - y.reduced);
}

/** How many units the cycle of a candidate takes (0: it is in the tree), and what each serves more. */
function cycleOf(s: PricedSearch, arc: number): { amount: number; gain: number } {
  const { parent, flow } = s.tree;
  const from = s.list.from[arc];
  const to = s.list.to[arc];
  if (parent[from] === to || parent[to] === from) return { amount: 0, gain: 0 };
  let amount = Number.POSITIVE_INFINITY;
  let gain = from === unservedNode(s.problem.n) ? -demandOf(s, to) : 0;
  walkCycle(s.tree, from, to, (node, isGrowing) => {
    if (!isGrowing && flow[node] < amount) amount = flow[node];
    gain += isGrowing ? -unservedBy(s, node) : unservedBy(s, node);
  });
  return { amount, gain };
}

/** Sends units around the cycle of a candidate; the tree stays as it is. */
function send(s: PricedSearch, arc: number, units: number, gain: number, beside: Beside): void {
  const { flow } = s.tree;
  walkCycle(s.tree, s.list.from[arc], s.list.to[arc], (node, isGrowing) => {
    flow[node] += isGrowing ? units : -units;
  });
  beside.units.set(arc, (beside.units.get(arc) ?? 0) + units);
  beside.served += units * gain;
}

/**
 * Along an arc and back through the tree, from its end up to the join and down to its start.
 * @param visit is told each node whose arc to its parent is on the way, and whether that comes to carry more
 */
function walkCycle(
  { parent, depth }: Tree,
  from: number,
  to: number,
  visit: (node: number, isGrowing: boolean) => void,
): void {
  let u = from;
  let v = to;
  while (u !== v) {
    if (depth[u] >= depth[v]) {
      visit(u, u > parent[u]);
      u = parent[u];
    } else {
      visit(v, v < parent[v]);
      v = parent[v];
    }
  }
}

/** Vehicles that move: those of the tree and those outside of it. */
export function readMoves({ tree, list }: PricedSearch, beside?: Beside): Flow {
  const { n } = tree;
  const arcs = realArcs(tree);
  const from = Array.from(arcs.from);
  const to = Array.from(arcs.to);
  const units = Array.from(arcs.units);
  for (const [arc, more] of beside?.units ?? []) {
    const sink = list.to[arc] - sinkNode(n, 0);
    if (list.from[arc] >= n || sink < 0 || sink >= n) continue;
    from.push(list.from[arc]);
    to.push(sink);
    units.push(more);
  }
  return readFlow({ from: Int32Array.from(from), to: Int32Array.from(to), units: Int32Array.from(units) });
}
