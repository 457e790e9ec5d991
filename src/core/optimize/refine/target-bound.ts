/**
 * A bound that knows what a location as a whole needs (Lagrangian decomposition by target), for one class.
 *
 * With prices v_i of vehicles, s of served demand, l of pairs and g_i of the pairs of a source, none below 0, the
 * objective of every plan is at least
 *
 *     s · required − Σ_i v_i · supply_i − l · max_pairs − Σ_i g_i · max_moves_from + Σ_j (optimum of target j),
 *
 * where target j chooses whole vehicles of its own, at v_j each, and pairs, at f + l + g_i + (c_ij + v_i) · x with
 * 0 or m … M whole vehicles, against s and the cost of unmet demand for what it serves. A small dynamic programme
 * (`load-costs.ts`) solves that exactly. So fixed costs count for whole pairs: the linear relaxation counts the share
 * x / M. Rules that are not in it may only raise the least objective. `subgradient.ts` finds good prices.
 */
import { fromUnits } from '../problem/costs.ts';
import { mostAt } from '../problem/location-bounds.ts';
import type { Problem } from '../problem/model.ts';
import { hasChangeCost } from '../problem/previous.ts';
import { leastServed } from '../problem/service-level.ts';
import { loadsOf } from '../problem/steps.ts';
import { type Check, checkOf, type Stopping, untilOutOfTime } from '../run/stopping.ts';
import { createLoadCosts, maySave, type Offer } from './load-costs.ts';
import type { PairPrices } from './pair-prices.ts';
import { type Pairs, pairsByTarget } from './pairs-of-moves.ts';
import { climb } from './subgradient.ts';

/** Dynamic programmes over more vehicles than this take too long. */
const MAX_LOAD = 200;
/** In money, by which sums of a location may be wrong. */
const NOISE = 1e-9;
/** Relative, of the sum over all prices. */
const SUM_NOISE = 1e-12;
/** Prices tried first, as shares of what something costs on average. */
const SHARES = [0.03, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.5, 2, 3, 4, 6, 8];

/** Whether the bound covers the problem. */
export function isBoundByTargets(problem: Problem): boolean {
  const { capacities, hasPlaceOutside, pinnedPlaces, demand } = problem;
  const isSmall = (d: number) => d <= MAX_LOAD * capacities[0];
  const hasOtherPlaces = hasPlaceOutside || pinnedPlaces !== undefined;
  return capacities.length === 1 && !hasOtherPlaces && !hasChangeCost(problem) && demand.every(isSmall);
}

/**
 * @param objective of a plan, in money; the search for prices aims at it
 * @param raise takes a proved bound in money; returns whether a better one is wanted
 * @param time for finding prices; `control` ends it all
 * @throws OutOfTime
 * @returns the best bound, and for each pair by how much it is higher for plans that use the pair.
 *   O(n · pairs that may pay off · load²) per bound, of which there are some hundreds
 */
export function boundByTargets(
  problem: Problem,
  pairs: Pairs,
  objective: number,
  raise: (bound: number) => boolean,
  time: Stopping,
  control: Stopping,
): PairPrices {
  const targets = createTargets(problem, pairs);
  const check = checkOf(time);
  const { size, served } = targets;
  // Prices of sums over all locations move in smaller steps.
  const scale = new Float64Array(size).fill(1);
  scale.fill(1 / problem.locationIds.length, served).fill(1, served + 1);
  const evaluate = (at: Float64Array, slope: Float64Array) => targets.evaluate(at, slope, check);
  let best = Number.NEGATIVE_INFINITY;
  const first = new Float64Array(size);
  const slope = new Float64Array(size);
  untilOutOfTime(() => {
    // Prices of sums first: without them all others point the wrong way.
    for (const [price, usual] of targets.usualPrices(objective)) {
      let bestBound = evaluate(first, slope);
      let chosen = 0;
      for (const share of SHARES) {
        first[price] = usual * share;
        const bound = evaluate(first, slope);
        if (bound > bestBound) [bestBound, chosen] = [bound, first[price]];
      }
      first[price] = chosen;
    }
  });
  const prices = climb(first, scale, evaluate, objective, (bound) => {
    best = Math.max(best, bound);
    return raise(bound);
  });
  return { bound: best, value: targets.valueOfPairs(prices, checkOf(control)) };
}

/** Prices in one array: of vehicles by location, of the pairs of each source, of served demand, of pairs. */
function createTargets(problem: Problem, pairs: Pairs) {
  const { demand, supply, limits, unmetCost, network } = problem;
  const n = problem.locationIds.length;
  const [served, pair] = [2 * n, 2 * n + 1];
  const capacity = problem.capacities[0];
  const pairCost = fromUnits(problem.pairCostUnits ?? 0);
  const required = leastServed(problem);
  const full = loadsOf(demand, capacity);
  /** Vehicles that may be there and serve. */
  const load = full.map((vehicles, j) => Math.max(0, Math.min(vehicles, mostAt(problem, j))));
  const moving = Float64Array.from(pairs.source, (i, p) =>
    fromUnits(network.costUnits[i * n + pairs.target[p]]),
  );
  const [firstInto, into] = pairsByTarget(pairs, n);
  const finite = (limit: number) => (limit === Number.POSITIVE_INFINITY ? 0 : limit);
  const isPairLimited = limits.maxPairs !== Number.POSITIVE_INFINITY;
  const isSourceLimited = limits.maxMovesFrom !== Number.POSITIVE_INFINITY;
  const unmetMoney = demand.reduce((sum, d, j) => sum + (unmetCost?.[j] ?? 0) * d, 0);
  const costs = createLoadCosts(load.reduce((most, t) => Math.max(most, t), 0));
  const servedBy = (j: number, vehicles: number) =>
    vehicles >= full[j] ? demand[j] : Math.min(demand[j], vehicles * capacity);
  const worthAt = (j: number, prices: Float64Array) => prices[served] + (unmetCost?.[j] ?? 0);

  function offerOf(p: number, prices: Float64Array): Offer {
    const i = pairs.source[p];
    const fixed = pairCost + prices[pair] + prices[n + i];
    const [least, most] = [limits.minVehiclesPerMove, pairs.most[p]];
    return { id: p, least, most, fixed, each: moving[p] + prices[i] };
  }
  /** Solves target j. @returns the vehicles that it wants, and its optimum */
  function solveTarget(j: number, prices: Float64Array): [at: number, optimum: number] {
    const worth = worthAt(j, prices);
    costs.begin(load[j], supply[j], prices[j]);
    for (let e = firstInto[j]; e < firstInto[j + 1]; e++) {
      const offer = offerOf(into[e], prices);
      if (maySave(offer, load[j], worth * capacity)) costs.offer(offer);
    }
    let at = 0;
    let optimum = 0;
    for (let t = 1; t <= load[j]; t++) {
      const total = costs.cost[t] - worth * servedBy(j, t);
      if (total < optimum) [at, optimum] = [t, total];
    }
    return [at, optimum - NOISE];
  }

  return {
    size: 2 * n + 2,
    served,
    /** Of served demand and of pairs: what they cost on average in a plan of this objective. */
    usualPrices: (objective: number): [price: number, usual: number][] => [
      ...(required > 0 ? [[served, objective / required] as [number, number]] : []),
      ...(isPairLimited ? [[pair, objective / Math.max(1, limits.maxPairs)] as [number, number]] : []),
    ],
    evaluate(prices: Float64Array, slope: Float64Array, check: Check): number {
      for (let i = 0; i < n; i++) slope[i] = -supply[i];
      slope.fill(-finite(limits.maxMovesFrom), n, 2 * n);
      slope[served] = required;
      slope[pair] = -finite(limits.maxPairs);
      let bound = unmetMoney;
      for (let c = 0; c < prices.length; c++) {
        const term = prices[c] * slope[c];
        bound += term - SUM_NOISE * Math.abs(term);
      }
      for (let j = 0; j < n; j++) {
        check();
        const [at, optimum] = solveTarget(j, prices);
        bound += optimum;
        slope[served] -= servedBy(j, at);
        slope[j] += costs.forEachLoad(at, (p, vehicles) => {
          const i = pairs.source[p];
          slope[i] += vehicles;
          if (isSourceLimited) slope[n + i]++;
          if (isPairLimited) slope[pair]++;
        });
      }
      return bound;
    },
    /** What target j loses at least if it has to use a pair: the pair once, and then all choices once more. */
    valueOfPairs(prices: Float64Array, check: Check): Float64Array {
      const value = new Float64Array(pairs.count);
      for (let j = 0; j < n; j++) {
        check();
        const [, optimum] = solveTarget(j, prices);
        const worth = worthAt(j, prices);
        /** The optimum if q vehicles come for nothing. */
        const rest = Array.from({ length: load[j] + 1 }, (_, q) => {
          let least = Number.POSITIVE_INFINITY;
          for (let t = 0; t <= load[j]; t++)
            least = Math.min(least, costs.cost[Math.max(0, t - q)] - worth * servedBy(j, t));
          return least;
        });
        for (let e = firstInto[j]; e < firstInto[j + 1]; e++) {
          const { least, most, fixed, each } = offerOf(into[e], prices);
          let cheapest = Number.POSITIVE_INFINITY;
          for (let q = least; q <= Math.min(most, Math.max(least, load[j])); q++)
            cheapest = Math.min(cheapest, fixed + each * q + rest[Math.min(q, load[j])]);
          value[into[e]] = Math.max(0, cheapest - optimum - 2 * NOISE);
        }
      }
      return value;
    },
  };
}
