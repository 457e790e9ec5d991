/**
 * A lower bound on the cost of every plan, from any multipliers, whatever their origin. Shares no code with the search.
 *
 * With λ ≥ 0 per unit of demand, μ ≥ 0 per vehicle that serves, any π_j per vehicle at j, and α_i = max(π_i,
 * max_j (π_j − c_ij)) over all allowed moves, a vehicle that goes from i to j costs at least π_j − α_i. A plan has
 * L_j ≤ x_j ≤ U_j vehicles at j, of which m ≤ x_j serve. If it serves at least R, with at most T vehicles, it costs
 *
 *   Σ c_ij x_ij + Σ p_j (D_j − served_j)  ≥  λR + Σ_j p_j D_j − μT − Σ_i s_i α_i
 *                            − Σ_j max over whole L_j ≤ x ≤ U_j, 0 ≤ m ≤ x of ((λ + p_j) min(D_j, c m) − μ m − π_j x)
 *
 * where p_j is what a unit of unmet demand costs at j, usually 0. Without bounds per location L_j = 0 and U_j = V, the
 * number of vehicles. Where there is no maximum, π_j < 0 proves less than 0 does: a vehicle may always stay unused.
 * The maximum over m is concave in x, with breaks at ⌊D_j / c⌋ and one more: so it is at one of these, or at an end.
 *
 * Loads that have to be served (`forced-loads.ts`) are not a matter of the last term's maximum: of a group that has m
 * served loads, the m of least π_j + μ − (λ + p_j) · gain cost at least their sum.
 *
 * O(arcs). Reference: Ahuja, Magnanti, Orlin, Network Flows (1993), §16.
 */
import { nextCheaper } from '../flow/next-cheaper.ts';
import { totalUnits } from '../flow/solve-flow.ts';
import { splitDemand } from '../problem/steps.ts';
import type { LagrangianProblem, Multipliers } from './types.ts';

/** Several times the relative error of a sum of n doubles. */
const SUM_NOISE = 2 ** -51;
/** Relative error, in total demand, of the sum of what a plan serves. */
const SERVED_NOISE = 1e-12;

/** @returns cost units, not rounded; already reduced by the error of its arithmetic */
export function boundFromMultipliers(problem: LagrangianProblem, multipliers: Multipliers): number {
  const { n, supply, demand, capacity, required, fleetSize, unmetUnits, forced, bounds } = problem;
  const lambda = Math.max(0, multipliers.perDemand);
  const mu = fleetSize === Number.POSITIVE_INFINITY ? 0 : Math.max(0, multipliers.perVehicle);
  const vehicles = totalUnits(supply);
  const hasMaximum = (j: number) => bounds !== undefined && bounds.most[j] < vehicles;
  const value = multipliers.atLocation.map((pi, j) => (hasMaximum(j) ? pi : Math.max(0, pi)));
  let totalDemand = 0;
  let paid = mu > 0 ? mu * fleetSize : 0;
  /** Absolute values of the terms of `paid`, for the error of its arithmetic. */
  let size = paid;
  const pay = (term: number, termSize = Math.abs(term)) => {
    paid += term;
    size += termSize;
  };
  let unmet = 0;
  const worth = vehicleValues(problem, value);
  for (let i = 0; i < n; i++) {
    totalDemand += demand[i];
    if (supply[i] > 0) pay(supply[i] * worth[i]);
    const full = Math.floor(demand[i] / capacity);
    const rest = demand[i] - full * capacity;
    const price = unmetUnits?.[i] ?? 0;
    const each = lambda + price;
    unmet += price * demand[i];
    if (bounds) {
      const range = { least: bounds.least[i], most: Math.min(bounds.most[i], vehicles) };
      const loads = { full, perFull: Math.max(0, each * capacity - mu), part: Math.max(0, each * rest - mu) };
      const { earned, size: earnedSize } = mostEarned(range, loads, value[i]);
      pay(earned, earnedSize);
      continue;
    }
    // The maximum of a concave function of m: full loads while they pay off, then the part.
    const least = value[i] + mu;
    if (!forced?.fullRank[i]) pay(full * Math.max(0, each * capacity - least));
    if (!forced?.partRank[i]) pay(Math.max(0, each * rest - least));
  }
  const earned = unmet + lambda * Math.max(0, required - SERVED_NOISE * totalDemand);
  const costs = forcedCosts(problem, (j, gain) => {
    return value[j] + mu - (lambda + (unmetUnits?.[j] ?? 0)) * gain;
  });
  return earned - paid + costs.sum - (earned + size + costs.size) * (n + 8) * SUM_NOISE;
}

/**
 * The most that vehicles at a location earn beyond their value, over all numbers within the bounds. Concave: a load
 * earns at most as much as the one before, and vehicles beyond the loads nothing.
 */
function mostEarned(
  { least, most }: { least: number; most: number },
  { full, perFull, part }: { full: number; perFull: number; part: number },
  value: number,
): { earned: number; size: number } {
  let earned = Number.NEGATIVE_INFINITY;
  let size = 0;
  for (const at of [full, full + 1, value < 0 ? most : least]) {
    const x = Math.max(least, Math.min(most, at));
    const gain = Math.min(x, full) * perFull + (x > full ? part : 0);
    earned = Math.max(earned, gain - value * x);
    size = Math.max(size, gain + Math.abs(value) * x);
  }
  return { earned, size };
}

/**
 * The least that the forced loads cost.
 * @param costOf a load at a location
 * @returns `size`: the sum of absolute costs, for the error of the arithmetic
 */
function forcedCosts(
  { demand, capacity, forced }: LagrangianProblem,
  costOf: (location: number, gain: number) => number,
): { sum: number; size: number } {
  let sum = 0;
  let size = 0;
  for (const { isPart, locations, served } of forced?.groups ?? []) {
    const costs: { each: number; count: number }[] = [];
    for (const j of locations) {
      const { full, rest } = splitDemand(demand[j], capacity);
      costs.push({ each: costOf(j, isPart ? rest : capacity), count: isPart ? 1 : full });
    }
    costs.sort((a, b) => a.each - b.each);
    let left = served;
    for (const { each, count } of costs) {
      const taken = Math.min(count, left);
      left -= taken;
      sum += taken * each;
      size += taken * Math.abs(each);
    }
  }
  return { sum, size };
}

/** n: the most that a vehicle at i is worth, wherever it may go; 0 if i has no vehicles. */
export function vehicleValues(
  { n, supply, cost, beyond }: LagrangianProblem,
  value: Float64Array,
): Float64Array {
  const worth = new Float64Array(n);
  let highest = Number.NEGATIVE_INFINITY;
  for (let j = 0; j < n; j++) if (value[j] > highest) highest = value[j];
  for (let i = 0; i < n; i++) {
    if (supply[i] === 0) continue;
    // A move that is not listed leaves at most this value.
    const least = Math.max(value[i], highest - beyond);
    worth[i] =
      cost.kind === 'dense'
        ? bestInRow(cost.units, i * n, n, value, highest, least)
        : bestInList(cost.targets, cost.units, cost.starts[i], cost.starts[i + 1], value, least);
  }
  return worth;
}

type Units = Float64Array | Int32Array;

function bestInRow(
  units: Units,
  row: number,
  n: number,
  value: Float64Array,
  highest: number,
  least: number,
): number {
  let best = least;
  let most = highest - best;
  const end = row + n;
  // A move that costs more than the highest value of a vehicle cannot raise the value.
  for (let a = nextCheaper(units, row, end, most); a < end; a = nextCheaper(units, a + 1, end, most)) {
    const left = value[a - row] - units[a];
    if (left > best && units[a] >= 0) {
      best = left;
      most = highest - best;
    }
  }
  return best;
}

function bestInList(
  targets: Int32Array,
  units: Units,
  first: number,
  end: number,
  value: Float64Array,
  least: number,
): number {
  let best = least;
  for (let a = first; a < end; a++) {
    const left = value[targets[a]] - units[a];
    if (left > best && units[a] >= 0) best = left;
  }
  return best;
}
