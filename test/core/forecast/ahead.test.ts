import { describe, expect, test } from 'vitest';
import { eventsAhead } from '../../../src/core/forecast/event-hours.ts';
import { holidaysAhead } from '../../../src/core/forecast/special-days.ts';
import { utcHour } from './samples.ts';

const WEEK = { startDate: '2017-02-13', horizonHours: 168 };

describe('holidays ahead', () => {
  const holidays = [
    { date: '2017-01-16', name: 'Martin Luther King Jr. Day' },
    { date: '2017-02-20', name: "Washington's Birthday" },
  ];
  const namesOf = (startDate: string, horizonHours = 168) =>
    holidaysAhead(holidays, { startDate, horizonHours }).map(({ date }) => date);

  test('are those of the horizon, with those that reach into it: three days before, one day after', () => {
    expect(holidaysAhead(holidays, WEEK)).toEqual([{ date: '2017-02-20', name: "Washington's Birthday" }]);
    expect(namesOf('2017-02-10')).toEqual([]);
    expect(namesOf('2017-02-11')).toEqual(['2017-02-20']);
    expect(namesOf('2017-02-21', 1)).toEqual(['2017-02-20']);
    expect(namesOf('2017-02-22')).toEqual([]);
    expect(namesOf('2017-01-01', 24 * 60)).toEqual(['2017-01-16', '2017-02-20']);
  });

  test('of a season are named with their own day', () => {
    const season = [
      { date: '2017-12-25', name: 'Christmas Day' },
      { date: '2018-01-01', name: "New Year's Day" },
    ];
    const found = holidaysAhead(season, { startDate: '2017-12-28', horizonHours: 72 });
    expect(found).toEqual([season[0]]);
    expect(holidaysAhead(season, { startDate: '2017-12-20', horizonHours: 400 })).toEqual(season);
  });
});

test('from an hour on, the holidays of each clock are ahead that it reaches', () => {
  const holidays = [{ date: '2017-02-20', name: "Washington's Birthday" }];
  const hour = (text: string, zones: string[]) => {
    const horizon = { startDate: text.slice(0, 10), originHour: utcHour(text), horizonHours: 3 };
    return holidaysAhead(holidays, horizon, zones).length;
  };
  // The day after the holiday is the last that it changes: the 21st.
  expect(hour('2017-02-22T04:00Z', ['America/New_York'])).toBe(1);
  expect(hour('2017-02-22T05:00Z', ['America/New_York'])).toBe(0);
  expect(hour('2017-02-22T04:00Z', ['Asia/Tokyo'])).toBe(0);
  expect(hour('2017-02-22T04:00Z', ['Asia/Tokyo', 'America/New_York'])).toBe(1);
});

describe('events ahead', () => {
  const zones = new Map([
    [1, 'America/New_York'],
    [2, 'Asia/Tokyo'],
  ]);
  const event = (locationId: number | null, from: string, to: string) => ({
    ...{ kind: 'strike', locationId, factor: null },
    ...{ fromHour: utcHour(from), untilHour: utcHour(to) },
  });
  const isAhead = (...one: Parameters<typeof event>) =>
    eventsAhead([event(...one)], zones, WEEK).length === 1;

  test('are those with an hour in the horizon on the clock of their own location', () => {
    // Midnight of the 13th is 05:00 UTC in New York, and 15:00 UTC of the 12th in Tokyo.
    expect(isAhead(1, '2017-02-12T00:00Z', '2017-02-13T05:00Z')).toBe(false);
    expect(isAhead(1, '2017-02-12T00:00Z', '2017-02-13T06:00Z')).toBe(true);
    expect(isAhead(1, '2017-02-20T04:00Z', '2017-02-21T00:00Z')).toBe(true);
    expect(isAhead(1, '2017-02-20T05:00Z', '2017-02-21T00:00Z')).toBe(false);
    expect(isAhead(2, '2017-02-19T14:00Z', '2017-02-21T00:00Z')).toBe(true);
    expect(isAhead(2, '2017-02-19T15:00Z', '2017-02-21T00:00Z')).toBe(false);
    expect(isAhead(3, '2017-02-14T00:00Z', '2017-02-15T00:00Z')).toBe(false);
  });

  test('of all locations are ahead where they are at any of them', () => {
    expect(isAhead(null, '2017-02-12T14:00Z', '2017-02-12T16:00Z')).toBe(true);
    expect(isAhead(null, '2017-02-12T12:00Z', '2017-02-12T15:00Z')).toBe(false);
    expect(isAhead(null, '2017-02-20T04:00Z', '2017-02-21T00:00Z')).toBe(true);
  });

  test('are the same at all locations if these begin at one hour', () => {
    const horizon = { startDate: '2017-02-13', originHour: utcHour('2017-02-13T10:00Z'), horizonHours: 2 };
    const isHeld = (id: number | null, from: string, to: string) =>
      eventsAhead([event(id, from, to)], zones, horizon).length === 1;
    for (const id of [1, 2, null]) {
      expect(isHeld(id, '2017-02-13T08:00Z', '2017-02-13T10:00Z')).toBe(false);
      expect(isHeld(id, '2017-02-13T08:00Z', '2017-02-13T11:00Z')).toBe(true);
      expect(isHeld(id, '2017-02-13T12:00Z', '2017-02-13T13:00Z')).toBe(false);
    }
  });

  test('come by their start', () => {
    const [late, early] = [
      event(1, '2017-02-15T00:00Z', '2017-02-16T00:00Z'),
      event(null, '2017-02-14T00:00Z', '2017-02-18T00:00Z'),
    ];
    expect(eventsAhead([late, early], zones, WEEK)).toEqual([early, late]);
  });
});
