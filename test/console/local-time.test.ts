import { expect, test } from 'vitest';
import { instantOf, localTime } from '../../console/src/pages/data/local-time.ts';

const ZONE = 'America/New_York';

test('a time of a form is the moment at which the clock of the zone shows it, in summer and in winter', () => {
  expect(instantOf('2017-05-06T00:00', ZONE)).toBe('2017-05-06T04:00:00.000Z');
  expect(instantOf('2017-12-06T00:00', ZONE)).toBe('2017-12-06T05:00:00.000Z');
  expect(instantOf('2017-05-06T00:00', 'Asia/Tokyo')).toBe('2017-05-05T15:00:00.000Z');
  expect(localTime('2017-05-06T04:00:00Z', ZONE)).toBe('2017-05-06T00:00');
  expect(localTime('2017-05-06T00:00:00-10:00', ZONE)).toBe('2017-05-06T06:00');
});

test('every hour of a year is found again, but for the second of the two that a clock set back shows twice', () => {
  const lost: string[] = [];
  for (let at = Date.UTC(2017, 0, 1); at < Date.UTC(2018, 0, 1); at += 3_600_000) {
    const hour = new Date(at).toISOString();
    if (instantOf(localTime(hour, ZONE), ZONE) !== hour) lost.push(hour);
  }
  expect(lost).toEqual(['2017-11-05T06:00:00.000Z']);
});

test('a time that a clock set forward skips is as far after the change', () => {
  expect(localTime(instantOf('2017-03-12T02:00', ZONE), ZONE)).toBe('2017-03-12T03:00');
});
