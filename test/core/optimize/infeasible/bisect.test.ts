import { describe, expect, test } from 'vitest';
import type { AnyPlan } from '../../../../src/core/optimize/infeasible/any-plan.ts';
import { bisect } from '../../../../src/core/optimize/infeasible/bisect.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { createRandom } from '../instances.ts';

const control = () => ({ deadlineMs: performance.now() + 300_000 });
const NO_MOVES = {
  capacityClass: new Int32Array(0),
  source: new Int32Array(0),
  target: new Int32Array(0),
  count: new Int32Array(0),
};

/** Answers about variants; the first one with a plan is `first`. Some answers are `unknown` at random. */
function answers(first: number, random: ReturnType<typeof createRandom>, unknown: number) {
  return async (position: number): Promise<AnyPlan> => {
    if (random.chance(unknown)) return { verdict: 'unknown' };
    if (position < first) return { verdict: 'infeasible' };
    return { verdict: 'feasible', moves: NO_MOVES, served: position, costUnits: 0 };
  };
}

/** A plan satisfies variants tighter than the one that it was asked about, but none that has no plan. */
function tightestOf(first: number, random: ReturnType<typeof createRandom>) {
  if (random.chance(0.5)) return undefined;
  return ({ served }: { served: number }) => random.integer(first, served);
}

describe('bisection over ever looser variants', () => {
  test('finds the first that has a plan, and proves it, where every question is answered', async () => {
    for (const seed of seeds(1, 500)) {
      const random = createRandom(seed);
      const count = random.integer(1, 60);
      const first = random.integer(0, count);
      const found = await bisect(count, control(), answers(first, random, 0), tightestOf(first, random));
      expect(found.proved, `seed ${seed}`).toBe(true);
      expect(found.nearest, `seed ${seed}`).toBe(first === count ? null : first);
      expect(found.tooTight, `seed ${seed}`).toBe(first === count || first === 0 ? null : first - 1);
    }
  });

  test('names nothing that was not answered, and ends, where questions stay open', async () => {
    let open = 0;
    for (const seed of seeds(1001, 1500)) {
      const random = createRandom(seed);
      const count = random.integer(1, 60);
      const first = random.integer(0, count);
      const { nearest, tooTight, proved } = await bisect(
        count,
        control(),
        answers(first, random, 0.5),
        tightestOf(first, random),
      );
      if (nearest !== null) expect(nearest, `seed ${seed}`).toBeGreaterThanOrEqual(first);
      if (tooTight !== null) expect(tooTight, `seed ${seed}`).toBeLessThan(first);
      if (proved) expect(nearest, `seed ${seed}`).toBe(first === count ? null : first);
      else open++;
    }
    expect(open).toBeGreaterThan(enough(50));
  });
});
