import { describe, expect, test } from 'vitest';
import {
  hourMultiplicity,
  localDate,
  localMidnight,
  zoneClock,
} from '../../../src/core/forecast/local-time.ts';
import { utcHour } from './samples.ts';

const localHourOf = (timeZone: string, stamp: string): number =>
  utcHour(stamp) + zoneClock(timeZone)(utcHour(stamp));

describe('local hours', () => {
  test('a UTC hour is read off the wall clock of its zone, winter and summer', () => {
    expect(localHourOf('America/New_York', '2017-01-15T17:00Z')).toBe(utcHour('2017-01-15T12:00Z'));
    expect(localHourOf('America/New_York', '2017-07-15T17:00Z')).toBe(utcHour('2017-07-15T13:00Z'));
    expect(localHourOf('UTC', '2017-07-15T17:00Z')).toBe(utcHour('2017-07-15T17:00Z'));
  });

  test('a half-hour zone puts an hour where it begins', () => {
    expect(localHourOf('Asia/Kolkata', '2024-05-01T00:00Z')).toBe(utcHour('2024-05-01T05:00Z'));
  });

  test('the offset changes in the very hour of the clock change', () => {
    expect(localHourOf('America/New_York', '2017-03-12T06:00Z')).toBe(utcHour('2017-03-12T01:00Z'));
    expect(localHourOf('America/New_York', '2017-03-12T07:00Z')).toBe(utcHour('2017-03-12T03:00Z'));
  });

  test.each([
    ['America/New_York', '2017-03-12', 2, 0],
    ['America/New_York', '2017-11-05', 1, 2],
    ['Europe/Berlin', '2024-03-31', 2, 0],
    ['Europe/Berlin', '2024-10-27', 2, 2],
    ['Australia/Lord_Howe', '2024-04-07', 1, 2],
  ])('in %s on %s hour %i happens %i times', (timeZone, date, hour, times) => {
    const multiplicity = hourMultiplicity(zoneClock(timeZone), localMidnight(date)!, 24);
    const expected = new Array(24).fill(1);
    expected[hour] = times;
    expect([...multiplicity]).toEqual(expected);
  });

  test('a day the clock skips whole has no hours', () => {
    const day = hourMultiplicity(zoneClock('Pacific/Apia'), localMidnight('2011-12-30')!, 24);
    expect([...day]).toEqual(new Array(24).fill(0));
  });

  test('a year has as many real hours as local ones, whatever the zone', () => {
    for (const zone of ['America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kolkata', 'UTC']) {
      const year = hourMultiplicity(zoneClock(zone), localMidnight('2024-01-01')!, 8784);
      expect(year.reduce((sum, times) => sum + times, 0)).toBe(8784);
    }
  });

  test('an unknown zone is a RangeError', () => {
    expect(() => zoneClock('America/Gotham')).toThrow(RangeError);
  });
});

describe('dates', () => {
  test('midnight and date are inverse', () => {
    for (const date of ['1969-12-31', '1970-01-01', '2024-02-29', '9999-12-31', '0001-01-01']) {
      expect(localDate(localMidnight(date)!)).toBe(date);
    }
    expect(localDate(localMidnight('2024-02-29')! + 23)).toBe('2024-02-29');
  });

  test.each(['2023-02-29', '2024-13-01', '2024-1-1', '20240101', '', 'tomorrow', '2024-01-01T00:00Z'])(
    '%j is no date',
    (text) => {
      expect(localMidnight(text)).toBeNull();
    },
  );
});
