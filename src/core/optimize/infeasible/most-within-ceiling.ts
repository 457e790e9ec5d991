/**
 * The most demand that one class serves within the cost ceiling, if demand is in whole vehicle loads and vehicles per
 * location are not bounded.
 *
 * f(R), the least cost of serving R loads, is the optimal value of a linear programme whose right-hand side is linear
 * in R, so it is convex; in a network its breakpoints are whole. The search is for the largest R with f(R) ≤ ceiling.
 * A chord between a point within the ceiling and one above it crosses the ceiling at a point within. The extension of
 * a chord between two points within crosses it no earlier than f does. So the two close in on R from both sides. Each
 * question is one solve.
 */

import { evaluateMoves } from '../problem/evaluate.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { NO_MOVES } from '../problem/moves.ts';
import { totalDemand } from '../problem/service-level.ts';
import { splitDemand } from '../problem/steps.ts';
import { hasLocationBounds, withLimits } from '../problem/variants.ts';
import { isOver, type Stopping } from '../run/stopping.ts';
import { solveProblem } from '../solve.ts';

/** Keeps a quotient of decimals from falling below the whole number that it is. */
const LOAD_NOISE = 1e-6;

type Point = { loads: number; cost: number };

export type MostWithin = {
  /** The plan found that serves the most within the ceiling. */
  plan: { moves: Moves; served: number };
  /** Proved: no plan within the ceiling serves more. */
  most: number;
  isProved: boolean;
};

/** Whether `mostWithinCeiling` applies. */
export function isWhole(problem: Problem): boolean {
  if (problem.capacities.length !== 1 || hasLocationBounds(problem)) return false;
  return problem.demand.every((demand) => splitDemand(demand, problem.capacities[0]).rest === 0);
}

/**
 * @param problem for which `isWhole` holds; its service level is ignored
 * @param most proved: no plan of any cost serves more
 */
export async function mostWithinCeiling(
  problem: Problem,
  most: number,
  control: Stopping,
): Promise<MostWithin> {
  const capacity = problem.capacities[0];
  const total = totalDemand(problem.demand);
  const ceiling = problem.limits.maxCostUnits;
  const loadsOf = (served: number) => Math.floor(served / capacity + LOAD_NOISE);
  const staying = evaluateMoves(problem, NO_MOVES).served;
  let plan = { moves: NO_MOVES, served: staying };
  let within: Point = { loads: loadsOf(staying), cost: 0 };
  let before: Point | null = null;
  let above: Point = { loads: loadsOf(most) + 1, cost: Number.POSITIVE_INFINITY };
  let isExtension = false;
  let isFirst = true;
  while (above.loads - within.loads > 1) {
    const loads = isFirst
      ? above.loads - 1
      : isExtension && before
        ? extended(before, within, ceiling)
        : above.cost === Number.POSITIVE_INFINITY
          ? Math.floor((within.loads + above.loads) / 2)
          : crossed(within, above, ceiling);
    isExtension = !isExtension && !isFirst;
    isFirst = false;
    const asked = Math.min(above.loads - 1, Math.max(within.loads + 1, loads));
    const variant = withLimits(problem, {
      minServiceLevel: Math.min(1, (asked * capacity) / total),
      maxCostUnits: Number.POSITIVE_INFINITY,
    });
    const outcome = isOver(control) ? null : await solveProblem(variant, 0, control);
    if (outcome?.kind === 'infeasible') {
      above = { loads: asked, cost: Number.POSITIVE_INFINITY };
    } else if (outcome?.kind !== 'solved' || !outcome.solution.proved) {
      break;
    } else if (outcome.solution.costUnits > ceiling) {
      above = { loads: asked, cost: outcome.solution.costUnits };
    } else {
      const { moves, served, costUnits } = outcome.solution;
      before = within;
      within = { loads: asked, cost: costUnits };
      plan = { moves, served };
    }
  }
  const isProved = above.loads - within.loads <= 1;
  const bound = Math.min(most, (above.loads - 1) * capacity);
  return { plan, most: Math.max(plan.served, isProved ? within.loads * capacity : bound), isProved };
}

/** Where the chord crosses the ceiling, rounded down. */
function crossed(within: Point, above: Point, ceiling: number): number {
  const share = (ceiling - within.cost) / (above.cost - within.cost);
  return within.loads + Math.floor(share * (above.loads - within.loads));
}

/** Where the extension of the chord crosses the ceiling, rounded down. */
function extended(before: Point, within: Point, ceiling: number): number {
  const perLoad = (within.cost - before.cost) / (within.loads - before.loads);
  return perLoad > 0
    ? within.loads + Math.floor((ceiling - within.cost) / perLoad)
    : Number.POSITIVE_INFINITY;
}
