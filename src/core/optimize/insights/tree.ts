/**
 * A branch-and-bound tree that is kept for changed problems. Branching decisions remain valid for every changed
 * problem, and the multipliers of each node prove a bound there, too. So a changed problem descends the same tree: a
 * node that its old multipliers prove is done; the others are solved again and, below the kept tree, branched further,
 * always the one of the least bound first.
 *
 * A node is a relaxation over all moves (`column-generation/master.ts`) with cuts for single locations, solved from the
 * last basis. Branching columns are chosen by how much they raised the bound before. Reduced costs fix columns below a
 * node, for the current problem only.
 * Reference: Schrage and Wolsey, Sensitivity analysis for branch and bound integer programming, Operations Research 33
 * (1985).
 */

import type { Context } from '../column-generation/context.ts';
import { addLocationCuts } from '../column-generation/cuts/separate-cuts.ts';
import { type ColumnBounds, fixColumns } from '../column-generation/fix-by-reduced-cost.ts';
import { planGreedily } from '../column-generation/heuristics/greedy.ts';
import { canImprove, improve } from '../column-generation/heuristics/improve.ts';
import { fractionalColumns, movesOf } from '../column-generation/integer-columns.ts';
import {
  boundByMultipliers,
  type Master,
  priceOfService,
  type Relaxed,
  relaxMaster,
  setIntegerBounds,
  setProblem,
} from '../column-generation/master.ts';
import { relaxWithoutArtificialColumns, SURE_PENALTY } from '../column-generation/search.ts';
import { fromUnits } from '../problem/costs.ts';
import { DUAL_NOISE, provedUnits } from '../problem/incumbent.ts';
import { KeyHeap } from '../problem/key-heap.ts';
import type { Moves, Problem } from '../problem/model.ts';

/** Columns up to the value in one part, above it in the other. */
type Branch = { column: number; value: number };

type Leaf = {
  bounds: ColumnBounds;
  /** Without columns that cost at least as much as was sufficient when it was solved. */
  fixed: ColumnBounds;
  /** Proved bound of its plans in the current problem, money. */
  bound: number;
  /** Multipliers that prove a bound in any problem; null: none yet. */
  rowDual: Float64Array | null;
  /** Whether it was solved in the current problem, and its branching column; null: none. */
  isSolved: boolean;
  branch: Branch | null;
  parts: readonly Leaf[] | null;
  /** The same node of the unchanged problem. */
  kept: Leaf | null;
};

/** Rounds of cuts per node, as long as each raises the bound by this share of the remaining gap. */
const MAX_CUT_ROUNDS = 4;
const MIN_RAISE = 0.1;
/** Columns per node that are tried in both directions because they have no history. */
const MAX_TRIED = 8;
/** A plan is searched for at the first node, and then whenever the number of nodes has grown by this factor. */
const PLAN_INTERVAL = 8;
/** How far above the least bound the search continues with a node's child, as a share of the remaining gap. */
const DIVE_SHARE = 0.5;

export type BranchSearch = {
  /** A sufficient bound, units. */
  enough: () => number;
  /** Receives plans, which may be dearer than earlier ones or violate constraints. */
  onPlan: (moves: Moves) => void;
  /** Ends the search early. */
  isDone: () => boolean;
};

export type BranchTree = {
  readonly context: Context;
  readonly root: Leaf;
  /** The leaves of the unchanged problem. */
  leaves: readonly Leaf[];
  /** Pseudo-costs: by how much each child raised the bound per unit of distance, summed, and how often. */
  readonly raised: readonly [Float64Array, Float64Array];
  readonly tries: readonly [Int32Array, Int32Array];
};

/** @param context of a problem whose relaxation has no artificial columns */
export function createBranchTree(context: Context): BranchTree {
  const { base, master } = context;
  const root = leafOf(wholeBounds(master), wholeBounds(master), Number.NEGATIVE_INFINITY, null, null);
  return {
    context,
    root,
    leaves: [root],
    raised: [new Float64Array(base.integerColumns), new Float64Array(base.integerColumns)],
    tries: [new Int32Array(base.integerColumns), new Int32Array(base.integerColumns)],
  };
}

/**
 * Searches the unchanged problem; branching is kept.
 * @returns a proved bound, units, at most `enough`
 * @throws OutOfTime
 */
export function searchTree(tree: BranchTree, search: BranchSearch): number {
  tree.leaves = grow(tree, tree.leaves, search);
  return boundOf(tree.leaves, search);
}

/** Searches a changed problem. @returns Infinity: it has no plan; null: its model has another form */
export function askTree(tree: BranchTree, changed: Problem, search: BranchSearch): number | null {
  const { master } = tree.context;
  const original = master.problem;
  if (!setProblem(master, changed)) return null;
  // Without a known plan there may be none, which branching would not prove.
  const mayHaveNone = search.enough() === Number.POSITIVE_INFINITY && !search.isDone();
  const isNone = mayHaveNone && relaxWithoutArtificialColumns(changed, master, SURE_PENALTY) === 'infeasible';
  const top = again(master, tree.root, wholeBounds(master), wholeBounds(master), Number.NEGATIVE_INFINITY);
  const bound = isNone ? Number.POSITIVE_INFINITY : boundOf(grow(tree, [top], search), search);
  setProblem(master, original);
  return bound;
}

function wholeBounds({ whole }: Master): ColumnBounds {
  return { lower: whole.lower.slice(), upper: whole.upper.slice() };
}

function note(leaf: Leaf, { bound, duals }: Relaxed, enough: number): void {
  if (!duals || bound <= leaf.bound) return;
  leaf.bound = bound;
  leaf.rowDual = duals.rowDual;
  if (enough < Number.POSITIVE_INFINITY) fixColumns(leaf.fixed, duals.reduced, fromUnits(enough) - bound);
}

/** @returns null if time is up or the solver gave up */
function solveLeaf(tree: BranchTree, leaf: Leaf, { enough, onPlan }: BranchSearch): Relaxed | null {
  const { context } = tree;
  const { base, master } = context;
  setIntegerBounds(master, leaf.fixed.lower, leaf.fixed.upper);
  let relaxed = relaxMaster(master);
  for (let round = 0; round < MAX_CUT_ROUNDS; round++) {
    if (relaxed.status !== 'optimal') return null;
    note(leaf, relaxed, enough());
    if (isProved(leaf, enough()) || addLocationCuts(context, relaxed.values) === 0) break;
    const before = relaxed.bound;
    relaxed = relaxMaster(master);
    if (relaxed.bound - before < MIN_RAISE * (fromUnits(enough()) - leaf.bound)) break;
  }
  if (relaxed.status !== 'optimal') return null;
  note(leaf, relaxed, enough());
  leaf.isSolved = true;
  if (isProved(leaf, enough())) return relaxed;
  const { values } = relaxed;
  const open = fractionalColumns(base, values);
  if (open.length === 0) {
    const moves = relaxed.hasArtificialColumns ? null : movesOf(context, values);
    if (moves) onPlan(moves);
    return relaxed;
  }
  const known = leaf.kept?.parts ? leaf.kept.branch : null;
  leaf.branch = known && open.includes(known.column) ? known : choose(tree, leaf, values, open);
  return leaf.branch ? relaxed : null;
}

function learnRaise(
  { raised, tries }: BranchTree,
  side: number,
  { column, value }: Branch,
  raise: number,
): void {
  const distance = side === 0 ? value - Math.floor(value) : Math.floor(value) + 1 - value;
  raised[side][column] += Math.max(0, raise) / distance;
  tries[side][column]++;
}

/** The column with the greatest expected product of raises on both sides; null if time is up. */
function choose(tree: BranchTree, leaf: Leaf, values: Float64Array, open: readonly number[]): Branch | null {
  const { raised, tries } = tree;
  const { master } = tree.context;
  const fraction = (c: number) => values[c] - Math.floor(values[c]);
  const expected = (side: number, c: number) => fromUnits(1) + raised[side][c] / Math.max(1, tries[side][c]);
  const score = (c: number) => expected(0, c) * fraction(c) * expected(1, c) * (1 - fraction(c));
  const unknown = open
    .filter((c) => tries[0][c] === 0 || tries[1][c] === 0)
    .sort((a, b) => Math.abs(fraction(a) - 0.5) - Math.abs(fraction(b) - 0.5))
    .slice(0, MAX_TRIED);
  for (const column of unknown) {
    const branch = { column, value: values[column] };
    for (const side of [0, 1]) {
      const part = divided(leaf.fixed, branch, side);
      if (isEmpty(part)) continue;
      setIntegerBounds(master, part.lower, part.upper);
      const { status, bound } = relaxMaster(master);
      if (status !== 'optimal') return null;
      learnRaise(tree, side, branch, bound - leaf.bound);
    }
  }
  let best = open[0];
  for (const column of open) if (score(column) > score(best)) best = column;
  return { column: best, value: values[best] };
}

/** A leaf of the current problem for a kept node: proved by its multipliers, or as far as its parent. */
function again(master: Master, kept: Leaf, bounds: ColumnBounds, fixed: ColumnBounds, least: number): Leaf {
  const { rowDual } = kept;
  const isKnown = rowDual !== null && !isEmpty(fixed);
  const proved = isKnown
    ? boundByMultipliers(master, rowDual, fixed.lower, fixed.upper)
    : Number.NEGATIVE_INFINITY;
  return leafOf(bounds, fixed, Math.max(least, proved), rowDual, kept);
}

function partsOf({ context }: BranchTree, leaf: Leaf, branch: Branch): Leaf[] {
  const { bounds, fixed, bound, rowDual, kept } = leaf;
  return [0, 1].map((side) => {
    const of = [divided(bounds, branch, side), divided(fixed, branch, side)] as const;
    return kept?.parts && kept.branch === branch
      ? again(context.master, kept.parts[side], ...of, bound)
      : leafOf(...of, bound, rowDual, null);
  });
}

/** A plan near the relaxed solution, improved by local search. */
function planNear({ context }: BranchTree, relaxed: Relaxed, { onPlan, isDone }: BranchSearch): void {
  const { base, master, incumbent } = context;
  const isOver = () => isDone() || incumbent.isOver();
  const problem = master.problem;
  const price = priceOfService(base, relaxed);
  const moves = planGreedily(problem, master, relaxed.values, isOver, price);
  if (!moves) return;
  onPlan(moves);
  if (!relaxed.duals || !canImprove(problem)) return;
  improve(problem, moves, price, isOver, (better) => {
    onPlan(better);
    return false;
  });
}

/**
 * Continues from these leaves until the least bound is sufficient. @returns the leaves reached. @throws OutOfTime
 */
function grow(tree: BranchTree, from: readonly Leaf[], search: BranchSearch): Leaf[] {
  const { enough, isDone } = search;
  /** All nodes that were ever open, by number; the open ones, by bound. */
  const numbered: Leaf[] = [];
  const open = new KeyHeap(2 * from.length);
  const add = (leaf: Leaf) => {
    numbered.push(leaf);
    open.push(numbered.length - 1, leaf.bound);
  };
  for (const leaf of from) add(leaf);
  /** Solved, and not branched. */
  const closed: Leaf[] = [];
  let nodes = 0;
  let nextPlan = 1;
  let isStuck = false;

  const solve = (leaf: Leaf) => {
    // All of it costs at least the sufficient bound.
    if (isEmpty(leaf.fixed)) leaf.bound = fromUnits(enough());
    if (isProved(leaf, enough())) return;
    const relaxed = solveLeaf(tree, leaf, search);
    if (!relaxed) isStuck = true;
    else if (++nodes >= nextPlan && leaf.branch && !isDone()) {
      nextPlan = PLAN_INTERVAL * nodes;
      planNear(tree, relaxed, search);
    }
  };
  /** @returns the better child, with the other among the leaves */
  const divide = (leaf: Leaf, branch: Branch): Leaf => {
    leaf.parts = partsOf(tree, leaf, branch);
    for (const [side, part] of leaf.parts.entries()) {
      if (part.kept || isStuck) continue;
      solve(part);
      if (part.isSolved) learnRaise(tree, side, branch, part.bound - leaf.bound);
    }
    const [low, high] = leaf.parts;
    const [better, worse] = low.bound <= high.bound ? [low, high] : [high, low];
    add(worse);
    return better;
  };

  while (open.size() > 0 && !isStuck && !isDone() && !isProved(numbered[open.first()], enough())) {
    let leaf: Leaf | null = numbered[open.pop()];
    const farthest = leaf.bound + DIVE_SHARE * (fromUnits(enough()) - leaf.bound);
    while (leaf && !isStuck && !isDone() && !isProved(leaf, enough()) && !(leaf.bound > farthest)) {
      if (!leaf.isSolved) solve(leaf);
      else if (leaf.branch) leaf = divide(leaf, leaf.branch);
      else {
        closed.push(leaf);
        leaf = null;
      }
    }
    if (leaf) add(leaf);
  }
  return [...closed, ...Array.from(open.items(), (number) => numbered[number])];
}

/** The proved bound of all plans, units, as far as requested. */
function boundOf(list: readonly Leaf[], { enough }: BranchSearch): number {
  let bound = Number.POSITIVE_INFINITY;
  for (const leaf of list) bound = Math.min(bound, leaf.bound);
  return Math.min(enough(), provedUnits(bound, DUAL_NOISE));
}

function leafOf(
  bounds: ColumnBounds,
  fixed: ColumnBounds,
  bound: number,
  rowDual: Float64Array | null,
  kept: Leaf | null,
): Leaf {
  return { bounds, fixed, bound, rowDual, isSolved: false, branch: null, parts: null, kept };
}

function isProved({ bound }: Leaf, enough: number): boolean {
  return provedUnits(bound, DUAL_NOISE) >= enough;
}

/** Up to the value (side 0), or above it (side 1). */
function divided({ lower, upper }: ColumnBounds, { column, value }: Branch, side: number): ColumnBounds {
  const part = { lower: lower.slice(), upper: upper.slice() };
  if (side === 0) part.upper[column] = Math.min(upper[column], Math.floor(value));
  else part.lower[column] = Math.max(lower[column], Math.floor(value) + 1);
  return part;
}

function isEmpty({ lower, upper }: ColumnBounds): boolean {
  for (let c = 0; c < lower.length; c++) if (lower[c] > upper[c]) return true;
  return false;
}
