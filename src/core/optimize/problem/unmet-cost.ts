/**
 * The cost of unmet demand: Σ_j unmetCost_j · u_j, where u_j is the demand that the counted vehicles do not serve. Up
 * to `total_fleet_size` vehicles count. Which ones is a choice that costs nothing, so the dearest demand is served
 * first, as far as the service level holds for the same choice.
 *
 * The sum over a plan is rounded up to whole units, as the costs of moves are. So the objective of every plan is a
 * whole number, and a bound of the exact sum proves the next whole number.
 */
import { type AddedService, additionsOf } from './additions.ts';
import { UNITS_PER_COST } from './costs.ts';
import type { Problem } from './model.ts';
import { leastServed } from './service-level.ts';

/** Absolute error, in units, that sums and bounds may have before they are rounded up. */
export const MIN_NOISE_UNITS = 0.01;
/** Relative, of a sum of costs of unmet demand. */
const SUM_NOISE = 1e-13;
/** Choices examined at most, if the dearest demand alone misses the service level. */
const MAX_CHOICES = 100_000;

/** Whether demand that is not served has a cost. */
export function hasUnmetCost({ unmetCost }: Pick<Problem, 'unmetCost'>): boolean {
  return unmetCost !== undefined;
}

/** The same problem, in which unmet demand costs nothing: whether a plan exists does not depend on that cost. */
export function withoutUnmetCost({ unmetCost: _, ...problem }: Problem): Problem {
  return problem;
}

/** What the largest vehicle saves at most by serving, in money; 0 without a cost of unmet demand. */
export function dearestLoad({ demand, unmetCost, capacities }: Problem): number {
  const largest = capacities.length > 0 ? capacities[capacities.length - 1] : 0;
  let dearest = 0;
  for (let j = 0; unmetCost && j < demand.length; j++) {
    dearest = Math.max(dearest, unmetCost[j] * Math.min(largest, demand[j]));
  }
  return dearest;
}

/**
 * The least cost of unmet demand with these vehicles, rounded up to whole units.
 * @param presence K × n vehicles after the moves
 */
export function unmetUnits(problem: Problem, presence: ArrayLike<number>): number {
  const { unmetCost, demand } = problem;
  if (!unmetCost) return 0;
  const open = demand.slice();
  for (const { location, gain, count } of countedAdditions(problem, unmetCost, presence)) {
    open[location] -= gain * count;
  }
  let money = 0;
  for (let j = 0; j < open.length; j++) money += unmetCost[j] * Math.max(0, open[j]);
  const units = money * UNITS_PER_COST;
  return Math.max(0, Math.ceil(units - MIN_NOISE_UNITS - units * SUM_NOISE));
}

/** The vehicles that count, chosen so that the unmet demand costs least. */
function countedAdditions(
  problem: Problem,
  unmetCost: Float64Array,
  presence: ArrayLike<number>,
): readonly AddedService[] {
  const fleetSize = problem.limits.totalFleetSize;
  const additions = additionsOf(problem, presence);
  if (sum(additions, ({ count }) => count) <= fleetSize) return additions;
  const valued = additions.map((addition) => ({
    ...addition,
    worth: unmetCost[addition.location] * addition.gain,
  }));
  const dearest = take(valued, fleetSize, 0);
  const required = leastServed(problem);
  if (gainOf(dearest) >= required) return dearest;
  return chooseServing(valued, fleetSize, required) ?? take(valued, fleetSize, Number.POSITIVE_INFINITY);
}

type Valued = AddedService & { worth: number };

/** The `most` vehicles of the largest worth + multiplier · gain; with an infinite multiplier of the largest gain. */
function take(additions: readonly Valued[], most: number, multiplier: number): Valued[] {
  const value = valueBy(multiplier);
  const taken: Valued[] = [];
  let left = most;
  for (const addition of additions.toSorted((a, b) => value(b) - value(a) || b.gain - a.gain)) {
    const count = Math.min(left, addition.count);
    if (count > 0) taken.push({ ...addition, count });
    left -= count;
  }
  return taken;
}

function valueBy(multiplier: number): (addition: Valued) => number {
  if (multiplier === Number.POSITIVE_INFINITY) return ({ gain }) => gain;
  return ({ worth, gain }) => worth + multiplier * gain;
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += value(item);
  return total;
}

const gainOf = (taken: readonly Valued[]) => sum(taken, ({ gain, count }) => gain * count);
const worthOf = (taken: readonly Valued[]) => sum(taken, ({ worth, count }) => worth * count);

/**
 * At most `most` vehicles that serve `required` and are worth the most: a knapsack. With the multiplier λ of served
 * demand and the value θ of a vehicle, every choice is worth at most
 *   Σ count · max(0, worth + λ gain − θ) + θ · most − λ · required,
 * and each vehicle chosen against its sign of r = worth + λ gain − θ loses |r| of that. So only those of a small |r|
 * are open, and depth-first search over them is exact.
 * @returns null if no choice serves as much
 */
function chooseServing(additions: readonly Valued[], most: number, required: number): Valued[] | null {
  let best = take(additions, most, Number.POSITIVE_INFINITY);
  if (gainOf(best) < required) return null;
  let [low, high] = [0, 1];
  const isEnough = (multiplier: number) => gainOf(take(additions, most, multiplier)) >= required;
  while (high < 1e30 && !isEnough(high)) high *= 4;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  const enough = take(additions, most, high);
  if (gainOf(enough) >= required && worthOf(enough) > worthOf(best)) best = enough;
  const value = valueBy(high);
  const threshold = enough.reduce(
    (least, addition) => Math.min(least, value(addition)),
    Number.POSITIVE_INFINITY,
  );
  // Alike vehicles are one kind: which of them serves makes no difference.
  const kinds = new Map<string, { worth: number; gain: number; count: number; members: Valued[] }>();
  for (const addition of additions) {
    const key = `${addition.worth} ${addition.gain}`;
    const kind = kinds.get(key) ?? { worth: addition.worth, gain: addition.gain, count: 0, members: [] };
    kind.count += addition.count;
    kind.members.push(addition);
    kinds.set(key, kind);
  }
  const ranked = [...kinds.values()]
    .map((kind) => ({ ...kind, reduced: kind.worth + high * kind.gain - threshold }))
    .sort((a, b) => Math.abs(a.reduced) - Math.abs(b.reduced));
  const bound =
    sum(ranked, ({ reduced, count }) => count * Math.max(0, reduced)) + threshold * most - high * required;
  let bestWorth = worthOf(best);
  let bestCounts: number[] | null = null;
  const counts = ranked.map(({ reduced, count }) => (reduced > 0 ? count : 0));
  // From the kinds that are most certain to the most open ones.
  let choices = 0;
  const visit = (at: number, left: number, missing: number, worth: number, loss: number): void => {
    if (left < 0 || choices++ > MAX_CHOICES || bound - loss <= bestWorth) return;
    if (at < 0) {
      if (missing > 0 || worth <= bestWorth) return;
      bestWorth = worth;
      bestCounts = counts.slice();
      return;
    }
    const { worth: each, gain, count, reduced } = ranked[at];
    const preferred = reduced > 0 ? count : 0;
    for (let away = 0; away <= count; away++) {
      const lost = loss + away * Math.abs(reduced);
      if (bound - lost <= bestWorth) break;
      const chosen = reduced > 0 ? preferred - away : away;
      counts[at] = chosen;
      visit(at - 1, left - chosen, missing - chosen * gain, worth + chosen * each, lost);
    }
    counts[at] = preferred;
  };
  visit(ranked.length - 1, most, required, 0, 0);
  if (!bestCounts) return best;
  return (bestCounts as number[]).flatMap((chosen, at) => {
    let left = chosen;
    return ranked[at].members.map((member) => {
      const count = Math.min(left, member.count);
      left -= count;
      return { ...member, count };
    });
  });
}
