/**
 * Plans for integer columns. With one class, a vertex of the relaxation has as many fractional steps as there are
 * rows that link the locations (service level, fleet size), on a cycle of moves. Rounding up adds one vehicle to the
 * bound's solution, so the plan is within about one move of the bound.
 */
import type { Method } from '../../problem/incumbent.ts';
import type { Moves } from '../../problem/model.ts';
import { hasLocationBounds } from '../../problem/variants.ts';
import type { Context } from '../context.ts';
import { hasFlowRelaxation } from '../flow-relaxation.ts';
import { movesOf } from '../integer-columns.ts';
import { priceOfService, type Relaxed, relaxMaster, setIntegerBounds } from '../master.ts';
import { draftGreedily, integerColumnsOf } from './greedy.ts';
import { canImprove } from './improve.ts';
import { planByNumbers } from './round-numbers.ts';

/** A value this close above a whole number counts as that number. */
const ROUNDING_NOISE = 1e-6;

/** The cheapest moves for the integer columns rounded up: a transportation problem over all moves. */
export function roundUp(context: Context, values: Float64Array): void {
  const whole = new Float64Array(context.base.integerColumns);
  for (let c = 0; c < whole.length; c++) whole[c] = Math.ceil(values[c] - ROUNDING_NOISE);
  planForIntegers(context, whole, 'rounding');
}

/**
 * A greedy plan that extends the relaxation's moves, then the cheapest moves for its arrivals and departures. If the
 * moves do not suffice, a plan from rounded numbers of vehicles.
 * With bounds per location the local search, which goes on from here, finds the cheapest moves in a tenth of the time.
 * @returns moves for it to start from, which may break these bounds or serve too little; null: it has to start from the
 *   best plan
 */
export function roundGreedily(context: Context, relaxed: Relaxed): Moves | null {
  const { problem, base, master, incumbent } = context;
  const { values, duals } = relaxed;
  const price = priceOfService(base, relaxed);
  const draft = draftGreedily(problem, master, values, incumbent.isOver, price);
  if (!draft) return null;
  const isPlan = draft.isPlan && incumbent.consider(draft.moves, 'rounding');
  const isRounded =
    !isPlan &&
    duals !== null &&
    hasFlowRelaxation(problem, base) &&
    incumbent.consider(planByNumbers(problem, values, duals.prices.atSource, price, incumbent), 'rounding');
  if (isRounded) return null;
  if (hasLocationBounds(problem) && canImprove(problem)) return draft.moves;
  if (isPlan && !base.hasIdle) planForIntegers(context, integerColumnsOf(problem, draft.moves), 'rounding');
  return null;
}

/** Considers the cheapest plan with these integer columns, if it exists. Restores the columns' bounds afterwards. */
export function planForIntegers(context: Context, whole: Float64Array, method: Method): void {
  const { master, incumbent } = context;
  const { lower, upper } = master.whole;
  const before = [lower.slice(), upper.slice()];
  setIntegerBounds(master, whole, whole);
  const relaxed = relaxMaster(master);
  if (relaxed.status === 'optimal' && !relaxed.hasArtificialColumns) {
    if (incumbent.consider(movesOf(context, relaxed.values), method)) master.start = relaxed.values;
  }
  setIntegerBounds(master, before[0], before[1]);
}
