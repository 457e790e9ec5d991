import { describe, expect, test } from 'vitest';
import { forecastMany } from '../../../src/core/forecast/forecast.ts';
import { toPresentLevel } from '../../../src/core/forecast/levels.ts';
import { seeds } from '../../helpers/depth.ts';
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

const WEEKS = 12;
const HOURS = WEEKS * 168;
const daysAgo = (days: number): number => HOURS - 24 * days;
const isDay = (hour: number): boolean => hour % 24 >= 7 && hour % 24 < 19;

/**
 * Twelve weeks and the one after: Poisson counts around a weekly shape with independent variation of days, times a
 * level.
 */
function simulate(level: (hour: number) => number, mean = 30, variation = 0.03, seed = 1) {
  const random = seededRandom(seed);
  const days = Array.from({ length: 7 * (WEEKS + 1) }, () => Math.exp(variation * normal(random)));
  const all = hoursOf(WEEKS + 1, (hour) => {
    const expected = weeklyShape(hour, mean) * days[Math.floor(hour / 24)] * level(hour);
    return expected === 0 ? 0 : poisson(random, expected);
  });
  return { history: all.slice(0, HOURS), ahead: all.slice(HOURS) };
}

const options = { originHour: MONDAY + HOURS, horizonHours: 168, stepHours: 1, confidenceLevel: 0.95 };

/**
 * Forecasts of eight such series: relative errors of the week's sum, share of hours inside the bounds, changes found.
 */
function weekAfter(level: (hour: number) => number, mean?: number, variation?: number) {
  const simulated = Array.from({ length: 8 }, (_, i) => simulate(level, mean, variation, i + 1));
  const series = simulated.map(({ history }, i) => seriesOf(history, { locationId: i }));
  let inside = 0;
  const errors: number[] = [];
  const notes = forecastMany(series, options).results.map((result, i) => {
    if (result.status !== 'ok') throw new Error('observations are there');
    const { ahead } = simulated[i];
    ahead.forEach((y, h) => {
      if (y >= result.lower![h] - 1e-9 && y <= result.upper![h] + 1e-9) inside++;
    });
    errors.push(Math.abs(sum(result.values) / sum(ahead) - 1));
    return result.notes.levelShift;
  });
  return { errors: errors.sort((a, b) => a - b), coverage: inside / (8 * 168), notes };
}

test('seven days after a lasting fall the interval of the week knows that its level is an estimate', () => {
  const fall = (hour: number) => (hour < daysAgo(7) ? 1 : 0.3);
  const simulated = Array.from({ length: 60 }, (_, i) => simulate(fall, 10, 0.1, i + 1));
  const series = simulated.map(({ history }, i) => seriesOf(history, { locationId: i }));
  const held = forecastMany(series, { ...options, stepHours: 168 }).results.filter((result, i) => {
    if (result.status !== 'ok') throw new Error('observations are there');
    const total = sum(simulated[i].ahead);
    return total >= result.lower![0] && total <= result.upper![0];
  });
  expect(held.length / series.length).toBeGreaterThan(0.93);
});

describe('seven days after a lasting change of level', () => {
  test.each<[string, (hour: number) => number]>([
    ['a tenth', (hour) => (hour < daysAgo(7) ? 1 : 0.1)],
    ['a third', (hour) => (hour < daysAgo(7) ? 1 : 1 / 3)],
    ['two thirds', (hour) => (hour < daysAgo(7) ? 1 : 2 / 3)],
    ['three halves', (hour) => (hour < daysAgo(7) ? 1 : 1.5)],
    ['threefold, from noon on', (hour) => (hour < daysAgo(7.5) ? 1 : 3)],
    ['tenfold', (hour) => (hour < daysAgo(7) ? 0.1 : 1)],
    ['a third by day', (hour) => (hour < daysAgo(7) || !isDay(hour) ? 1 : 1 / 3)],
    ['threefold by night', (hour) => (hour < daysAgo(7) || isDay(hour) ? 1 : 3)],
    ['closed for three weeks', (hour) => (hour < daysAgo(28) || hour >= daysAgo(7) ? 1 : 0)],
    ['threefold for two weeks, and back', (hour) => (hour < daysAgo(21) || hour >= daysAgo(7) ? 1 : 3)],
    [
      'threefold within four weeks, step by step',
      (hour) => 1 + 2 * Math.min(1, Math.max(0, (hour - daysAgo(35)) / 672)),
    ],
  ])('the week that follows is forecast within 15 %%: %s', (_, level) => {
    const { errors, coverage } = weekAfter(level);
    expect(errors.at(-1)).toBeLessThan(0.15);
    expect(coverage).toBeGreaterThan(0.9);
  });

  test.each([3, 1 / 3])('noisy demand, times %f: half of the weeks within 15 %%', (factor) => {
    const { errors, coverage } = weekAfter((hour) => (hour < daysAgo(7) ? 1 : factor), 30, 0.2);
    expect(errors[4]).toBeLessThan(0.15);
    expect(coverage).toBeGreaterThan(0.88);
  });

  test('a tenth of counts without a zero: thinned they have some, and intervals stay narrow', () => {
    const random = seededRandom(9);
    const history = hoursOf(WEEKS, (hour) =>
      hour < daysAgo(7) ? 30 + Math.floor(10 * random()) : 3 + (hour % 2),
    );
    const result = forecastMany([seriesOf(history)], options).results[0];
    if (result.status !== 'ok') throw new Error('observations are there');
    expect([...result.lower!, ...result.upper!].every(Number.isFinite)).toBe(true);
    expect(Math.max(...result.upper!)).toBeLessThan(30);
  });

  test('a place that closed is forecast closed, and says since when', () => {
    const { history } = simulate((hour) => (hour < daysAgo(7) ? 1 : 0));
    const [closed] = forecastMany([seriesOf(history)], options).results;
    if (closed?.status !== 'ok') throw new Error('observations are there');
    expect(sum(closed.values)).toBe(0);
    expect(closed.notes.levelShift).toEqual({ date: '2024-03-18', factor: 0 });
  });

  test('a place that opened has no factor, and the days before tell nothing of its demand', () => {
    const { history } = simulate((hour) => (hour < daysAgo(10) ? 0 : 1));
    const [opened] = forecastMany([seriesOf(history)], options).results;
    expect(opened).toMatchObject({
      observedHours: 240,
      notes: { levelShift: { date: '2024-03-15', factor: null } },
    });
  });

  test('the day and its size are told', () => {
    const { notes } = weekAfter((hour) => (hour < daysAgo(9) ? 1 : 3));
    for (const note of notes) {
      expect(note?.date).toBe('2024-03-16');
      expect(note?.factor).toBeGreaterThan(2.7);
      expect(note?.factor).toBeLessThan(3.3);
    }
  });
});

describe('what is no change of level', () => {
  test.each<[string, (hour: number) => number]>([
    ['nothing', () => 1],
    ['a storm yesterday', (hour) => (hour < daysAgo(1) ? 1 : 0.1)],
    ['a storm a week ago', (hour) => (hour < daysAgo(7) || hour >= daysAgo(6) ? 1 : 0.1)],
    ['a festival of two days', (hour) => (hour < daysAgo(5) || hour >= daysAgo(3) ? 1 : 3)],
    ['five quiet days', (hour) => (hour < daysAgo(5) ? 1 : 0.6)],
    ['a quiet week that is over', (hour) => (hour < daysAgo(10) || hour >= daysAgo(3) ? 1 : 0.7)],
    ['a tenth more', (hour) => (hour < daysAgo(7) ? 1 : 1.1)],
  ])('%s', (_, level) => {
    const { notes } = weekAfter(level);
    expect(notes.every((note) => note === null)).toBe(true);
  });

  test.each([
    [0.1, 0],
    [1, 0.3],
    [30, 0.15],
  ])('noise around a level: counts of mean %f whose days vary by %f', (mean, variation) => {
    let seen = 0;
    for (const seed of seeds(1, 60)) {
      const { history } = simulate(() => 1, mean, variation, seed);
      const local = { firstHour: MONDAY, values: history, observedHours: HOURS };
      if (toPresentLevel(local, history).shift !== null) seen++;
    }
    expect(seen).toBeLessThanOrEqual(2);
  });

  test('a fresh one in at most one of a hundred histories of the sample, storms and all', {
    tags: 'slow',
  }, () => {
    let fresh = 0;
    let all = 0;
    for (const { values } of loadNyc()) {
      for (let days = 50; days <= 120; days += 10) {
        const history = values.slice(Math.max(0, 24 * days - 2184), 24 * days);
        const local = { firstHour: 0, values: history, observedHours: history.length };
        const { shift } = toPresentLevel(local, history);
        if (shift !== null && shift.hour >= history.length - 336) fresh++;
        all++;
      }
    }
    expect(fresh / all).toBeLessThan(0.01);
  });

  test('a holiday week, its days being named', () => {
    const { history } = simulate((hour) => (hour < daysAgo(7) ? 1 : 0.5));
    const usual = history.slice().fill(NaN, daysAgo(7), daysAgo(1));
    const local = { firstHour: MONDAY, values: history, observedHours: HOURS };
    expect(toPresentLevel(local, usual).shift).toBeNull();
  });
});

describe('the history on its present level', () => {
  const local = (values: Float64Array) => ({ firstHour: MONDAY, values, observedHours: HOURS });

  test('keeps its pattern, takes the new level, and is itself where nothing changed', () => {
    const flat = hoursOf(WEEKS, (hour) => weeklyShape(hour, 100));
    const shifted = flat.map((y, hour) => (hour < daysAgo(14) ? y : 2.5 * y));
    const { history } = toPresentLevel(local(shifted), shifted);
    history.values.forEach((y, hour) => {
      expect(y).toBeCloseTo(2.5 * flat[hour], 6);
    });
    expect(toPresentLevel(local(flat), flat).history.values).toBe(flat);
  });

  test('keeps the noise of counts where past forecasts are compared: thinned, not divided', () => {
    const random = seededRandom(4);
    const counts = hoursOf(WEEKS, (hour) => poisson(random, hour < daysAgo(14) ? 50 : 5));
    const { compared } = toPresentLevel(local(counts), counts);
    const old = compared.subarray(0, daysAgo(14));
    const mean = sum(old) / old.length;
    const variance = sum(old.map((y) => (y - mean) ** 2)) / old.length;
    expect(mean).toBeCloseTo(5, 0);
    expect(variance / mean).toBeGreaterThan(0.85);
    expect(variance / mean).toBeLessThan(1.15);
    expect(old.every(Number.isInteger)).toBe(true);
  });
});
