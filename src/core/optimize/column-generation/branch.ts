/**
 * Branch and cut by HiGHS on the master's columns, artificial columns fixed at 0.
 *
 * Reduced-cost argument: with prices that prove the bound b, a plan that uses a move of reduced cost d costs at least
 * b + d. So among the moves with d ≤ L alone, a proved bound m gives min(m, b + L) over ALL moves. L is the increase
 * of the bound that proves the best plan within the requested gap; with a gap of 0 no cheaper plan is excluded.
 * Integer columns are fixed in the same way (`fix-by-reduced-cost.ts`).
 *
 * Moves are declared integer too, though this is not necessary: HiGHS can then fix them by their reduced costs, and
 * branch on cycles of them.
 */

import { MAX_COLUMNS } from '../highs/highs.ts';
import { fromUnits } from '../problem/costs.ts';
import { BRANCHING_NOISE, provedWithin } from '../problem/incumbent.ts';
import { hasOtherCosts } from '../problem/moving-cost.ts';
import type { Context, Searched } from './context.ts';
import { fixByReducedCost } from './fix-by-reduced-cost.ts';
import { planForIntegers } from './heuristics/round.ts';
import { fractionalColumns, movesOf } from './integer-columns.ts';
import {
  addCeiling,
  addMovesWithin,
  fixArtificialColumns,
  type Relaxed,
  setIntegerBounds,
  startOf,
} from './master.ts';

/** Share of the requested gap at which the heuristic stops; the rest is left to the bound. */
const HEURISTIC_GAP_SHARE = 0.4;
const MIN_HEURISTIC_GAP = 0.003;
/** More than `incumbent.ts` subtracts from a bound of branching. */
const BOUND_MARGIN = 2 * BRANCHING_NOISE;
const USED = 1e-6;
const MAX_REPEATS = 8;

/**
 * A plan from only the columns that the relaxation uses: a small problem, in most cases within a percent of the
 * bound.
 */
export function branchAmongUsed(context: Context, relaxed: Relaxed): 'done' | 'stopped' {
  const { master, incumbent } = context;
  const lower = master.whole.lower.slice();
  const upper = master.whole.upper.slice();
  setIntegerBounds(
    master,
    lower,
    Float64Array.from(upper, (most, c) => (relaxed.values[c] > USED ? most : lower[c])),
  );
  const ended = runMixed(
    context,
    Math.max(MIN_HEURISTIC_GAP, incumbent.gap * HEURISTIC_GAP_SHARE),
    'rounding',
  );
  setIntegerBounds(master, lower, upper);
  return ended.status === 'stopped' ? 'stopped' : 'done';
}

/** Branch and cut to the gap, among all moves that a plan cheaper than the best one may use. */
export function branchWithin(context: Context, relaxed: Relaxed): Searched {
  const { bound, duals } = relaxed;
  if (!duals) return 'unproved';
  const { problem, master, incumbent } = context;
  let isCeilingRow = false;
  // The plan of the least objective may be above the ceiling, although others are not.
  const limitsOtherwise = hasOtherCosts(problem) && incumbent.ceiling !== Number.POSITIVE_INFINITY;
  for (let repeat = 0; repeat < MAX_REPEATS; repeat++) {
    // Without a plan every move would become a column, so this stops first.
    if (incumbent.isOver()) return 'stopped';
    const best = incumbent.best();
    const isAllowed = best !== null && best.costUnits <= incumbent.ceiling;
    const known = knownUnits(context);
    // A bound this high proves the best plan, so moves used only by dearer plans are excluded.
    const enough = isAllowed ? known * (1 - incumbent.gap) * (1 + BOUND_MARGIN) : known;
    const limit = Math.max(0, fromUnits(enough + 1) - bound);
    if (!addMovesWithin(master, duals.prices, limit, MAX_COLUMNS)) return 'unproved';
    if (!isCeilingRow && (limitsOtherwise || (best && !isAllowed))) {
      addCeiling(master, fromUnits(incumbent.ceiling + 0.5));
      isCeilingRow = true;
    }
    const reopen = fixByReducedCost(context, duals, limit, isAllowed ? best.moves : null);
    const mixed = runMixed(context, incumbent.gap, 'mixed_integer');
    reopen();
    if (mixed.status === 'infeasible') {
      if (isCeilingRow && !limitsOtherwise) incumbent.raiseBoundUnits(incumbent.ceiling + 1);
      return best === null || (isCeilingRow && !isAllowed) ? 'infeasible' : 'unproved';
    }
    if (!isCeilingRow || limitsOtherwise)
      incumbent.raiseBound(Math.min(mixed.bound, bound + limit), BRANCHING_NOISE);
    if (incumbent.isProved()) return 'done';
    if (mixed.status === 'stopped') return 'stopped';
    if (mixed.status === 'failed') return 'unproved';
    if (!mixed.isNew && repeat > 0) return 'unproved';
  }
  return 'unproved';
}

/**
 * An objective, in units, that the best plan within the ceiling does not exceed; Infinity if none is known. Without
 * costs beside moving every plan within the ceiling is as cheap as that.
 */
function knownUnits({ problem, incumbent }: Context): number {
  const best = incumbent.best();
  if (!best) return Number.POSITIVE_INFINITY;
  if (best.costUnits <= incumbent.ceiling) return best.objectiveUnits;
  return hasOtherCosts(problem) ? Number.POSITIVE_INFINITY : incumbent.ceiling;
}

/** `isNew`: the run found a new plan or added rows. */
function runMixed(context: Context, gap: number, method: 'rounding' | 'mixed_integer') {
  const { problem, base, master, model, incumbent } = context;
  const before = { objective: incumbent.best()?.objectiveUnits, rows: master.rows.count() };
  fixArtificialColumns(master, true);
  const mixed = model.runMixed({
    integerFrom: 0,
    integerTo: base.integerColumns,
    moreIntegersFrom: master.firstArc,
    gap,
    absoluteGap: provedWithin(problem),
    start: startOf(master),
  });
  fixArtificialColumns(master, false);
  incumbent.figures.iterations += mixed.iterations;
  incumbent.figures.nodes += mixed.nodes;
  if (mixed.values && fractionalColumns(base, mixed.values).length === 0) {
    if (incumbent.consider(movesOf(context, mixed.values), method)) master.start = mixed.values;
    else
      planForIntegers(
        context,
        Float64Array.from(mixed.values.subarray(0, base.integerColumns), Math.round),
        method,
      );
  }
  const isNew = before.objective !== incumbent.best()?.objectiveUnits || before.rows !== master.rows.count();
  return { status: mixed.status, bound: mixed.bound, isNew };
}
