import { describe, expect, test } from 'vitest';
import { cleanSeries } from '../../../src/core/forecast/clean.ts';
import { forecastMany } from '../../../src/core/forecast/forecast.ts';
import { withoutStorms } from '../../../src/core/forecast/storm-days.ts';
import { hoursOf, MONDAY, normal, poisson, seededRandom, seriesOf, sum, weeklyShape } from './samples.ts';

const WEEKS = 10;
const DAYS = 7 * WEEKS;
const TUESDAY = DAYS - 6;

/** Ten weeks of counts whose days vary by 5 %, times a factor per day. The random draws do not depend on the factor. */
function history(factor: (day: number) => number, seed = 1): Float64Array {
  const random = seededRandom(seed);
  const days = Array.from({ length: DAYS }, () => Math.exp(0.05 * normal(random)));
  const usual = hoursOf(WEEKS, (hour) =>
    poisson(random, weeklyShape(hour, 20) * days[Math.floor(hour / 24)]),
  );
  return usual.map((count, hour) => Math.round(count * factor(Math.floor(hour / 24))));
}

const learned = (values: Float64Array): Float64Array => withoutStorms(values, cleanSeries(values));

/** The days that are learned with other values than observed. */
function daysReplaced(values: Float64Array): number[] {
  const clean = cleanSeries(values);
  const other = withoutStorms(values, clean);
  return Array.from({ length: DAYS }, (_, day) => day).filter((day) =>
    clean.subarray(24 * day, 24 * day + 24).some((y, h) => y !== other[24 * day + h]),
  );
}

const ahead = (values: Float64Array) => {
  const options = { originHour: MONDAY + 24 * DAYS, horizonHours: 168, stepHours: 24, confidenceLevel: 0.95 };
  const [result] = forecastMany([seriesOf(values)], options).results;
  if (result?.status !== 'ok') throw new Error('observations are there');
  return result;
};

describe('a day on which demand collapsed', () => {
  test.each([1, 2, 3, 4, 5])('has no echo a week later (seed %i)', (seed) => {
    const quiet = ahead(history(() => 1, seed));
    const stormy = ahead(history((day) => (day === TUESDAY ? 0.2 : 1), seed));
    expect(Math.abs(stormy.values[1] / quiet.values[1] - 1)).toBeLessThan(0.06);
    expect(Math.abs(sum(stormy.values) / sum(quiet.values) - 1)).toBeLessThan(0.05);
  });

  test('may last for three days', () => {
    expect(daysReplaced(history((day) => (day >= DAYS - 6 && day < DAYS - 3 ? 0.3 : 1)))).toEqual([
      64, 65, 66,
    ]);
  });

  test('is learned as the same weekday a week before, in the first week as the one after', () => {
    const values = history((day) => (day === 3 || day === TUESDAY ? 0.2 : 1));
    const clean = cleanSeries(values);
    const day = (of: Float64Array, at: number) => [...of.subarray(24 * at, 24 * at + 24)];
    expect(day(learned(values), TUESDAY)).toEqual(day(clean, TUESDAY - 7));
    expect(day(learned(values), 3)).toEqual(day(clean, 10));
  });
});

describe('what is no storm', () => {
  test.each<[string, (day: number) => number]>([
    ['ordinary days', () => 1],
    ['a day that is not over: the last one', (day) => (day === DAYS - 1 ? 0.2 : 1)],
    ['four low days in a row, which may be a new level', (day) => (day >= 50 && day < 54 ? 0.3 : 1)],
    ['a weekday that falls every other week', (day) => (day % 14 === 1 ? 0.2 : 1)],
    ['a weekday that falls every fourth week', (day) => (day % 28 === 1 ? 0.2 : 1)],
    ['busy days, which are part of the mean', (day) => (day === 20 || day === 45 ? 3 : 1)],
    ['falls on more than one day in fourteen', (day) => ([3, 11, 19, 27, 35, 42].includes(day) ? 0.3 : 1)],
  ])('%s: the history is learned as it was', (_, factor) => {
    const values = history(factor);
    const clean = cleanSeries(values);
    expect(withoutStorms(values, clean)).toBe(clean);
  });

  test('a low day in a history below four weeks, which knows too few days', () => {
    const values = history((day) => (day === 10 ? 0.2 : 1)).slice(0, 27 * 24);
    const clean = cleanSeries(values);
    expect(withoutStorms(values, clean)).toBe(clean);
  });

  test('days without demand, and a constant', () => {
    for (const level of [0, 7]) {
      const values = hoursOf(WEEKS, (hour) => (hour >= 600 && hour < 624 ? 0 : level));
      const clean = cleanSeries(values);
      expect(withoutStorms(values, clean)).toBe(clean);
    }
  });
});
