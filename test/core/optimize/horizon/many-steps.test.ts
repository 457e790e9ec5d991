/** @module-tag slow */
import { describe, expect, it } from 'vitest';
import { measureHorizon } from '../../../../src/core/optimize/horizon/horizon-figures.ts';
import { solveWithFlows } from '../../../../src/core/optimize/horizon/solve-with-flows.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { threadCache } from '../cached.ts';
import { createRandom } from '../instances.ts';
import { expectAgreement } from './expect-agreement.ts';
import { formulateHorizon } from './horizon-formulation.ts';
import { randomHorizon } from './horizon-instances.ts';

/** 7 to 14 steps: they are planned in ranges first. Every third has demand that comes with a chance. */
function longHorizon(seed: number) {
  const random = createRandom(seed);
  const shape = { n: random.integer(2, 4), steps: random.integer(7, 14), vehicles: 6, hasFlows: true };
  return randomHorizon(random, { ...shape, isFractional: random.chance(0.5), isUncertain: seed % 3 === 0 });
}

describe('plans of many steps with trip flows', () => {
  it('agree with all moves as one programme', async () => {
    const kinds = { solved: 0, unserved: 0 };
    for (const seed of seeds(1, 60)) {
      const problem = longHorizon(seed);
      const where = `seed ${seed}`;
      const found = await solveWithFlows(problem, { deadlineMs: 1e9 }, threadCache);
      kinds[expectAgreement(problem, found, where)]++;
    }
    expect(Math.min(kinds.solved, kinds.unserved)).toBeGreaterThan(enough(5));
  });

  it('are possible whenever time is up, with a bound that holds, and never worse than if nobody moved', async () => {
    const kinds = { solved: 0, unserved: 0, stopped: 0 };
    for (const seed of seeds(1, 12)) {
      const problem = { ...longHorizon(seed), required: 0 };
      const best = formulateHorizon(problem)?.objectiveUnits ?? Number.NaN;
      const none = { step: new Int32Array(0), from: new Int32Array(0), to: new Int32Array(0) };
      const resting = measureHorizon(problem, { ...none, vehicles: new Float64Array(0) });
      if (typeof resting === 'string') throw new Error(resting);
      for (let looks = 0; looks <= 60; looks += 4) {
        const where = `seed ${seed}, after ${looks} looks at the time`;
        let left = looks;
        const control = {
          get deadlineMs() {
            return left-- > 0 ? 1e9 : 0;
          },
        };
        const found = await solveWithFlows(problem, control, threadCache);
        if (found.kind === 'cancelled') throw new Error(where);
        kinds[found.kind]++;
        const { moves, figures, boundUnits } = found.plan;
        expect(typeof measureHorizon(problem, moves), where).toBe('object');
        expect(figures.objectiveUnits, where).toBeLessThanOrEqual(resting.objectiveUnits + 1e-3);
        const noise = 0.1 + 1e-6 * (Math.abs(best) + Math.abs(resting.objectiveUnits));
        expect(boundUnits, where).toBeLessThanOrEqual(best + noise);
        expect(boundUnits, where).toBeGreaterThan(Number.NEGATIVE_INFINITY);
        expect(figures.objectiveUnits, where).toBeGreaterThanOrEqual(best - noise);
      }
    }
    expect(kinds.stopped).toBeGreaterThan(enough(20));
    expect(kinds.solved).toBeGreaterThan(enough(20));
  });
});
