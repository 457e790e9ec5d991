import { describe, expect, test } from 'vitest';
import { forecastMany } from '../../../src/core/forecast/forecast.ts';
import type { DemandSeries } from '../../../src/core/forecast/types.ts';
import { casesOfDay } from '../../helpers/depth.ts';
import {
  hoursOf,
  loadNyc,
  MONDAY,
  normal,
  poisson,
  seededRandom,
  seriesOf,
  sum,
  weeklyShape,
} from './samples.ts';

const sample = loadNyc();
/** Local midnight of 12 April 2017. */
const START = 24 * 101 + 4;

type Measured = {
  /** Width of the 95 % interval over mean demand, per zone with a demand of at least 1 an hour, ascending. */
  widths: number[];
  coverage: number;
  wape: number;
};

/** Forecasts every third zone for a week from its newest hours alone, while the others keep their full history. */
function measure(hours: number, stepHours: number, isAlone = false): Measured {
  const isNew = (i: number): boolean => i % 3 === 1;
  const cut = sample.map((one, i): DemandSeries => {
    const from = isNew(i) ? START - hours : 0;
    return { ...one, startHour: one.startHour + from, values: one.values.subarray(from, START) };
  });
  const options = {
    originHour: sample[0].startHour + START,
    horizonHours: 168,
    stepHours,
    confidenceLevel: 0.95,
  };
  const results = isAlone
    ? cut.map((one, i) => (isNew(i) ? forecastMany([one], options).results[0] : null))
    : forecastMany(cut, options).results;
  const widths: number[] = [];
  let inside = 0;
  let steps = 0;
  let error = 0;
  let demand = 0;
  results.forEach((result, i) => {
    if (!isNew(i) || result?.status !== 'ok') return;
    let width = 0;
    let total = 0;
    result.values.forEach((value, k) => {
      const y = sum(sample[i].values.subarray(START + k * stepHours, START + (k + 1) * stepHours));
      const [lower, upper] = [result.lower![k], result.upper![k]];
      expect(lower <= value && value <= upper).toBe(true);
      if (y >= lower - 1e-9 && y <= upper + 1e-9) inside++;
      steps++;
      width += upper - lower;
      total += y;
      error += Math.abs(value - y);
    });
    demand += total;
    if (total >= 168) widths.push(width / total);
  });
  return { widths: widths.sort((a, b) => a - b), coverage: inside / steps, wape: error / demand };
}
const share = (widths: number[], most: number): number =>
  widths.filter((width) => width <= most).length / widths.length;
const middle = (widths: number[]): number => widths[Math.floor(widths.length / 2)];

describe('a new place among mature ones', () => {
  test.each(
    casesOfDay([
      [23, 1, 3, 4, 0.8],
      [72, 1, 2.5, 4, 0.9],
      [72, 24, 2, 4, 0.9],
      [192, 1, 1.9, 2, 0.7],
      [192, 24, 1.5, 2, 0.9],
      [312, 1, 1.6, 2, 0.8],
    ]),
  )(
    '%i hours, steps of %i h: the middle interval within %f times the mean, most within %i, and they hold',
    { tags: 'slow' },
    (hours, stepHours, most, goal, least) => {
      const { widths, coverage } = measure(hours, stepHours);
      expect(middle(widths)).toBeLessThan(most);
      expect(share(widths, goal)).toBeGreaterThanOrEqual(least);
      expect(coverage).toBeGreaterThan(0.87);
    },
  );

  test('below a week it takes the shape of the week from them, and errs less', { tags: 'slow' }, () => {
    expect(measure(72, 1).wape).toBeLessThan(0.95 * measure(72, 1, true).wape);
    expect(measure(23, 1).wape).toBeLessThan(0.75 * measure(23, 1, true).wape);
  });

  test('that knows working days only is not forecast the same at the weekend', () => {
    const random = seededRandom(2);
    const shape = (hour: number, level: number): number =>
      weeklyShape(hour, level) * Math.exp(0.05 * normal(random));
    // Ten weeks plus Monday to Friday noon. The new location has only the latter.
    const mature = Array.from({ length: 8 }, (_, i) =>
      seriesOf(hoursOf(11, (hour) => poisson(random, shape(hour, 5 * (i + 1)))).subarray(0, 1800), {
        locationId: i,
      }),
    );
    const fresh = hoursOf(1, (hour) => poisson(random, shape(hour, 20))).subarray(0, 120);
    const start = MONDAY + 1800;
    const series = [...mature, seriesOf(fresh, { locationId: 9, startHour: start - 120 })];
    const options = { originHour: start, horizonHours: 48, stepHours: 48, confidenceLevel: 0.95 };
    const result = forecastMany(series, options).results[8];
    if (result.status !== 'ok') throw new Error('observations are there');
    const expected = sum(hoursOf(2, (hour) => weeklyShape(hour, 20)).subarray(120, 168));
    expect(result.values[0] / expected).toBeGreaterThan(0.85);
    expect(result.values[0] / expected).toBeLessThan(1.15);
  });

  test('mature places are forecast as if it were not there', () => {
    const cut = sample.slice(0, 12).map((one) => ({ ...one, values: one.values.subarray(0, START) }));
    const fresh = {
      ...sample[20],
      startHour: sample[20].startHour + START - 72,
      values: sample[20].values.subarray(START - 72, START),
    };
    const options = {
      originHour: sample[0].startHour + START,
      horizonHours: 48,
      stepHours: 1,
      confidenceLevel: null,
    };
    expect(forecastMany([...cut, fresh], options).results.slice(0, 12)).toEqual(
      forecastMany(cut, options).results,
    );
  });
});

test('one wrong observation of a mature place does not reach a new one', () => {
  const random = seededRandom(6);
  const whole = Array.from({ length: 8 }, (_, i) =>
    seriesOf(
      hoursOf(10, (hour) => poisson(random, weeklyShape(hour, 10 + i))),
      { locationId: i },
    ),
  );
  const start = MONDAY + 1680;
  const fresh = seriesOf(hoursOf(1, (hour) => poisson(random, weeklyShape(hour, 10))).subarray(0, 72), {
    locationId: 9,
    startHour: start - 72,
  });
  whole[2].values[1600] = 1e9;
  const options = { originHour: start, horizonHours: 168, stepHours: 1, confidenceLevel: 0.95 };
  const result = forecastMany([...whole, fresh], options).results[8];
  if (result.status !== 'ok') throw new Error('observations are there');
  expect(Math.max(...result.upper!)).toBeLessThan(150);
});

describe('a new place alone', () => {
  test('with eight days: no wider than days differ, and held', () => {
    const { widths, coverage } = measure(192, 24, true);
    expect(middle(widths)).toBeLessThan(2);
    expect(coverage).toBeGreaterThan(0.85);
  });
});
