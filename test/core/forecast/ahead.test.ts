import { describe, expect, test } from 'vitest';
import { eventsAhead, holidaysAhead } from '../../../src/core/forecast/ahead.ts';
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

  test('come by their start', () => {
    const [late, early] = [
      event(1, '2017-02-15T00:00Z', '2017-02-16T00:00Z'),
      event(null, '2017-02-14T00:00Z', '2017-02-18T00:00Z'),
    ];
    expect(eventsAhead([late, early], zones, WEEK)).toEqual([early, late]);
  });
});
