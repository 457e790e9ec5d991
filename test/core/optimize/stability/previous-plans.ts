/** Previous plans for random requests: of plans that were carried out, that were not, and of other fleets. */
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import type { PreviousPlan } from '../../../../src/core/optimize/problem/model.ts';
import { createRandom } from '../instances.ts';

/** A location that no request has. */
const ELSEWHERE = 987_654;

/**
 * The request with a previous plan and a change cost. Most vehicles have a target; some stayed, some had a location
 * that the request lacks, some vehicles of the plan are not in the request.
 * @param dearest about what a move costs
 */
export function withPrevious(
  request: OptimizeRequest,
  ids: readonly number[],
  seed: number,
  dearest: number,
): { request: OptimizeRequest; previous: PreviousPlan } {
  const random = createRandom(seed + 7e6);
  const known = random.pick([0.5, 0.9, 1]);
  const stayed = random.pick([0.2, 0.6, 1]);
  const few = random.shuffle([...ids]).slice(0, random.integer(1, ids.length));
  const previous = new Map<string, number>([['sold', ids[0]]]);
  for (const { id, location } of request.fleet_state.vehicles) {
    if (!random.chance(known)) continue;
    const target = random.chance(0.05) ? ELSEWHERE : random.pick(few);
    previous.set(id!, random.chance(stayed) ? location! : target);
  }
  const share = random.pick([0, 1e-4, 0.1, 0.5, 1, 3, 50]);
  const change_cost = Number((share * dearest * random.next()).toFixed(4));
  return {
    request: {
      ...request,
      options: { ...request.options, previous_plan_id: 'plan_before', change_cost },
    },
    previous,
  };
}
