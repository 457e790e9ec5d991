/**
 * Checks what a plan says its unmet demand costs, from the request alone; shares no code with the solver.
 *
 * If all vehicles present may serve, that cost is Σ cost · max(0, demand − capacity present). If `total_fleet_size`
 * allows fewer and the dearest demand alone keeps the service level, they serve the dearest demand. Otherwise which of
 * them serve is a knapsack: the stated cost is then checked against a lower bound and against the cost of one choice,
 * which are about one vehicle apart.
 */
import type { OptimizationResult, OptimizeRequest } from '../../../contracts/optimize.ts';

const UNIT = 1e-4;
/** Relative errors of a stated cost, and of the sums that it is a difference of. */
const RELATIVE = 1e-9;
const SUMS = 1e-12;
/** Share of a unit that rounding up may leave out. */
const ROUNDING = 0.02;
/** Twice that of the service level: it may be missed by 1e-9 of total demand. */
const LEVEL_TOLERANCE = 2e-9;

/** A vehicle that serves `gain` demand, which would cost `worth` if it were not served. */
type Serving = { gain: number; worth: number };

/**
 * @param present capacities of the vehicles after the moves, by location
 * @param demand by location
 * @param level service level that the plan has to keep
 */
export function verifyUnmetCost(
  { kpis }: OptimizationResult,
  {
    unmet_demand_cost: stated,
    total_fleet_size = Number.POSITIVE_INFINITY,
  }: NonNullable<OptimizeRequest['constraints']>,
  present: ReadonlyMap<number, readonly number[]>,
  demand: ReadonlyMap<number, number>,
  level: number,
  complain: (message: string) => void,
): void {
  const given = kpis.unmet_demand_cost;
  if (stated === undefined || stated === null) {
    if (given !== undefined) complain(`kpis.unmet_demand_cost is ${given}, and unmet demand costs nothing`);
    return;
  }
  const serving: Serving[] = [];
  let all = 0;
  let total = 0;
  for (const [location, wanted] of demand) {
    const each = typeof stated === 'object' ? (stated[`${location}`] ?? stated.default ?? 0) : stated;
    let open = wanted;
    total += wanted;
    all += each * wanted;
    for (const capacity of (present.get(location) ?? []).toSorted((a, b) => b - a)) {
      if (open <= 0) break;
      const gain = Math.min(open, capacity);
      serving.push({ gain, worth: each * gain });
      open -= capacity;
    }
  }
  const { least, most } = costRange(serving, total_fleet_size, (level - LEVEL_TOLERANCE) * total, all);
  const tolerance = RELATIVE * (1 + most) + SUMS * all;
  if (
    !(
      given !== undefined &&
      given >= least - ROUNDING * UNIT - tolerance &&
      given < most + (1 - ROUNDING / 4) * UNIT + tolerance
    )
  ) {
    const range = least === most ? `${least}` : `between ${least} and ${most}`;
    complain(`kpis.unmet_demand_cost is ${given} instead of ${range} rounded up to ${UNIT}`);
    return;
  }
  if (Math.abs(given / UNIT - Math.round(given / UNIT)) > 1e-6 * Math.max(1, given * 1e-2))
    complain(`kpis.unmet_demand_cost is ${given}, which is no whole number of ${UNIT}`);
}

/** Bounds of the least cost of the demand that at most `counted` of these vehicles leave unserved. */
function costRange(serving: readonly Serving[], counted: number, required: number, all: number) {
  const sum = (taken: readonly Serving[], value: (one: Serving) => number) =>
    taken.reduce((so, one) => so + value(one), 0);
  const choose = (value: (one: Serving) => number) =>
    counted >= serving.length ? serving : serving.toSorted((a, b) => value(b) - value(a)).slice(0, counted);
  const costOf = (taken: readonly Serving[]) => Math.max(0, all - sum(taken, ({ worth }) => worth));
  const isEnough = (taken: readonly Serving[]) => sum(taken, ({ gain }) => gain) >= required;
  const dearest = choose(({ worth, gain }) => worth + gain * 1e-12);
  if (counted >= serving.length || isEnough(dearest))
    return { least: costOf(dearest), most: costOf(dearest) };
  // Any price of served demand gives a bound; the smallest one that serves enough gives the best.
  const at = (price: number) => (one: Serving) => one.worth + price * one.gain;
  let least = costOf(dearest);
  let most = costOf(choose(({ gain }) => gain));
  let [low, high] = [0, 1e12];
  for (let step = 0; step < 100; step++) {
    const price = step < 30 ? 1e12 / 4 ** step : (low + high) / 2;
    const taken = choose(at(price));
    least = Math.max(least, all - (sum(taken, at(price)) - price * required));
    if (isEnough(taken)) {
      high = Math.min(high, price);
      most = Math.min(most, costOf(taken));
    } else low = Math.max(low, price);
  }
  return { least: Math.min(least, most), most };
}
