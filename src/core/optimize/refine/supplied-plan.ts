/**
 * A plan that is changed location by location, in cost units. It may miss the service level or a floor, use too many
 * pairs, have too many or too few vehicles at a location, or cost more than the ceiling: each has a price in its
 * objective, which rises while the limit is broken and falls while it is kept. All other rules it keeps.
 */
import type { Moves, Problem } from '../problem/model.ts';
import { createPairUse } from './pair-use.ts';
import type { Pairs } from './pairs-of-moves.ts';
import { createStock } from './stock.ts';
import { createBalance, createSupply, listPairs } from './supply.ts';

/**
 * @param pairs that may be used
 * @param first moves; of those that are not of these pairs, or too few, the vehicles stay
 * @param usual what a used pair costs on average, in cost units, without its own price
 */
export function createSuppliedPlan(problem: Problem, pairs: Pairs, first: Moves, usual: number) {
  const n = problem.locationIds.length;
  const stock = createStock(problem, usual + (problem.pairCostUnits ?? 0));
  const use = createPairUse(problem, stock, usual);
  const lists = listPairs(problem, pairs);
  const parts = { problem, pairs, lists, stock, use };
  const known = new Set(pairs.source.keys().map((p) => pairs.source[p] * n + pairs.target[p]));
  for (let m = 0; m < first.count.length; m++) {
    const [i, j] = [first.source[m], first.target[m]];
    if (known.has(i * n + j)) use.send(i, j, first.capacityClass[m], first.count[m]);
  }
  for (let j = 0; j < n; j++) {
    const isSmall = (i: number) => use.carriedBy(i, j) < problem.limits.minVehiclesPerMove;
    for (const i of use.sourcesOf(j).filter(isSmall)) use.drop([[i, j]]);
  }
  const units = () => use.units() + stock.otherUnits();
  return {
    pairs: use.pairs,
    /** The objective of the problem. */
    units,
    /** The same, with the prices of broken limits. */
    pricedUnits: () => units() + stock.penalty() + use.penalty(),
    keepsLimits: () => use.keepsLimits() && stock.keepsLimits(),
    adaptPrices(): void {
      stock.adaptPrices();
      use.adaptPrices();
    },
    /** From here on, changes can be undone. */
    begin: use.begin,
    undo: use.undo,
    /** All vehicles that came to these locations stay at home. */
    drop: (targets: readonly number[]) =>
      use.drop(targets.flatMap((j) => use.sourcesOf(j).map((i): [number, number] => [i, j]))),
    /** All vehicles of a location stay at home. @returns where they went */
    recall(i: number): number[] {
      const targets = Array.from(lists.from(i), (p) => pairs.target[p]).filter(
        (j) => use.carriedBy(i, j) > 0,
      );
      use.drop(targets.map((j) => [i, j]));
      return targets;
    },
    /** Sends the vehicles to a location that reduce the priced objective most. */
    supply: createSupply(parts),
    /** Sends vehicles from or to a location until it has as many as it may have, as far as that pays. */
    balance: createBalance(parts),
    /** Locations that vehicles left or went to since the beginning. */
    touched: use.touched,
    moves: use.moves,
  };
}
