/**
 * Better plans by changing a few neighbouring locations at a time (ruin and recreate): the pairs to these locations
 * are dropped, and each location is supplied again by the best choice of sources (`supplied-plan.ts`). Worse plans are
 * kept with a probability that falls to 0 (simulated annealing).
 *
 * For one class, without floors, a fleet size or a cost of changes.
 * Reference: Schrimpf et al., Record breaking optimization results using the ruin and recreate principle, Journal of
 * Computational Physics 159 (2000).
 */
import { hasFloors } from '../problem/floors.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { hasChangeCost } from '../problem/previous.ts';
import { randomFrom } from '../problem/random.ts';
import type { Check } from '../run/stopping.ts';
import type { Pairs } from './pairs-of-moves.ts';
import { createSuppliedPlan } from './supplied-plan.ts';

/** Neighbours from which those that change are drawn, and how many change. */
const NEIGHBOURS = 12;
const LEAST_CHANGED = 2;
const MOST_CHANGED = 9;
/** First temperature, as a share of what a pair costs on average. */
const FIRST_TEMPERATURE = 0.1;
const CHANGES_PER_LOOK = 16;
const SEED = 20_261_123;
/** In cost units. */
const NOISE = 1e-3;

/** Whether the search knows all rules of the problem. */
export function canResupply(problem: Problem): boolean {
  return (
    problem.capacities.length === 1 &&
    problem.limits.totalFleetSize === Number.POSITIVE_INFINITY &&
    !problem.hasPlaceOutside &&
    !problem.pinnedPlaces &&
    !hasChangeCost(problem) &&
    !hasFloors(problem)
  );
}

/**
 * @param pairs that the search may use
 * @param first moves that keep all rules
 * @param changes how many are tried; each is O(sources · load²) per location changed
 * @param keep takes a plan that is better than all before
 * @param check throws when time is up
 */
export function resupply(
  problem: Problem,
  pairs: Pairs,
  first: Moves,
  changes: number,
  keep: (moves: Moves) => void,
  check: Check,
): void {
  const neighbours = neighbourhoods(problem);
  if (neighbours.length === 0) return;
  const plan = createSuppliedPlan(problem, pairs, first);
  const random = randomFrom(SEED);
  let best = plan.units();
  const hottest = (FIRST_TEMPERATURE * best) / Math.max(1, plan.pairs());
  for (let change = 0; change < changes; change++) {
    if (change % CHANGES_PER_LOOK === 0) check();
    const current = plan.pricedUnits();
    const around = neighbours[Math.floor(random() * neighbours.length)];
    const count = LEAST_CHANGED + Math.floor(random() * (MOST_CHANGED - LEAST_CHANGED + 1));
    const changed = shuffled(around, random).slice(0, count);
    const before = plan.drop(changed);
    for (const j of changed) plan.supply(j, random);
    const worse = plan.pricedUnits() - current;
    const temperature = hottest * (1 - change / changes) ** 2;
    if (worse > 0 && random() >= Math.exp(-worse / (temperature + NOISE))) {
      plan.drop(changed);
      plan.add(before);
    } else if (plan.keepsLimits() && plan.units() < best - NOISE) {
      best = plan.units();
      keep(plan.moves());
    }
    plan.adaptPrices();
  }
}

/** For each location with demand: itself and those with demand that are nearest, by cost. O(n² log n) */
function neighbourhoods({ demand, network, locationIds }: Problem): Int32Array[] {
  const n = locationIds.length;
  const { costUnits } = network;
  const supplied = Int32Array.from(demand.keys().filter((j) => demand[j] > 0));
  return Array.from(supplied, (j) => {
    const away = (i: number) => (i === j ? -1 : Math.min(costUnits[i * n + j], costUnits[j * n + i]));
    return supplied.toSorted((a, b) => away(a) - away(b) || a - b).subarray(0, NEIGHBOURS);
  });
}

function shuffled(items: Int32Array, random: () => number): number[] {
  const order = [...items];
  for (let a = order.length - 1; a > 0; a--) {
    const b = Math.floor(random() * (a + 1));
    [order[a], order[b]] = [order[b], order[a]];
  }
  return order;
}
