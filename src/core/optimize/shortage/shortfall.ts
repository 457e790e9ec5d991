/** The shortfall of a plan that does not reach its service level. */

import type { Shortfall } from '../../../contracts/optimize.ts';
import { type Explained, isNearEnough } from '../infeasible/infeasible.ts';
import { asFigure } from '../problem/figure.ts';
import type { Problem } from '../problem/model.ts';
import { serviceLevelOf, totalDemand } from '../problem/service-level.ts';
import type { ServedMost } from './serve-most.ts';

/**
 * `missing_vehicles` is the fewest: a number that is only known to suffice is in the relaxations, marked as not proved.
 * @param problem as requested, with the service level that is out of reach
 * @param reasons why it is; null if they were not found
 * @param gap relative, at which a number of vehicles counts as the fewest
 */
export function createShortfall(
  problem: Problem,
  { solution, most }: Pick<ServedMost, 'solution' | 'most'>,
  reasons: Explained | null,
  gap: number,
): Shortfall {
  const supply = reasons?.conflicts.find(({ constraint }) => constraint === 'supply');
  const isFewest = supply?.relaxation != null && (supply.proved || isNearEnough(supply, gap));
  return {
    requested: problem.limits.minServiceLevel,
    reached: Math.min(1, serviceLevelOf(problem, solution.served)),
    reached_at_most: Math.min(1, serviceLevelOf(problem, most)),
    unserved: asFigure(Math.max(0, totalDemand(problem.demand) - solution.served)),
    missing_vehicles: isFewest ? supply.relaxation! - supply.value! : null,
    relaxations:
      reasons?.errors.flatMap(({ relaxation, message }) => (relaxation ? { ...relaxation, message } : [])) ??
      [],
  };
}
