/**
 * The Lagrangian multiplier at which the flow spends a budget. There it serves, but for a part of one move, the most
 * that any plan serves within the budget.
 *
 * With v(λ) = min over plans of cost − λ · served, a plan within the budget serves at most (budget − v(λ)) / λ, for
 * every λ > 0. Cost and demand served both grow with λ. The search takes one multiplier on either side of the budget,
 * then the slope between their flows, until no flow in between proves less. Each starts from the tree of the one
 * before.
 */
import { isOver } from '../run/stopping.ts';
import { type MultiplierFound, solveAt } from './best-multiplier.ts';
import { highestMultiplier, type LagrangianSearch, measureTree } from './lagrangian-tree.ts';

const MAX_MULTIPLIERS = 80;
/** First distance to a multiplier on the other side, relative, and its growth. */
const FIRST_STEP = 0.02;
const STEP_FACTOR = 4;
/** Relative precision of the least bound. */
const PRECISION = 1e-9;

/** The flow at a multiplier per full load, and the most that it proves can be served within the budget. */
type Point = { at: number; cost: number; served: number; most: number };

/**
 * @param s with any feasible tree; returned with a tree that is optimal among the candidates, at the best multiplier,
 * whose bound becomes the demand that the problem requires: L is then the budget
 * @param budget cost units
 * @returns `short`: no multiplier that was tried spends it
 */
export function findBudgetMultiplier(s: LagrangianSearch, first: number, budget: number): MultiplierFound {
  const highest = highestMultiplier(s);
  let low: Point | null = null;
  let high: Point | null = null;
  let next = Math.min(Math.max(1, first), highest);
  let step = Math.max(1, FIRST_STEP * next);
  for (let tries = 0; tries < MAX_MULTIPLIERS; tries++) {
    if (isOver(s.control) || !solveAt(s, next)) return 'stopped';
    const point = pointOf(s, budget);
    // Multipliers are rounded.
    if (point.at === low?.at || point.at === high?.at) break;
    if (point.cost <= budget) low = point;
    else high = point;
    if (low && high) {
      next = slopeOf(low, high) * s.problem.capacity;
      const reached = low.served + (budget - low.cost) / slopeOf(low, high);
      const least = Math.min(low.most, high.most);
      if (least - reached <= PRECISION * least || !(next > low.at && next < high.at)) break;
    } else if (low) {
      if (low.at >= highest || low.most - low.served <= PRECISION * low.most) break;
      next = Math.min(highest, low.at + step);
    } else {
      if (point.at <= 1) break;
      next = Math.max(1, point.at - step);
    }
    step *= STEP_FACTOR;
  }
  const best = low && (!high || low.most <= high.most) ? low : high!;
  if (best.at !== s.multiplier && !solveAt(s, best.at)) return 'stopped';
  s.problem = { ...s.problem, required: pointOf(s, budget).most };
  return high ? 'met' : 'short';
}

function pointOf(s: LagrangianSearch, budget: number): Point {
  const { cost, served } = measureTree(s);
  const most = served + ((budget - cost) * s.problem.capacity) / s.multiplier;
  return { at: s.multiplier, cost, served, most };
}

/** Cost units per unit of demand. */
function slopeOf(low: Point, high: Point): number {
  return (high.cost - low.cost) / (high.served - low.served);
}
