/**
 * The vehicles on each pair of a plan that is being changed, and what moves, pairs and broken limits of pairs cost, in
 * cost units. A limit, and the ceiling of the cost of moving, has a price while it is broken.
 */
import { UNITS_PER_COST } from '../problem/costs.ts';
import type { Moves, Problem } from '../problem/model.ts';
import type { Stock } from './stock.ts';

const RISE = 1.002;
const FALL = 0.9995;
/** Of the cost of moving, once a plan is above the ceiling. */
const FIRST_CEILING_PRICE = 0.1;

type Load = [source: number, target: number, capacityClass: number, vehicles: number];
/** Vehicles of a pair, by class. */
type Carried = { counts: Int32Array; all: number };

export type PairUse = ReturnType<typeof createPairUse>;

/** @param usual what a used pair costs on average, without its own price */
export function createPairUse(problem: Problem, stock: Stock, usual: number) {
  const { limits } = problem;
  const n = problem.locationIds.length;
  const classes = problem.capacities.length;
  const { costUnits } = problem.network;
  const pairUnits = problem.pairCostUnits ?? 0;
  /** By target, then source. */
  const loads = Array.from({ length: n }, () => new Map<number, Carried>());
  const from = new Int32Array(n);
  const ceiling = problem.movingUnits ? Number.POSITIVE_INFINITY : limits.maxCostUnits;
  const worth = usual + usualLoadUnits(problem);
  let pairPrice = limits.maxPairs < Number.POSITIVE_INFINITY ? worth : 0;
  let fromPrice = limits.maxMovesFrom < Number.POSITIVE_INFINITY ? worth : 0;
  let ceilingPrice = 0;
  let used = 0;
  /** Pairs beyond the limits by source. */
  let exceeding = 0;
  let moving = 0;
  /** All that was sent since the beginning of a change. */
  let sent: Load[] = [];

  function send(i: number, j: number, k: number, vehicles: number): void {
    sent.push([i, j, k, vehicles]);
    stock.send(i, j, k, vehicles);
    moving += vehicles * costUnits[i * n + j];
    const carried = loads[j].get(i) ?? { counts: new Int32Array(classes), all: 0 };
    const wasUsed = carried.all > 0;
    carried.counts[k] += vehicles;
    carried.all += vehicles;
    if (carried.all === 0) loads[j].delete(i);
    else if (!wasUsed) loads[j].set(i, carried);
    const by = (carried.all > 0 ? 1 : 0) - (wasUsed ? 1 : 0);
    if (by === 0) return;
    used += by;
    exceeding -= Math.max(0, from[i] - limits.maxMovesFrom);
    from[i] += by;
    exceeding += Math.max(0, from[i] - limits.maxMovesFrom);
  }
  const loadsOf = (i: number, j: number): Load[] =>
    Array.from(loads[j].get(i)?.counts ?? [], (vehicles, k): Load => [i, j, k, vehicles]).filter(
      ([, , , vehicles]) => vehicles > 0,
    );
  const takeBack = (taken: readonly Load[]) => {
    for (const [i, j, k, vehicles] of taken) send(i, j, k, -vehicles);
  };
  return {
    pairs: () => used,
    send,
    carriedBy: (i: number, j: number) => loads[j].get(i)?.all ?? 0,
    sourcesOf: (j: number) => [...loads[j].keys()],
    /** The vehicles of these pairs stay at home. */
    drop: (dropped: readonly [source: number, target: number][]) =>
      takeBack(dropped.flatMap(([i, j]) => loadsOf(i, j))),
    /** What a pair costs once more vehicles use it, beside their moves; and the price of a unit of these. */
    fixedOf: (i: number, isUsed: boolean) =>
      isUsed
        ? 0
        : pairUnits +
          (used >= limits.maxPairs ? pairPrice : 0) +
          (from[i] >= limits.maxMovesFrom ? fromPrice : 0),
    movingPrice: () => 1 + ceilingPrice,
    units: () => moving + pairUnits * used,
    penalty: () =>
      pairPrice * Math.max(0, used - limits.maxPairs) +
      fromPrice * exceeding +
      (ceilingPrice > 0 ? ceilingPrice * Math.max(0, moving - ceiling) : 0),
    keepsLimits: () => used <= limits.maxPairs && exceeding === 0 && moving <= ceiling,
    adaptPrices(): void {
      pairPrice *= used > limits.maxPairs ? RISE : FALL;
      fromPrice *= exceeding > 0 ? RISE : FALL;
      ceilingPrice =
        moving > ceiling ? Math.max(FIRST_CEILING_PRICE, ceilingPrice * RISE) : ceilingPrice * FALL;
    },
    begin(): void {
      sent = [];
    },
    /** Undoes all since the beginning. */
    undo: () => takeBack(sent.splice(0).reverse()),
    touched: () => new Set([...sent.map(([i]) => i), ...sent.map(([, j]) => j)]),
    moves(): Moves {
      const all = loads.flatMap((of, j) => [...of.keys()].flatMap((i) => loadsOf(i, j)));
      const pick = (at: 0 | 1 | 2 | 3) => Int32Array.from(all, (load) => load[at]);
      return { source: pick(0), target: pick(1), capacityClass: pick(2), count: pick(3) };
    },
  };
}

/** What it is worth on average to serve a location with demand. */
function usualLoadUnits({ demand, unmetCost }: Problem): number {
  const places = demand.reduce((count, d) => (d > 0 ? count + 1 : count), 0);
  const money = demand.reduce((sum, d, j) => sum + d * (unmetCost?.[j] ?? 0), 0);
  return (UNITS_PER_COST * money) / Math.max(1, places);
}
