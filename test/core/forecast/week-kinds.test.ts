import { describe, expect, test } from 'vitest';
import { backtest } from '../../../src/core/forecast/backtest.ts';
import { localMidnight } from '../../../src/core/forecast/local-time.ts';
import { specialDays } from '../../../src/core/forecast/special-days.ts';
import type { DemandEvent } from '../../../src/core/forecast/types.ts';
import { type UnusualDays, weekKinds } from '../../../src/core/forecast/week-kinds.ts';
import { hoursOf, MONDAY, seededRandom, seriesOf, utcHour, weeklyShape } from './samples.ts';

const NOTHING: UnusualDays = { special: specialDays([]), storms: [], events: [] };
const holiday = (date: string) => specialDays([{ date, name: 'A holiday' }]);
const event = (locationId: number | null, from: string, to: string): DemandEvent => ({
  ...{ kind: 'strike', locationId, factor: null },
  ...{ fromHour: utcHour(from), untilHour: utcHour(to) },
});

/** Kinds of the weeks of some days at a location in New York. */
function kindsOf(unusual: Partial<UnusualDays>, ...dates: string[]): string[] {
  const kindOf = weekKinds(seriesOf([], { timeZone: 'America/New_York' }), { ...NOTHING, ...unusual });
  return dates.map((date) => kindOf(localMidnight(date)!, 24));
}

describe('a week', () => {
  test('is calm from its Monday to its Sunday where nothing is known of it', () => {
    expect(kindsOf({}, '2024-01-01')).toEqual(['calm']);
    const special = holiday('2024-02-07');
    const around = ['2024-02-04', '2024-02-05', '2024-02-11', '2024-02-12'];
    // Three days before Wednesday 7 February is Sunday the 4th.
    expect(kindsOf({ special }, '2024-01-28', ...around)).toEqual([
      ...['calm', 'holiday', 'holiday', 'holiday', 'calm'],
    ]);
  });

  test('that a holiday on Sunday only reaches into from behind is one of a holiday', () => {
    const special = holiday('2024-02-11');
    expect(kindsOf({ special }, '2024-02-04', '2024-02-05', '2024-02-12', '2024-02-19')).toEqual([
      ...['calm', 'holiday', 'holiday', 'calm'],
    ]);
  });

  test('is unusual by an event where that is, on the local clock, and only for the hours that it has', () => {
    // Monday, 02:00 UTC is Sunday in New York.
    const events = [event(1, '2024-02-12T02:00Z', '2024-02-12T05:00Z')];
    expect(kindsOf({ events }, '2024-02-11', '2024-02-12')).toEqual(['holiday', 'calm']);
    const elsewhere = [event(2, '2024-02-12T02:00Z', '2024-02-12T05:00Z')];
    expect(kindsOf({ events: elsewhere }, '2024-02-11')).toEqual(['calm']);
    const everywhere = [event(null, '2024-02-12T02:00Z', '2024-02-12T06:00Z')];
    expect(kindsOf({ events: everywhere }, '2024-02-11', '2024-02-12')).toEqual(['holiday', 'holiday']);
  });

  test('is one after a shift for two weeks from a lasting change of level on, at that location', () => {
    // Three times the demand from Wednesday of the ninth week on, and a day without any weeks before.
    const shifted = hoursOf(
      14,
      (hour) => weeklyShape(hour, 40) * (hour >= 8 * 168 + 48 ? 3 : Math.floor(hour / 24) === 30 ? 0 : 1),
    );
    const kindOf = weekKinds(seriesOf(shifted), NOTHING);
    const kinds = Array.from({ length: 14 }, (_, week) => kindOf(MONDAY + week * 168, 168));
    expect(kinds).toEqual(kinds.map((_, week) => ([8, 9, 10].includes(week) ? 'after_shift' : 'calm')));
    const known = { kind: 'x', locationId: 1, factor: null };
    const event = { ...known, fromHour: MONDAY + 8 * 168, untilHour: MONDAY + 14 * 168 };
    const told = weekKinds(seriesOf(shifted), { ...NOTHING, events: [event] });
    expect([told(MONDAY + 7 * 168, 24), told(MONDAY + 8 * 168, 24)]).toEqual(['calm', 'holiday']);
    const steady = seriesOf(hoursOf(14, (hour) => weeklyShape(hour, 40)));
    expect(weekKinds(steady, NOTHING)(MONDAY + 8 * 168, 168)).toBe('calm');
  });

  test('with a storm is a storm whatever else it holds, and a span takes the first kind of its weeks', () => {
    const unusual = { special: holiday('2024-02-07'), storms: ['2024-02-08'] };
    expect(kindsOf(unusual, '2024-02-05', '2024-02-04')).toEqual(['storm', 'holiday']);
    const kindOf = weekKinds(seriesOf([]), { ...NOTHING, ...unusual });
    expect(kindOf(localMidnight('2024-02-04')!, 48)).toBe('storm');
    expect(() => weekKinds(seriesOf([]), { ...NOTHING, storms: ['2024-02-30'] })).toThrow(RangeError);
  });
});

test('a backtest reports kinds of weeks that add up to the whole, and forecasts nothing else for a storm', () => {
  const random = seededRandom(1);
  const series = [1, 2].map((locationId) =>
    seriesOf(
      hoursOf(12, (hour) => weeklyShape(hour, 50) * (0.8 + 0.4 * random())),
      { locationId },
    ),
  );
  const options = { horizonsHours: [72], stepHours: 6, origins: 5, confidenceLevels: [0.8] };
  const plain = backtest(series, options)!.horizons[0];
  expect(Object.keys(plain.weeks)).toEqual(['calm']);
  expect(plain.weeks.calm).toEqual(plain.overall);
  const day = (hours: number) => new Date((MONDAY + hours) * 3_600_000).toISOString().slice(0, 10);
  // Newest and oldest origin: weeks 11 and 4.
  const told = backtest(series, { ...options, storms: [day(11 * 168 + 96)] })!.horizons[0];
  expect(told.overall).toEqual(plain.overall);
  const { storm, calm } = told.weeks;
  expect(storm!.steps).toBeGreaterThan(0);
  expect(storm!.steps + calm!.steps).toBe(plain.overall.steps);
  const held = [storm!, calm!].reduce((sum, { steps, coverage }) => sum + steps * coverage[0]!, 0);
  expect(held / plain.overall.steps).toBeCloseTo(plain.overall.coverage[0]!, 12);
});
