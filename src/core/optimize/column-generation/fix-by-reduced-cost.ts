/**
 * Reduced-cost fixing: with duals that prove the bound b, a plan that moves a column of reduced cost d by x away from
 * the bound at which b counts it costs at least b + |d| · x. So plans within `limit` of b use no move of d > limit,
 * and move no integer column farther than limit / |d|. The best plan stays feasible, so that branching can start from
 * it.
 */
import type { Moves } from '../problem/model.ts';
import type { Context } from './context.ts';
import { integerColumnsOf } from './heuristics/greedy.ts';
import { costOfColumn, type Relaxed, setIntegerBounds, setMoveBounds } from './master.ts';

const NOISE = 1e-6;

/** Bounds of the integer columns. */
type ColumnBounds = { lower: Float64Array; upper: Float64Array };

/**
 * Excludes the values of integer columns that cost more than `limit` (money) above the bound proved by these reduced
 * costs.
 */
function fixColumns({ lower, upper }: ColumnBounds, reduced: Float64Array, limit: number): void {
  for (let c = 0; c < lower.length; c++) {
    if (reduced[c] === 0) continue;
    const steps = Math.floor((limit + NOISE) / Math.abs(reduced[c]) + NOISE);
    if (reduced[c] > 0) upper[c] = Math.min(upper[c], lower[c] + steps);
    else lower[c] = Math.max(lower[c], upper[c] - steps);
  }
}

/**
 * Restricts the master's columns to plans within `limit` (money) above the bound of these duals.
 * @returns a function that lifts the restriction
 */
export function fixByReducedCost(
  { problem, base, master }: Context,
  { prices, reduced }: NonNullable<Relaxed['duals']>,
  limit: number,
  plan: Moves | null,
): () => void {
  const n = problem.locationIds.length;
  const { capacityClass, source, target } = master.columns.arcs;
  const count = source.length;
  const inPlan = new Set<number>();
  for (let m = 0; plan && m < plan.count.length; m++) {
    inPlan.add((plan.capacityClass[m] * n + plan.source[m]) * n + plan.target[m]);
  }
  const open = new Float64Array(count);
  const mostInReach = new Float64Array(count);
  for (let a = 0; a < count; a++) {
    const from = capacityClass[a] * n + source[a];
    const worth = prices.atTarget[capacityClass[a] * n + target[a]] - prices.atSource[from];
    open[a] = problem.supply[from];
    const isNeeded = costOfColumn(master, a) - worth <= limit + NOISE || inPlan.has(from * n + target[a]);
    mostInReach[a] = isNeeded ? open[a] : 0;
  }
  const lower = master.whole.lower.slice();
  const upper = master.whole.upper.slice();
  setMoveBounds(master, mostInReach);
  // The plan's values of these columns are known only if they are arrivals and departures.
  if (base.firstUnmet >= 0 && !base.hasIdle) {
    const fixed = { lower: lower.slice(), upper: upper.slice() };
    fixColumns(fixed, reduced, limit);
    const used = plan ? integerColumnsOf(problem, plan) : null;
    for (let c = 0; used && c < base.integerColumns; c++) {
      fixed.upper[c] = Math.max(fixed.upper[c], used[c]);
      fixed.lower[c] = Math.min(fixed.lower[c], used[c]);
    }
    setIntegerBounds(master, fixed.lower, fixed.upper);
  }
  return () => {
    setMoveBounds(master, open);
    setIntegerBounds(master, lower, upper);
  };
}
