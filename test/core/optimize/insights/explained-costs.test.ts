import { expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { optimizeCached as optimize } from '../cached.ts';
import { createRandom, type Instance, randomInstance, SETTINGS } from '../instances.ts';

/** Moves that cost up to 10¹⁰ each, which the solver cannot always handle. */
function dearInstance(seed: number): Instance {
  const random = createRandom(seed);
  const { request, locations } = randomInstance(seed);
  const ids = locations.map(({ id }) => id);
  const costs = ids.map(() => ids.map(() => random.integer(0, 1e6) * 1e4));
  const constraints = { ...request.constraints, max_rebalancing_cost: null };
  return { seed, request: { ...request, constraints, network: { location_ids: ids, costs } }, locations };
}

test('the plan that is found without an explanation is answered with one too, whatever explaining it comes to', {
  tags: 'slow',
}, async () => {
  let plans = 0;
  let infeasible = 0;
  for (const seed of seeds(1, 250)) {
    const { request, locations } = dearInstance(seed);
    const solve = (options: OptimizeRequest['options']) =>
      optimize({ request: { ...request, options }, locations, settings: SETTINGS });
    const plain = await solve(request.options);
    const explained = await solve({ ...request.options, explain: true });
    expect(explained.status, `seed ${seed}`).toBe(plain.status);
    if (explained.status === 'infeasible') {
      infeasible++;
      expect(explained.errors.length, `seed ${seed}`).toBeGreaterThan(0);
    }
    if (!('result' in explained) || !('result' in plain)) continue;
    plans++;
    const { insights, ...result } = explained.result;
    expect(result, `seed ${seed}`).toEqual(plain.result);
    expect(insights!.locations.length, `seed ${seed}`).toBeGreaterThan(0);
  }
  expect(plans).toBeGreaterThan(enough(100));
  expect(infeasible).toBeGreaterThan(enough(20));
});
