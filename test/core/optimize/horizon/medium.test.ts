import { expect, test } from 'vitest';
import { planHorizon } from '../../../../src/core/optimize/horizon/plan-horizon.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { threadCache } from '../cached.ts';
import { createRandom } from '../instances.ts';
import { formulateHorizon } from './horizon-formulation.ts';
import { randomHorizon } from './horizon-instances.ts';

const control = { deadlineMs: 1e9 };

for (const hasFlows of [false, true]) {
  const kind = hasFlows ? 'with trip flows' : 'without trip flows';
  test(`plans of middle size, ${kind}, are as good as HiGHS finds them, and no better than they are`, {
    tags: ['slow'],
  }, async () => {
    let compared = 0;
    for (const seed of seeds(1, 20)) {
      const shape = { n: 10, steps: 5, vehicles: 60, isFractional: seed % 2 === 0, hasFlows };
      const problem = randomHorizon(createRandom(seed), shape);
      // A price decides: service levels of whole vehicles take HiGHS minutes.
      problem.required = 0;
      const found = await planHorizon(problem, 0, control, threadCache);
      const expected = formulateHorizon(problem);
      if (!expected) {
        expect(found.kind, `seed ${seed}`).toBe('infeasible');
        continue;
      }
      if (found.kind !== 'solved') throw new Error(`seed ${seed}: ${found.kind}`);
      const { objectiveUnits, boundUnits, roundingUnits } = found.solution;
      const noise = 2 + 1e-8 * Math.abs(expected.objectiveUnits);
      expect(boundUnits, `seed ${seed}`).toBeLessThanOrEqual(expected.objectiveUnits + noise);
      expect(boundUnits, `seed ${seed}`).toBeGreaterThanOrEqual(expected.objectiveUnits - noise);
      expect(Math.abs(objectiveUnits - roundingUnits - boundUnits), `seed ${seed}`).toBeLessThanOrEqual(
        noise,
      );
      compared++;
    }
    expect(compared).toBeGreaterThan(enough(12));
  });
}
