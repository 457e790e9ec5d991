import { describe, expect, test } from 'vitest';
import { likelyOutcomes } from '../../../src/core/forecast/likely-outcomes.ts';
import { normalQuantile } from '../../../src/core/forecast/numerics.ts';
import { seededRandom } from './samples.ts';

const boundsOf = (mean: number, deviation: number, confidenceLevel: number) => {
  const away = normalQuantile((1 + confidenceLevel) / 2) * deviation;
  return { lower: [Math.max(0, mean - away)], upper: [mean + away], confidenceLevel };
};

describe('likely outcomes', () => {
  test('are the means of the thirds of a normal distribution, whatever the level of the interval', () => {
    const count = 30_000;
    // The middles of equally likely slices.
    const sorted = Array.from({ length: count }, (_, i) => 100 + 10 * normalQuantile((i + 0.5) / count));
    const thirds = [0, 1, 2].map((third) => {
      const some = sorted.slice((third * count) / 3, ((third + 1) * count) / 3);
      return some.reduce((sum, value) => sum + value, 0) / some.length;
    });
    for (const level of [0.5, 0.8, 0.95, 0.999]) {
      const outcomes = likelyOutcomes([100], boundsOf(100, 10, level));
      for (const [i, [value]] of outcomes.entries()) expect(value).toBeCloseTo(thirds[i], 2);
    }
  });

  test('are never negative, ascend, and have the mean of the forecast', () => {
    const random = seededRandom(1);
    for (let trial = 0; trial < 500; trial++) {
      const mean = random() < 0.1 ? 0 : 20 * random();
      const lower = [mean * random()];
      const upper = [mean + 60 * random()];
      const outcomes = likelyOutcomes([mean], { lower, upper, confidenceLevel: 0.95 }).map(
        ([value]) => value,
      );
      expect(Math.min(...outcomes)).toBeGreaterThanOrEqual(0);
      expect(outcomes).toEqual(outcomes.toSorted((a, b) => a - b));
      expect(outcomes.reduce((sum, value) => sum + value, 0) / 3).toBeCloseTo(mean, 9);
    }
  });

  test('are the forecast three times where its interval has no width', () => {
    const none = { lower: [4, 0], upper: [4, 0], confidenceLevel: 0.9 };
    for (const outcome of likelyOutcomes([4, 0], none)) expect([...outcome]).toEqual([4, 0]);
  });
});
