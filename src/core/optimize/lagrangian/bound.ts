/**
 * A lower bound on the cost of every plan, from any multipliers, whatever their origin. Shares no code with the search.
 *
 * With λ ≥ 0 per unit of demand, μ ≥ 0 per vehicle that serves, π_j ≥ 0 per vehicle that serves at j, and α_i =
 * max(0, π_i, max_j (π_j − c_ij)) over all allowed moves, a vehicle from i that serves at j costs at least π_j − α_i.
 * So every plan in which at most T vehicles serve at least R costs at least
 *
 *   λR + Σ_j p_j D_j − μT − Σ_i s_i α_i − Σ_j max over whole m ≥ 0 of ((λ + p_j) min(D_j, c m) − (π_j + μ) m)
 *
 * where p_j is what a unit of unmet demand costs at j, usually 0.
 *
 * Loads that have to be served (`forced-loads.ts`) are not a matter of the last term's maximum: of a group that has m
 * served loads, the m of least π_j + μ − (λ + p_j) · gain cost at least their sum.
 *
 * O(arcs). Reference: Ahuja, Magnanti, Orlin, Network Flows (1993), §16.
 */
import { nextCheaper } from '../flow/next-cheaper.ts';
import { splitDemand } from '../problem/steps.ts';
import type { LagrangianProblem, Multipliers } from './types.ts';

/** Several times the relative error of a sum of n doubles. */
const SUM_NOISE = 2 ** -51;
/** Relative error, in total demand, of the sum of what a plan serves. */
const SERVED_NOISE = 1e-12;

/** @returns cost units, not rounded; already reduced by the error of its arithmetic */
export function boundFromMultipliers(problem: LagrangianProblem, multipliers: Multipliers): number {
  const { n, supply, demand, capacity, required, fleetSize, unmetUnits, forced } = problem;
  const lambda = Math.max(0, multipliers.perDemand);
  const mu = fleetSize === Number.POSITIVE_INFINITY ? 0 : Math.max(0, multipliers.perVehicle);
  const value = multipliers.atLocation.map((pi) => Math.max(0, pi));
  let totalDemand = 0;
  let paid = mu > 0 ? mu * fleetSize : 0;
  let unmet = 0;
  const worth = vehicleValues(problem, value);
  for (let i = 0; i < n; i++) {
    totalDemand += demand[i];
    if (supply[i] > 0) paid += supply[i] * worth[i];
    // The maximum of a concave function of m: full loads while they pay off, then the part.
    const full = Math.floor(demand[i] / capacity);
    const rest = demand[i] - full * capacity;
    const least = value[i] + mu;
    const price = unmetUnits?.[i] ?? 0;
    const each = lambda + price;
    if (!forced?.fullRank[i]) paid += full * Math.max(0, each * capacity - least);
    if (!forced?.partRank[i]) paid += Math.max(0, each * rest - least);
    unmet += price * demand[i];
  }
  const earned = unmet + lambda * Math.max(0, required - SERVED_NOISE * totalDemand);
  const { sum, size } = forcedCosts(problem, (j, gain) => {
    return value[j] + mu - (lambda + (unmetUnits?.[j] ?? 0)) * gain;
  });
  return earned - paid + sum - (earned + paid + size) * (n + 8) * SUM_NOISE;
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

/** n: the most that a vehicle at i is worth, wherever it may serve; 0 if i has no vehicles. */
export function vehicleValues(
  { n, supply, cost, beyond }: LagrangianProblem,
  value: Float64Array,
): Float64Array {
  const worth = new Float64Array(n);
  let highest = 0;
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
