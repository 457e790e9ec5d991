/** Random rules about pairs of locations. Shares no code with the optimizer. */
import type { OptimizeRequest } from '../../../src/contracts/optimize.ts';
import { createRandom } from './instances.ts';

type Refine = NonNullable<NonNullable<OptimizeRequest['options']>['refine']>;

/** Some of the four rules, from random numbers of their own. @param most vehicles, pairs that rules speak of */
export function withPairRules(
  request: OptimizeRequest,
  seed: number,
  most: { vehicles: number; pairs: number; from: number; cost: number },
): OptimizeRequest {
  const random = createRandom(seed + 2e6);
  const refine: Refine = {};
  while (Object.keys(refine).length === 0) {
    if (random.chance(0.4)) refine.min_vehicles_per_move = random.integer(1, most.vehicles);
    if (random.chance(0.5)) refine.cost_per_pair = random.integer(0, most.cost * 1e4) / 1e4;
    if (random.chance(0.3)) refine.max_pairs = random.integer(0, most.pairs);
    if (random.chance(0.3)) refine.max_moves_from = random.integer(0, most.from);
  }
  return { ...request, options: { ...request.options, refine } };
}
