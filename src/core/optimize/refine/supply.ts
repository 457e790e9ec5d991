/** Sends vehicles to a location: for its demand, or because it has too many or too few. */
import type { Problem } from '../problem/model.ts';
import { hasLocationBounds } from '../problem/variants.ts';
import { type Choices, createChoices, unitsOfCapacity } from './choices.ts';
import { createLoadCosts } from './load-costs.ts';
import type { PairUse } from './pair-use.ts';
import { type Pairs, pairsByTarget } from './pairs-of-moves.ts';
import type { Stock } from './stock.ts';

/** Sources that a location considers, the cheapest first; and locations for a vehicle that has to go somewhere. */
const SOURCES = 30;
/** Relative, by which costs are disturbed, so that locations are supplied differently each time. */
const DISTURBANCE = 0.2;
/** Of what a move costs: a price of capacity, so that of equally good vehicles the smaller ones go. */
const CAPACITY_PRICE = 1e-3;
/** In cost units. */
const NOISE = 1e-4;

type PairLists = ReturnType<typeof listPairs>;

/** The pairs to and from each location, the cheapest first. O(pairs log pairs) */
export function listPairs({ network, locationIds }: Problem, pairs: Pairs) {
  const n = locationIds.length;
  const units = Float64Array.from(pairs.source, (i, p) => network.costUnits[i * n + pairs.target[p]]);
  const [firstInto, into] = pairsByTarget(pairs, n);
  const firstFrom = new Int32Array(n + 1);
  for (let p = 0; p < pairs.count; p++) firstFrom[pairs.source[p] + 1]++;
  for (let i = 0; i < n; i++) firstFrom[i + 1] += firstFrom[i];
  // Pairs are numbered by source.
  const outOf = Int32Array.from({ length: pairs.count }, (_, p) => p);
  const to = (j: number) => into.subarray(firstInto[j], firstInto[j + 1]);
  const from = (i: number) => outOf.subarray(firstFrom[i], firstFrom[i + 1]);
  for (let j = 0; j < n; j++) for (const list of [to(j), from(j)]) list.sort((a, b) => units[a] - units[b]);
  return { units, to, from };
}

type Parts = { problem: Problem; pairs: Pairs; lists: PairLists; stock: Stock; use: PairUse };

/** Sends the vehicles to a location that reduce the priced objective most. */
export function createSupply({ problem, pairs, lists, stock, use }: Parts) {
  const { demand, capacities, limits } = problem;
  const classes = capacities.length;
  const largest = demand.reduce((most, d) => Math.max(most, d), 0);
  const { unit, whole } = unitsOfCapacity(problem, largest);
  const inUnits = (load: number) => Math.ceil(load / unit - 1e-9);
  const costs = createLoadCosts(Math.max(1, inUnits(largest)));
  const offered = Array.from({ length: SOURCES }, () => createChoices(classes, whole));
  const hasBounds = hasLocationBounds(problem);

  /** Lists the choices of a pair that may bring up to `load` units, where demand is worth this much. */
  function listChoices(p: number, choices: Choices, load: number, worth: number, each: number): void {
    const [i, j] = [pairs.source[p], pairs.target[p]];
    const carried = use.carriedBy(i, j);
    const fixed = use.fixedOf(i, carried > 0);
    const open = demand[j] - stock.capacity[j];
    const waste = (CAPACITY_PRICE * each) / capacities[classes - 1];
    choices.list(
      (k) => stock.staying[k * demand.length + i],
      carried > 0 ? 1 : limits.minVehiclesPerMove,
      Math.min(stock.stayingAt(i), pairs.most[p] - carried),
      load,
      (counts, count) => {
        const brought = stock.capacityOf(counts);
        const bare = fixed + each * count + waste * brought;
        const saved = worth * Math.min(open, brought);
        if (bare >= saved + count * stock.mostRelief()) return Number.POSITIVE_INFINITY;
        const total = bare + stock.leavingUnits(i, j, counts, count, brought);
        return total < saved ? total : Number.POSITIVE_INFINITY;
      },
    );
  }
  function vehiclesOf(load: number): number {
    let count = 0;
    costs.forEachLoad(load, (_, choice, s) => {
      for (let k = 0; k < classes; k++) count += offered[s].vehicles(choice, k);
    });
    return count;
  }

  return (j: number, random: () => number): void => {
    const open = demand[j] - stock.capacity[j];
    const load = inUnits(open);
    if (load <= 0) return;
    const worth = stock.worthAt(j);
    const dearest = worth * capacities[classes - 1] + stock.mostRelief();
    const serving = stock.servingUnits();
    costs.begin(load, 0, 0);
    for (const p of lists.to(j)) {
      if (costs.count() >= SOURCES || lists.units[p] >= dearest) break;
      if (stock.stayingAt(pairs.source[p]) === 0) continue;
      const choices = offered[costs.count()];
      const each = lists.units[p] * use.movingPrice() * (1 + DISTURBANCE * random()) + serving;
      listChoices(p, choices, load, worth, each);
      if (choices.last() > 0) costs.offerChoices(p, choices.last(), choices.amount, choices.cost);
    }
    let at = 0;
    let least = 0;
    for (let t = 1; t <= load; t++) {
      let total = costs.cost[t] - worth * Math.min(open, t * unit);
      if (hasBounds && total < least) total += stock.misplacedUnits(j, vehiclesOf(t));
      if (total < least - NOISE) [at, least] = [t, total];
    }
    costs.forEachLoad(at, (p, choice, s) => sendChoice(use, pairs.source[p], j, offered[s], choice, classes));
  };
}

/** Sends vehicles from or to a location until it has as many as it may have, as far as that pays. */
export function createBalance({ problem, pairs, lists, stock, use }: Parts) {
  const { demand, capacities, limits } = problem;
  const classes = capacities.length;
  const single = new Int32Array(classes).fill(1);
  const [choices, best] = [createChoices(classes, single), createChoices(classes, single)];

  /** Lists ways to send so many vehicles, each cheaper than the one before. @returns the least cost of a vehicle */
  function listWays(p: number, count: number, isUsed: boolean): number {
    const [i, j] = [pairs.source[p], pairs.target[p]];
    const fixed = use.fixedOf(i, isUsed) + lists.units[p] * use.movingPrice() * count;
    let least = Number.POSITIVE_INFINITY;
    choices.list(
      (k) => stock.staying[k * demand.length + i],
      count,
      count,
      1,
      (counts) => {
        const brought = stock.capacityOf(counts);
        const there = stock.capacity[j];
        const gained = stock.servedAt(j, there + brought) - stock.servedAt(j, there);
        const total =
          fixed +
          stock.leavingUnits(i, j, counts, count, brought) +
          stock.misplacedUnits(j, count) -
          gained * stock.worthAt(j);
        if (total >= least * count) return Number.POSITIVE_INFINITY;
        least = total / count;
        return total;
      },
    );
    return least;
  }
  /** Over these pairs, as long as that pays. */
  function place(
    candidates: Int32Array,
    isWanted: () => boolean,
    countOf: (i: number, j: number) => number,
  ): void {
    while (isWanted()) {
      let bestPair = -1;
      let bestScore = -NOISE;
      let tried = 0;
      for (const p of candidates) {
        if (tried >= SOURCES) break;
        const [i, j] = [pairs.source[p], pairs.target[p]];
        const carried = use.carriedBy(i, j);
        const most = Math.min(stock.stayingAt(i), pairs.most[p] - carried);
        const wanted = countOf(i, j);
        const count = Math.max(carried > 0 ? 1 : limits.minVehiclesPerMove, Math.min(most, wanted));
        if (wanted <= 0 || count > most) continue;
        tried++;
        const score = listWays(p, count, carried > 0);
        if (score >= bestScore) continue;
        [bestScore, bestPair] = [score, p];
        best.copyLast(choices);
      }
      if (bestPair < 0) return;
      sendChoice(use, pairs.source[bestPair], pairs.target[bestPair], best, 1, classes);
    }
  }
  const { here, least, most } = stock;
  const tooMany = (i: number) => here[i] - most[i];
  const tooFew = (j: number) => least[j] - here[j];
  return (at: number): void => {
    place(
      lists.from(at),
      () => tooMany(at) > 0,
      (i, j) => Math.min(tooMany(i), -tooMany(j)),
    );
    place(
      lists.to(at),
      () => tooFew(at) > 0,
      (i, j) => Math.min(tooFew(j), -tooFew(i)),
    );
  };
}

function sendChoice(
  use: PairUse,
  i: number,
  j: number,
  choices: Choices,
  choice: number,
  classes: number,
): void {
  for (let k = 0; k < classes; k++) {
    const vehicles = choices.vehicles(choice, k);
    if (vehicles > 0) use.send(i, j, k, vehicles);
  }
}
