/**
 * The primal network simplex on the time-expanded network: pivots on candidate moves and on staying until none
 * improves, then prices the moves of all pairs in all layers and adds the violated ones, until no move is violated.
 * Deterministic. Finite because the tree stays strongly feasible (`layered-tree.ts`). One pass over all moves is
 * O(T · pairs); all layers read the same list of pairs.
 */
import { addCandidate, type Candidates, createCandidates } from '../flow/candidates.ts';
import { rootAtZero } from '../flow/spanning-tree.ts';
import type { Control, SolveProgress } from '../run/control.ts';
import { isOver } from '../run/stopping.ts';
import { enterFewer, enterMore, enterMove, headOf, type LayeredTree, staysInTree } from './layered-tree.ts';
import { type HorizonProblem, latestArrival } from './types.ts';

/** Moves that one pass adds per location and step. */
const VIOLATED_PER_ROW = 3;
/** Pivots between two looks at stop flag and clock. */
const PIVOTS_PER_LOOK = 256;
const ROWS_PER_LOOK = 512;
const MIN_BLOCK = 16;

export type LayeredCounts = { pivots: number; pricingRounds: number; candidates: number };

export type LayeredSearch = {
  problem: HorizonProblem;
  tree: LayeredTree;
  list: Candidates;
  counts: LayeredCounts;
  control: Partial<Control<SolveProgress>>;
  /** Called after each look at the clock. */
  onProgress?: (() => void) | undefined;
};

export function createLayeredSearch(
  problem: HorizonProblem,
  tree: LayeredTree,
  control: LayeredSearch['control'],
): LayeredSearch {
  const list = createCandidates(4 * problem.n * problem.steps);
  return { problem, tree, list, counts: { pivots: 0, pricingRounds: 0, candidates: 0 }, control };
}

/** Before a pivot: the arc that enters. `sign` −1: fewer vehicles than before use it. */
export type Entering = { tail: number; head: number; sign: 1 | -1; reduced: number };

/**
 * @param isEnough called before each pivot: true ends the search
 * @returns `enough` if that did, `stopped` if the stop flag or the deadline did
 */
export function pivotLayered(
  search: LayeredSearch,
  isEnough?: (entering: Entering) => boolean,
): 'optimal' | 'enough' | 'stopped' {
  const { list, counts, control } = search;
  let first = 0;
  for (;;) {
    const ended = pivotListed(search, first, isEnough);
    rootAtZero(search.tree);
    if (ended !== 'optimal') return ended;
    // The moves that the pass adds are priced first.
    first = search.tree.root + list.count;
    const added = addViolatedMoves(search);
    counts.candidates = list.count;
    if (added < 0) return 'stopped';
    counts.pricingRounds++;
    search.onProgress?.();
    if (added === 0) return 'optimal';
    if (isOver(control)) return 'stopped';
  }
}

/** Positions: staying at every node, then the listed moves. */
function pivotListed(
  search: LayeredSearch,
  first: number,
  isEnough?: (entering: Entering) => boolean,
): 'optimal' | 'enough' | 'stopped' {
  const { tree, list, counts, control } = search;
  const { from, to, cost } = list;
  const { potential, root, segments, level } = tree;
  const { starts, slope } = segments;
  const count = root + list.count;
  const block = Math.max(MIN_BLOCK, Math.ceil(Math.sqrt(count)));
  let at = first < count ? first : 0;
  let priced = 0;
  while (priced < count) {
    const end = Math.min(at + block, count);
    let worst = 0;
    let entering = -1;
    for (let a = at; a < Math.min(end, root); a++) {
      const difference = potential[a] - potential[Math.min(a + tree.n, root)];
      const s = level[a];
      // Inside the tree a segment has the reduced cost 0, and those beside it are on the right side.
      if (s < starts[a + 1] && slope[s] + difference < worst && !staysInTree(tree, a)) {
        worst = slope[s] + difference;
        entering = a;
      } else if (s > starts[a] && -(slope[s - 1] + difference) < worst && !staysInTree(tree, a)) {
        worst = -(slope[s - 1] + difference);
        entering = a;
      }
    }
    for (let a = Math.max(at, root); a < end; a++) {
      const reduced = cost[a - root] + potential[from[a - root]] - potential[to[a - root]];
      if (reduced < worst) {
        worst = reduced;
        entering = a;
      }
    }
    priced += end - at;
    at = end === count ? 0 : end;
    if (entering < 0) continue;
    if (isEnough?.(enteringAt(search, entering, worst))) return 'enough';
    enter(search, entering, worst);
    priced = 0;
    if (++counts.pivots % PIVOTS_PER_LOOK === 0) {
      search.onProgress?.();
      if (isOver(control)) return 'stopped';
    }
  }
  return 'optimal';
}

function isMore({ tree }: LayeredSearch, u: number): boolean {
  const { segments, level, potential } = tree;
  const s = level[u];
  if (s >= segments.starts[u + 1]) return false;
  return segments.slope[s] + potential[u] - potential[headOf(tree, u)] < 0;
}

function enteringAt(search: LayeredSearch, position: number, reduced: number): Entering {
  const { tree, list } = search;
  if (position >= tree.root) {
    const a = position - tree.root;
    return { tail: list.from[a], head: list.to[a], sign: 1, reduced };
  }
  const sign = isMore(search, position) ? 1 : -1;
  return { tail: position, head: headOf(tree, position), sign, reduced };
}

function enter(search: LayeredSearch, position: number, worst: number): void {
  const { tree, list } = search;
  if (position >= tree.root) {
    const a = position - tree.root;
    enterMove(tree, list.from[a], list.to[a], list.cost[a], worst);
  } else if (isMore(search, position)) enterMore(tree, position, worst);
  else enterFewer(tree, position, -worst);
}

/** Adds the most violated moves of each location and step. @returns how many; −1 if time is up */
function addViolatedMoves({ problem, tree, list, control }: LayeredSearch): number {
  const { n, steps, pairs } = problem;
  const { starts, targets, units, delay } = pairs;
  const { potential } = tree;
  const latest = latestArrival(problem);
  const before = list.count;
  const reduced = new Float64Array(VIOLATED_PER_ROW);
  const arcs = new Int32Array(VIOLATED_PER_ROW);
  for (let u = 0; u < steps * n; u++) {
    if (u % ROWS_PER_LOOK === 0 && isOver(control)) return -1;
    const i = u % n;
    const t = (u - i) / n;
    const own = potential[u];
    let count = 0;
    let limit = 0;
    for (let a = starts[i]; a < starts[i + 1]; a++) {
      const arrival = t + delay[a];
      if (arrival > latest) continue;
      const r = units[a] + own - potential[Math.min(arrival, steps) * n + targets[a]];
      if (r >= limit) continue;
      let at = count < VIOLATED_PER_ROW ? count++ : VIOLATED_PER_ROW - 1;
      while (at > 0 && reduced[at - 1] > r) {
        reduced[at] = reduced[at - 1];
        arcs[at] = arcs[at - 1];
        at--;
      }
      reduced[at] = r;
      arcs[at] = a;
      if (count === VIOLATED_PER_ROW) limit = reduced[VIOLATED_PER_ROW - 1];
    }
    for (let c = 0; c < count; c++) {
      const a = arcs[c];
      const arrival = Math.min(steps, t + delay[a]);
      addCandidate(list, u, arrival * n + targets[a], units[a]);
    }
  }
  return list.count - before;
}
