/**
 * The cost of moving where the objective is more than that: with costs of unmet demand, or where the costs of the
 * network contain other costs. The ceiling limits the cost of moving alone.
 */
import type { Problem } from './model.ts';
import { moveCost } from './network.ts';
import { hasChangeCost } from './previous.ts';
import { hasUnmetCost, withoutUnmetCost } from './unmet-cost.ts';

/** Whether a bound on the objective says nothing about the cost of moving. */
export function hasOtherCosts(problem: Problem): boolean {
  return hasUnmetCost(problem) || problem.movingUnits !== undefined || hasChangeCost(problem);
}

/** The cost of a move, in units. */
export function movingCost(problem: Problem, from: number, to: number): number {
  return problem.movingUnits?.[from * problem.locationIds.length + to] ?? moveCost(problem, from, to);
}

/** The same problem with the cost of moving as its objective. */
export function withMovingCostAlone(problem: Problem): Problem {
  const { movingUnits, ...plain } = withoutUnmetCost(problem);
  if (!movingUnits) return plain;
  return { ...plain, network: { costUnits: movingUnits, distanceKm: problem.network.distanceKm } };
}
