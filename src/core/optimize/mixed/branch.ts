/**
 * Branch and cut by HiGHS on the master's columns, shortages shut.
 *
 * Reduced-cost argument: with prices that prove the bound b, a plan that uses a move of reduced cost d costs at least
 * b + d. So among the moves with d ≤ L alone, a proved bound m gives min(m, b + L) over ALL moves; with L the gap of the plan in
 * hand, nothing cheaper is left out.
 *
 * Presolve is off in large models: after cuts and pricing it finds little. Without it HiGHS once called a small
 * feasible model infeasible, so it stays on in small ones, and such an answer counts only where it is given with presolve too.
 */
import { fromUnits } from '../costs.ts';
import { MOST_COLUMNS } from '../highs.ts';
import { BRANCHING_NOISE } from '../incumbent.ts';
import type { Relaxed } from './master.ts';
import type { Prices } from './pricing.ts';
import { planForWhole } from './round.ts';
import type { Context, Searched } from './search.ts';
import { fractionalColumns, movesOf } from './whole.ts';

/** Plans cost whole units, so a bound within half a unit of one is that plan's cost. */
const HALF_UNIT = fromUnits(0.5);
/** Share of the gap asked for that the heuristic stops at; the rest is left to the bound. */
const HEURISTIC_GAP_SHARE = 0.4;
const LEAST_HEURISTIC_GAP = 0.003;
const USED = 1e-6;
/** Presolve of so many columns takes some tens of milliseconds. */
const MOST_PRESOLVED = 3000;
const MOST_REPEATS = 8;

/** A plan from the columns that the relaxation uses alone: a small problem, mostly within a percent of the bound. */
export function branchAmongUsed(context: Context, relaxed: Relaxed): 'done' | 'stopped' {
  const { master, incumbent } = context;
  const lower = master.whole.lower.slice();
  const upper = master.whole.upper.slice();
  master.setWhole(
    lower,
    Float64Array.from(upper, (most, c) => (relaxed.values[c] > USED ? most : lower[c])),
  );
  const ended = runMixed(
    context,
    Math.max(LEAST_HEURISTIC_GAP, incumbent.gap * HEURISTIC_GAP_SHARE),
    'rounding',
  );
  master.setWhole(lower, upper);
  return ended.status === 'stopped' ? 'stopped' : 'done';
}

/** Branch and cut to the gap among all moves that a plan cheaper than the one in hand may use. */
export function branchWithin(context: Context, bound: number, prices: Prices): Searched {
  const { master, incumbent } = context;
  let isCeilingRow = false;
  for (let repeat = 0; repeat < MOST_REPEATS; repeat++) {
    // Stopped before there is a plan, every move would become a column.
    if (incumbent.isOver()) return 'stopped';
    const best = incumbent.best();
    const known = best ? Math.min(best.costUnits, incumbent.ceiling) : Number.POSITIVE_INFINITY;
    const limit = Math.max(0, fromUnits(known + 1) - bound);
    if (!master.addWithin(prices, limit, MOST_COLUMNS)) return 'unproved';
    if (best && best.costUnits > incumbent.ceiling && !isCeilingRow) {
      master.addCeiling(fromUnits(incumbent.ceiling + 0.5));
      isCeilingRow = true;
    }
    const mixed = runMixed(context, incumbent.gap, 'mixed_integer');
    if (mixed.status === 'infeasible') {
      if (isCeilingRow) incumbent.raiseBoundUnits(incumbent.ceiling + 1);
      return best === null || isCeilingRow ? 'infeasible' : 'unproved';
    }
    if (!isCeilingRow) incumbent.raiseBound(Math.min(mixed.bound, bound + limit), BRANCHING_NOISE);
    if (incumbent.isProved()) return 'done';
    if (mixed.status === 'stopped') return 'stopped';
    if (mixed.status === 'failed') return 'unproved';
    if (!mixed.isNew && repeat > 0) return 'unproved';
  }
  return 'unproved';
}

/** `isNew`: rows or a plan came of it that were not there before. */
function runMixed(context: Context, gap: number, method: 'rounding' | 'mixed_integer') {
  const { base, master, model, incumbent } = context;
  const before = { cost: incumbent.best()?.costUnits, rows: master.rows() };
  const run = (presolve: 'choose' | 'off') => {
    const mixed = model.runMixed({
      integerFrom: 0,
      integerTo: base.wholeColumns,
      gap,
      absoluteGap: HALF_UNIT,
      presolve,
      start: master.startOf(),
    });
    incumbent.figures.iterations += mixed.iterations;
    incumbent.figures.nodes += mixed.nodes;
    return mixed;
  };
  const isLarge = master.firstArc + master.arcs.source.length > MOST_PRESOLVED;
  master.shutShortages(true);
  let mixed = run(isLarge ? 'off' : 'choose');
  if (isLarge && mixed.status === 'infeasible') mixed = run('choose');
  master.shutShortages(false);
  if (mixed.values && fractionalColumns(base, mixed.values).length === 0) {
    if (incumbent.consider(movesOf(context, mixed.values), method)) master.keepStart(mixed.values);
    else
      planForWhole(
        context,
        Float64Array.from(mixed.values.subarray(0, base.wholeColumns), Math.round),
        method,
      );
  }
  const isNew = before.cost !== incumbent.best()?.costUnits || before.rows !== master.rows();
  return { status: mixed.status, bound: mixed.bound, isNew };
}
