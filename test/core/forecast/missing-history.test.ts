import { describe, expect, test } from 'vitest';
import { forecastMany } from '../../../src/core/forecast/forecast.ts';
import { fillMissing, type MissingHistory } from '../../../src/core/forecast/missing-history.ts';
import type { DemandSeries, LocationForecast } from '../../../src/core/forecast/types.ts';
import { poisson, seededRandom } from './samples.ts';

const START = Date.UTC(2026, 0, 5) / 3_600_000;
const START_DATE = '2026-02-09';
const hours = 5 * 168;

/** Five weeks of hours; NaN means not observed. */
const series = (locationId: number, demandAt: (hour: number) => number): DemandSeries => ({
  locationId,
  timeZone: 'UTC',
  startHour: START,
  values: Float64Array.from({ length: hours }, (_, h) => demandAt(h)),
});
const unknown = (locationId: number): DemandSeries => ({
  ...series(locationId, () => 0),
  values: new Float64Array(0),
});

/** By day 3, by night 1: two a hour on average. */
const dayAndNight = (h: number) => (h % 24 >= 12 ? 3 : 1);

function fill(
  all: DemandSeries[],
  missing: Partial<Record<keyof MissingHistory, [number, unknown][]>>,
  steps = {},
) {
  const options = { startDate: START_DATE, horizonHours: 24, stepHours: 1, confidenceLevel: 0.9, ...steps };
  const known = {
    expectedDailyDemand: new Map(missing.expectedDailyDemand as [number, number][]),
    neighbours: new Map(missing.neighbours as [number, number[]][]),
  };
  return fillMissing(forecastMany(all, options), null, all, known, options).results as LocationForecast[];
}
const sum = (values: Float64Array) => values.reduce((a, b) => a + b, 0);

describe('a location without observations', () => {
  test('has its expected daily demand in the shape of its neighbours, whatever their size', () => {
    const [small, large, filled] = fill(
      [series(1, dayAndNight), series(2, (h) => 100 * dayAndNight(h)), unknown(3)],
      { expectedDailyDemand: [[3, 240]], neighbours: [[3, [1, 2]]] },
    );
    expect(filled).toMatchObject({
      status: 'ok',
      method: 'expected_daily_demand',
      backtestWape: null,
      observedHours: 0,
      leadHours: null,
    });
    expect(sum(filled.values)).toBeCloseTo(240, 0);
    for (let h = 0; h < 24; h++) {
      expect(filled.values[h]).toBeCloseTo(5 * small.values[h], 3);
      expect(filled.values[h]).toBeCloseTo(0.05 * large.values[h], 3);
      expect(filled.lower![h]).toBeLessThanOrEqual(filled.values[h]);
      expect(filled.upper![h]).toBeGreaterThanOrEqual(filled.values[h]);
    }
  });

  test('has less on a day on which its neighbours have less, and a part of the day has its part', () => {
    // Half as much at weekends; 14 February 2026 is a Saturday.
    const weekend = (h: number) => (Math.floor(h / 24) % 7 >= 5 ? 1 : 2);
    const known = { expectedDailyDemand: [[2, 120]], neighbours: [[2, [1]]] } as const;
    const all = [series(1, weekend), unknown(2)];
    const of = (steps: object) => sum(fill(all, known as never, steps)[1].values);
    const week = of({ horizonHours: 168 });
    expect(week).toBeCloseTo(7 * 120, -1);
    expect(of({ startDate: '2026-02-14' })).toBeCloseTo(70, 0);
    expect(of({ horizonHours: 6 })).toBeCloseTo((140 / 24) * 6, 0);
    expect(of({ horizonHours: 30, stepHours: 24 })).toBeCloseTo(140 + (140 / 24) * 6, 0);
  });

  test('has the same in every hour where there is no neighbour with demand, and nothing where nothing is expected', () => {
    const all = [series(1, () => 0), unknown(2), unknown(3), unknown(4)];
    const [, silent, alone, none] = fill(all, {
      expectedDailyDemand: [
        [2, 48],
        [3, 24],
      ],
      neighbours: [[2, [1]]],
    });
    expect([...silent.values]).toEqual(Array(24).fill(2));
    expect([...alone.values]).toEqual(Array(24).fill(1));
    expect(none).toMatchObject({ method: 'no_history' });
    expect([...none.values, ...none.upper!]).toEqual(Array(48).fill(0));
  });

  test('is closed and halved by events of its own, and not by those of a neighbour', () => {
    const event = (locationId: number | null, factor: number | null, from: number, until: number) => ({
      ...{ kind: 'works', locationId, factor },
      ...{ fromHour: START + hours + from, untilHour: START + hours + until },
    });
    const known = {
      expectedDailyDemand: [[3, 48]] as [number, number][],
      neighbours: [[3, [1, 2]]] as [number, number[]][],
    };
    const all = [series(1, () => 5), series(2, () => 5), unknown(3)];
    const of = (events: object[], steps: object = {}, neighbours = known.neighbours) => {
      const filled = fill(all, { ...known, neighbours }, { events, ...steps })[2];
      expect(filled.upper!.every((upper, i) => upper >= filled.values[i] - 1e-9)).toBe(true);
      return [...filled.values].map((value) => Math.round(value * 1000) / 1000);
    };
    const usual = Array(24).fill(2);
    expect(of([])).toEqual(usual);
    expect(of([event(3, 0, 0, 6), event(3, 0.5, 3, 12)])).toEqual(
      usual.map((y, h) => (h < 6 ? 0 : h < 12 ? y / 2 : y)),
    );
    expect(of([event(3, 0.5, 0, 6)], { stepHours: 24 })).toEqual([42]);
    expect(of([event(1, 0, 0, 24)])).toEqual(usual);
    // Closed for two of the last four weeks, fully observed: the expected demand is no higher here.
    const closed = [series(1, (h) => (h < hours - 336 ? 5 : 0)), unknown(3)];
    const alone = fill(closed, { ...known, neighbours: [[3, [1]]] }, { events: [event(1, 0, -336, 0)] })[1];
    expect(sum(alone!.values)).toBeCloseTo(48, 0);
    expect(of([event(null, 0, 0, 12)])).toEqual(usual.map((y, h) => (h < 12 ? 0 : y)));
    // From six in the morning on, the same hours.
    const sixOn = { originHour: START + hours + 6, horizonHours: 12 };
    expect(of([event(3, 0, 0, 8)], sixOn)).toEqual(usual.slice(6, 18).map((y, h) => (h < 2 ? 0 : y)));
    expect(of([event(null, 0, 0, 12)], {}, [])).toEqual(usual.map((y, h) => (h < 12 ? 0 : y)));
  });

  test('follows what events of a kind did to other places, where none states a factor, and says what is unknown', () => {
    const fair = (week: number, locationId: number | null = 1) => ({
      ...{ kind: 'fair', locationId, factor: null },
      fromHour: START + week * 168 + 48,
      untilHour: START + week * 168 + 72,
    });
    // Wednesdays of the weeks 2 and 3 have double demand at both observed locations; week 5 is ahead.
    const doubled = (h: number) =>
      [2, 3].includes(Math.floor(h / 168)) && (h % 168) - 48 < 24 && h % 168 >= 48 ? 20 : 10;
    const all = [series(1, doubled), series(2, doubled), unknown(3)];
    const past = [2, 3].flatMap((week) => [fair(week, 1), fair(week, 2)]);
    const of = (events: object[], neighbours: [number, number[]][] = [[3, [1, 2]]]) =>
      fill(
        all,
        { expectedDailyDemand: [[3, 48]], neighbours },
        { events, horizonHours: 168, stepHours: 24 },
      ).at(-1)!;
    const usual = of(past);
    const learned = of([...past, fair(5, 3)]);
    const [without, wednesday] = [usual, learned].map(({ values }) => values[2]);
    expect(without).toBeCloseTo(48, 0);
    expect(wednesday! / without!).toBeGreaterThan(1.5);
    expect(wednesday! / without!).toBeLessThan(2.05);
    const widthOf = ({ lower, upper }: LocationForecast) => Math.log(upper![2] / lower![2]);
    expect(widthOf(learned)).toBeGreaterThan(widthOf(usual) * 1.2);
    learned.values.forEach((value, day) => {
      if (day !== 2) expect(value).toBeCloseTo(usual.values[day], 6);
    });
    // An event of all locations: through the neighbours, or applied here if there are none.
    const ofAll = [2, 3, 5].map((week) => fair(week, null));
    for (const neighbours of [[[3, [1, 2]]], []] as [number, number[]][][]) {
      const [, , day] = of(ofAll, neighbours).values;
      expect(day! / 48).toBeGreaterThan(1.5);
      expect(day! / 48).toBeLessThan(2.05);
    }
    // The effect of a kind that never occurred is unknown.
    const never = of([...past, { ...fair(5, 3), kind: 'eclipse' }]);
    expect(never.values[2]).toBeCloseTo(48, 0);
    expect(never.upper![2] / 48).toBeGreaterThan(2.8);
  });

  test('has intervals that hold: a count varies, and no place has quite the shape of its neighbours', () => {
    const random = seededRandom(12);
    const places = Array.from({ length: 9 }, (_, place) => (h: number) => {
      const peak = 6 + place;
      return 3 * (1.2 + Math.cos((2 * Math.PI * ((h % 24) - peak)) / 24)) * (place + 1);
    });
    const all = [...places.map((mean, i) => series(i + 1, (h) => poisson(random, mean(h)))), unknown(10)];
    const own = (h: number) => 2 * (1.2 + Math.cos((2 * Math.PI * ((h % 24) - 8)) / 24));
    const filled = fill(
      all,
      { expectedDailyDemand: [[10, 57.6]], neighbours: [[10, [4, 5, 6]]] },
      { horizonHours: 168 },
    ).at(-1)!;
    let inside = 0;
    filled.values.forEach((_, h) => {
      const y = poisson(random, own(h));
      if (y >= filled.lower![h] && y <= filled.upper![h]) inside++;
    });
    expect(inside / 168).toBeGreaterThan(0.85);
  });

  test('never has more than a plan can hold', () => {
    const spike = (h: number) => (h % 168 === 0 ? 1e6 : 1e-6);
    const [, filled] = fill([series(1, spike), unknown(2)], {
      expectedDailyDemand: [[2, 24e6]],
      neighbours: [[2, [1]]],
    });
    expect(Math.max(...filled.upper!)).toBeLessThanOrEqual(1e9);
  });
});
