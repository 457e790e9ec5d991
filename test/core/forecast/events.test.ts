import { describe, expect, test } from 'vitest';
import { backtest } from '../../../src/core/forecast/backtest.ts';
import { forecastMany } from '../../../src/core/forecast/forecast.ts';
import { localDate } from '../../../src/core/forecast/local-time.ts';
import type { DemandEvent, DemandSeries, LocationForecast } from '../../../src/core/forecast/types.ts';
import { hoursOf, MONDAY, normal, seededRandom, seriesOf, sum, weeklyShape } from './samples.ts';

const WEEKS = 12;
const END = MONDAY + 168 * WEEKS;
const OPTIONS = { horizonHours: 168, stepHours: 1, confidenceLevel: 0.95 };

/** Hours of days counted from `MONDAY`. */
const hoursOfDays = (day: number, days = 1) => ({
  fromHour: MONDAY + 24 * day,
  untilHour: MONDAY + 24 * (day + days),
});
const event = (day: number, rest: Partial<DemandEvent> = {}): DemandEvent => ({
  kind: 'marathon',
  locationId: null,
  factor: null,
  ...hoursOfDays(day),
  ...rest,
});
/** Locations with some noise. `effects` gives the factor on demand, by location and hour after `MONDAY`. */
const panel = (locations: number, effect: (location: number, hour: number) => number, weeks = WEEKS) => {
  const random = seededRandom(3);
  return Array.from({ length: locations }, (_, locationId): DemandSeries => {
    const level = 20 + 10 * locationId;
    const demand = (hour: number) => weeklyShape(hour, level) * Math.exp(0.05 * normal(random));
    return seriesOf(
      hoursOf(weeks, (hour) => demand(hour) * effect(locationId, hour)),
      { locationId },
    );
  });
};
const calm = panel(3, () => 1);
const forecasts = (series: readonly DemandSeries[], events: readonly DemandEvent[]): LocationForecast[] =>
  forecastMany(series, { ...OPTIONS, events }).results as LocationForecast[];
/** The effect of an event on the forecast of the first day: demand with the event over demand without it. */
const ratioOfDay = (series: readonly DemandSeries[], events: readonly DemandEvent[], day = 0): number[] => {
  const without = forecasts(
    series,
    events.filter(({ fromHour }) => fromHour < END),
  );
  return forecasts(series, events).map(
    ({ values }, i) =>
      sum(values.subarray(24 * day, 24 * day + 24)) /
      sum(without[i].values.subarray(24 * day, 24 * day + 24)),
  );
};

describe('a stated factor', () => {
  const plain = forecasts(calm, []);

  test('is applied as stated, to the hours and the location of the event only', () => {
    const of1 = event(0, { factor: 1.7, locationId: 1, fromHour: END + 8, untilHour: END + 20 });
    forecasts(calm, [of1]).forEach(({ locationId, values }) => {
      values.forEach((value, h) => {
        const factor = locationId === 1 && h >= 8 && h < 20 ? 1.7 : 1;
        expect(value / plain[locationId].values[h]).toBeCloseTo(factor, 12);
      });
    });
  });

  test('multiplies with that of another event', () => {
    const both = [
      event(7 * WEEKS, { factor: 0.5 }),
      event(7 * WEEKS, { factor: 3, kind: 'promotion', untilHour: END + 12 }),
    ];
    const { values } = forecasts(calm, both)[0];
    expect(values[5] / plain[0].values[5]).toBeCloseTo(1.5, 12);
    expect(values[15] / plain[0].values[15]).toBeCloseTo(0.5, 12);
  });

  test('of 0 leaves no demand, and its interval is [0, 0]: the caller is taken at their word', () => {
    const closed = event(7 * WEEKS + 1, { factor: 0 });
    for (const step of [1, 24]) {
      const set = forecastMany(calm, { ...OPTIONS, stepHours: step, events: [closed] });
      for (const { values, lower, upper } of set.results as LocationForecast[]) {
        const [from, until] = [24 / step, 48 / step];
        for (const list of [values, lower!, upper!]) {
          expect(list.subarray(from, until).every((value) => value === 0)).toBe(true);
        }
        expect(upper![from - 1]).toBeGreaterThan(0);
        expect(upper![until]).toBeGreaterThan(0);
      }
    }
  });
});

describe('a factor that is learned', () => {
  const past = [30, 51];
  const ahead = 7 * WEEKS + 2;
  const during = (hour: number) => past.includes(Math.floor(hour / 24));

  test('is 1 for a kind that was never seen, and the interval says how little is known', () => {
    const [forecast] = forecasts(calm, [event(ahead)]);
    const [plain] = forecasts(calm, []);
    expect(forecast!.values).toEqual(plain!.values);
    const width = ({ lower, upper }: LocationForecast, h: number) => upper![h] - lower![h];
    expect(width(forecast!, 60)).toBeGreaterThan(2 * width(plain!, 60));
    expect(width(forecast!, 30)).toBe(width(plain!, 30));
  });

  test('nears what past events of the kind did, the more often they were seen', () => {
    const series = panel(1, (_, hour) => (during(hour) ? 2 : 1));
    const once = ratioOfDay(series, [event(30), event(51, { kind: 'another' }), event(ahead)], 2)[0];
    const twice = ratioOfDay(series, [event(30), event(51), event(ahead)], 2)[0];
    expect(once).toBeGreaterThan(1.4);
    expect(twice).toBeGreaterThan(once);
    expect(twice).toBeLessThan(2.1);
  });

  test('is that of other locations where a location saw none, and its own where it did', () => {
    const series = panel(6, (location, hour) =>
      during(hour) && location > 0 ? (location === 5 ? 1 : 0.4) : 1,
    );
    const events = [1, 2, 3, 4, 5].flatMap((locationId) => past.map((day) => event(day, { locationId })));
    const ratios = ratioOfDay(series, [...events, event(ahead)], 2);
    expect(ratios[0]).toBeGreaterThan(0.3);
    expect(ratios[0]).toBeLessThan(0.65);
    expect(ratios[1]).toBeLessThan(0.5);
    expect(ratios[5]).toBeGreaterThan(0.8);
  });

  test('comes from stretches older than the history as well', () => {
    const [recent] = panel(1, () => 1);
    const [before] = panel(1, (_, hour) => (Math.floor(hour / 24) === 30 ? 3 : 1));
    const startHour = MONDAY - 168 * 50;
    const series = { ...recent!, older: [{ startHour, values: before!.values }] };
    const seen = { kind: 'marathon', locationId: 0, factor: null };
    const earlier = { ...seen, fromHour: startHour + 30 * 24, untilHour: startHour + 31 * 24 };
    expect(ratioOfDay([series], [earlier, event(ahead)], 2)[0]).toBeGreaterThan(2);
    expect(ratioOfDay([recent!], [earlier, event(ahead)], 2)[0]).toBe(1);
  });
});

test('an event and a holiday that meet are not taken for each other', () => {
  // Two promotions of two days that double demand; the first day of each is a holiday that halves it.
  const [one, two] = [30, 58];
  const series = panel(3, (_, hour) => {
    const day = Math.floor(hour / 24);
    return ([one, one + 1, two, two + 1].includes(day) ? 2 : 1) * (day === one || day === two ? 0.5 : 1);
  });
  const promotion = (day: number) => event(day, { kind: 'promotion', ...hoursOfDays(day, 2) });
  const holidays = [one, two].map((day) => ({ date: localDate(MONDAY + 24 * day), name: 'a holiday' }));
  const ask = (events: DemandEvent[]) =>
    (forecastMany(series, { ...OPTIONS, events, holidays }).results as LocationForecast[])[0].values;
  const past = [promotion(one), promotion(two)];
  const without = ask(past);
  const ahead = ask([...past, promotion(7 * WEEKS + 1)]);
  expect(ahead[30] / without[30]).toBeGreaterThan(1.6);
  expect(ahead[30] / without[30]).toBeLessThan(2.1);
});

test('past events are kept out of the profile, whether or not a factor is stated', () => {
  const days = [7 * WEEKS - 5, 7 * WEEKS - 4];
  const strike = panel(3, (_, hour) => (days.includes(Math.floor(hour / 24)) ? 0.1 : 1));
  const expected = forecasts(calm, []);
  for (const factor of [null, 0.5]) {
    forecasts(strike, [event(days[0], { ...hoursOfDays(days[0], 2), factor })]).forEach(({ values }, i) => {
      values.forEach((value, h) => {
        expect(Math.abs(value / expected[i].values[h] - 1)).toBeLessThan(0.1);
      });
    });
  }
});

test('backtests know of events ahead, and learn only from what came before each origin', {
  tags: 'slow',
}, () => {
  const days = [56, 63, 70, 77];
  const series = panel(2, (_, hour) => (days.includes(Math.floor(hour / 24)) ? 2 : 1));
  const run = (events: DemandEvent[], values = series) =>
    backtest(values, { horizonsHours: [24], origins: 40, stepHours: 24, confidenceLevels: [0.95], events })!
      .horizons[0].overall.accuracy.engine.wape!;
  const known = days.map((day) => event(day));
  expect(run(known)).toBeLessThan(0.8 * run([]));
  // Observations and events after an origin, including events of the same kind, do not change its forecast.
  const options = { ...OPTIONS, startDate: '2024-03-04', events: known };
  const blind = series.map((one) => ({
    ...one,
    values: one.values.map((value, t) => (t < 63 * 24 ? value : value * 7)),
  }));
  expect(forecastMany(blind, options)).toEqual(forecastMany(series, options));
});
