import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ForecastData } from '../../src/contracts/forecast.ts';
import { planRequest } from '../../src/core/decision.ts';
import { NotFiniteError, requireFinite } from '../../src/core/finite.ts';
import { backtest } from '../../src/core/forecast/backtest.ts';
import { forecastMany } from '../../src/core/forecast/forecast.ts';
import { forecastJson } from '../../src/core/forecast/forecast-text.ts';
import type { DemandSeries } from '../../src/core/forecast/types.ts';
import { DEFAULT_RISK_SETTINGS, scoreRisk } from '../../src/core/risk.ts';
import { runs } from '../helpers/depth.ts';
import { hoursOf, loadNyc, seededRandom, seriesOf, weeklyShape } from './forecast/samples.ts';

/** As JSON writes it: null for a number that is not finite. */
const onWire = <T>(result: T): T => JSON.parse(JSON.stringify(result));

const forecast = (series: DemandSeries[], stepHours: number, confidenceLevel: number) => {
  const asked = { horizonHours: 72, stepHours };
  const set = forecastMany(series, { ...asked, confidenceLevel });
  return JSON.parse(forecastJson(set, asked, '2024-01-01T00:00:00Z')) as ForecastData;
};

test.each([
  [{ a: [1, { b: NaN }] }, 'result.a[1].b is NaN'],
  [[Float64Array.of(1, -Infinity)], 'result[0][1] is -Infinity'],
  [{ a: 1, b: Infinity }, 'result.b is Infinity'],
])('%j does not leave the core; the error names the number', (result, message) => {
  expect(() => requireFinite('result', result)).toThrow(NotFiniteError);
  expect(() => requireFinite('result', result)).toThrow(message);
});

test('finite numbers, texts, null and what is absent leave the core as they are', () => {
  const result = { a: [0, -1e308, 5e-324], b: null, c: undefined, d: 'NaN', e: Int32Array.of(1) };
  expect(requireFinite('result', result)).toBe(result);
});

/** Hourly demand, from the least to the largest accepted value, with patterns of real histories. */
const DIRTY: Record<string, (random: () => number, hour: number) => number> = {
  outages: (random, hour) => (random() < 0.01 ? 0 : weeklyShape(hour, 30)),
  'nearly no demand': (random) => 5e-324 * Math.floor(3 * random()),
  'hours at the limit': (random) => (random() < 0.5 ? 1e9 : 1e9 * random()),
  'all sizes': (random) => Math.min(1e9, 10 ** (330 * random() - 321)),
  'spikes on tiny demand': (random) => (random() < 0.003 ? 1e9 : 1e-6 * (1 + random())),
  'dips to the smallest number': (random) => (random() < 0.003 ? 5e-324 : 1e6 * (1 + random())),
  missing: (random) => (random() < 0.7 ? NaN : 5 * random()),
};

test('every number of a forecast and a backtest is finite, whatever the history and the level', {
  tags: 'slow',
}, () => {
  const dirty = fc.record({
    kinds: fc.array(fc.constantFrom(...Object.keys(DIRTY)), { minLength: 1, maxLength: 3 }),
    seed: fc.integer(),
    hours: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 600, max: 2500 })),
    stepHours: fc.constantFrom(1, 6, 24),
    level: fc.constantFrom(0.5, 0.95, 0.999),
  });
  fc.assert(
    fc.property(dirty, ({ kinds, seed, hours, stepHours, level }) => {
      const random = seededRandom(seed);
      const series = kinds.map((kind, locationId) =>
        seriesOf(
          Float64Array.from({ length: hours }, (_, hour) => DIRTY[kind]!(random, hour)),
          { locationId },
        ),
      );
      if (series.some(({ values }) => values.every(Number.isNaN))) return;
      const data = forecast(series, stepHours, level);
      expect(onWire(data)).toEqual(data);
      if (hours < 800) return;
      const options = { horizonsHours: [48], origins: 2, stepHours, confidenceLevels: [level] };
      const report = backtest(series, options);
      expect(onWire(report)).toEqual(report);
    }),
    runs(300),
  );
});

test('an hour without demand in a history that the logarithm fits leaves both ends of its interval finite and near', () => {
  const values = hoursOf(10, (hour) => Math.round(weeklyShape(hour, 30)) + 1);
  values[1000] = 0;
  const { intervals, forecasts } = forecast([seriesOf(values)], 1, 0.95);
  const { upper } = intervals![1];
  for (const [t, mean] of forecasts[1].entries()) expect(upper[t]).toBeLessThan(10 * mean);
});

test('the intervals of the sample are numbers', { tags: 'slow' }, () => {
  const data = forecast(loadNyc(), 1, 0.95);
  expect(onWire(data)).toEqual(data);
  const uppers = Object.values(data.intervals!).flatMap(({ upper }) => upper);
  expect(Math.max(...uppers)).toBeLessThan(10_000);
});

test('every number of a risk score is finite, whatever is known of the vehicle', () => {
  const days = fc.oneof(fc.double({ min: 0, max: 1e308, noNaN: true }), fc.constantFrom(0, 5e-324, 1e308));
  const vehicle = fc.record({
    id: fc.constant('v'),
    age_days: days,
    utilization_rate: fc.double({ min: 0, max: 1, noNaN: true }),
    days_since_maintenance: days,
  });
  const scale = fc.double({ min: 1, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(vehicle, scale, scale, (one, ageScaleDays, maintenanceScaleDays) => {
      const score = scoreRisk(one, { ...DEFAULT_RISK_SETTINGS, ageScaleDays, maintenanceScaleDays });
      expect(onWire(score)).toEqual(score);
      expect(score.risk_score).toBeGreaterThanOrEqual(0);
      expect(score.risk_score).toBeLessThanOrEqual(1);
    }),
    runs(1000),
  );
});

describe('a decision', () => {
  /** As stored with another decision: JSON text. */
  const stored = (upper: (number | null)[]): ForecastData =>
    JSON.parse(
      `{"metadata":{"step_hours":1},"forecasts":{"4":[10,12]},"intervals":{"4":{"lower":[1,1],"upper":${JSON.stringify(upper)}}}}`,
    );
  const plan = (upper: (number | null)[]) =>
    planRequest({ demand: 'upper', demand_scale: 0.5 }, [], { left_out: [] }, stored(upper));

  test('plans the upper end of the interval, scaled', () => {
    expect(plan([20, 30]).demand_forecast).toEqual({ 4: [10, 15] });
  });

  test('never plans an end that is not known as a demand of 0', () => {
    expect(() => plan([20, null])).toThrow(/forecast of location 4, step 1 is null/);
  });
});
