/**
 * Reported accuracy compared with the accuracy of the forecasts that follow: simulated demand whose law never changes.
 */
import { describe, expect, test } from 'vitest';
import { forecastMany } from '../../../src/core/forecast/forecast.ts';
import type { LocationForecast } from '../../../src/core/forecast/types.ts';
import { hoursOf, MONDAY, normal, poisson, seededRandom, seriesOf, sum, weeklyShape } from './samples.ts';

const LEVELS = [2, 10, 50];

/** Counts with a daily wave: Poisson, with more variation than that, or with days that are correlated. */
const KINDS: Record<string, (random: () => number, level: number, weeks: number) => Float64Array> = {
  poisson: (random, level, weeks) => hoursOf(weeks, (hour) => poisson(random, weeklyShape(hour, level))),
  overdispersed: (random, level, weeks) =>
    hoursOf(weeks, (hour) => {
      const factor = -Math.log(random() * random() * random() * random()) / 4;
      return poisson(random, factor * weeklyShape(hour, level));
    }),
  'days go together': (random, level, weeks) => {
    let state = 0;
    const days = Array.from({ length: 7 * weeks }, () => {
      state = 0.5 * state + Math.sqrt(0.75) * normal(random);
      return Math.exp(0.15 * state - 0.5 * 0.15 ** 2);
    });
    return hoursOf(weeks, (hour) => poisson(random, days[Math.floor(hour / 24)] * weeklyShape(hour, level)));
  },
};

type Setting = {
  weeks: number;
  horizonHours: number;
  stepHours: number;
  confidenceLevel: number | null;
  /** Locations of a call, and calls. */
  places: number;
  calls: number;
};

/** Forecasts of artificial locations compared with the demand that followed, per step. */
function forecasts(seed: number, kind: string, setting: Setting) {
  const { weeks, horizonHours, stepHours, confidenceLevel, places, calls } = setting;
  const random = seededRandom(seed);
  const history = 168 * weeks;
  return Array.from({ length: calls }, (_, call) => {
    // The histories end on every day of the week.
    const end = history + 24 * (call % 7);
    const all = Array.from({ length: places }, (_, i) =>
      KINDS[kind]!(random, LEVELS[i % LEVELS.length], weeks + 2),
    );
    const series = all.map((values, locationId) => seriesOf(values.subarray(0, end), { locationId }));
    const options = { originHour: MONDAY + end, horizonHours, stepHours, confidenceLevel };
    return forecastMany(series, options).results.map((result, i) => {
      const { values, lower, upper, backtestWape } = result as LocationForecast;
      const actual = values.map((_, k) =>
        sum(all[i].subarray(end + k * stepHours, end + (k + 1) * stepHours)),
      );
      return { level: LEVELS[i % LEVELS.length], values, lower, upper, backtestWape: backtestWape!, actual };
    });
  }).flat();
}

/** Mean reported error over the mean error that followed, over levels. */
function reportedOverFollowed(made: ReturnType<typeof forecasts>): number {
  const ratios = LEVELS.map((level) => {
    const ofLevel = made.filter((one) => one.level === level);
    const reported = ofLevel.reduce((total, one) => total + one.backtestWape, 0) / ofLevel.length;
    const wrong = ofLevel.map(({ values, actual }) =>
      sum(values.map((value, k) => Math.abs(value - actual[k]))),
    );
    return reported / (sum(wrong) / sum(ofLevel.map(({ actual }) => sum(actual))));
  });
  return sum(ratios) / ratios.length;
}

test('the error that a forecast of two days reports of itself is the one that follows, five weeks stored', {
  tags: ['slow'],
}, () => {
  const setting = { weeks: 5, horizonHours: 48, stepHours: 48, confidenceLevel: null, places: 30, calls: 42 };
  const ratios = Object.keys(KINDS).map((kind) => reportedOverFollowed(forecasts(1, kind, setting)));
  const ratio = sum(ratios) / ratios.length;
  expect(ratio).toBeGreaterThan(0.97);
  expect(ratio).toBeLessThan(1.03);
});

describe('intervals of days', { tags: 'slow' }, () => {
  test.each([
    [0.8, 0.02],
    [0.95, 0.015],
  ])(
    'of %f hold that share within %f over kinds of demand',
    (confidenceLevel, within) => {
      const setting = { weeks: 13, horizonHours: 168, stepHours: 24, confidenceLevel, places: 30, calls: 14 };
      const shares = Object.keys(KINDS).map((kind) => {
        const held = forecasts(2, kind, setting).flatMap(({ lower, upper, actual }) =>
          Array.from(actual, (y, k): number => (y >= lower![k] && y <= upper![k] ? 1 : 0)),
        );
        return sum(held) / held.length;
      });
      expect(Math.abs(sum(shares) / shares.length - confidenceLevel)).toBeLessThan(within);
    },
    30_000,
  );
});
