/** The changes of a plan against a previous one. */
import type { AllocationPlanItem, Stability } from '../../../contracts/optimize.ts';
import { fromUnits } from '../problem/costs.ts';
import type { Problem, Solution } from '../problem/model.ts';
import { countUnreachable } from '../problem/previous.ts';

/**
 * @param plan one item per vehicle of `problem.fleet`
 * @param without the plan without the change cost, if it is proved
 * @returns undefined if the request names no previous plan. `cost_without` is the cost of the better of the two plans
 *   without the change cost: within the gap, that may be this one
 */
export function createStability(
  problem: Problem,
  plan: readonly AllocationPlanItem[],
  { costUnits, objectiveUnits }: Costs,
  without: Costs | null,
): Stability | undefined {
  const { previous, locationIds } = problem;
  if (!previous) return undefined;
  const { target, changeUnits } = previous;
  let changed = 0;
  let compared = 0;
  for (let f = 0; f < plan.length; f++) {
    if (target[f] < 0) continue;
    compared++;
    if (plan[f].target_location !== locationIds[target[f]]) changed++;
  }
  const isBetter = without !== null && without.objectiveUnits <= objectiveUnits - changed * changeUnits;
  return {
    changed_vehicles: changed,
    compared_vehicles: compared,
    unreachable_vehicles: countUnreachable(problem),
    change_cost: fromUnits(changed * changeUnits),
    cost_without: without && fromUnits(isBetter ? without.costUnits : costUnits),
  };
}

type Costs = Pick<Solution, 'costUnits' | 'objectiveUnits'>;
