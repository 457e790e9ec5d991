import { describe, expect, test } from 'vitest';
import { formatHour, parseHour } from '../../src/db/data/hour.ts';

describe('an hour as text', () => {
  test.each([
    ['2026-03-01T05:00:00Z', '2026-03-01T05:00:00.000Z'],
    ['2026-03-01T05:00Z', '2026-03-01T05:00:00.000Z'],
    ['2026-03-01 05:00:00.000+00:00', '2026-03-01T05:00:00.000Z'],
    ['2026-03-01t05:00:00z', '2026-03-01T05:00:00.000Z'],
    ['2026-03-01T00:30:00+05:30', '2026-02-28T19:00:00.000Z'],
    ['2025-12-31T19:00:00-0500', '2026-01-01T00:00:00.000Z'],
    ['2024-02-29T23:00:00Z', '2024-02-29T23:00:00.000Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
  ])('%s is %s', (text, utc) => {
    const hour = parseHour(text);
    expect(formatHour(hour as number)).toBe(utc);
    expect(hour).toBe(Date.parse(utc) / 3_600_000);
  });

  test.each([
    ['', /offset/],
    ['2026-03-01', /offset/],
    ['2026-03-01T05:00:00', /offset/],
    ['1772341200', /offset/],
    ['2026-03-01T05:00:00Z[Europe/Berlin]', /offset/],
    ['2026-13-01T05:00:00Z', /does not exist/],
    ['2026-02-29T05:00:00Z', /does not exist/],
    ['2026-03-01T24:00:00Z', /does not exist/],
    ['2026-03-01T05:60:00Z', /does not exist/],
    ['2016-12-31T23:59:60Z', /does not exist/],
    ['1969-12-31T23:00:00Z', /1970 to 2199/],
    ['0099-12-31T23:00:00Z', /1970 to 2199/],
    ['2026-03-01T05:00:01Z', /full UTC hour/],
    ['2026-03-01T05:00:00.0001Z', /full UTC hour/],
    ['2026-03-01T05:00:00+05:30', /full UTC hour/],
  ])('"%s" is refused', (text, why) => {
    expect(parseHour(text)).toMatch(why);
  });
});
