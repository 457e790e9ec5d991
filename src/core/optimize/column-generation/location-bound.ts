/**
 * A bound on the cost of every plan from prices of vehicles and of service, with whole vehicles at each location.
 *
 * At prices a_ik ≥ 0 of vehicles of class k that leave i, and p ≥ 0 of a unit of unmet demand, locations no longer
 * depend on each other: a vehicle that arrives at j costs v_jk = min_i (a_ik + c_ij), so no plan costs less than
 *
 *   Σ_j min { Σ_k v_jk in_k − a_jk out_k + (p + cost of unmet_j) max(0, D_j − Σ_k cap_k (s + in − out)_k) } − p U
 *
 * over whole numbers in_k ≥ 0 and 0 ≤ out_k ≤ s_jk, where U is the demand that may be unmet. With the same prices that
 * is at least what the duals of a linear programme prove, whatever cuts of single locations it has: no cut has to be
 * found. For given a the best p is found by tangents, since the bound is concave in p.
 *
 * Capacities are whole multiples of a unit, so the least cost of each capacity at a location is a knapsack of at most
 * s_jk vehicles that stay and any number that arrive.
 * O(n² K) for the costs, O(D_j K log s) per location, then O(D_j) per price.
 * Reference: Geoffrion, Lagrangean relaxation for integer programming (1974).
 */
import { fromUnits, UNITS_PER_COST } from '../problem/costs.ts';
import type { Problem } from '../problem/model.ts';
import { isAllowed } from '../problem/network.ts';
import { leastServed, totalDemand } from '../problem/service-level.ts';
import { costOfOneMore } from './cost-of-one-more.ts';
import type { Prices } from './pricing.ts';

/** The smallest class has at most so many units of capacity. */
const MAX_UNITS = 100;
/** Units of all locations: their costs take 32 MB. */
const MAX_TABLE = 4_000_000;
const UNIT_NOISE = 1e-12;
/** Relative to the sum of all terms, of which the bound is a difference. */
const SUM_NOISE = 1e-12;
const MAX_PRICES = 40;
/** The search for p ends when it can gain less than this share. */
const MIN_GAIN = 1e-6;
/** Locations between two looks at the clock. */
const LOCATIONS_PER_LOOK = 256;

/** `unmet`: demand that the minima leave unmet; `terms`: at least the sum of the absolute values of all terms. */
type Proved = { bound: number; unmet: number; terms: number };

/**
 * @param prices of a relaxation, in money; those at targets raise those of vehicles that leave
 * @param price a price p to begin with, in units per demand
 * @param check called every few milliseconds
 * @returns in money; null if capacities have no common unit that is large enough
 * @throws what `check` throws
 */
export function boundByLocations(
  problem: Problem,
  prices: Prices,
  price: number,
  check: () => void,
): number | null {
  const { demand, unmetCost } = problem;
  const total = totalDemand(demand);
  const mayMiss = total - leastServed(problem);
  const dearest = UNITS_PER_COST * (unmetCost?.reduce((most, cost) => Math.max(most, cost), 0) ?? 0);
  const table = tableOf(problem, leavingPrices(problem, prices, check), check);
  if (!table) return null;
  const provedBy = (p: number): Proved => {
    check();
    const { cost, unmet } = minimumOf(problem, table, p);
    const terms = cost + table.leaving + (p + dearest) * total;
    return { bound: cost - table.leaving - p * mayMiss, unmet, terms };
  };
  const best = highestOf(provedBy, Math.max(0, price), mayMiss);
  return fromUnits(best.bound - SUM_NOISE * best.terms);
}

/**
 * K × n: prices a in units, such that no vehicle gains by moving. In a linear programme the bound of a move may hold
 * what else a vehicle is worth at its source.
 */
function leavingPrices(problem: Problem, { atSource, atTarget }: Prices, check: () => void): Float64Array {
  const { supply, demand, network, limits } = problem;
  const n = demand.length;
  const { costUnits } = network;
  const prices = atSource.map((money) => Math.max(0, money * UNITS_PER_COST));
  const worth = atTarget.map((money, at) => (demand[at % n] > 0 ? money * UNITS_PER_COST : 0));
  for (let at = 0; at < supply.length; at++) {
    if (at % LOCATIONS_PER_LOOK === 0) check();
    if (supply[at] === 0) continue;
    const i = at % n;
    const first = at - i;
    const row = i * n;
    for (let j = 0; j < n; j++) {
      const more = worth[first + j] - costUnits[row + j];
      if (more > prices[at] && j !== i && isAllowed(network, n, limits.maxDistanceKm, i, j))
        prices[at] = more;
    }
  }
  return prices;
}

/** The highest bound over p ≥ 0. Its slope at p is the unmet demand beyond what may be missed. */
function highestOf(provedBy: (p: number) => Proved, start: number, mayMiss: number) {
  type Point = Proved & { p: number; slope: number };
  let below: Point | null = null;
  let above: Point | null = null;
  let best: Point | null = null;
  let p = start;
  let step = Math.max(1, start / 8);
  for (let looks = 0; looks < MAX_PRICES; looks++) {
    const proved = provedBy(p);
    const point: Point = { ...proved, p, slope: proved.unmet - mayMiss };
    if (best === null || point.bound > best.bound) best = point;
    if (point.slope > 0) below = point;
    else above = point;
    if (below === null) {
      if (p === 0) break;
      p = Math.max(0, p - step);
    } else if (above === null) p += step;
    else {
      // Where the tangents at both points meet; the bound is nowhere higher.
      const rise: number = above.bound - below.bound - above.slope * (above.p - below.p);
      p = below.p + rise / (below.slope - above.slope);
      const most = below.bound + below.slope * (p - below.p);
      if (!(p > below.p && p < above.p) || most - best.bound <= MIN_GAIN * Math.abs(best.bound)) break;
    }
    step *= 2;
  }
  return best!;
}

/** The least costs of all capacities at all locations, in whole units of capacity. */
type Table = {
  unit: number;
  /** n + 1: where the costs of each location begin. The first is that of no capacity. */
  starts: Int32Array;
  /** In cost units, beside what is paid for all vehicles that leave. */
  costs: Float64Array;
  /** What is paid if all vehicles leave, in cost units. */
  leaving: number;
};

/** @param prices K × n: of vehicles that leave, in cost units */
function tableOf(problem: Problem, prices: Float64Array, check: () => void): Table | null {
  const { capacities, demand, supply } = problem;
  const n = demand.length;
  const unit = unitOf(capacities);
  if (unit === null) return null;
  const sizes = Array.from(capacities, (capacity) => Math.round(capacity / unit));
  const starts = new Int32Array(n + 1);
  for (let j = 0; j < n; j++) {
    // With more than that, a vehicle less would do.
    const most = demand[j] > 0 ? Math.ceil(demand[j] / unit) + sizes[sizes.length - 1] : 0;
    if (starts[j] + most >= MAX_TABLE) return null;
    starts[j + 1] = starts[j] + most + 1;
  }
  const arriving = costOfOneMore(problem, prices, check, false);
  const costs = new Float64Array(starts[n]).fill(Number.POSITIVE_INFINITY);
  let leaving = 0;
  for (let j = 0; j < n; j++) {
    if (j % LOCATIONS_PER_LOOK === 0) check();
    const here = costs.subarray(starts[j], starts[j + 1]);
    here[0] = 0;
    for (let k = 0; k < sizes.length; k++) {
      const at = k * n + j;
      const [stays, arrives] = [prices[at], arriving[at]];
      leaving += stays * supply[at];
      if (stays <= arrives) addSome(here, sizes[k], stays, supply[at]);
      if (arrives < Number.POSITIVE_INFINITY) addAny(here, sizes[k], arrives);
    }
  }
  return { unit, starts, costs, leaving };
}

/** At most `count` more vehicles of this size and cost. */
function addSome(costs: Float64Array, size: number, cost: number, count: number): void {
  for (let left = count, piece = 1; left > 0; left -= piece, piece *= 2) {
    const together = Math.min(piece, left);
    const units = together * size;
    for (let c = costs.length - 1; c >= units; c--)
      costs[c] = Math.min(costs[c], costs[c - units] + together * cost);
  }
}

/** Any number of vehicles of this size and cost. */
function addAny(costs: Float64Array, size: number, cost: number): void {
  for (let c = size; c < costs.length; c++) costs[c] = Math.min(costs[c], costs[c - size] + cost);
}

/** The sum of the locations' minima at a price of unmet demand. */
function minimumOf({ demand, unmetCost }: Problem, { unit, starts, costs }: Table, price: number) {
  const n = demand.length;
  let sum = 0;
  let unmet = 0;
  for (let j = 0; j < n; j++) {
    const each = price + (unmetCost ? unmetCost[j] * UNITS_PER_COST : 0);
    let best = Number.POSITIVE_INFINITY;
    let units = 0;
    for (let c = 0; starts[j] + c < starts[j + 1]; c++) {
      const cost = costs[starts[j] + c] + each * Math.max(0, demand[j] - c * unit);
      if (cost >= best) continue;
      best = cost;
      units = c;
    }
    sum += best;
    unmet += Math.max(0, demand[j] - units * unit);
  }
  return { cost: sum, unmet };
}

/** The largest capacity of which all classes have a whole multiple; null if it is too small. */
function unitOf(capacities: Float64Array): number | null {
  for (let units = 1; units <= MAX_UNITS; units++) {
    const unit = capacities[0] / units;
    const isWhole = (capacity: number) =>
      Math.abs(capacity / unit - Math.round(capacity / unit)) <= UNIT_NOISE * (capacity / unit);
    if (capacities.every(isWhole)) return unit;
  }
  return null;
}
