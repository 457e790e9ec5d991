import { describe, expect, test } from 'vitest';
import {
  type BacktestOptions,
  backtest,
  backtestStarts,
  type HorizonScore,
} from '../../../src/core/forecast/backtest.ts';
import { sameHourMean, weeklyNaiveError } from '../../../src/core/forecast/backtest-score.ts';
import { forecastMany } from '../../../src/core/forecast/forecast.ts';
import { localDate } from '../../../src/core/forecast/local-time.ts';
import type { DemandSeries } from '../../../src/core/forecast/types.ts';
import { casesOfDay } from '../../helpers/depth.ts';
import { hoursOf, loadNyc, MONDAY, poisson, seededRandom, seriesOf, weeklyShape } from './samples.ts';

const WEEK = { horizonsHours: [168], stepHours: 24, origins: 3, confidenceLevels: [0.8, 0.95] };

const WEEK_FROM_ONE_ORIGIN = { ...WEEK, origins: 1 };

/** The single horizon of a backtest that is not stopped. */
function score(series: readonly DemandSeries[], options: BacktestOptions): HorizonScore {
  return backtest(series, options)!.horizons[0];
}

describe('baselines', () => {
  test('last week is the value 168 hours before, repeated beyond a week', () => {
    const history = hoursOf(3, (hour) => hour);
    const forecast = sameHourMean(history, 0, 340, 1);
    expect(forecast[0]).toBe(336);
    expect(forecast[167]).toBe(503);
    expect(forecast[168]).toBe(336);
    expect(forecast[339]).toBe(339);
  });

  test('the weekday mean takes the newest four, and the day of the week survives a gap before the start', () => {
    const history = hoursOf(5, (hour) => hour);
    expect(sameHourMean(history, 0, 1, 4)[0]).toBe((168 + 336 + 504 + 672) / 4);
    expect(sameHourMean(history, 30, 1, 1)[0]).toBe(672 + 30);
  });

  test('a missing hour is looked up a week earlier, and the mean stands in where there is none', () => {
    const history = hoursOf(3, (hour) => hour);
    history[336] = NaN;
    expect(sameHourMean(history, 0, 1, 1)[0]).toBe(168);
    expect(sameHourMean(Float64Array.of(2, 4), 0, 3, 1)).toEqual(Float64Array.of(3, 3, 3));
  });

  test('the scale of MASE is the mean change from one week to the next', () => {
    expect(
      weeklyNaiveError(
        hoursOf(4, (hour) => hour),
        1,
        168,
      ),
    ).toBe(168);
    expect(
      weeklyNaiveError(
        hoursOf(4, (hour) => hour),
        24,
        168,
      ),
    ).toBe(24 * 168);
    expect(
      weeklyNaiveError(
        hoursOf(1, (hour) => hour),
        1,
        168,
      ),
    ).toBe(0);
  });
});

describe('backtest', () => {
  test('starts at local midnights on different weekdays, with a horizon after and four weeks before each', () => {
    const starts = backtestStarts([seriesOf(hoursOf(16, () => 1))], 168, 8);
    expect(starts.length).toBe(8);
    expect(starts[0]).toBe(MONDAY + 15 * 168);
    for (const start of starts) {
      expect(start % 24).toBe(0);
      expect(start).toBeGreaterThanOrEqual(MONDAY + 4 * 168);
    }
    expect(new Set(starts.map((start) => start % 168)).size).toBe(7);
  });

  test('uses fewer origins in a short history, none where there is too little', () => {
    expect(backtestStarts([seriesOf(hoursOf(5, () => 1))], 168, 8).map(localDate)).toEqual(['2024-01-29']);
    expect(backtestStarts([seriesOf(hoursOf(4, () => 1))], 168, 8)).toEqual([]);
    expect(backtest([seriesOf([])], WEEK)!.startDates).toEqual([]);
    expect(backtest([], WEEK)!.startDates).toEqual([]);
  });

  test('measures by hand-checked arithmetic: demand that doubles leaves every method half short', () => {
    const values = hoursOf(9, (hour) => (hour < 8 * 168 ? 10 : 20));
    const { overall } = score([seriesOf(values)], { ...WEEK, origins: 1 });
    for (const method of ['engine', 'last_week', 'weekday_mean'] as const) {
      expect(overall.accuracy[method].wape).toBeCloseTo(0.5, 9);
      expect(overall.accuracy[method].bias).toBeCloseTo(-0.5, 9);
    }
    expect(overall.accuracy.engine.mase).toBeNull();
    expect(overall.coverage).toEqual([0, 0]);
    expect(overall.steps).toBe(7);
  });

  test('sees nothing after an origin: what follows does not change the forecasts it is compared with', () => {
    const random = seededRandom(2);
    const calm = hoursOf(10, (hour) => poisson(random, weeklyShape(hour, 20)));
    const options = { ...WEEK, origins: 1 };
    const usual = score([seriesOf(calm)], options).overall;
    const quiet = score([seriesOf(calm.map((value, hour) => (hour < 9 * 168 ? value : 0)))], options).overall;
    // Signed errors: forecast − actual. With actual demand at zero the sum is the forecast itself.
    expect(quiet.accuracy.engine.wape).toBeNull();
    const doubled = score(
      [seriesOf(calm.map((value, hour) => (hour < 9 * 168 ? value : 2 * value)))],
      options,
    ).overall;
    // The forecast F is the same: bias₁ = F/D − 1 and bias₂ = F/2D − 1.
    expect(2 * (doubled.accuracy.engine.bias! + 1)).toBeCloseTo(usual.accuracy.engine.bias! + 1, 9);
  });

  test('leaves out steps that were not observed, and reports progress', () => {
    const values = hoursOf(9, (hour) => weeklyShape(hour, 20));
    values[8 * 168 + 30] = NaN;
    const seen: string[] = [];
    const onProgress = (done: number, total: number) => seen.push(`${done}/${total}`);
    const { horizons } = backtest([seriesOf(values)], WEEK, { onProgress })!;
    expect(seen).toEqual(['1/3', '2/3', '3/3']);
    expect(horizons[0].overall.steps).toBeLessThan(21);
    expect(horizons[0].locations[0].steps).toBe(horizons[0].overall.steps);
  });

  test('measures several horizons from the same origins, each as if it were the only one', () => {
    const random = seededRandom(3);
    const series = [seriesOf(hoursOf(9, (hour) => poisson(random, weeklyShape(hour, 20))))];
    const options = { ...WEEK, horizonsHours: [48, 168], origins: 2 };
    const report = backtest(series, options)!;
    expect(report.horizons.map(({ horizonHours, overall }) => [horizonHours, overall.steps])).toEqual([
      [48, 4],
      [168, 14],
    ]);
    expect(report.horizons[1]).toEqual(score(series, { ...options, horizonsHours: [168] }));
    expect(structuredClone(report)).toEqual(report);
  });

  test('stops before the next location once the flag is set', () => {
    const series = [1, 2, 3].map((locationId) =>
      seriesOf(
        hoursOf(9, () => 1),
        { locationId },
      ),
    );
    const stopFlag = new Int32Array(1);
    let fitted = 0;
    const onProgress = () => {
      fitted++;
      stopFlag[0] = 1;
    };
    expect(backtest(series, WEEK, { stopFlag, onProgress })).toBeNull();
    expect(fitted).toBe(1);
  });

  test('sees as many weeks before each origin as it is told, as if there were no more', () => {
    const random = seededRandom(5);
    // Older weeks have another level: a model that reads them forecasts something else.
    const values = hoursOf(16, (hour) => poisson(random, (hour < 10 * 168 ? 90 : 20) + (hour % 24)));
    const options = { ...WEEK, origins: 1, historyWeeks: 5 };
    const recent = new Float64Array(values);
    const [start] = backtestStarts([seriesOf(values)], 168, 1);
    recent.fill(NaN, 0, start! - MONDAY - 5 * 168);
    expect(score([seriesOf(values)], options)).toEqual(score([seriesOf(recent)], WEEK_FROM_ONE_ORIGIN));
    expect(score([seriesOf(values)], options)).not.toEqual(score([seriesOf(values)], WEEK_FROM_ONE_ORIGIN));
  });
});

describe('real demand: New York, 73 zones, week ahead', () => {
  const series = loadNyc();

  test('the engine beats last week’s value by more than a tenth and the mean of four weekdays, hourly and daily', {
    tags: 'slow',
  }, () => {
    for (const stepHours of casesOfDay([1, 24])) {
      const { overall } = score(series, { ...WEEK, stepHours, origins: 8 });
      const { engine, last_week, weekday_mean } = overall.accuracy;
      expect(engine.wape! / last_week.wape!).toBeLessThan(0.9);
      expect(engine.wape!).toBeLessThan(weekday_mean.wape!);
      expect(engine.mase!).toBeLessThan(last_week.mase!);
      expect(Math.abs(engine.bias!)).toBeLessThan(0.03);
      const [at80, at95] = overall.coverage;
      expect(at80).toBeGreaterThan(0.75);
      expect(at80).toBeLessThan(0.85);
      expect(at95).toBeGreaterThan(0.93);
      expect(at95).toBeLessThan(0.97);
    }
  });

  test('forecasting on the local clock beats forecasting in UTC across the clock change', {
    tags: 'slow',
  }, () => {
    const wape = (timeZone: string): number => {
      const zoned = series.map((one) => ({ ...one, timeZone }));
      const cut = zoned.map((one) => ({ ...one, values: one.values.subarray(0, 24 * 83) }));
      return score(cut, { ...WEEK, stepHours: 1, origins: 1 }).overall.accuracy.engine.wape!;
    };
    expect(wape('America/New_York')).toBeLessThan(wape('UTC') - 0.02);
  });
});

test('the error the engine reports of itself is the error that follows, where nothing changes', () => {
  const random = seededRandom(31);
  const series = Array.from({ length: 20 }, (_, locationId) =>
    seriesOf(
      hoursOf(14, (hour) => poisson(random, weeklyShape(hour, 5))),
      { locationId },
    ),
  );
  const [start] = backtestStarts(series, 168, 1);
  const options = { startDate: localDate(start!), horizonHours: 168, stepHours: 24, confidenceLevel: null };
  let reported = 0;
  for (const result of forecastMany(series, options).results) {
    if (result.status === 'ok') reported += result.backtestWape! / series.length;
  }
  const followed = score(series, { ...WEEK, origins: 1 }).overall.accuracy.engine.wape!;
  expect(reported / followed).toBeGreaterThan(0.85);
  expect(reported / followed).toBeLessThan(1.15);
});
