import { describe, expect, test } from 'vitest';
import { forecastMany } from '../../../src/core/forecast/forecast.ts';
import {
  fitTransform,
  meanDemand,
  medianDemand,
  type PastHours,
  standardise,
  type Transform,
} from '../../../src/core/forecast/transform.ts';
import { casesOfDay } from '../../helpers/depth.ts';
import { hoursOf, MONDAY, normal, poisson, seededRandom, seriesOf, weeklyShape } from './samples.ts';

/** Past hours, all forecast at z = 0. */
const pastOf = (transform: Transform, demand: Float64Array): PastHours => ({
  z: new Float64Array(demand.length),
  errors: standardise(transform, demand),
  demand,
  distinct: demand.length,
});

describe('transform', () => {
  test('standardised values have mean 0 and variance 1 and come back exactly', () => {
    for (const floor of [0, 5]) {
      const values = hoursOf(4, (hour) => floor + weeklyShape(hour, 20) - (floor === 0 ? 1.2 : 0)).map((y) =>
        Math.max(0, y),
      );
      const transform = fitTransform(values);
      const z = standardise(transform, values);
      const mean = z.reduce((total, value) => total + value / z.length, 0);
      const variance = z.reduce((total, value) => total + (value - mean) ** 2 / z.length, 0);
      expect(mean).toBeCloseTo(0, 9);
      expect(variance).toBeCloseTo(1, 9);
      values.forEach((value, t) => {
        expect(medianDemand(transform, z[t])).toBeCloseTo(value, 8);
      });
    }
  });

  test('nothing comes back outside the historical range widened by 30 %, nor below zero', () => {
    const transform = fitTransform(Float64Array.of(10, 20, 30));
    expect(medianDemand(transform, 1e6)).toBe(36);
    expect(medianDemand(transform, -1e6)).toBeCloseTo(4, 9);
    const withZero = fitTransform(Float64Array.of(0, 20, 30));
    expect(medianDemand(withZero, -50)).toBe(0);
    expect(meanDemand(withZero, pastOf(withZero, new Float64Array()))(50)).toBe(39);
  });

  test('a constant series is its constant', () => {
    for (const constant of [0, 0.1, 7, 1e12]) {
      const transform = fitTransform(new Float64Array(50).fill(constant));
      expect(medianDemand(transform, 0)).toBe(constant);
      expect(medianDemand(transform, 3)).toBe(constant);
    }
  });
});

describe('mean instead of median', () => {
  test('the mean of log-normal demand is met, which the median misses by a tenth', () => {
    const random = seededRandom(2);
    const values = Float64Array.from({ length: 4000 }, () => 100 * Math.exp(0.7 * normal(random)));
    const mean = values.reduce((total, value) => total + value / values.length, 0);
    const transform = fitTransform(values);
    expect(medianDemand(transform, 0) / mean).toBeLessThan(0.9);
    const expected = meanDemand(transform, pastOf(transform, values))(0);
    expect(expected / mean).toBeGreaterThan(0.96);
    expect(expected / mean).toBeLessThan(1.01);
  });

  test('the mean of sparse counts is met within 5 %', () => {
    const random = seededRandom(4);
    const values = Float64Array.from({ length: 4000 }, () => poisson(random, 0.4));
    const mean = values.reduce((total, value) => total + value / values.length, 0);
    const transform = fitTransform(values);
    const expected = meanDemand(transform, pastOf(transform, values))(0);
    expect(medianDemand(transform, 0) / mean).toBeLessThan(0.5);
    expect(Math.abs(expected / mean - 1)).toBeLessThan(0.05);
  });

  test.each(
    casesOfDay(
      [3, 6, 13].flatMap((weeks) => [
        { weeks, level: 0.1, horizonHours: 168 },
        { weeks, level: 0.5, horizonHours: 168 },
        { weeks, level: 0.5, horizonHours: 6 },
      ]),
    ),
  )(
    'sparse counts of $level an hour, $weeks weeks of history: $horizonHours hours ahead are met within 4 % on average',
    { tags: ['slow'] },
    ({ weeks, level, horizonHours }) => {
      const random = seededRandom(7);
      const series = 250;
      let total = 0;
      for (let i = 0; i < series; i++) {
        const values = hoursOf(weeks, () => poisson(random, level));
        const options = { originHour: MONDAY + values.length, horizonHours, stepHours: horizonHours };
        const [result] = forecastMany([seriesOf(values)], { ...options, confidenceLevel: null }).results;
        total += result!.status === 'ok' ? result!.values[0] : NaN;
      }
      expect(Math.abs(total / series / (level * horizonHours) - 1)).toBeLessThan(0.04);
    },
  );
});
