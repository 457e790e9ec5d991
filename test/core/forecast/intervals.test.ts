import { describe, expect, test } from 'vitest';
import { forecastMany } from '../../../src/core/forecast/forecast.ts';
import {
  buildPanel,
  type MadeErrors,
  scaleErrors,
  stepBounds,
} from '../../../src/core/forecast/intervals.ts';
import { studentToNormal } from '../../../src/core/forecast/numerics.ts';
import { countsElsewhere } from '../../../src/core/forecast/rolling-origins.ts';
import type { PastSteps } from '../../../src/core/forecast/steps.ts';
import { hoursOf, MONDAY, normal, poisson, seededRandom, seriesOf, sum, weeklyShape } from './samples.ts';

const TWELVE = [...Array(12).keys()];
/** Origins that do not overlap. */
const APART = countsElsewhere(TWELVE, 1);

/** Errors of twelve origins. */
const past = (errors: number[], endHour = 24): PastSteps => ({
  endHours: new Float64Array(errors.length).fill(endHour),
  origins: Int32Array.from(errors, (_, i) => Math.floor((12 * i) / errors.length)),
  levels: new Float64Array(errors.length),
  errors: Float64Array.from(errors),
  elsewhere: APART,
  independentShare: 1,
  absoluteError: 0,
  demand: 0,
});

const normalErrors = (seed: number, count: number, deviation: number, endHour = 24): MadeErrors => {
  const random = seededRandom(seed);
  const errors = Array.from({ length: count }, () => deviation * normal(random));
  return scaleErrors(past(errors, endHour), 1, 1e9);
};

describe('stepBounds', () => {
  const value = Float64Array.of(100);
  const day = Float64Array.of(24);
  /** How far a bound's root is from that of the value. */
  const away = (bound: number): number => Math.sqrt(bound) - 10;

  test('many errors of its own decide a series, whatever the panel', () => {
    // Uniform errors: their 97.5 % quantile lies well inside that of a normal error with the same mean.
    const own = scaleErrors(past(Array.from({ length: 20_001 }, (_, i) => (i - 10_000) / 1e5)), 1, 1e9);
    const panel = buildPanel([own, normalErrors(2, 20_000, 0.5)]);
    const { lower, upper } = stepBounds(value, day, own, panel, 0.95);
    expect(away(upper[0])).toBeCloseTo(0.095, 3);
    expect(away(lower[0])).toBeCloseTo(-0.095, 3);
  });

  test('a series with few errors takes the shape of the panel at its own scale', () => {
    const few = scaleErrors(past([0.1, -0.1]), 1, 1e9);
    const panel = buildPanel([few, ...Array.from({ length: 50 }, (_, i) => normalErrors(i, 200, 0.5))]);
    const { upper } = stepBounds(value, day, few, panel, 0.95);
    const normalWidth = 1.96 * 0.1 * Math.sqrt(Math.PI / 2);
    const width = away(upper[0]) / studentToNormal(0.975, 3);
    expect(width).toBeGreaterThan(0.85 * normalWidth);
    expect(width).toBeLessThan(1.15 * normalWidth);
  });

  test('a series without any comparison takes the middle scale of the panel or its own variation', () => {
    const panel = buildPanel([normalErrors(3, 5000, 0.3)]);
    const calm = stepBounds(value, day, scaleErrors(past([]), 0.01, 1e9), panel, 0.95);
    expect(away(calm.upper[0]) / studentToNormal(0.975, 3)).toBeCloseTo(1.96 * 0.3, 1);
    const wild = stepBounds(value, day, scaleErrors(past([]), 2, 1e9), panel, 0.95);
    expect(wild.upper[0]).toBeGreaterThan(calm.upper[0]);
    const alone = stepBounds(value, day, scaleErrors(past([]), 0.2, 1e9), buildPanel([]), 0.95);
    expect(alone.upper[0]).toBeGreaterThan(100);
  });

  test('errors of six origins hold 95 % of the next origin, where a normal quantile of them holds 88', () => {
    // An origin shifts all its errors together, as a storm does: the number of origins decides.
    const random = seededRandom(17);
    const origin = (): number[] => {
      const shift = normal(random);
      return Array.from({ length: 4 }, () => 0.1 * (shift + 0.5 * normal(random)));
    };
    const next: number[] = [];
    const panelOf = Array.from({ length: 400 }, () => {
      const errors = Array.from({ length: 6 }, origin).flat();
      next.push(origin()[0]);
      const origins = Int32Array.from(errors, (_, i) => Math.floor(i / 4));
      return scaleErrors({ ...past(errors), origins }, 1, 1e9);
    });
    const panel = buildPanel(panelOf);
    const inside = panelOf.filter((errors, i) => {
      const { lower, upper } = stepBounds(value, day, errors, panel, 0.95);
      const actual = (10 + next[i]) ** 2;
      return actual >= lower[0] && actual <= upper[0];
    });
    expect(inside.length / 400).toBeGreaterThan(0.93);
    expect(inside.length / 400).toBeLessThan(0.98);
  });

  test('errors of weeks that overlap hold 95 % of the next week', () => {
    // Twelve weeks, each a day after the other: they share most of their days.
    const random = seededRandom(23);
    const next: number[] = [];
    const panelOf = Array.from({ length: 400 }, () => {
      const days = Array.from({ length: 18 + 7 }, () => 0.05 * normal(random));
      next.push(sum(days.slice(18)));
      const weeks = past(TWELVE.map((day) => sum(days.slice(day, day + 7))));
      const overlap = { elsewhere: countsElsewhere(TWELVE, 7), independentShare: 18 / 84 };
      return scaleErrors({ ...weeks, ...overlap }, 1, 1e9);
    });
    const panel = buildPanel(panelOf);
    const inside = panelOf.filter((errors, i) => {
      const { lower, upper } = stepBounds(value, day, errors, panel, 0.95);
      const actual = (10 + next[i]!) ** 2;
      return actual >= lower[0]! && actual <= upper[0]!;
    });
    expect(inside.length / 400).toBeGreaterThan(0.92);
    expect(inside.length / 400).toBeLessThan(0.98);
  });

  test('buckets keep their own width, and intervals go on widening beyond what was compared', () => {
    const random = seededRandom(5);
    const both: PastSteps = {
      endHours: Float64Array.from({ length: 8000 }, (_, i) => (i % 2 === 0 ? 1 : 168)),
      origins: Int32Array.from({ length: 8000 }, (_, i) => Math.floor(i / 800)),
      errors: Float64Array.from({ length: 8000 }, (_, i) => (i % 2 === 0 ? 0.1 : 0.4) * normal(random)),
      levels: new Float64Array(8000),
      elsewhere: APART,
      independentShare: 1,
      absoluteError: 0,
      demand: 0,
    };
    const errors = scaleErrors(both, 1, 1e9);
    const ends = Float64Array.of(1, 168, 336, 8784);
    const { upper } = stepBounds(new Float64Array(4).fill(100), ends, errors, buildPanel([errors]), 0.8);
    for (let i = 1; i < 4; i++) expect(upper[i]).toBeGreaterThan(upper[i - 1]);
  });

  test('errors that never occurred give an interval without width', () => {
    const exact = scaleErrors(past(new Array(100).fill(0)), 1, 1e9);
    const { lower, upper } = stepBounds(value, day, exact, buildPanel([exact]), 0.95);
    expect(lower[0]).toBeCloseTo(100, 6);
    expect(upper[0]).toBeCloseTo(100, 6);
  });
});

describe('coverage on simulated demand', () => {
  test.each([
    [0.8, 1],
    [0.95, 1],
    [0.8, 24],
    [0.95, 24],
  ])(
    'intervals of %f over steps of %i h hold that share of Poisson demand within 6 points',
    (level, stepHours) => {
      const random = seededRandom(21);
      const weeks = 10;
      let inside = 0;
      let steps = 0;
      const truth: Float64Array[] = [];
      const series = Array.from({ length: 30 }, (_, i) => {
        const all = hoursOf(weeks + 1, (hour) => poisson(random, weeklyShape(hour, 2 + i)));
        truth.push(all.subarray(weeks * 168));
        return seriesOf(all.subarray(0, weeks * 168), { locationId: i });
      });
      const options = {
        originHour: MONDAY + weeks * 168,
        horizonHours: 168,
        stepHours,
        confidenceLevel: level,
      };
      forecastMany(series, options).results.forEach((result, i) => {
        if (result.status !== 'ok') throw new Error('observations are there');
        for (let k = 0; k < result.values.length; k++) {
          const actual = sum(truth[i].subarray(k * stepHours, (k + 1) * stepHours));
          steps++;
          if (actual >= result.lower![k] && actual <= result.upper![k]) inside++;
        }
      });
      expect(inside / steps).toBeGreaterThan(level - 0.06);
      expect(inside / steps).toBeLessThan(level + 0.06);
    },
  );
});
