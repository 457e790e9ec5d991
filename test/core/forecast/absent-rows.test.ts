import { describe, expect, test } from 'vitest';
import { forecast } from '../../../src/core/forecast/forecast.ts';
import { findAbsentRows } from '../../../src/core/forecast/local-series.ts';
import { hoursOf, MONDAY, poisson, seededRandom, seriesOf, weeklyShape } from './samples.ts';

const local = (values: Float64Array) => ({
  firstHour: MONDAY,
  values,
  observedHours: values.filter((value) => !Number.isNaN(value)).length,
});
const random = seededRandom(3);
const counts = hoursOf(8, (hour) => poisson(random, weeklyShape(hour, 3)));
const without = (isAbsent: (hour: number, count: number) => boolean) =>
  findAbsentRows(local(counts.map((count, hour) => (isAbsent(hour, count) ? NaN : count))));

describe('hours that are missing in a pattern', () => {
  test('nights', () => {
    const absent = without((hour) => hour % 24 < 6);
    expect(absent).toMatchObject({ hoursOfDay: [0, 1, 2, 3, 4, 5], weekdays: [], zerosNeverSeen: false });
    expect(absent!.share).toBeCloseTo(0.25, 2);
  });

  test('weekends', () => {
    const absent = without((hour) => hour % 168 >= 120);
    expect(absent).toMatchObject({ hoursOfDay: [], weekdays: [6, 7] });
  });

  test('rows written only where there is demand', () => {
    expect(without((_, count) => count === 0)).toMatchObject({ zerosNeverSeen: true, hoursOfDay: [] });
  });

  test.each<[string, (hour: number) => boolean]>([
    ['none', () => false],
    ['an outage of two weeks', (hour) => hour >= 400 && hour < 736],
    ['one hour in ten, by chance', (hour) => (hour * 7919) % 10 === 0],
  ])('no pattern: %s', (_, isAbsent) => {
    expect(without(isAbsent)).toBeNull();
  });

  test('a forecast tells them', () => {
    const nights = counts.map((count, hour) => (hour % 24 < 6 ? NaN : count));
    const result = forecast(seriesOf(nights), { horizonHours: 24, stepHours: 1, confidenceLevel: null });
    expect(result).toMatchObject({
      notes: { levelShift: null, absentRows: { hoursOfDay: [0, 1, 2, 3, 4, 5] } },
    });
  });
});
