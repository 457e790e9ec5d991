import { describe, expect, test } from 'vitest';
import {
  LOCATION_KEY,
  MAX_YEAR,
  MIN_OBSERVED_YEAR,
  MIN_VEHICLE_YEAR,
  OBSERVED_YEARS,
  VEHICLE_YEARS,
} from '../../src/contracts/bounds.ts';
import { readDecimalNumber, readWholeNumber } from '../../src/contracts/number-text.ts';
import { isUtcTime, readTime } from '../../src/contracts/time.ts';

describe('a location id as a key', () => {
  const key = new RegExp(LOCATION_KEY);

  test('is any 32-bit integer in plain digits', () => {
    const edges = [0, 1, 9, 10, 999_999_999, 1_000_000_000, 1_999_999_999, 2_000_000_000, 2_099_999_999];
    const digits = [2, 1, 4, 7, 4, 8, 3, 6, 4, 7];
    // One less than the largest in each of its digits, and the digits after it as large as can be.
    const below = digits.flatMap((digit, i) =>
      digit === 0
        ? []
        : [Number([...digits.slice(0, i), digit - 1, ...digits.slice(i + 1).map(() => 9)].join(''))],
    );
    for (const id of [...edges, ...below, 2147483647]) {
      expect(key.test(String(id))).toBe(true);
      if (id !== 0) expect(key.test(String(-id))).toBe(true);
    }
    expect(key.test('-2147483648')).toBe(true);
  });

  test.each([
    '2147483648',
    '-2147483649',
    '2147483650',
    '2147484000',
    '3000000000',
    '9999999999',
    '-0',
    '007',
    '+5',
    '1.0',
    '1e3',
    ' 5',
    '',
  ])('is not "%s"', (text) => expect(key.test(text)).toBe(false));
});

test('years of dates are the same as numbers and as patterns', () => {
  for (let year = 0; year <= 9999; year++) {
    const date = `${String(year).padStart(4, '0')}-01-01`;
    expect(new RegExp(VEHICLE_YEARS).test(date)).toBe(year >= MIN_VEHICLE_YEAR && year <= MAX_YEAR);
    expect(new RegExp(OBSERVED_YEARS).test(date)).toBe(year >= MIN_OBSERVED_YEAR && year <= MAX_YEAR);
  }
});

describe('a number as text', () => {
  test('is a number that JSON allows, and nothing else', () => {
    expect(['0', '-3', '1000', '999999999999999'].map(readWholeNumber)).toEqual([
      0, -3, 1000, 999999999999999,
    ]);
    expect(['0', '-3.5', '1e3', '1.25E-2', '0.1'].map(readDecimalNumber)).toEqual([
      0, -3.5, 1000, 0.0125, 0.1,
    ]);
    for (const text of [
      '',
      ' ',
      ' 5',
      '5 ',
      '+5',
      '0x1',
      '0b1',
      '1_000',
      '1,5',
      'true',
      'null',
      'Infinity',
      'NaN',
      '007',
      '.5',
      '5.',
      '٣',
    ]) {
      expect([text, readWholeNumber(text), readDecimalNumber(text)]).toEqual([text, undefined, undefined]);
    }
    expect([readWholeNumber('1.9'), readWholeNumber('1e3'), readWholeNumber('9007199254740993')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(readDecimalNumber('1e999')).toBeUndefined();
  });
});

describe('a time as text', () => {
  test.each([
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0099-12-31T23:00:00-01:00', '0100-01-01T00:00:00.000Z'],
    ['2026-03-01T00:00:00.123456789+15:59', '2026-02-28T08:01:00.123Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is %s', (text, utc) => {
    const time = readTime(text);
    expect(typeof time === 'string' ? time : new Date(time.ms).toISOString()).toBe(utc);
  });

  test.each([
    ['0000-01-01T00:00:00Z', /does not exist/],
    ['0001-01-01T00:00:00+01:00', /years 1 to 9999/],
    ['9999-12-31T23:59:59-00:01', /years 1 to 9999/],
    ['2026-02-30T00:00:00Z', /does not exist/],
    ['2026-03-01T00:00:00+16:00', /offset of 16:00; at most 15:59/],
    ['2026-03-01T00:00:00-15:60', /offset of 15:60/],
    ['2026-03-01 05:00', /^has no offset from UTC; if it is UTC, write "2026-03-01 05:00Z"$/],
    ['2026-03-01', /^is not a time with its offset/],
    ['2016-12-31T23:59:60Z', /does not exist/],
  ])('%s is refused', (text, why) => expect(readTime(text)).toMatch(why));

  test('of a cursor has exactly the format in which cursors are made', () => {
    expect(isUtcTime('2026-03-01T00:00:00.000Z')).toBe(true);
    for (const text of [
      '2026-02-30T00:00:00.000Z',
      '2026-03-01T00:00:00Z',
      '0000-03-01T00:00:00.000Z',
      'x',
    ]) {
      expect(isUtcTime(text)).toBe(false);
    }
  });
});
