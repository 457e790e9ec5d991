/**
 * A lower bound on the objective of every plan of all steps, from any values of vehicles, whatever their origin.
 * Shares no code with the searches.
 *
 * Let v_jt be what a vehicle at j is worth when step t begins, with v_it ≥ v_{j,t+τ} − c_ij for every allowed move
 * of every step: values that are too low are raised, from the last step back to the first. A vehicle that serves at j
 * is then worth (λ + p_jt) · gain + w_jt − v_jt beside that, one that waits v_{j,t+1} − v_jt, where w is v_{j,t+1},
 * or, with trip flows, the mean value of where its trip ends. With the best number of vehicles at each location and
 * step,
 *
 *   bound = λR + Σ p_jt D_jt − Σ supply_jt v_jt − Σ_jt max over x of the worth of x vehicles that stay at j
 *
 * One pass over the pairs per step. Without trip flows x and the gain are those of whole vehicles, with them a vehicle
 * may be divided. Reference: Ahuja, Magnanti, Orlin, Network Flows (1993), §9.4 and §16.
 */
import { partsOf } from './demand-parts.ts';
import type { HorizonProblem } from './types.ts';

/** Several times the relative error of a sum of a million doubles. */
const SUM_NOISE = 1e-13;
/** Relative error, in total demand, of what a plan serves. */
const SERVED_NOISE = 1e-9;
const LOAD_NOISE = 1e-12;

/**
 * @param values (T + 1) × n, the last row for the end; any numbers
 * @param multiplier λ ≥ 0, cost units per unit of demand
 * @returns cost units, not rounded; already reduced by the error of its arithmetic
 */
export function boundFromValues(
  problem: HorizonProblem,
  values: ArrayLike<number>,
  multiplier: number,
): number {
  const { n, steps, supply, demand, required, unmetUnits, endUnits } = problem;
  const v = Float64Array.from({ length: (steps + 1) * n }, (_, u) => values[u]);
  const lambda = Math.max(0, multiplier);
  let total = 0;
  let paid = 0;
  let size = 0;
  for (let j = 0; j < n; j++) {
    const last = steps * n + j;
    v[last] = Math.max(v[last], endUnits?.[j] ?? 0);
  }
  let constant = 0;
  for (let u = steps * n - 1; u >= 0; u--) {
    raiseByMoves(problem, v, u);
    const stays = worthOfStaying(problem, v, u, lambda);
    paid += stays + supply[u] * v[u];
    size += Math.abs(stays) + supply[u] * Math.abs(v[u]);
    total += demand[u];
    if (unmetUnits) constant += unmetUnits[u] * demand[u];
  }
  const earned = constant + lambda * Math.max(0, required - SERVED_NOISE * total);
  return earned - paid - (earned + size) * SUM_NOISE;
}

function raiseByMoves({ n, steps, pairs, endUnits }: HorizonProblem, v: Float64Array, u: number): void {
  const i = u % n;
  const t = Math.floor(u / n);
  let best = v[u];
  for (let a = pairs.starts[i]; a < pairs.starts[i + 1]; a++) {
    const at = Math.min(steps, t + pairs.delay[a]);
    if (at === steps && !endUnits) continue;
    const left = v[at * n + pairs.targets[a]] - pairs.units[a];
    if (left > best) best = left;
  }
  v[u] = best;
}

/** The most that vehicles which stay at u add to its value. Raises the value if any number of them may wait. */
function worthOfStaying(problem: HorizonProblem, v: Float64Array, u: number, lambda: number): number {
  const { n, capacity, unmetUnits, least, most, flows } = problem;
  const j = u % n;
  const low = least?.[u] ?? 0;
  const high = most?.[u] ?? Number.POSITIVE_INFINITY;
  const next = v[u + n];
  if (high === Number.POSITIVE_INFINITY && v[u] < next) v[u] = next;
  const price = lambda + (unmetUnits?.[u] ?? 0);
  const waiting = next - v[u];
  if (flows) {
    const { starts, targets, shares } = flows[Math.floor(u / n)];
    let after = 0;
    const row = (Math.floor(u / n) + 1) * n;
    for (let a = starts[j]; a < starts[j + 1]; a++) after += shares[a] * v[row + targets[a]];
    // A vehicle may be divided, and each part serves, waits or moves.
    const { chances, sizes } = partsOf(problem);
    return chances.reduce((sum, chance, p) => {
      const ready = chance * (price * capacity + after) + (1 - chance) * next - v[u];
      return sum + (sizes[p * problem.steps * n + u] / capacity) * Math.max(0, ready);
    }, 0);
  }
  const { chances, sizes } = partsOf(problem);
  const worthOf = (x: number) => {
    let left = capacity * x;
    let served = 0;
    for (const [p, chance] of chances.entries()) {
      const size = sizes[p * problem.steps * n + u];
      served += chance * Math.min(size, left);
      left -= Math.min(size, left);
    }
    return price * served + waiting * x;
  };
  // Concave in x, with its breakpoints at these numbers.
  let best = worthOf(low);
  const better = (x: number) => {
    if (x > low && x <= high && x !== Number.POSITIVE_INFINITY) best = Math.max(best, worthOf(x));
  };
  better(high);
  let end = 0;
  for (let p = 0; p < chances.length; p++) {
    end += sizes[p * problem.steps * n + u];
    const loads = end / capacity;
    const full = Math.floor(loads * (1 + LOAD_NOISE) + LOAD_NOISE);
    better(full);
    better(full + 1);
  }
  return best;
}
