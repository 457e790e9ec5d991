/** What a plan says about a service level that it does not reach. */

import type { Shortfall, SufficientChange } from '../../../contracts/optimize.ts';
import { type Explained, isNearEnough } from '../infeasible/infeasible.ts';
import { asFigure } from '../problem/figure.ts';
import type { LocationChange, Problem } from '../problem/model.ts';
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
    relaxations: reasons ? relaxationsOf(reasons) : [],
  };
}

/** The errors that a 422 answer would have, with their figures. The last one may be about several constraints. */
function relaxationsOf({ conflicts, errors }: Explained): SufficientChange[] {
  return errors.map(({ message }, at) => {
    const conflict = conflicts[at];
    return conflict
      ? {
          constraint: conflict.constraint,
          value: conflict.value,
          relaxation: conflict.relaxation,
          proved: conflict.proved,
          message,
          ...(conflict.changes && { by_location: valuesOf(conflict.changes) }),
        }
      : { constraint: null, value: null, relaxation: null, proved: false, message };
  });
}

function valuesOf(changes: readonly LocationChange[]): Record<string, number> {
  return Object.fromEntries(changes.map(({ location_id, to }) => [location_id, to]));
}
