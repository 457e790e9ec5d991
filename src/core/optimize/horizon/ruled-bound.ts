/**
 * A lower bound on every plan of a horizon problem with rules, from any prices, whatever their origin. Shares no code
 * with the search (`solve-with-rules.ts`).
 *
 * Prices of rules are multipliers ≥ 0: λ of required demand, φ of the floor of a priority level, α and β of the
 * fewest and the most vehicles at a location in a step, μ of a step's ceiling, κ of the vehicles that serve in a
 * step. With them a vehicle of class k that is ready for part p at (j, t) is worth a_p · (price · c_k + w) + (1 −
 * a_p) · v_k(j, t+1) + α − β − κ_t, one that waits v_k(j, t+1) + α − β, and a move costs (1 + μ_t) ·
 * c_ij. Values v are raised, from the last step back, until no wait and no move gains. What serving still gains is paid
 * per unit of a part, as much as the class pays that gains most. At the end a vehicle is worth nothing:
 *
 *   bound = Σ pD + λR + Σ φF + Σ αL − Σ βU − Σ μB − Σ κS − Σ supply · v
 *           − Σ_pjt d_pjt · max over k of gain_kp / c_k
 */
import { fromUnits } from '../problem/costs.ts';
import { partsOf } from './demand-parts.ts';
import type { RuledHorizon } from './rules.ts';

/** What a search minimises: cost · `cost` − served demand · `served` + vehicles beyond bounds · `beyond`. */
export type Weights = {
  cost: number;
  /** n: per unit of demand. */
  served: Float64Array;
  /** Infinity: bounds per location hold. */
  beyond: number;
  /** Per unit by which a rule is loosened (`looser-rules.ts`); the bound does not read it. Absent: 0. */
  loose?: number;
};

/** Multipliers of the rules, in the unit of what is minimised. Negative ones count as 0. */
export type RulePrices = {
  /** K × T × n: what one more vehicle is worth. */
  values: Float64Array;
  /** What one more vehicle of a group is worth; the bound does not read it. */
  groups: Float64Array;
  /** T × n. */
  least: Float64Array;
  most: Float64Array;
  /** T. */
  ceiling: Float64Array;
  /** T: of the vehicles that serve. */
  fleet: Float64Array;
  /** 10: of the floors, by level. */
  floors: Float64Array;
  required: number;
};

/** What has to be served: in all, and of each level and the higher ones (10, by level; 0: nothing). */
export type ServedFloors = { required: number; floors: Float64Array };

/** Several times the relative error of a sum of a million doubles. */
const SUM_NOISE = 1e-13;

/** @returns in the unit of what is minimised, cost in money; already reduced by the error of its arithmetic */
export function boundWithRules(
  problem: RuledHorizon,
  weights: Weights,
  asked: ServedFloors,
  prices: RulePrices,
): number {
  const { base, capacities, supply, levels, ceilingUnits = Number.POSITIVE_INFINITY, previous } = problem;
  const { fleetSize = Number.POSITIVE_INFINITY } = problem;
  const { chances, sizes } = partsOf(base);
  const { n, steps, pairs, demand, unmetUnits, least, most, flows } = base;
  const size = n * steps;
  const rows = size + n;
  const v = new Float64Array(capacities.length * rows);
  for (let k = 0; k < capacities.length; k++)
    for (let u = 0; u < size; u++) v[k * rows + u] = prices.values[k * size + u];
  const ceiling = (t: number) =>
    ceilingUnits === Number.POSITIVE_INFINITY ? 0 : Math.max(0, prices.ceiling[t]);
  const lambda = Math.max(0, prices.required);
  let earned = lambda * asked.required;
  for (let l = 1; l < asked.floors.length; l++) earned += Math.max(0, prices.floors[l]) * asked.floors[l];
  for (let t = 0; t < steps; t++) if (ceiling(t) > 0) earned -= ceiling(t) * fromUnits(ceilingUnits);
  const serving = (t: number) => (fleetSize === Number.POSITIVE_INFINITY ? 0 : Math.max(0, prices.fleet[t]));
  for (let t = 0; t < steps; t++) if (serving(t) > 0) earned -= serving(t) * fleetSize;
  let paid = 0;
  let scale = Math.abs(earned);
  const add = (amount: number) => {
    paid += amount;
    scale += Math.abs(amount);
  };
  /** The most that a move of class k from i at step t leads to; the values of the later steps are final. */
  const bestMove = (k: number, t: number, i: number, extra: (to: number) => number) => {
    let best = Number.NEGATIVE_INFINITY;
    for (let a = pairs.starts[i]; a < pairs.starts[i + 1]; a++) {
      const arrival = Math.min(steps, t + pairs.delay[a]);
      if (arrival === steps) continue;
      const to = pairs.targets[a];
      const cost = (weights.cost + ceiling(t)) * fromUnits(pairs.units[a]) + extra(to);
      best = Math.max(best, v[k * rows + arrival * n + to] - cost);
    }
    return best;
  };
  const none = () => 0;
  for (let u = size - 1; u >= 0; u--) {
    const j = u % n;
    const t = (u - j) / n;
    const low = least ? Math.min(weights.beyond, Math.max(0, prices.least[u])) : 0;
    const high =
      most && most[u] !== Number.POSITIVE_INFINITY
        ? Math.min(weights.beyond, Math.max(0, prices.most[u]))
        : 0;
    if (low > 0) add(-low * least![u]);
    if (high > 0) add(high * most![u]);
    let price = weights.cost * fromUnits(unmetUnits?.[u] ?? 0) + weights.served[j] + lambda;
    for (let l = 1; l <= (levels?.[j] ?? 0); l++) price += Math.max(0, prices.floors[l]);
    const perPart = new Float64Array(chances.length);
    for (const [k, capacity] of capacities.entries()) {
      const at = k * rows + u;
      const waiting = v[at + n] + low - high;
      v[at] = Math.max(v[at], waiting, bestMove(k, t, j, none));
      let after = v[at + n];
      if (flows) {
        after = 0;
        const { starts, targets, shares } = flows[t];
        for (let a = starts[j]; a < starts[j + 1]; a++)
          after += shares[a] * v[k * rows + (t + 1) * n + targets[a]];
      }
      for (const [p, chance] of chances.entries()) {
        const ready = chance * (price * capacity + after) + (1 - chance) * v[at + n];
        perPart[p] = Math.max(perPart[p], (ready + low - high - serving(t) - v[at]) / capacity);
      }
      add(supply[k * size + u] * v[at]);
    }
    for (const [p, paidFor] of perPart.entries()) add(paidFor * sizes[p * size + u]);
    if (unmetUnits) {
      earned += weights.cost * fromUnits(unmetUnits[u]) * demand[u];
      scale += fromUnits(unmetUnits[u]) * demand[u];
    }
  }
  for (const { capacityClass: k, location: i, target, count } of previous?.groups ?? []) {
    const change = (to: number) => (to === target ? 0 : weights.cost * fromUnits(previous?.changeUnits ?? 0));
    const value = Math.max(v[k * rows + n + i] - change(i), bestMove(k, 0, i, change));
    // They are part of the supply, which is paid for at the value of vehicles without a target.
    add(count * (value - v[k * rows + i]));
  }
  return earned - paid - scale * SUM_NOISE;
}
