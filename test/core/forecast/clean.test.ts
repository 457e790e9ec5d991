import { describe, expect, test } from 'vitest';
import { cleanSeries } from '../../../src/core/forecast/clean.ts';
import { hoursOf, normal, poisson, seededRandom, weeklyShape } from './samples.ts';

const noisy = (weeks: number, level: number, seed = 1): Float64Array => {
  const random = seededRandom(seed);
  return hoursOf(weeks, (hour) => poisson(random, weeklyShape(hour, level)));
};

describe('missing hours', () => {
  test('a gap is filled with the shape of the week, far better than with zeros', () => {
    const truth = noisy(8, 50);
    const gappy = truth.slice().fill(NaN, 600, 648);
    const clean = cleanSeries(gappy);
    let error = 0;
    let demand = 0;
    for (let t = 600; t < 648; t++) {
      error += Math.abs(clean[t] - truth[t]);
      demand += truth[t];
    }
    expect(error / demand).toBeLessThan(0.2);
  });

  test('a level that moved away from the usual carries into a short gap', () => {
    const values = hoursOf(8, (hour) => weeklyShape(hour, 50));
    for (let t = 700; t < 730; t++) values[t] *= 1.3;
    const expected = values[715];
    values.fill(NaN, 714, 717);
    expect(cleanSeries(values)[715]).toBeCloseTo(expected, -1);
  });

  test('what a gap is filled with does not depend on what was observed after it', () => {
    const values = noisy(8, 50).fill(NaN, 600, 648);
    // Whole weeks change places: what is usual stays the same.
    const other = values.slice();
    other.set(values.subarray(168 * 5, 168 * 6), 168 * 4);
    other.set(values.subarray(168 * 4, 168 * 5), 168 * 5);
    expect(other.slice(672)).not.toEqual(values.slice(672));
    expect(cleanSeries(other).slice(0, 672)).toEqual(cleanSeries(values).slice(0, 672));
  });

  test('a Sunday missing in the first of two weeks is filled as a Sunday', () => {
    const truth = hoursOf(2, (hour) => weeklyShape(hour, 50));
    const gappy = truth.slice().fill(NaN, 144, 168);
    const clean = cleanSeries(gappy);
    for (let t = 144; t < 168; t++) expect(clean[t]! / truth[t]!).toBeCloseTo(1, 5);
  });

  test('fewer than one in two hundred hours of ordinary noise are touched', () => {
    for (const level of [0.5, 5, 50]) {
      const values = noisy(9, level);
      values.fill(NaN, 300, 310);
      const clean = cleanSeries(values);
      const touched = values.filter((value, t) => !Number.isNaN(value) && clean[t] !== value).length;
      expect(touched / values.length).toBeLessThan(0.005);
    }
  });
});

describe('outliers', () => {
  test('a spike is cut to the order of its neighbours', () => {
    const values = noisy(8, 50);
    values[700] = 1e6;
    expect(cleanSeries(values)[700]).toBeLessThan(400);
  });

  test('a single wrong observation is cut in a short, a constant and a sparse history, and within a new level', () => {
    const random = seededRandom(8);
    const shortest = hoursOf(1, (hour) => poisson(random, weeklyShape(hour, 50))).slice(0, 30);
    const constant = new Float64Array(600).fill(7);
    const sparse = hoursOf(6, () => (random() < 0.01 ? 1 : 0));
    const shifted = noisy(8, 50).map((value, t) => (t >= 6 * 168 ? 4 * value : value));
    for (const values of [shortest, constant, sparse, shifted]) {
      const at = values.length - 20;
      const usual = Math.max(...values);
      values[at] = 1e9;
      expect(cleanSeries(values)[at]).toBeLessThan(60 * usual);
    }
  });

  test('a day without demand in a busy place is lifted', () => {
    const values = hoursOf(8, (hour) => 500 + 5 * (hour % 24));
    const random = seededRandom(3);
    const noisyValues = values.map((value) => value * (1 + 0.03 * normal(random)));
    noisyValues.fill(0, 720, 744);
    const clean = cleanSeries(noisyValues);
    for (let t = 720; t < 744; t++) expect(clean[t]).toBeGreaterThan(300);
  });

  test('a lasting change of level is left alone', () => {
    const values = noisy(8, 50).map((value, t) => (t >= 6 * 168 ? 4 * value : value));
    const clean = cleanSeries(values);
    expect(clean.subarray(6 * 168 + 84)).toEqual(values.subarray(6 * 168 + 84));
  });

  test('the rare ones of sparse demand are demand, not outliers', () => {
    const random = seededRandom(5);
    const values = hoursOf(8, () => (random() < 0.02 ? 1 : 0));
    expect(cleanSeries(values)).toEqual(values);
  });
});
