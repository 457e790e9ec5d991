/**
 * The most demand that one class serves within the cost ceiling, if vehicles per location are not bounded.
 *
 * f(R), the least cost of serving R, is the optimal value of a linear programme whose right-hand side is linear in R,
 * so it is convex if demand is in whole vehicle loads, and nearly so otherwise. The search is for the largest R with
 * f(R) ≤ ceiling. A chord between a point within the ceiling and one above it crosses the ceiling at a point within.
 * The extension of a chord between two points within crosses it no earlier than f does. So the two close in on R from
 * both sides. Each question is one solve without a ceiling, which gives a plan and a bound: the plan is within the
 * ceiling, or the bound is above it, or the question stays open because f is only known to the gap.
 */

import { evaluateMoves } from '../problem/evaluate.ts';
import { hasFurtherRules } from '../problem/floors.ts';
import type { Moves, Problem, Solution } from '../problem/model.ts';
import { NO_MOVES } from '../problem/moves.ts';
import { hasPairLimits, withoutPairCost } from '../problem/pairs.ts';
import { serviceLevelOf, totalDemand } from '../problem/service-level.ts';
import { splitDemand } from '../problem/steps.ts';
import { withLimits } from '../problem/variants.ts';
import { keptIn, type Slot } from '../run/cache.ts';
import { isOver, type Stopping } from '../run/stopping.ts';
import { solveProblem } from '../solve.ts';

/** Share of total demand to which the most is found if demand is not in whole loads. */
const PRECISION = 1e-6;
/** Questions at most. A convex f needs about ten; the limit only catches what is far from convex. */
const MAX_QUESTIONS = 40;

/** Costs that are closer to the optimum than this take long to prove if demand is not in whole loads. */
const MIN_COST_GAP = 1e-3;
/** The first step beyond the last plan at which a bound is asked for is the gap divided by this. */
const BOUND_STEPS = 4;

/** Cost units; a lower bound will do for a cost above the ceiling. */
type Point = { served: number; costUnits: number };

export type MostWithin = {
  /** The plan found that serves the most within the ceiling. */
  plan: { moves: Moves; served: number };
  /** Proved: no plan within the ceiling serves more. */
  most: number;
};

/** The last answer about a problem. What changed problems share with it decides whether it is about them, too. */
const KEPT: Slot<{ problem: Problem | null; found: MostWithin | null }> = {
  create: () => ({ problem: null, found: null }),
};

/** What an earlier search found for this problem at any service level, to any gap; null if there was none. */
export function keptMostWithin({
  supply,
  demand,
  capacities,
  network,
  limits,
  caches,
}: Problem): MostWithin | null {
  const { problem, found } = keptIn(caches.problem, KEPT);
  const isSame =
    problem !== null &&
    problem.supply === supply &&
    problem.demand === demand &&
    problem.capacities === capacities &&
    problem.network === network &&
    problem.limits.maxDistanceKm === limits.maxDistanceKm &&
    problem.limits.maxCostUnits === limits.maxCostUnits &&
    problem.limits.totalFleetSize === limits.totalFleetSize;
  return isSame ? found : null;
}

/** Whether all demand is in whole vehicle loads. */
export function isInLoads({ demand, capacities }: Problem): boolean {
  return demand.every((of) => splitDemand(of, capacities[0]).rest === 0);
}

/** Whether `mostWithinCeiling` applies. */
export function canSearchCeiling(problem: Problem): boolean {
  return problem.capacities.length === 1 && !hasFurtherRules(problem) && !hasPairLimits(problem);
}

/**
 * @param problem for which `canSearchCeiling` holds; its service level is ignored
 * @param most proved: no plan of any cost serves more
 * @param asked relative gap at which the most counts as known; whole loads are few questions more, and counted exactly
 * @param tooDear an amount that is known to cost more than the ceiling
 */
export async function mostWithinCeiling(
  problem: Problem,
  most: number,
  asked: number,
  control: Stopping,
  tooDear?: Point,
): Promise<MostWithin> {
  const isWhole = isInLoads(problem);
  const unit = isWhole ? problem.capacities[0] : PRECISION * totalDemand(problem.demand);
  const question = { most, gap: isWhole ? 0 : asked, isWhole, unit };
  const found = await search(withoutPairCost(problem), question, control, tooDear);
  Object.assign(keptIn(problem.caches.problem, KEPT), { problem, found });
  return found;
}

type Question = { most: number; gap: number; isWhole: boolean; unit: number };

async function search(
  problem: Problem,
  { most, gap, isWhole, unit }: Question,
  control: Stopping,
  tooDear?: Point,
): Promise<MostWithin> {
  const ceiling = problem.limits.maxCostUnits;
  const staying = evaluateMoves(problem, NO_MOVES).served;
  const costGap = Math.max(gap, MIN_COST_GAP);
  let plan = { moves: NO_MOVES, served: staying };
  let before: Point | null = null;
  let within: Point = { served: staying, costUnits: 0 };
  /** The least amount of which no plan was found, and whether that is proved. */
  let above: Point & { isProved: boolean } = { ...nothing(most + unit), isProved: true };
  let bound = most;
  if (tooDear && tooDear.costUnits > ceiling && tooDear.served < above.served) {
    const served = Math.ceil(tooDear.served / unit - PRECISION) * unit;
    above = { served, costUnits: tooDear.costUnits, isProved: true };
    bound = Math.min(most, served);
  }
  let isExtension = false;
  for (let question = 0; question < MAX_QUESTIONS && !isOver(control); question++) {
    const isFound = above.served - within.served <= unit * (1 + PRECISION);
    if (isFound || bound - within.served <= gap * bound) break;
    const guess =
      question === 0 && above.costUnits === Number.POSITIVE_INFINITY
        ? most
        : isExtension && before
          ? extended(before, within, ceiling)
          : crossed(within, above, ceiling);
    isExtension = question > 0 && !isExtension;
    const next = Math.min(above.served - unit, Math.max(within.served + unit, inUnits(guess, unit)));
    const found = await solveFor(problem, serviceLevelOf(problem, next), costGap, control);
    if (found === 'stopped') break;
    if (found === 'infeasible') {
      above = { ...nothing(next), isProved: true };
      bound = Math.min(bound, next);
    } else if (found.costUnits <= ceiling) {
      before = within;
      within = { served: Math.max(next, found.served), costUnits: found.costUnits };
      plan = { moves: found.moves, served: found.served };
    } else {
      const isProved = found.boundUnits > ceiling;
      above = { served: next, costUnits: found.costUnits, isProved };
      if (isProved) bound = Math.min(bound, next);
    }
  }
  const isExact = isWhole && above.isProved && above.served - within.served <= unit * (1 + PRECISION);
  if (isExact) return { plan, most: plan.served };
  // The bound is proved a little further on, where it is above the ceiling by more than the gap.
  let step = Math.max(unit, (gap * bound) / BOUND_STEPS);
  for (; above.served + step < bound && !isOver(control); step *= 2) {
    const found = await solveFor(problem, serviceLevelOf(problem, above.served + step), costGap, control);
    if (found === 'stopped') break;
    if (found === 'infeasible' || found.boundUnits > ceiling) bound = above.served + step;
  }
  return { plan, most: Math.max(bound, plan.served) };
}

function nothing(served: number): Point {
  return { served, costUnits: Number.POSITIVE_INFINITY };
}

async function solveFor(
  problem: Problem,
  level: number,
  gap: number,
  control: Stopping,
): Promise<Solution | 'infeasible' | 'stopped'> {
  const limits = { minServiceLevel: Math.min(1, level), maxCostUnits: Number.POSITIVE_INFINITY };
  const outcome = await solveProblem(withLimits(problem, limits), gap, control);
  if (outcome.kind === 'infeasible') return 'infeasible';
  return outcome.kind === 'solved' && outcome.solution.proved ? outcome.solution : 'stopped';
}

/** Rounded down to a whole number of units, but for noise of decimals. */
function inUnits(served: number, unit: number): number {
  return Math.floor(served / unit + PRECISION) * unit;
}

/** Where the chord crosses the ceiling; the middle if no plan serves as much as `above`. */
function crossed(within: Point, above: Point, ceiling: number): number {
  const width = above.served - within.served;
  if (above.costUnits === Number.POSITIVE_INFINITY) return within.served + width / 2;
  return within.served + (width * (ceiling - within.costUnits)) / (above.costUnits - within.costUnits);
}

/** Where the extension of the chord crosses the ceiling. */
function extended(before: Point, within: Point, ceiling: number): number {
  const perDemand = (within.costUnits - before.costUnits) / (within.served - before.served);
  return perDemand > 0 ? within.served + (ceiling - within.costUnits) / perDemand : Number.POSITIVE_INFINITY;
}
