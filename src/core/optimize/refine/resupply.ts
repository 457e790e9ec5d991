/**
 * Better plans by changing a few neighbouring locations at a time (ruin and recreate): the pairs to these locations, or
 * all pairs from a location, are dropped, and each location is supplied again by the best choice of sources
 * (`supplied-plan.ts`). Worse plans are kept with a probability that falls to 0 (simulated annealing). It may begin
 * with a plan that breaks limits, or with none.
 *
 * Reference: Schrimpf et al., Record breaking optimization results using the ruin and recreate principle, Journal of
 * Computational Physics 159 (2000).
 */
import type { Moves, Problem } from '../problem/model.ts';
import { randomFrom } from '../problem/random.ts';
import { hasLocationBounds } from '../problem/variants.ts';
import type { Pairs } from './pairs-of-moves.ts';
import { createSuppliedPlan } from './supplied-plan.ts';

/** Neighbours from which those that change are drawn, and how many change. */
const NEIGHBOURS = 12;
const LEAST_CHANGED = 2;
const MOST_CHANGED = 9;
/** Share of changes that drop the pairs from a location. */
const BY_SOURCE = 0.2;
/** First temperature, as a share of what a pair costs on average. */
const FIRST_TEMPERATURE = 0.1;
const CHANGES_PER_LOOK = 16;
const SEED = 20_261_123;
/** In cost units. */
const NOISE = 1e-3;

/** Whether the search knows the rules of the problem. */
export function canResupply(problem: Problem): boolean {
  return !problem.hasPlaceOutside && !problem.pinnedPlaces;
}

/**
 * @param pairs that the search may use
 * @param first moves to begin with
 * @param changes how many are tried; each is O(sources · choices · load) per location changed
 * @param keep takes a plan that is better than all before
 * @param look asked every few milliseconds for the share of the time that is over; it throws to stop the work
 */
export function resupply(
  problem: Problem,
  pairs: Pairs,
  first: Moves,
  changes: number,
  keep: (moves: Moves) => void,
  look: () => number,
): void {
  const neighbours = neighbourhoods(problem);
  if (neighbours.length === 0 || pairs.count === 0) return;
  const n = problem.locationIds.length;
  const hasBounds = hasLocationBounds(problem);
  const usual = averageUnits(problem, pairs, first);
  const plan = createSuppliedPlan(problem, pairs, first, usual);
  const random = randomFrom(SEED);
  const giving = [...new Set(pairs.source)];
  let best = plan.keepsLimits() ? plan.units() : Number.POSITIVE_INFINITY;
  const recreate = (changed: readonly number[]) => {
    for (const j of changed) plan.supply(j, random);
    if (hasBounds) for (const j of [...plan.touched(), Math.floor(random() * n)]) plan.balance(j);
  };
  const dropInto = () => {
    const around = neighbours[Math.floor(random() * neighbours.length)];
    const count = LEAST_CHANGED + Math.floor(random() * (MOST_CHANGED - LEAST_CHANGED + 1));
    const changed = shuffled(around, random).slice(0, count);
    plan.drop(changed);
    return changed;
  };
  const dropFrom = () => shuffled(plan.recall(giving[Math.floor(random() * giving.length)]), random);
  const note = () => {
    if (!plan.keepsLimits() || plan.units() >= best - NOISE) return;
    best = plan.units();
    keep(plan.moves());
  };
  if (best === Number.POSITIVE_INFINITY) {
    recreate(
      shuffled(
        neighbours.map((around) => around[0]),
        random,
      ),
    );
    note();
  }
  const hottest = FIRST_TEMPERATURE * (plan.units() / Math.max(1, plan.pairs()));
  let spent = 0;
  for (let change = 0; change < changes; change++) {
    if (change % CHANGES_PER_LOOK === 0) spent = Math.max(change / changes, look());
    const current = plan.pricedUnits();
    plan.begin();
    recreate(random() < BY_SOURCE ? dropFrom() : dropInto());
    const worse = plan.pricedUnits() - current;
    const temperature = hottest * (1 - spent) ** 2;
    if (worse > 0 && random() >= Math.exp(-worse / (temperature + NOISE))) plan.undo();
    else note();
    plan.adaptPrices();
  }
}

/** For each location that may need vehicles: itself and those that are nearest, by cost. O(n² log n) */
function neighbourhoods(problem: Problem): Int32Array[] {
  const { demand, network, locationIds } = problem;
  const n = locationIds.length;
  const { costUnits } = network;
  const supplied = Int32Array.from(demand.keys().filter((j) => demand[j] > 0));
  return Array.from(supplied, (j) => {
    const away = (i: number) => (i === j ? -1 : Math.min(costUnits[i * n + j], costUnits[j * n + i]));
    return supplied.toSorted((a, b) => away(a) - away(b) || a - b).subarray(0, NEIGHBOURS);
  });
}

function shuffled(items: ArrayLike<number>, random: () => number): number[] {
  const order = Array.from(items);
  for (let a = order.length - 1; a > 0; a--) {
    const b = Math.floor(random() * (a + 1));
    [order[a], order[b]] = [order[b], order[a]];
  }
  return order;
}

/** Of a vehicle that moves; without moves, of the cheapest pair to a location. */
function averageUnits(
  { network, locationIds }: Problem,
  pairs: Pairs,
  { source, target, count }: Moves,
): number {
  const n = locationIds.length;
  if (count.length === 0) {
    const cheapest = new Float64Array(n).fill(Number.POSITIVE_INFINITY);
    for (let p = 0; p < pairs.count; p++) {
      const j = pairs.target[p];
      cheapest[j] = Math.min(cheapest[j], network.costUnits[pairs.source[p] * n + j]);
    }
    const finite = cheapest.filter((cost) => cost < Number.POSITIVE_INFINITY);
    return Math.max(1, finite.reduce((sum, cost) => sum + cost, 0) / Math.max(1, finite.length));
  }
  let sum = 0;
  for (let m = 0; m < count.length; m++) sum += network.costUnits[source[m] * n + target[m]];
  return Math.max(1, sum / count.length);
}
