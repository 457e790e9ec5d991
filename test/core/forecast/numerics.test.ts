import { describe, expect, test } from 'vitest';
import {
  medianInPlace,
  normalQuantile,
  packedLength,
  quadraticForm,
  quantileSorted,
  solveRidge,
  studentToNormal,
  tailQuantileSorted,
} from '../../../src/core/forecast/numerics.ts';
import { normal, seededRandom } from './samples.ts';

describe('solveRidge', () => {
  test('its answer satisfies (A + λI) β = b + λm for random systems', () => {
    const random = seededRandom(11);
    for (let trial = 0; trial < 200; trial++) {
      const n = 1 + (trial % 29);
      const rows = Array.from({ length: n + 3 }, () =>
        Float64Array.from({ length: n }, () => normal(random)),
      );
      const a = new Float64Array(packedLength(n));
      for (let i = 0; i < n; i++) {
        for (let j = 0; j <= i; j++) {
          a[packedLength(i) + j] = rows.reduce((total, row) => total + row[i] * row[j], 0);
        }
      }
      const b = Float64Array.from({ length: n }, () => normal(random));
      const prior = Float64Array.from({ length: n }, () => normal(random));
      const lambda = random() * 3 + 0.01;
      const beta = solveRidge(a, b, prior, lambda, new Float64Array(a.length));
      for (let i = 0; i < n; i++) {
        let left = lambda * beta[i];
        for (let j = 0; j < n; j++) left += a[packedLength(Math.max(i, j)) + Math.min(i, j)] * beta[j];
        expect(left).toBeCloseTo(b[i] + lambda * prior[i], 6);
      }
    }
  });

  test('a huge penalty returns the prior, a singular matrix stays finite', () => {
    const a = Float64Array.of(1, 1, 1);
    const prior = Float64Array.of(0.25, 0.75);
    const scratch = new Float64Array(3);
    const stiff = solveRidge(a, Float64Array.of(5, 5), prior, 1e12, scratch);
    expect(stiff[0]).toBeCloseTo(0.25, 6);
    expect(stiff[1]).toBeCloseTo(0.75, 6);
    const singular = solveRidge(a, Float64Array.of(1, 1), new Float64Array(2), 1e-9, scratch);
    expect(singular[0] + singular[1]).toBeCloseTo(1, 5);
  });

  test('the quadratic form counts both triangles', () => {
    expect(quadraticForm(Float64Array.of(2, 3, 5), Float64Array.of(1, 2))).toBe(2 + 2 * 3 * 2 + 5 * 4);
  });
});

describe('quantiles', () => {
  test('type 7 interpolates between order statistics', () => {
    const sorted = Float64Array.of(1, 2, 3, 4);
    expect(quantileSorted(sorted, 0)).toBe(1);
    expect(quantileSorted(sorted, 0.5)).toBe(2.5);
    expect(quantileSorted(sorted, 1)).toBe(4);
    expect(quantileSorted(new Float64Array(), 0.5)).toBeNaN();
  });

  test('the tail quantile reaches at least as far out as type 7', () => {
    const sorted = Float64Array.from({ length: 20 }, (_, i) => i);
    expect(tailQuantileSorted(sorted, 0.95)).toBeGreaterThan(quantileSorted(sorted, 0.95));
    expect(tailQuantileSorted(sorted, 0.05)).toBeLessThan(quantileSorted(sorted, 0.05));
    expect(tailQuantileSorted(sorted, 0.999)).toBe(19);
  });

  test.each([
    [0.5, 0],
    [0.975, 1.959964],
    [0.9, 1.281552],
    [0.001, -3.090232],
  ])('the normal quantile of %f is %f', (p, z) => {
    expect(normalQuantile(p)).toBeCloseTo(z, 5);
  });

  test.each([
    [0.975, 3, 3.182446],
    [0.975, 11, 2.200985],
    [0.9, 11, 1.36343],
    [0.975, 1000, 1.962339],
  ])('the quantile of Student at %f with %i degrees of freedom is %f', (p, freedom, t) => {
    expect(studentToNormal(p, freedom) * normalQuantile(p)).toBeCloseTo(t, freedom > 3 ? 2 : 0);
    expect(Math.abs((studentToNormal(p, freedom) * normalQuantile(p)) / t - 1)).toBeLessThan(0.05);
  });

  test('the median is the middle of few values and of many', () => {
    const random = seededRandom(5);
    for (const count of [1, 2, 3, 24, 25, 100]) {
      const values = Float64Array.from({ length: count + 2 }, () => random());
      const sorted = [...values.subarray(0, count)].sort((a, b) => a - b);
      const middle = (sorted[(count - 1) >> 1] + sorted[count >> 1]) / 2;
      expect(medianInPlace(values, count)).toBeCloseTo(middle, 12);
    }
    expect(medianInPlace(new Float64Array(2), 0)).toBeNaN();
  });
});
