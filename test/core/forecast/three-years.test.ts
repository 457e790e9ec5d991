/** @module-tag slow */
import { describe, expect, test } from 'vitest';
import { forecastMany } from '../../../src/core/forecast/forecast.ts';
import { localDate } from '../../../src/core/forecast/local-time.ts';
import { type SpecialDay, specialDays } from '../../../src/core/forecast/special-days.ts';
import type { DemandSeries, LocationForecast } from '../../../src/core/forecast/types.ts';
import { openHolidayCalendar } from '../../../src/inputs/holidays.ts';
import { normal, poisson, seededRandom, sum, utcHour, weeklyShape } from './samples.ts';

const FIRST_DAY = utcHour('2021-01-01') / 24;
const DAYS = 3 * 365 + 14;
const THIRD_YEAR = FIRST_DAY + 2 * 365;
const calendar = await openHolidayCalendar('US');
const holidays = calendar.between(24 * (FIRST_DAY - 10), 24 * (FIRST_DAY + DAYS + 10));
const special = specialDays(holidays);

/**
 * The effect of a special day: a share of Sunday and a factor, each from its kind, its name, the year and the location.
 */
function effectsOf(random: () => number) {
  const known = new Map<string, number>();
  const own = (key: string, deviation: number): number => {
    const value = known.get(key) ?? deviation * normal(random);
    known.set(key, value);
    return value;
  };
  const kinds: Record<SpecialDay['role'], [sunday: number, level: number]> = {
    off: [0.7, -0.1],
    between: [0.3, -0.3],
    near: [0, -0.07],
  };
  return (day: number, place: number): { sunday: number; factor: number } => {
    const one = special.get(day);
    if (one === undefined) return { sunday: 0, factor: 1 };
    const { role, name, offset, kind } = one;
    const [sunday, level] = kinds[role];
    const logarithm =
      level +
      own(`${kind} ${offset}`, 0.06) +
      own(`${name} ${offset}`, 0.08) +
      own(`day ${day}`, 0.04) +
      own(`${name} ${offset} ${place}`, 0.06);
    return { sunday, factor: Math.exp(logarithm) };
  };
}

/** Three years of counts: weather moves the locations together, and each has its own season. */
function threeYears(seed: number): DemandSeries[] {
  const random = seededRandom(seed);
  const effectOf = effectsOf(random);
  const weather = Array.from({ length: DAYS }, () => 0.05 * normal(random));
  return [6, 12, 25, 60].map((level, locationId) => {
    const values = new Float64Array(24 * DAYS);
    for (let i = 0; i < DAYS; i++) {
      const day = FIRST_DAY + i;
      const { sunday, factor } = effectOf(day, locationId);
      const season = 0.06 * Math.sin((2 * Math.PI * (i + 60 * locationId)) / 365);
      const ofDay = factor * Math.exp(weather[i] + 0.06 * normal(random) + season);
      // `weeklyShape` counts from a Monday; day 0 is a Thursday.
      const monday = 24 * ((day + 3) % 7);
      for (let hour = 0; hour < 24; hour++) {
        const usual = weeklyShape(monday + hour, level);
        const quiet = weeklyShape(24 * 6 + hour, level);
        values[24 * i + hour] = poisson(random, usual ** (1 - sunday) * quiet ** sunday * ofDay);
      }
    }
    return { locationId, timeZone: 'UTC', startHour: 24 * FIRST_DAY, values };
  });
}

type Tally = {
  error: number;
  signed: number;
  demand: number;
  inside: number;
  count: number;
};
/** Holidays, the days before or after them, and days enclosed by holidays, or by a holiday and a weekend. */
type Group = 'holidays' | 'days beside' | 'days between';
const groupOf = ({ role, kind }: SpecialDay): Group => {
  if (role === 'between' || kind === 'season') return 'days between';
  return role === 'off' ? 'holidays' : 'days beside';
};

/** Forecasts of each holiday of the third year and the days around it, from four days before. */
function measure(
  seeds: readonly number[],
  known: typeof holidays,
  confidenceLevel = 0.95,
): Record<Group, Tally> {
  const tally = (): Tally => ({ error: 0, signed: 0, demand: 0, inside: 0, count: 0 });
  const tallies = { holidays: tally(), 'days beside': tally(), 'days between': tally() };
  for (const seed of seeds) {
    const series = threeYears(seed);
    for (const [holiday, { role }] of special) {
      if (role !== 'off' || holiday < THIRD_YEAR || holiday >= FIRST_DAY + DAYS - 9) continue;
      const start = holiday - 4;
      const set = forecastMany(series, {
        startDate: localDate(24 * start),
        horizonHours: 168,
        stepHours: 24,
        confidenceLevel,
        holidays: known,
      });
      (set.results as LocationForecast[]).forEach(({ values, lower, upper }, place) => {
        values.forEach((value, i) => {
          const one = special.get(start + i);
          if (one === undefined) return;
          const from = 24 * (start + i - FIRST_DAY);
          const demand = sum(series[place].values.subarray(from, from + 24));
          const at = tallies[groupOf(one)];
          at.error += Math.abs(value - demand);
          at.signed += value - demand;
          at.demand += demand;
          at.inside += demand >= lower![i] && demand <= upper![i] ? 1 : 0;
          at.count++;
        });
      });
    }
  }
  return tallies;
}

describe('with three years of observations, days around holidays are forecast', () => {
  const seeds = [1, 2, 3];
  const tallies = measure(seeds, holidays);
  const blind = measure(seeds, []);

  test.each(Object.keys(tallies) as Group[])('without bias, and inside their intervals: %s', (group) => {
    const { signed, demand, inside, count } = tallies[group];
    expect(Math.abs(signed / demand)).toBeLessThan(0.08);
    expect(inside / count).toBeGreaterThanOrEqual(0.9);
  });

  test('and inside their 80 % intervals, which are not too narrow either', () => {
    for (const { inside, count } of Object.values(measure(seeds, holidays, 0.8))) {
      expect(inside / count).toBeGreaterThanOrEqual(0.78);
    }
  });

  test('with at most two thirds of the error that they have unknown', () => {
    const wape = (of: Record<Group, Tally>) =>
      sum(Object.values(of).map(({ error }) => error)) / sum(Object.values(of).map(({ demand }) => demand));
    expect(wape(tallies)).toBeLessThan((2 / 3) * wape(blind));
  });
});

test('nothing that happens from the start on changes a forecast', () => {
  const series = threeYears(4).slice(0, 2);
  const start = utcHour('2023-05-27');
  const later = series.map((one) => ({
    ...one,
    values: one.values.map((value, t) => (one.startHour + t < start ? value : 1000 - value)),
  }));
  const options = {
    startDate: '2023-05-27',
    horizonHours: 168,
    stepHours: 24,
    confidenceLevel: 0.95,
    holidays,
  };
  expect(forecastMany(later, options)).toEqual(forecastMany(series, options));
});
