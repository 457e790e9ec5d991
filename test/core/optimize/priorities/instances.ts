/** Requests with critical demand. Shares no code with the optimizer. */
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import type { LocationPoint } from '../../../../src/core/optimize/problem/model.ts';
import { createRandom } from '../instances.ts';

/** Levels for random locations of a request: stated in it, stored with its locations, or both. */
export function withPriorities(
  { request, locations }: { request: OptimizeRequest; locations: readonly LocationPoint[] },
  seed: number,
): { request: OptimizeRequest; locations: LocationPoint[] } {
  const random = createRandom(seed + 5e6);
  const levels = random.pick([[9], [1, 2], [0, 3, 7], [0, 1, 5, 9]]);
  const stated = random.chance(0.6);
  const priorities: Record<string, number> = {};
  for (const { id } of locations) if (random.chance(0.6)) priorities[id] = random.pick(levels);
  if (random.chance(0.2)) priorities.default = random.pick(levels);
  return {
    request: stated ? { ...request, constraints: { ...request.constraints, priorities } } : request,
    locations: locations.map((place) =>
      random.chance(0.5) ? { ...place, priority: random.pick(levels) } : place,
    ),
  };
}
