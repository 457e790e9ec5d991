/**
 * A lower bound of the cost of every plan from any prices, whoever found them: shares no code with the search.
 *
 * With λ ≥ 0 per unit of demand, μ ≥ 0 per vehicle that serves, π_j ≥ 0 per vehicle that serves at j, and
 * α_i = max(0, π_i, max_j (π_j − c_ij)) over all allowed moves, a vehicle of i that serves at j costs at least π_j − α_i. So every
 * plan in which at most T vehicles serve at least R costs at least
 *
 *   λR − μT − Σ_i s_i α_i − Σ_j max over whole m ≥ 0 of (λ min(D_j, c m) − (π_j + μ) m)
 *
 * O(arcs). Reference: Ahuja, Magnanti, Orlin, Network Flows (1993), §16.
 */
import { nextCheaper } from '../flow/next-cheaper.ts';
import type { PricedProblem, ServicePrices } from './types.ts';

/** Relative error of a sum of n doubles, several times over. */
const SUM_NOISE = 2 ** -51;
/** Share of the total demand by which a plan's sum of what it serves may be off. */
const SERVED_NOISE = 1e-12;

/** @returns cost units, not rounded; the error of its arithmetic is taken off already */
export function pricedBound(problem: PricedProblem, prices: ServicePrices): number {
  const { n, supply, demand, capacity, required, fleetSize } = problem;
  const lambda = Math.max(0, prices.perDemand);
  const mu = fleetSize === Number.POSITIVE_INFINITY ? 0 : Math.max(0, prices.perVehicle);
  const value = prices.atLocation.map((price) => Math.max(0, price));
  let totalDemand = 0;
  let paid = mu > 0 ? mu * fleetSize : 0;
  const worth = vehicleValues(problem, value);
  for (let i = 0; i < n; i++) {
    totalDemand += demand[i];
    if (supply[i] > 0) paid += supply[i] * worth[i];
    // The largest of a concave function of m: full loads while they are worth it, then the part.
    const full = Math.floor(demand[i] / capacity);
    const rest = demand[i] - full * capacity;
    const price = value[i] + mu;
    paid += full * Math.max(0, lambda * capacity - price) + Math.max(0, lambda * rest - price);
  }
  const earned = lambda * Math.max(0, required - SERVED_NOISE * totalDemand);
  return earned - paid - (earned + paid) * (n + 8) * SUM_NOISE;
}

/** n: what a vehicle at i is worth at most, wherever it may serve; 0 where there is none. */
export function vehicleValues({ n, supply, cost, beyond }: PricedProblem, value: Float64Array): Float64Array {
  const worth = new Float64Array(n);
  let highest = 0;
  for (let j = 0; j < n; j++) if (value[j] > highest) highest = value[j];
  for (let i = 0; i < n; i++) {
    if (supply[i] === 0) continue;
    // What is not listed leaves no more than this.
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
  // What costs more than the highest price leaves no more.
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
