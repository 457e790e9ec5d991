import { expect, test } from 'vitest';
import { scaleByLevel } from '../../../src/core/forecast/error-scale.ts';
import { normal, seededRandom } from './samples.ts';

test('where busy hours err a third as much as quiet ones, each has its own scale', () => {
  const random = seededRandom(4);
  const levels = Float64Array.from({ length: 2000 }, () => 1 + 4 * random());
  const errors = levels.map((level) => (level > 3 ? 0.1 : 0.3) * normal(random));
  const scale = scaleByLevel(levels, errors);
  const meanSize = Math.sqrt(2 / Math.PI);
  for (const [level, deviation] of [
    [0, 0.3],
    [1.5, 0.3],
    [4.5, 0.1],
    [9, 0.1],
  ] as const) {
    expect(scale(level) / (deviation * meanSize)).toBeGreaterThan(0.8);
    expect(scale(level) / (deviation * meanSize)).toBeLessThan(1.25);
  }
});

test('few errors have one scale, none or none but 0 have 1', () => {
  const few = scaleByLevel(Float64Array.of(1, 2, 3), Float64Array.of(0.3, -0.1, 0.2));
  expect(few(-5)).toBeCloseTo(0.2, 9);
  expect(few(5)).toBeCloseTo(0.2, 9);
  expect(scaleByLevel(new Float64Array(), new Float64Array())(3)).toBe(1);
  expect(scaleByLevel(new Float64Array(200), new Float64Array(200))(3)).toBe(1);
});
