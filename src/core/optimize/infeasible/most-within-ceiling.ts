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
import type { Moves, Problem, Solution } from '../problem/model.ts';
import { NO_MOVES } from '../problem/moves.ts';
import { hasPairLimits } from '../problem/pairs.ts';
import { serviceLevelOf, totalDemand } from '../problem/service-level.ts';
import { splitDemand } from '../problem/steps.ts';
import { hasLocationBounds, withLimits } from '../problem/variants.ts';
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

type Point = { served: number; costUnits: number };

export type MostWithin = {
  /** The plan found that serves the most within the ceiling. */
  plan: { moves: Moves; served: number };
  /** Proved: no plan within the ceiling serves more. */
  most: number;
};

/** Whether `mostWithinCeiling` applies. */
export function canSearchCeiling(problem: Problem): boolean {
  return problem.capacities.length === 1 && !hasLocationBounds(problem) && !hasPairLimits(problem);
}

/**
 * @param problem for which `canSearchCeiling` holds; its service level is ignored
 * @param most proved: no plan of any cost serves more
 * @param gap relative, at which the most counts as known
 */
export async function mostWithinCeiling(
  problem: Problem,
  most: number,
  gap: number,
  control: Stopping,
): Promise<MostWithin> {
  const capacity = problem.capacities[0];
  const total = totalDemand(problem.demand);
  const isWhole = problem.demand.every((demand) => splitDemand(demand, capacity).rest === 0);
  const unit = isWhole ? capacity : PRECISION * total;
  const ceiling = problem.limits.maxCostUnits;
  const staying = evaluateMoves(problem, NO_MOVES).served;
  const costGap = Math.max(gap, MIN_COST_GAP);
  let plan = { moves: NO_MOVES, served: staying };
  let before: Point | null = null;
  let within: Point = { served: staying, costUnits: 0 };
  /** The least amount of which no plan was found, and whether that is proved. */
  let above: Point & { isProved: boolean } = { ...nothing(most + unit), isProved: true };
  let bound = most;
  let isExtension = false;
  for (let question = 0; question < MAX_QUESTIONS && !isOver(control); question++) {
    const isFound = above.served - within.served <= unit * (1 + PRECISION);
    if (isFound || bound - within.served <= gap * bound) break;
    const guess =
      question === 0
        ? most
        : isExtension && before
          ? extended(before, within, ceiling)
          : crossed(within, above, ceiling);
    isExtension = question > 0 && !isExtension;
    const asked = Math.min(above.served - unit, Math.max(within.served + unit, inUnits(guess, unit)));
    const found = await solveFor(problem, serviceLevelOf(problem, asked), costGap, control);
    if (found === 'stopped') break;
    if (found === 'infeasible') {
      above = { ...nothing(asked), isProved: true };
      bound = Math.min(bound, asked);
    } else if (found.costUnits <= ceiling) {
      before = within;
      within = { served: Math.max(asked, found.served), costUnits: found.costUnits };
      plan = { moves: found.moves, served: found.served };
    } else {
      const isProved = found.boundUnits > ceiling;
      above = { served: asked, costUnits: found.costUnits, isProved };
      if (isProved) bound = Math.min(bound, asked);
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
