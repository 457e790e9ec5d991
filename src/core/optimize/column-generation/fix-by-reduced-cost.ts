/**
 * Reduced-cost fixing: with duals that prove the bound b, a plan that uses x of a column of reduced cost d beyond the bound that b
 * prices it at costs at least b + |d| · x. So plans within `limit` of b use no move of d > limit, and no whole column farther than
 * limit / |d|. The plan in hand is left in, for branching to start from.
 */
import type { Moves } from '../problem/model.ts';
import type { Context } from './context.ts';
import { wholeColumnsOf } from './heuristics/greedy.ts';
import type { Relaxed } from './master.ts';

const NOISE = 1e-6;

/** Narrows the master's columns to plans within `limit` money above the bound of these duals. @returns what takes it back */
export function narrow(
  { problem, base, master }: Context,
  { prices, reduced }: NonNullable<Relaxed['duals']>,
  limit: number,
  plan: Moves | null,
): () => void {
  const n = problem.locationIds.length;
  const { capacityClass, source, target } = master.arcs;
  const count = source.length;
  const inPlan = new Set<number>();
  for (let m = 0; plan && m < plan.count.length; m++) {
    inPlan.add((plan.capacityClass[m] * n + plan.source[m]) * n + plan.target[m]);
  }
  const open = new Float64Array(count);
  const narrowed = new Float64Array(count);
  for (let a = 0; a < count; a++) {
    const from = capacityClass[a] * n + source[a];
    const worth = prices.atTarget[capacityClass[a] * n + target[a]] - prices.atSource[from];
    open[a] = problem.supply[from];
    const isNeeded = master.costOf(a) - worth <= limit + NOISE || inPlan.has(from * n + target[a]);
    narrowed[a] = isNeeded ? open[a] : 0;
  }
  const lower = master.whole.lower.slice();
  const upper = master.whole.upper.slice();
  master.setMostOfMoves(narrowed);
  // What the plan has in these columns is known only where they are arrivals and departures.
  if (base.firstUnmet >= 0 && !base.hasIdle) {
    const least = lower.slice();
    const most = upper.slice();
    const used = plan ? wholeColumnsOf(problem, plan) : null;
    for (let c = 0; c < base.wholeColumns; c++) {
      const steps = Math.floor((limit + NOISE) / Math.abs(reduced[c]) + NOISE);
      if (reduced[c] > 0) most[c] = Math.min(upper[c], lower[c] + steps);
      else if (reduced[c] < 0) least[c] = Math.max(lower[c], upper[c] - steps);
      if (!used) continue;
      most[c] = Math.max(most[c], used[c]);
      least[c] = Math.min(least[c], used[c]);
    }
    master.setWhole(least, most);
  }
  return () => {
    master.setMostOfMoves(open);
    master.setWhole(lower, upper);
  };
}
