/**
 * Checks what a plan says its unmet demand costs, from the request alone; shares no code with the solver.
 *
 * If all vehicles present may serve, that cost is Σ cost · max(0, demand − capacity present). If `total_fleet_size`
 * allows fewer and the dearest demand alone keeps the service level and the priority levels, they serve the dearest
 * demand. Otherwise which of them serve is a knapsack: the stated cost is then checked against a lower bound and
 * against the cost of one choice, which are about one vehicle apart.
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

/** Rounds of the search for prices, if there are several. */
const ROUNDS = 4;

/** A vehicle that serves `gain` demand of a priority level, which would cost `worth` if it were not served. */
type Serving = { gain: number; worth: number; level: number };

/**
 * What the counted vehicles serve of a priority level and of all higher ones: at least `least`, and no plan has to
 * serve more than `most`. Level 0 is the service level.
 */
type Need = { level: number; least: number; most: number };

/** The levels of a plan, the highest first, and the level of each location that has one. */
export type StatedLevels = {
  levels: readonly { level: number; served: number }[];
  levelOf: ReadonlyMap<number, number>;
  /** The most that a plan may lack of a level and all higher ones; Infinity if that is not known. */
  tolerance: number;
};

/**
 * @param present capacities of the vehicles after the moves, by location
 * @param demand by location
 * @param level service level that the plan has to keep
 * @param stated what it says of priority levels
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
  { levels, levelOf, tolerance: mayMiss }: StatedLevels,
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
      serving.push({ gain, worth: each * gain, level: levelOf.get(location) ?? 0 });
      open -= capacity;
    }
  }
  const noise = LEVEL_TOLERANCE * total;
  const needs: Need[] = [];
  let served = 0;
  for (const stated of levels) {
    served += stated.served;
    needs.push({ level: stated.level, least: Math.max(0, served - mayMiss - noise), most: served - noise });
  }
  const required = level * total - noise;
  needs.push({ level: 0, least: required, most: required });
  const { least, most } = costRange(serving, total_fleet_size, needs, all);
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
function costRange(serving: readonly Serving[], counted: number, needs: readonly Need[], all: number) {
  const sum = (taken: readonly Serving[], value: (one: Serving) => number) =>
    taken.reduce((so, one) => so + value(one), 0);
  const choose = (value: (one: Serving) => number) =>
    counted >= serving.length ? serving : serving.toSorted((a, b) => value(b) - value(a)).slice(0, counted);
  const costOf = (taken: readonly Serving[]) => Math.max(0, all - sum(taken, ({ worth }) => worth));
  const servedFrom = (taken: readonly Serving[], from: number) =>
    sum(taken, ({ gain, level }) => (level >= from ? gain : 0));
  const keeps = (taken: readonly Serving[], { level, most }: Need) => servedFrom(taken, level) >= most;
  const dearest = choose(({ worth, gain }) => worth + gain * 1e-12);
  if (counted >= serving.length || needs.every((need) => keeps(dearest, need)))
    return { least: costOf(dearest), most: costOf(dearest) };
  // Any prices of served demand give a bound; the smallest ones that serve enough give the best.
  const prices = needs.map(() => 0);
  const at = ({ worth, gain, level }: Serving) =>
    needs.reduce((so, need, n) => (level >= need.level ? so + prices[n] * gain : so), worth);
  let least = costOf(dearest);
  let most = costOf(largestFirst(serving, counted, needs));
  for (let round = 0; round < (needs.length > 1 ? ROUNDS : 1); round++) {
    for (const [n, need] of needs.entries()) {
      let [low, high] = [0, 1e12];
      for (let step = 0; step < 100; step++) {
        prices[n] = step < 30 ? 1e12 / 4 ** step : (low + high) / 2;
        const taken = choose(at);
        const paid = needs.reduce((so, { least: from }, m) => so + prices[m] * from, 0);
        least = Math.max(least, all - (sum(taken, at) - paid));
        if (needs.every((one) => keeps(taken, one))) most = Math.min(most, costOf(taken));
        if (keeps(taken, need)) high = Math.min(high, prices[n]);
        else low = Math.max(low, prices[n]);
      }
      prices[n] = high;
    }
  }
  return { least: Math.min(least, most), most };
}

/** A choice that serves what is needed: the fewest vehicles for each level, then the largest of the rest. */
function largestFirst(serving: readonly Serving[], counted: number, needs: readonly Need[]): Serving[] {
  const taken: Serving[] = [];
  let open = serving.toSorted((a, b) => b.gain - a.gain);
  let served = 0;
  for (const { level, most } of needs) {
    const enough = level === 0 ? Number.POSITIVE_INFINITY : most;
    const rest: Serving[] = [];
    for (const one of open) {
      if (one.level < level || served >= enough || taken.length >= counted) rest.push(one);
      else {
        taken.push(one);
        served += one.gain;
      }
    }
    open = rest;
  }
  return taken;
}
