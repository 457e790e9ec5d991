/**
 * Which of the vehicles present count, if `total_fleet_size` allows fewer: those that make the unmet demand cost least,
 * as far as the service level and the floors of priority levels hold for the same choice.
 */
import { type AddedService, additionsOf } from './additions.ts';
import { floorSlack, floorsOf, levelAt, serveFloors } from './floors.ts';
import type { Problem } from './model.ts';
import { leastServed } from './service-level.ts';

/** Choices examined at most, if the dearest demand alone misses the service level or a floor. */
const MAX_CHOICES = 100_000;
/** Rounds of the search for multipliers of several floors, which depend on each other. */
const MULTIPLIER_ROUNDS = 6;
const MOST_MULTIPLIER = 1e30;

type Valued = AddedService & { worth: number; level: number };
/** The least to serve of a level and all higher ones; level 0: the service level. */
type Need = { level: number; least: number };

/**
 * @param unmetCost n, of a unit of demand in money
 * @param presence K × n vehicles after the moves
 */
export function countedAdditions(
  problem: Problem,
  unmetCost: Float64Array,
  presence: ArrayLike<number>,
): readonly AddedService[] {
  const most = problem.limits.totalFleetSize;
  const additions = additionsOf(problem, presence);
  if (sum(additions, ({ count }) => count) <= most) return additions;
  const valued = valuedBy(problem, unmetCost, additions);
  const slack = floorSlack(problem);
  const needs = [
    ...floorsOf(problem).map(({ level, served }) => ({ level, least: served - slack })),
    { level: 0, least: leastServed(problem) },
  ];
  const dearest = take(valued, most, () => 0);
  if (isEnough(dearest, needs)) return dearest;
  const largest = valuedBy(problem, unmetCost, serveFloors(problem, presence, most).taken);
  return isEnough(largest, needs) ? chooseServing(valued, most, needs, largest) : largest;
}

function valuedBy(
  problem: Problem,
  unmetCost: Float64Array,
  additions: readonly AddedService[],
): readonly Valued[] {
  return additions.map((addition) => ({
    ...addition,
    worth: unmetCost[addition.location] * addition.gain,
    level: levelAt(problem, addition.location),
  }));
}

/** The `most` vehicles of the largest worth + multiplier · gain. */
function take(additions: readonly Valued[], most: number, multiplierOf: (level: number) => number): Valued[] {
  const value = ({ worth, gain, level }: Valued) => worth + multiplierOf(level) * gain;
  const taken: Valued[] = [];
  let left = most;
  for (const addition of additions.toSorted((a, b) => value(b) - value(a) || b.gain - a.gain)) {
    const count = Math.min(left, addition.count);
    if (count > 0) taken.push({ ...addition, count });
    left -= count;
  }
  return taken;
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += value(item);
  return total;
}

const worthOf = (taken: readonly Valued[]) => sum(taken, ({ worth, count }) => worth * count);
const isEnough = (taken: readonly Valued[], needs: readonly Need[]) =>
  needs.every((need) => keeps(taken, need));
const keeps = (taken: readonly Valued[], need: Need) =>
  sum(taken, ({ gain, count, level }) => (level >= need.level ? gain * count : 0)) >= need.least;

/**
 * At most `most` vehicles that serve what is needed and are worth the most: a knapsack. With multipliers λ of served
 * demand, Λ the sum of those of a level's needs, and the value θ of a vehicle, every choice is worth at most
 *   Σ count · max(0, worth + Λ gain − θ) + θ · most − Σ λ · least,
 * and each vehicle chosen against its sign of r = worth + Λ gain − θ loses |r| of that. So only those of a small |r|
 * are open, and depth-first search over them is exact.
 * @param known a choice that serves what is needed
 */
function chooseServing(
  additions: readonly Valued[],
  most: number,
  needs: readonly Need[],
  known: readonly Valued[],
): readonly Valued[] {
  const multipliers = findMultipliers(additions, most, needs);
  const multiplierOf = (level: number) => sumFrom(needs, multipliers, level);
  const chosen = take(additions, most, multiplierOf);
  let best = known;
  if (isEnough(chosen, needs) && worthOf(chosen) > worthOf(best)) best = chosen;
  const value = ({ worth, gain, level }: Valued) => worth + multiplierOf(level) * gain;
  const threshold = chosen.reduce(
    (least, addition) => Math.min(least, value(addition)),
    Number.POSITIVE_INFINITY,
  );
  // Alike vehicles are one kind: which of them serves makes no difference.
  const kinds = new Map<string, Valued & { members: Valued[] }>();
  for (const addition of additions) {
    const { worth, gain, level } = addition;
    const key = `${worth} ${gain} ${needs.length > 1 ? level : 0}`;
    const kind = kinds.get(key) ?? { ...addition, count: 0, members: [] };
    kind.count += addition.count;
    kind.members.push(addition);
    kinds.set(key, kind);
  }
  const ranked = [...kinds.values()]
    .map((kind) => ({ ...kind, reduced: value(kind) - threshold }))
    .sort((a, b) => Math.abs(a.reduced) - Math.abs(b.reduced));
  const bound =
    sum(ranked, ({ reduced, count }) => count * Math.max(0, reduced)) +
    threshold * most -
    needs.reduce((total, { least }, c) => total + multipliers[c] * least, 0);
  let bestWorth = worthOf(best);
  let bestCounts: number[] | null = null;
  const counts = ranked.map(({ reduced, count }) => (reduced > 0 ? count : 0));
  const missing = needs.map(({ least }) => least);
  // From the kinds that are most certain to the most open ones.
  let choices = 0;
  const visit = (at: number, left: number, worth: number, loss: number): void => {
    if (left < 0 || choices++ > MAX_CHOICES || bound - loss <= bestWorth) return;
    if (at < 0) {
      if (missing.some((least) => least > 0) || worth <= bestWorth) return;
      bestWorth = worth;
      bestCounts = counts.slice();
      return;
    }
    const { worth: each, gain, level, count, reduced } = ranked[at];
    const preferred = reduced > 0 ? count : 0;
    const before = missing.slice();
    for (let away = 0; away <= count; away++) {
      const lost = loss + away * Math.abs(reduced);
      if (bound - lost <= bestWorth) break;
      const taken = reduced > 0 ? preferred - away : away;
      counts[at] = taken;
      for (const [c, need] of needs.entries())
        missing[c] = before[c] - (level >= need.level ? taken * gain : 0);
      visit(at - 1, left - taken, worth + taken * each, lost);
    }
    counts[at] = preferred;
    for (const [c, least] of before.entries()) missing[c] = least;
  };
  visit(ranked.length - 1, most, 0, 0);
  if (!bestCounts) return best;
  return (bestCounts as number[]).flatMap((taken, at) => {
    let left = taken;
    return ranked[at].members.map((member) => {
      const count = Math.min(left, member.count);
      left -= count;
      return { ...member, count };
    });
  });
}

function sumFrom(needs: readonly Need[], multipliers: readonly number[], level: number): number {
  let total = 0;
  for (const [c, need] of needs.entries()) if (level >= need.level) total += multipliers[c];
  return total;
}

/** The smallest multipliers at which the dearest vehicles serve what is needed, one need after the other. */
function findMultipliers(additions: readonly Valued[], most: number, needs: readonly Need[]): number[] {
  const multipliers = needs.map(() => 0);
  for (let round = 0; round < (needs.length > 1 ? MULTIPLIER_ROUNDS : 1); round++) {
    const before = multipliers.slice();
    for (const [c, need] of needs.entries()) {
      const isKept = (multiplier: number) => {
        const changed = multipliers.with(c, multiplier);
        return keeps(
          take(additions, most, (level) => sumFrom(needs, changed, level)),
          need,
        );
      };
      multipliers[c] = 0;
      if (isKept(0)) continue;
      let [low, high] = [0, 1];
      while (high < MOST_MULTIPLIER && !isKept(high)) high *= 4;
      for (let step = 0; step < 60; step++) {
        const middle = (low + high) / 2;
        if (isKept(middle)) high = middle;
        else low = middle;
      }
      multipliers[c] = high;
    }
    if (multipliers.every((multiplier, c) => multiplier === before[c])) break;
  }
  return multipliers;
}
