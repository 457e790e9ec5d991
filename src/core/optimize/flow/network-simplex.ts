/**
 * Primal network simplex: pivots on candidate arcs until none improves, then prices all arcs and adds the violated
 * ones, until no arc is violated. The last pass over all arcs finds none; that is the optimality test.
 *
 * Block search: the most violated of √m arcs enters; the next search continues where this one ended.
 * Deterministic. Finite because the tree stays strongly feasible (see `spanning-tree.ts`).
 * Reference: Kovács, Minimum-cost flow algorithms: an experimental evaluation (2015), §3.
 */
import { UNKNOWN_PROGRESS } from '../run/control.ts';
import { checkOf, isOver, untilOutOfTime } from '../run/stopping.ts';
import type { ArcSet } from './arc-set.ts';
import type { Candidates } from './candidates.ts';
import { artificialNode, pivot, rootAtZero, type SpanningTree } from './spanning-tree.ts';
import type { FlowControl, FlowCounts } from './types.ts';

/** Pivots between two looks at stop flag and clock. */
const PIVOTS_PER_LOOK = 256;

const MIN_BLOCK = 16;

export type SimplexSearch = {
  tree: SpanningTree;
  list: Candidates;
  arcs: ArcSet;
  counts: Pick<FlowCounts, 'pivots' | 'pricingRounds' | 'candidates'>;
  control: FlowControl;
};

/**
 * @param endsUnserved whether the search ends without the optimum as soon as candidates leave units unserved
 * @returns false if the stop flag or the deadline ended the search
 */
export function pivotToOptimum(
  search: SimplexSearch,
  sources: Int32Array,
  sinks: Int32Array,
  endsUnserved = false,
): boolean {
  const { tree, list, arcs, counts, control } = search;
  const check = checkOf(control);
  let first = 0;
  for (;;) {
    if (!pivotCandidates(search, first)) return false;
    if (endsUnserved && artificialFlow(tree) > 0) return true;
    first = list.count;
    counts.pricingRounds++;
    let added = 0;
    const isPriced = untilOutOfTime(() => {
      added = arcs.addViolated(list, tree, sources, sinks, check);
    });
    counts.candidates = list.count;
    if (!isPriced) return false;
    report(search);
    if (added === 0) return true;
    if (isOver(control)) return false;
  }
}

/**
 * Pivots until no candidate is violated, beginning with the one at `first`.
 * @param isEnough called before each pivot on the entering arc: true ends the search
 * @returns false if the stop flag or the deadline ended the search
 */
export function pivotCandidates(
  search: SimplexSearch,
  first: number,
  isEnough?: (arc: number) => boolean,
): boolean {
  const isDone = pivotAmong(search, first, isEnough);
  rootAtZero(search.tree);
  return isDone;
}

function pivotAmong(search: SimplexSearch, first: number, isEnough?: (arc: number) => boolean): boolean {
  const { tree, list, counts, control } = search;
  const { from, to, cost, count } = list;
  const { potential } = tree;
  const block = Math.max(MIN_BLOCK, Math.ceil(Math.sqrt(count)));
  let at = first < count ? first : 0;
  let priced = 0;
  while (priced < count) {
    const end = Math.min(at + block, count);
    let least = 0;
    let entering = -1;
    for (let a = at; a < end; a++) {
      const reduced = cost[a] + potential[from[a]] - potential[to[a]];
      if (reduced < least) {
        least = reduced;
        entering = a;
      }
    }
    priced += end - at;
    at = end === count ? 0 : end;
    if (entering < 0) continue;
    if (isEnough?.(entering)) return true;
    pivot(tree, from[entering], to[entering], cost[entering], least);
    priced = 0;
    if (++counts.pivots % PIVOTS_PER_LOOK === 0) {
      report(search);
      if (isOver(control)) return false;
    }
  }
  return true;
}

export function report({ tree, counts, control }: SimplexSearch): void {
  control.onProgress?.({
    ...UNKNOWN_PROGRESS,
    iterations: counts.pivots,
    incumbentUnits: artificialFlow(tree) > 0 ? null : treeCost(tree),
  });
}

/** Units that no allowed move serves. */
export function artificialFlow({ n, parent, flow }: SpanningTree): number {
  const artificial = artificialNode(n);
  let units = parent[artificial] >= 0 && parent[artificial] < n ? flow[artificial] : 0;
  for (let i = 0; i < n; i++) if (parent[i] === artificial) units += flow[i];
  return units;
}

/** Cost of the tree's flow, without the units on the artificial node. */
export function treeCost({ n, parent, flow, cost }: SpanningTree): number {
  const artificial = artificialNode(n);
  let total = 0;
  for (let v = 0; v < parent.length; v++) {
    if (v !== artificial && parent[v] >= 0 && parent[v] !== artificial) total += flow[v] * cost[v];
  }
  return total;
}
