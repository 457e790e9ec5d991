import { expect, test } from 'vitest';
import { commonWeeks } from '../../../src/core/forecast/common-weeks.ts';
import { type MadeErrors, scaleErrors } from '../../../src/core/forecast/intervals.ts';
import { countsElsewhere } from '../../../src/core/forecast/rolling-origins.ts';
import { fitTransform } from '../../../src/core/forecast/transform.ts';
import { normal, seededRandom } from './samples.ts';

const LOG = fitTransform(Float64Array.of(50, 100, 200));
const ORIGINS = Array.from({ length: 12 }, (_, o) => 1000 + 144 * o);

/** 20 series of 12 origins with seven steps each; `size` gives the size of their errors. */
function panelOf(size: (series: number, origin: number) => number, steps = 7): MadeErrors[] {
  const random = seededRandom(11);
  return Array.from({ length: 20 }, (_, series) => {
    const origins = Int32Array.from({ length: 12 * steps }, (_, i) => Math.floor(i / steps));
    const past = {
      endHours: new Float64Array(origins.length).fill(24),
      origins,
      levels: new Float64Array(origins.length),
      errors: Float64Array.from(origins, (o) => size(series, o) * normal(random)),
      elsewhere: countsElsewhere(ORIGINS, 24),
      independentShare: 1,
      absoluteError: 0,
      demand: 0,
    };
    return scaleErrors(past, LOG, 1, 1e9, ORIGINS);
  });
}

test('a week that was wild in all series is brought down to a bad one', () => {
  const weeks = commonWeeks(panelOf((_, origin) => (origin === 4 ? 5 : 1)));
  expect([...weeks.keys()]).toEqual([ORIGINS[4]]);
  expect(5 * weeks.get(ORIGINS[4])!).toBeGreaterThan(1);
  expect(5 * weeks.get(ORIGINS[4])!).toBeLessThan(1.6);
});

test('a week of its own of each series is left alone', () => {
  expect(commonWeeks(panelOf((series, origin) => (origin === series % 12 ? 5 : 1))).size).toBe(0);
});

test('panels of few series and origins of a single step tell nothing', () => {
  const wild = (_: number, origin: number): number => (origin === 4 ? 5 : 1);
  expect(commonWeeks(panelOf(wild).slice(0, 7)).size).toBe(0);
  expect(commonWeeks(panelOf(wild, 1)).size).toBe(0);
  expect(commonWeeks([]).size).toBe(0);
});
