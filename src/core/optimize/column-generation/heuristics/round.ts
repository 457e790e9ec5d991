/**
 * Plans for integer columns. With one class a vertex of the relaxation has as many fractional steps as rows join the locations
 * (service level, fleet size), on a cycle of moves: rounded up there is one vehicle more than the bound has, so the plan is within about
 * one move of it.
 */
import type { Method } from '../../problem/incumbent.ts';
import type { Context } from '../context.ts';
import { movesOf } from '../integer-columns.ts';
import { integerColumnsOf, planGreedily } from './greedy.ts';

/** A value this close above a whole number is that number. */
const ROUNDING_NOISE = 1e-6;

/** The cheapest moves for the integer columns rounded up: a transportation problem over all moves. */
export function roundUp(context: Context, values: Float64Array): void {
  const whole = new Float64Array(context.base.integerColumns);
  for (let c = 0; c < whole.length; c++) whole[c] = Math.ceil(values[c] - ROUNDING_NOISE);
  planForIntegers(context, whole, 'rounding');
}

/** A greedy plan on top of what the relaxation moves, then the cheapest moves for the vehicles that it has arrive and leave. */
export function roundGreedily(context: Context, values: Float64Array): void {
  const { problem, base, master, incumbent } = context;
  const moves = planGreedily(problem, master, values, incumbent.isOver);
  if (!moves || !incumbent.consider(moves, 'rounding') || base.hasIdle) return;
  planForIntegers(context, integerColumnsOf(problem, moves), 'rounding');
}

/** The cheapest plan with these integer columns, if it exists, is considered. Leaves the columns' bounds as they were. */
export function planForIntegers(context: Context, whole: Float64Array, method: Method): void {
  const { master, incumbent } = context;
  const { lower, upper } = master.whole;
  const before = [lower.slice(), upper.slice()];
  master.setIntegerBounds(whole, whole);
  const relaxed = master.relax();
  if (relaxed.status === 'optimal' && !relaxed.hasArtificialColumns) {
    if (incumbent.consider(movesOf(context, relaxed.values), method)) master.keepStart(relaxed.values);
  }
  master.setIntegerBounds(before[0], before[1]);
}
