/**
 * A plan of one class that is changed location by location, in cost units. It may miss the service level, use too many
 * pairs, or have too many or too few vehicles at a location: each has a price in its objective, which rises while the
 * limit is broken and falls while it is kept. All other rules it keeps.
 */
import { UNITS_PER_COST } from '../problem/costs.ts';
import { leastAt, mostAt } from '../problem/location-bounds.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { movesOfFlow } from '../problem/moves.ts';
import { leastServed } from '../problem/service-level.ts';
import { loadsOf } from '../problem/steps.ts';
import { hasLocationBounds } from '../problem/variants.ts';
import { createLoadCosts, maySave, type Offer } from './load-costs.ts';
import { type Pairs, pairsByTarget } from './pairs-of-moves.ts';

/** Sources that a location considers, the cheapest first. */
const SOURCES = 30;
/** Relative, by which costs are disturbed, so that locations are supplied differently each time. */
const DISTURBANCE = 0.2;
const RISE = 1.002;
const FALL = 0.9995;
/** In cost units. */
const NOISE = 1e-4;

type Load = [source: number, target: number, vehicles: number];

/** @param pairs that may be used. @param first moves that keep all rules */
export function createSuppliedPlan(problem: Problem, pairs: Pairs, first: Moves) {
  const { limits } = problem;
  const n = problem.locationIds.length;
  const { costUnits } = problem.network;
  const pairUnits = problem.pairCostUnits ?? 0;
  const required = leastServed(problem);
  const stock = createStock(problem);
  const { present, staying, useful } = stock;
  const [firstInto, into] = pairsByTarget(pairs, n);
  const unitsOf = (p: number) => costUnits[pairs.source[p] * n + pairs.target[p]];
  for (let j = 0; j < n; j++)
    into.subarray(firstInto[j], firstInto[j + 1]).sort((a, b) => unitsOf(a) - unitsOf(b));
  const loads = Array.from({ length: n }, () => new Map<number, number>());
  const from = new Int32Array(n);
  let used = 0;
  let moving = 0;
  const usual = averageUnits(problem, first);
  /** Of missing demand, of a pair above the limit, and of a vehicle too many or too few at a location. */
  let missingPrice = (2 * usual + pairUnits) / problem.capacities[0];
  let pairPrice = limits.maxPairs < Number.POSITIVE_INFINITY ? usual : 0;
  let misplacedPrice = usual + pairUnits;
  const hasBounds = hasLocationBounds(problem);
  const costs = createLoadCosts(useful.reduce((most, count) => Math.max(most, count), 0));

  function send(i: number, j: number, vehicles: number): void {
    stock.send(i, j, vehicles);
    moving += vehicles * costUnits[i * n + j];
    const before = loads[j].get(i) ?? 0;
    const now = before + vehicles;
    const by = (now > 0 ? 1 : 0) - (before > 0 ? 1 : 0);
    used += by;
    from[i] += by;
    if (now > 0) loads[j].set(i, now);
    else loads[j].delete(i);
  }
  for (let m = 0; m < first.count.length; m++) send(first.source[m], first.target[m], first.count[m]);

  /** The pair as a choice, with what the source then lacks itself; null if it is not possible. */
  function offerOf(p: number, load: number, random: () => number): Offer | null {
    const i = pairs.source[p];
    const least = limits.minVehiclesPerMove;
    if (staying[i] < least || from[i] >= limits.maxMovesFrom) return null;
    const lossPrice = missingPrice + stock.unmetUnits(i);
    return {
      id: i,
      least,
      most: Math.min(staying[i], pairs.most[p], Math.max(least, load)),
      fixed: pairUnits + (used >= limits.maxPairs ? pairPrice : 0),
      each: unitsOf(p) * (1 + DISTURBANCE * random()),
      spare: hasBounds ? 0 : Math.max(0, present[i] - useful[i]),
      lossOf: (vehicles) =>
        misplacedPrice * stock.misplacedMore(i, -vehicles) - lossPrice * stock.gainOf(i, -vehicles),
    };
  }

  return {
    pairs: () => used,
    /** The objective of the problem. */
    units: () => moving + pairUnits * used + stock.unmet(),
    /** The same, with the prices of broken limits. */
    pricedUnits: () =>
      moving +
      pairUnits * used +
      stock.unmet() +
      missingPrice * Math.max(0, required - stock.served()) +
      pairPrice * Math.max(0, used - limits.maxPairs) +
      misplacedPrice * stock.misplaced(),
    keepsLimits: () => stock.served() >= required && used <= limits.maxPairs && stock.misplaced() === 0,
    adaptPrices(): void {
      missingPrice *= stock.served() < required ? RISE : FALL;
      pairPrice *= used > limits.maxPairs ? RISE : FALL;
      misplacedPrice *= stock.misplaced() > 0 ? RISE : FALL;
    },
    /** All vehicles that came to these locations stay at home. @returns what they were */
    drop(targets: readonly number[]): Load[] {
      const dropped = targets.flatMap((j) => [...loads[j]].map(([i, vehicles]): Load => [i, j, vehicles]));
      for (const [i, j, vehicles] of dropped) send(i, j, -vehicles);
      return dropped;
    },
    add(added: readonly Load[]): void {
      for (const [i, j, vehicles] of added) send(i, j, vehicles);
    },
    /** Sends the vehicles to j, which has none from elsewhere, that reduce the priced objective most. */
    supply(j: number, random: () => number): void {
      const load = Math.min(useful[j], mostAt(problem, j)) - present[j];
      if (load <= 0) return;
      const price = missingPrice + stock.unmetUnits(j);
      const worth = price * problem.capacities[0];
      costs.begin(load, 0, 0);
      for (let e = firstInto[j]; e < firstInto[j + 1] && costs.count() < SOURCES; e++) {
        if (unitsOf(into[e]) >= worth) break;
        const offer = offerOf(into[e], load, random);
        if (offer && maySave(offer, load, worth)) costs.offer(offer);
      }
      let at = 0;
      let least = 0;
      for (let t = 1; t <= load; t++) {
        const total = costs.cost[t] - price * stock.gainOf(j, t);
        if (total < least - NOISE) [at, least] = [t, total];
      }
      costs.forEachLoad(at, (i, vehicles) => send(i, j, vehicles));
    },
    moves(): Moves {
      const all = loads.flatMap((of, j) => [...of].map(([i, vehicles]): Load => [i, j, vehicles]));
      const pick = (at: 0 | 1 | 2) => Int32Array.from(all, (load) => load[at]);
      return movesOfFlow(pick(0), pick(1), pick(2));
    },
  };
}

/** Of a vehicle that moves. */
function averageUnits({ network, locationIds }: Problem, { source, target, count }: Moves): number {
  let sum = 0;
  for (let m = 0; m < count.length; m++) sum += network.costUnits[source[m] * locationIds.length + target[m]];
  return sum / Math.max(1, count.length);
}

/** Where the vehicles are, and what they serve. */
function createStock(problem: Problem) {
  const { demand, supply, capacities, unmetCost } = problem;
  const capacity = capacities[0];
  const present = Int32Array.from(supply);
  const staying = Int32Array.from(supply);
  const unmetUnits = (j: number) => (unmetCost ? unmetCost[j] * UNITS_PER_COST : 0);
  const servedBy = (j: number, vehicles: number) => Math.min(demand[j], Math.max(0, vehicles) * capacity);
  const outside = (j: number, vehicles: number) =>
    Math.max(0, vehicles - mostAt(problem, j), leastAt(problem, j) - vehicles);
  const misplacedMore = (j: number, by: number) => outside(j, present[j] + by) - outside(j, present[j]);
  let served = 0;
  let unmet = 0;
  let misplaced = 0;
  for (let j = 0; j < demand.length; j++) {
    served += servedBy(j, present[j]);
    misplaced += outside(j, present[j]);
    unmet += unmetUnits(j) * (demand[j] - servedBy(j, present[j]));
  }
  const gainOf = (j: number, by: number) => servedBy(j, present[j] + by) - servedBy(j, present[j]);
  function change(j: number, by: number): void {
    const gained = gainOf(j, by);
    misplaced += misplacedMore(j, by);
    present[j] += by;
    served += gained;
    unmet -= unmetUnits(j) * gained;
  }
  return {
    /** Vehicles at a location, those of them that are from there, and those that can serve there. */
    present,
    staying,
    useful: loadsOf(demand, capacity),
    /** Demand served. */
    served: () => served,
    /** Cost of unmet demand, and of a unit of it at a location. */
    unmet: () => unmet,
    unmetUnits,
    /** Demand that these vehicles more would serve, and how many more would be too many or too few. */
    gainOf,
    misplacedMore,
    /** Vehicles too many or too few, over all locations. */
    misplaced: () => misplaced,
    send(i: number, j: number, vehicles: number): void {
      change(i, -vehicles);
      change(j, vehicles);
      staying[i] -= vehicles;
    },
  };
}
