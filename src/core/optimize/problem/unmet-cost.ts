/**
 * The cost of unmet demand: Σ_j unmetCost_j · u_j, where u_j is the demand that the counted vehicles do not serve. Up
 * to `total_fleet_size` vehicles count. Which ones is a choice that costs nothing (`counted-vehicles.ts`).
 *
 * The sum over a plan is rounded up to whole units, as the costs of moves are. So the objective of every plan is a
 * whole number, and a bound of the exact sum proves the next whole number.
 */
import { UNITS_PER_COST } from './costs.ts';
import { countedAdditions } from './counted-vehicles.ts';
import type { Problem } from './model.ts';

/** Absolute error, in units, that sums and bounds may have before they are rounded up. */
export const MIN_NOISE_UNITS = 0.01;
/** Relative, of a sum of costs of unmet demand. */
const SUM_NOISE = 1e-13;

/** Whether demand that is not served has a cost. */
export function hasUnmetCost({ unmetCost }: Pick<Problem, 'unmetCost'>): boolean {
  return unmetCost !== undefined;
}

/** The same problem, in which unmet demand costs nothing: whether a plan exists does not depend on that cost. */
export function withoutUnmetCost({ unmetCost: _, ...problem }: Problem): Problem {
  return problem;
}

/** The most that the largest vehicle saves by serving, in money; 0 without a cost of unmet demand. */
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
