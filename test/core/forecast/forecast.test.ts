import { describe, expect, test } from 'vitest';
import { forecast, forecastMany } from '../../../src/core/forecast/forecast.ts';
import { localMidnight } from '../../../src/core/forecast/local-time.ts';
import type { DemandSeries, ForecastOptions, LocationForecast } from '../../../src/core/forecast/types.ts';
import { casesOfDay } from '../../helpers/depth.ts';
import {
  hoursOf,
  MONDAY,
  normal,
  poisson,
  seededRandom,
  seriesOf,
  sum,
  utcHour,
  weeklyShape,
} from './samples.ts';

const WEEK: ForecastOptions = { horizonHours: 168, stepHours: 24, confidenceLevel: null };

function demand(series: DemandSeries, options: Partial<ForecastOptions> = {}): LocationForecast {
  const result = forecast(series, { ...WEEK, ...options });
  if (result.status !== 'ok') throw new Error('no observations');
  return result;
}

function noisySeries(
  weeks: number,
  level: number,
  seed = 1,
  overrides: Partial<DemandSeries> = {},
): DemandSeries {
  const random = seededRandom(seed);
  return seriesOf(
    hoursOf(weeks, (hour) => poisson(random, weeklyShape(hour, level))),
    overrides,
  );
}

describe('shape of a forecast', () => {
  test('168 hours in steps of a day are 7 values from the day after the newest observation', () => {
    const set = forecastMany([noisySeries(6, 20)], WEEK);
    expect(set.startDate).toBe('2024-02-12');
    expect(set.model).toBe('sar-profile-combination');
    expect(set.results[0]).toMatchObject({ status: 'ok', locationId: 1, method: 'combination' });
    expect(demand(noisySeries(6, 20)).values.length).toBe(7);
  });

  test.each([
    [1, 1, 1],
    [25, 24, 2],
    [168, 12, 14],
    [7, 24, 1],
  ])('%i hours in steps of %i are %i values', (horizonHours, stepHours, count) => {
    expect(demand(noisySeries(5, 20), { horizonHours, stepHours }).values.length).toBe(count);
  });

  test('the steps of a day are its hours added up, and the last step ends with the horizon', () => {
    const series = noisySeries(6, 20);
    const hourly = demand(series, { horizonHours: 40, stepHours: 1 }).values;
    const daily = demand(series, { horizonHours: 40, stepHours: 24 }).values;
    expect(daily[0]).toBeCloseTo(sum(hourly.subarray(0, 24)), 8);
    expect(daily[1]).toBeCloseTo(sum(hourly.subarray(24)), 8);
  });

  test('bounds appear only where a confidence level asks for them, around the value', () => {
    const series = noisySeries(6, 20);
    expect(demand(series)).not.toHaveProperty('lower');
    const narrow = demand(series, { confidenceLevel: 0.5 });
    const wide = demand(series, { confidenceLevel: 0.95 });
    expect(wide.values).toEqual(narrow.values);
    wide.values.forEach((value, i) => {
      expect(wide.lower![i]).toBeLessThan(narrow.lower![i]);
      expect(narrow.lower![i]).toBeLessThan(value);
      expect(narrow.upper![i]).toBeGreaterThan(value);
      expect(wide.upper![i]).toBeGreaterThan(narrow.upper![i]);
    });
  });

  test('is plain data that a worker thread can post, and the same every time', () => {
    const series = [noisySeries(5, 20), seriesOf([])];
    const set = forecastMany(structuredClone(series), { ...WEEK, confidenceLevel: 0.9 });
    expect(structuredClone(set)).toEqual(forecastMany(series, { ...WEEK, confidenceLevel: 0.9 }));
  });

  test('the values of a location do not depend on the other locations', () => {
    const one = noisySeries(8, 30, 1);
    const set = forecastMany([noisySeries(8, 3, 2, { locationId: 2 }), one], WEEK);
    expect((set.results[1] as LocationForecast).values).toEqual(demand(one).values);
  });
});

describe('as of the start', () => {
  test('observations at or after the start change nothing', () => {
    const series = noisySeries(10, 20);
    const startDate = '2024-02-21';
    const before = demand(series, { startDate, confidenceLevel: 0.9 });
    const changed = series.values.map((value, hour) =>
      series.startHour + hour < localMidnight(startDate)! ? value : 1e6,
    );
    expect(demand({ ...series, values: changed }, { startDate, confidenceLevel: 0.9 })).toEqual(before);
    const last = localMidnight(startDate)! - 1 - series.startHour;
    const touched = series.values.map((value, hour) => (hour === last ? value + 40 : value));
    expect(demand({ ...series, values: touched }, { startDate }).values).not.toEqual(before.values);
  });

  test('a start date is midnight on the clock of the location', () => {
    const shape = (hour: number): number => (hour % 24 === 0 ? 100 : 1);
    const values = hoursOf(5, shape);
    const newYork = seriesOf(values, { timeZone: 'America/New_York', startHour: MONDAY + 5 });
    const hourly = demand(newYork, { stepHours: 1, horizonHours: 24 }).values;
    expect(hourly.indexOf(Math.max(...hourly))).toBe(0);
  });

  test('originHour starts in the local hour that UTC hour falls in', () => {
    const series = noisySeries(8, 20, 1, { timeZone: 'America/New_York' });
    const byHour = demand(series, { originHour: utcHour('2024-02-20T05:00Z') });
    expect(byHour).toEqual(demand(series, { startDate: '2024-02-20' }));
  });

  test('a gap before the start is forecast across, in step with the week', () => {
    const exact = seriesOf(hoursOf(8, (hour) => weeklyShape(hour, 40)));
    for (const days of [1, 3, 10, 45]) {
      const startHour = MONDAY + 8 * 168 + 24 * days;
      const { values } = demand(exact, { originHour: startHour, confidenceLevel: 0.9 });
      values.forEach((value, day) => {
        let expected = 0;
        for (let hour = 0; hour < 24; hour++) expected += weeklyShape((days + day) * 24 + hour, 40);
        expect(Math.abs(value / expected - 1)).toBeLessThan(0.05);
      });
    }
  });

  test('a location that stopped reporting is forecast from the same start as the others', () => {
    const late = noisySeries(8, 20);
    const stopped = { ...noisySeries(8, 20, 2), values: noisySeries(8, 20, 2).values.slice(0, 1000) };
    const set = forecastMany([late, stopped], WEEK);
    const alone = forecastMany([stopped], { ...WEEK, startDate: set.startDate! });
    expect((set.results[1] as LocationForecast).values).toEqual(
      (alone.results[0] as LocationForecast).values,
    );
  });

  test('no observation before the start is a tagged result, not an exception', () => {
    expect(forecast(seriesOf([]), WEEK)).toEqual({ status: 'no_observations', locationId: 1 });
    expect(forecast(seriesOf([NaN, NaN]), { ...WEEK, startDate: '2024-01-05' }).status).toBe(
      'no_observations',
    );
    expect(forecast(noisySeries(5, 9), { ...WEEK, startDate: '2023-12-31' }).status).toBe('no_observations');
    expect(forecastMany([seriesOf([])], WEEK).startDate).toBeNull();
    expect(forecastMany([], WEEK)).toMatchObject({ startDate: null, results: [] });
  });
});

describe('clock changes', () => {
  const flat = (startHour: number): DemandSeries =>
    seriesOf(new Float64Array(6 * 168).fill(10), { timeZone: 'America/New_York', startHour });

  test('the day the clock skips an hour has the demand of 23 hours, and nothing in that hour', () => {
    const series = flat(utcHour('2017-03-09T05:00Z') - 6 * 168);
    const daily = demand(series, { startDate: '2017-03-11', horizonHours: 72 });
    expect([...daily.values].map(Math.round)).toEqual([240, 230, 240]);
    const hourly = demand(series, {
      startDate: '2017-03-12',
      horizonHours: 4,
      stepHours: 1,
      confidenceLevel: 0.9,
    });
    expect([...hourly.values].map(Math.round)).toEqual([10, 10, 0, 10]);
    expect(hourly.lower![2]).toBe(0);
    expect(hourly.upper![2]).toBe(0);
  });

  test('the day the clock repeats an hour has the demand of 25 hours, two of them in that hour', () => {
    const series = flat(utcHour('2017-11-02T04:00Z') - 6 * 168);
    const daily = demand(series, { startDate: '2017-11-04', horizonHours: 72 });
    expect([...daily.values].map(Math.round)).toEqual([240, 250, 240]);
    const hourly = demand(series, { startDate: '2017-11-05', horizonHours: 3, stepHours: 1 });
    expect([...hourly.values].map(Math.round)).toEqual([10, 20, 10]);
  });

  test('from the second of two hours of one name on, the first is not forecast again', () => {
    const series = flat(utcHour('2017-11-02T04:00Z') - 6 * 168);
    const from = (originHour: number) =>
      [...demand(series, { originHour, horizonHours: 3, stepHours: 1 }).values].map(Math.round);
    expect(from(utcHour('2017-11-05T05:00Z'))).toEqual([20, 10, 10]);
    expect(from(utcHour('2017-11-05T06:00Z'))).toEqual([10, 10, 10]);
  });

  test.each([
    ['Europe/Berlin', '2024-03-30', 230],
    ['Europe/Berlin', '2024-10-26', 250],
    ['Australia/Lord_Howe', '2024-10-05', 230],
    ['Australia/Lord_Howe', '2024-04-06', 250],
    ['Asia/Kolkata', '2024-03-30', 240],
  ])(
    'in %s the day after %s has %i of a steady ten an hour, and its hours add up to it',
    (timeZone, startDate, middle) => {
      const startHour = utcHour(`${startDate}T00:00Z`) - 7 * 168;
      const series = seriesOf(new Float64Array(8 * 168).fill(10), { timeZone, startHour });
      const daily = demand(series, { startDate, horizonHours: 72 }).values;
      expect([...daily].map(Math.round)).toEqual([240, middle, 240]);
      const hourly = demand(series, { startDate, horizonHours: 72, stepHours: 1 }).values;
      expect(sum(hourly.subarray(24, 48))).toBeCloseTo(daily[1], 8);
    },
  );

  test('in a half-hour zone a day begins with the hour of data that begins in it', () => {
    // 19:00Z is 00:30 in Kolkata; 18:00Z, 23:30, still belongs to the day before.
    const values = hoursOf(6, (hour) => (hour % 24 === 19 ? 100 : 1));
    const series = seriesOf(values, { timeZone: 'Asia/Kolkata' });
    const hourly = demand(series, { startDate: '2024-02-10', horizonHours: 24, stepHours: 1 }).values;
    expect(hourly.indexOf(Math.max(...hourly))).toBe(0);
    expect(hourly[0]).toBeGreaterThan(50);
  });

  test('a pattern in local hours stays on its local hours across the change in the history', () => {
    const startHour = utcHour('2017-01-30T05:00Z');
    const values = Float64Array.from({ length: 8 * 168 - 1 }, (_, hour) => {
      const local = hour + (startHour + hour >= utcHour('2017-03-12T07:00Z') ? 1 : 0);
      return weeklyShape(local, 50);
    });
    const series = seriesOf(values, { timeZone: 'America/New_York', startHour });
    const { values: hourly } = demand(series, { stepHours: 1 });
    hourly.forEach((value, hour) => {
      expect(Math.abs(value - weeklyShape(hour, 50))).toBeLessThan(5);
    });
  });
});

describe('short and poor history', () => {
  test.each([
    [5, 'mean'],
    [24, 'daily_profile'],
    [100, 'daily_profile'],
    [168, 'sar_weekly_mean'],
    [400, 'sar_weekly_mean'],
    [672, 'combination'],
  ] as const)('%i hours of steady demand are forecast right, by %s', (hours, method) => {
    const series = seriesOf(new Float64Array(hours).fill(12));
    const result = demand(series, { confidenceLevel: 0.95 });
    expect(result.method).toBe(method);
    for (const value of result.values) expect(value).toBeCloseTo(288, 6);
  });

  test('two days of a daily wave continue as that wave', () => {
    const wave = (hour: number): number => 20 + 10 * Math.sin((2 * Math.PI * hour) / 24);
    const series = seriesOf(Float64Array.from({ length: 48 }, (_, hour) => wave(hour)));
    demand(series, { stepHours: 1 }).values.forEach((value, hour) => {
      expect(Math.abs(value - wave(hour))).toBeLessThan(0.5);
    });
  });

  test('a history that is mostly missing takes the rung of the hours it has', () => {
    const random = seededRandom(3);
    const series = seriesOf(hoursOf(10, () => (random() < 0.05 ? 5 : NaN)));
    expect(demand(series).method).toBe('daily_profile');
  });

  test('losing a tenth of the hours costs little', () => {
    const whole = noisySeries(9, 30);
    const random = seededRandom(6);
    const holes = { ...whole, values: whole.values.map((value) => (random() < 0.1 ? NaN : value)) };
    const expected = demand(whole).values;
    demand(holes).values.forEach((value, day) => {
      expect(Math.abs(value / expected[day] - 1)).toBeLessThan(0.06);
    });
  });

  test('one absurd hour does not move the week', () => {
    const whole = noisySeries(9, 30);
    const spiky = { ...whole, values: whole.values.slice() };
    spiky.values[9 * 168 - 10] = 1e9;
    const expected = demand(whole).values;
    demand(spiky).values.forEach((value, day) => {
      expect(Math.abs(value / expected[day] - 1)).toBeLessThan(0.05);
    });
  });

  test('rare events are forecast at their mean, whatever share of the hours has one', {
    tags: 'slow',
  }, () => {
    for (const share of casesOfDay([0.005, 0.01, 0.02, 0.05])) {
      const random = seededRandom(5);
      const weeks = 13;
      let forecastSum = 0;
      let observed = 0;
      for (let i = 0; i < 250; i++) {
        const values = hoursOf(weeks, () => (random() < share ? 1 : 0));
        // Future demand has this expected share; the observed share differs by chance. Comparing with it needs fewer
        // series.
        observed += sum(values.subarray(values.length / 2)) / (values.length / 2);
        const options = {
          originHour: MONDAY + values.length,
          horizonHours: 168,
          stepHours: 24,
          confidenceLevel: null,
        };
        const result = forecast(seriesOf(values), options);
        if (result.status === 'ok') forecastSum += sum(result.values) / 168;
      }
      expect(Math.abs(forecastSum / observed - 1), `a share of ${share}`).toBeLessThan(0.03);
    }
  });

  test('quiet and busy hours of noisy demand are met alike', () => {
    const random = seededRandom(6);
    const ratios = { quiet: [0, 0], busy: [0, 0] };
    for (let i = 0; i < 70; i++) {
      // The history ends on every day of the week in turn.
      const shape = (hour: number) => weeklyShape(hour + 24 * i, 50);
      const values = hoursOf(13, (hour) => shape(hour) * Math.exp(0.5 * normal(random) - 0.125));
      const options = {
        originHour: MONDAY + 13 * 168,
        horizonHours: 168,
        stepHours: 1,
        confidenceLevel: null,
      };
      const result = forecast(seriesOf(values), options);
      if (result.status !== 'ok') throw new Error('observations are there');
      result.values.forEach((value, hour) => {
        const pair = shape(hour) > 50 ? ratios.busy : ratios.quiet;
        pair[0] += value;
        pair[1] += shape(hour);
      });
    }
    for (const [expected, truth] of Object.values(ratios)) {
      expect(expected! / truth!).toBeGreaterThan(0.97);
      expect(expected! / truth!).toBeLessThan(1.06);
    }
  });

  test('sparse demand keeps its level: the mean is forecast, not the median of zero', () => {
    const random = seededRandom(12);
    let forecastSum = 0;
    let expected = 0;
    for (let i = 0; i < 70; i++) {
      // The history ends on every day of the week in turn: after a quiet weekend the week ahead is forecast about 5 %
      // too low.
      const shape = (hour: number) => weeklyShape(hour + 24 * i, 0.3);
      const series = seriesOf(hoursOf(10, (hour) => poisson(random, shape(hour))));
      forecastSum += sum(demand(series).values);
      for (let hour = 0; hour < 168; hour++) expected += shape(hour);
    }
    expect(Math.abs(forecastSum / expected - 1)).toBeLessThan(0.03);
  });
});

describe('long horizons', () => {
  test('a leap year of hours stays at the level of the history', () => {
    const series = noisySeries(13, 25);
    const result = demand(series, { horizonHours: 8784, confidenceLevel: 0.95 });
    expect(result.values.length).toBe(366);
    const daily = sum(series.values) / (13 * 7);
    for (let day = 0; day < 366; day++) {
      expect(result.values[day]).toBeGreaterThan(0.3 * daily);
      expect(result.values[day]).toBeLessThan(2 * daily);
    }
    expect(Math.abs(sum(result.values) / (366 * daily) - 1)).toBeLessThan(0.1);
    expect(result.upper![365]).toBeLessThan(6 * daily);
  });

  test('exponential growth is not extrapolated', () => {
    const series = seriesOf(hoursOf(8, (hour) => weeklyShape(hour, 10) * 1.003 ** hour));
    const highest = Math.max(...series.values);
    for (const value of demand(series, { horizonHours: 8784, stepHours: 1 }).values) {
      expect(value).toBeLessThanOrEqual(1.3 * highest);
    }
  });

  test('far out the forecast repeats every week', () => {
    const { values } = demand(noisySeries(10, 25), { horizonHours: 2000, stepHours: 1 });
    for (let hour = 672; hour + 168 < 2000; hour++) expect(values[hour]).toBe(values[hour + 168]);
  });
});

describe('options out of range', () => {
  test.each([
    [{ horizonHours: 0 }],
    [{ horizonHours: 1.5 }],
    [{ stepHours: 0 }],
    [{ stepHours: NaN }],
    [{ confidenceLevel: 0 }],
    [{ confidenceLevel: 1 }],
    [{ startDate: '2024-02-30' }],
  ])('%j is a RangeError', (options) => {
    expect(() => demand(noisySeries(1, 5), options)).toThrow(RangeError);
  });
});
