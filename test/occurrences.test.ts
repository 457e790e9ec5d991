import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  nextOccurrence,
  occurrencesAfter,
  occurrencesUpTo,
  type Recurrence,
  readCron,
  recurrenceOf,
} from '../src/occurrences.ts';
import { runs } from './helpers/depth.ts';

const MINUTE_MS = 60_000;

/** The occurrences in `[from, to)` as local times with their offsets. */
function listed(cron: string, timeZone: string, from: string, to: string): string[] {
  const start = new Date(Temporal.ZonedDateTime.from(`${from}[${timeZone}]`).epochMilliseconds - 1);
  const end = Temporal.ZonedDateTime.from(`${to}[${timeZone}]`).epochMilliseconds;
  const times: string[] = [];
  for (const time of occurrencesAfter(recurrenceOf(cron, timeZone), start)) {
    if (time.getTime() >= end) break;
    const local = time.toTemporalInstant().toZonedDateTimeISO(timeZone);
    times.push(local.toString({ smallestUnit: 'minute', timeZoneName: 'never' }));
  }
  return times;
}

describe('the times of a schedule', () => {
  test.each([
    ['0 20 * * *', 'UTC', ['2026-01-01T20:00+00:00', '2026-01-02T20:00+00:00', '2026-01-03T20:00+00:00']],
    ['0 12 * * 6', 'UTC', ['2026-01-03T12:00+00:00']],
    ['0 12 * * sat,sun', 'UTC', ['2026-01-03T12:00+00:00']],
    ['0 0 1 * 5', 'UTC', ['2026-01-01T00:00+00:00', '2026-01-02T00:00+00:00']],
    ['15 6-7 2 Jan *', 'Asia/Kathmandu', ['2026-01-02T06:15+05:45', '2026-01-02T07:15+05:45']],
  ])('%s in %s are those on its clock', (cron, timeZone, times) => {
    expect(listed(cron, timeZone, '2026-01-01', '2026-01-04')).toEqual(times);
  });

  test('a time that the clock skips in spring counts an hour later, once, and nothing else changes', () => {
    const days = ['2026-03-07', '2026-03-10'] as const;
    expect(listed('30 2 * * *', 'America/New_York', ...days)).toEqual([
      '2026-03-07T02:30-05:00',
      '2026-03-08T03:30-04:00',
      '2026-03-09T02:30-04:00',
    ]);
    const between = (cron: string) =>
      listed(cron, 'America/New_York', '2026-03-08T01:00', '2026-03-08T05:00').map((time) =>
        time.slice(11, 16),
      );
    expect(between('0 * * * *')).toEqual(['01:00', '03:00', '04:00']);
    expect(between('0 2,3 * * *')).toEqual(['03:00']);
    expect(between('*/30 1-3 * * *')).toEqual(['01:00', '01:30', '03:00', '03:30']);
  });

  test('a time that the clock repeats in autumn counts the first time; if every hour counts, both', () => {
    const days = ['2026-10-31', '2026-11-03'] as const;
    expect(listed('30 1 * * *', 'America/New_York', ...days)).toEqual([
      '2026-10-31T01:30-04:00',
      '2026-11-01T01:30-04:00',
      '2026-11-02T01:30-05:00',
    ]);
    const hourly = listed('0 * * * *', 'America/New_York', '2026-11-01', '2026-11-02');
    expect(hourly).toHaveLength(25);
    expect(hourly.slice(1, 4)).toEqual([
      '2026-11-01T01:00-04:00',
      '2026-11-01T01:00-05:00',
      '2026-11-01T02:00-05:00',
    ]);
    expect(listed('0 */2 * * *', 'America/New_York', '2026-11-01', '2026-11-02')).toHaveLength(12);
  });

  test('29 February comes every four years, and eight years after 2096', () => {
    const leap = recurrenceOf('0 0 29 2 *', 'UTC');
    expect(nextOccurrence(leap, new Date('2025-01-01T00:00Z')).toISOString()).toBe(
      '2028-02-29T00:00:00.000Z',
    );
    expect(nextOccurrence(leap, new Date('2096-03-01T00:00Z')).toISOString()).toBe(
      '2104-02-29T00:00:00.000Z',
    );
  });

  /** Three days with a change of the clock, by zone: an hour, half an hour, two hours, over midnight, a whole day. */
  const CHANGES: [timeZone: string, from: string][] = [
    ['America/New_York', '2026-03-07T12:00Z'],
    ['America/New_York', '2026-10-31T12:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T00:00Z'],
    ['Australia/Lord_Howe', '2026-10-03T00:00Z'],
    ['Antarctica/Troll', '2026-03-28T12:00Z'],
    ['Antarctica/Troll', '2026-10-24T12:00Z'],
    ['America/Nuuk', '2026-03-28T00:00Z'],
    ['America/Nuuk', '2026-10-24T00:00Z'],
    ['Africa/Casablanca', '2026-02-14T00:00Z'],
    ['Pacific/Apia', '2011-12-29T00:00Z'],
    ['Asia/Kathmandu', '2026-05-01T00:00Z'],
  ];

  test('are exactly the minutes that the rules name, forwards and backwards, wherever one starts', () => {
    const values = (min: number, max: number) =>
      fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 4 }).map((list) => list.join(','));
    const field = (min: number, max: number) =>
      fc.oneof(
        fc.constant('*'),
        values(min, max),
        fc.integer({ min: 2, max: 7 }).map((step) => `*/${step}`),
      );
    const day = fc.oneof({ weight: 3, arbitrary: fc.constant('*') }, { weight: 1, arbitrary: field(1, 7) });
    const cron = fc.tuple(values(0, 59), field(0, 23), day, fc.constant('*'), day).map((f) => f.join(' '));
    const minutesOfDays = Array.from({ length: 72 * 60 }, (_, minute) => minute);
    const shown = new Map<string, Shown[]>();
    fc.assert(
      fc.property(
        cron,
        fc.constantFrom(...CHANGES),
        fc.nat(72 * 60 - 1),
        (text, [timeZone, from], offset) => {
          const start = Date.parse(from);
          const times = recurrenceOf(text, timeZone);
          const key = `${timeZone} ${from}`;
          const known =
            shown.get(key) ?? minutesOfDays.map((minute) => shownAt(timeZone, start + minute * MINUTE_MS));
          shown.set(key, known);
          const all = namedMinutes(times, known);
          const middle = start + offset * MINUTE_MS;
          const later = all.filter((t) => t > middle);
          const earlier = all.filter((t) => t <= middle);
          const after = occurrencesAfter(times, new Date(middle)).take(later.length).map(Number).toArray();
          const before = occurrencesUpTo(times, new Date(middle), new Date(start)).map(Number).toArray();
          expect(after).toEqual(later);
          expect(before.toReversed()).toEqual(earlier);
        },
      ),
      runs(150),
    );
  });

  /**
   * The rules, asked of each minute: the clock shows a named time, or would if it had not just been put forward.
   */
  function namedMinutes({ fields }: Recurrence, shown: Shown[]): number[] {
    const { hours, minutes, months, daysOfMonth, daysOfWeek } = fields;
    const fits = (local: Temporal.PlainDateTime) => {
      const days = [daysOfMonth?.has(local.day), daysOfWeek?.has(local.dayOfWeek)];
      const isDay = days.every((is) => is === undefined) || days.includes(true);
      return months.has(local.month) && isDay && hours.includes(local.hour) && minutes.includes(local.minute);
    };
    return shown
      .filter(({ local, isRepeated, skipped }) => {
        const isNamed = fits(local) && (!isRepeated || hours.length === 24);
        return isNamed || (skipped !== null && fits(skipped));
      })
      .map(({ ms }) => ms);
  }

  type Shown = {
    ms: number;
    /** what the clock shows */
    local: Temporal.PlainDateTime;
    /** it has shown this before */
    isRepeated: boolean;
    /** what it would show if it had not been put forward; null if it shows that at another time */
    skipped: Temporal.PlainDateTime | null;
  };
  const shownAt = (timeZone: string, ms: number): Shown => {
    const instant = Temporal.Instant.fromEpochMilliseconds(ms);
    const zoned = instant.toZonedDateTimeISO(timeZone);
    const local = zoned.toPlainDateTime();
    const first = local.toZonedDateTime(timeZone, { disambiguation: 'earlier' }).epochMilliseconds;
    const change = zoned.add({ nanoseconds: 1 }).getTimeZoneTransition('previous');
    const before = change?.subtract({ nanoseconds: 1 });
    const gapMs = change && before ? (change.offsetNanoseconds - before.offsetNanoseconds) / 1e6 : 0;
    const isAfterGap = change && before && ms - change.epochMilliseconds < gapMs;
    const skipped = isAfterGap ? instant.toZonedDateTimeISO(before.offset).toPlainDateTime() : null;
    return { ms, local, isRepeated: first !== ms, skipped };
  };
});

describe('a cron expression', () => {
  test.each([
    ['', /five fields/],
    ['* * * *', /five fields minute, hour, day of the month, month, day of the week/],
    ['0 0 * * * *', /five fields/],
    ['@hourly', /five fields/],
    ['60 * * * *', /60 expected range 0-59/],
    ['0 24 * * *', /24 expected range 0-23/],
    ['0 0 * * 8', /8 expected range 0-7/],
    ['H * * * *', /has "H" as minute/],
    ['0 0 L * *', /has "L" as day of the month/],
    ['0 0 * * 1#2', /has "1#2" as day of the week/],
    ['0 0 * foo *', /has "foo" as month/],
    ['5-1 * * * *', /Invalid range/],
    ['*/0 * * * *', /repeat/],
    ['0 0 30 2 *', /never occurs/],
    ['0 0 31 4,6,9,11 *', /never occurs/],
  ])('%s is refused, and the fault says why', (text, fault) => {
    expect(readCron(text)).toMatch(fault);
  });

  test('with a day that only some of its months have is accepted', () => {
    for (const text of ['0 0 31 2,3 *', '0 0 29 2 *', '0 0 30 2 1', '0 0 31 * *'])
      expect(typeof readCron(text), text).toBe('object');
  });
});

test.each([
  ['0 6 * * 0,7', '0 6 * * 0'],
  ['0 6 * * sun,7,0', '0 6 * * 0'],
  ['0 6 * * 5-7,0', '0 6 * * 5-7'],
  ['0 6 * * mon,1', '0 6 * * 1'],
  ['0 1-5,3,3 * * *', '0 1-5 * * *'],
  ['0,30,0 6,06 1,1 jan,1 *', '0,30 6 1 1 *'],
])('a value that is named twice counts once: %s', (text, plain) => {
  const fields = readCron(text);
  expect(fields).toEqual(readCron(plain));
  expect(fields).toBeTypeOf('object');
});
