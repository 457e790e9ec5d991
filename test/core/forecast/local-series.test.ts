import { describe, expect, test } from 'vitest';
import {
  defaultStartDate,
  HISTORY_WEEKS,
  localDemand,
  localHistory,
} from '../../../src/core/forecast/local-series.ts';
import { localMidnight } from '../../../src/core/forecast/local-time.ts';
import { hoursOf, MONDAY, seriesOf, utcHour } from './samples.ts';

describe('localHistory', () => {
  test('holds observations strictly before the start, none at it or after', () => {
    const series = seriesOf(hoursOf(2, (hour) => hour));
    const history = localHistory(series, MONDAY + 100)!;
    expect(history.firstHour).toBe(MONDAY);
    expect([...history.values]).toEqual(Array.from({ length: 100 }, (_, hour) => hour));
    expect(localHistory(series, MONDAY)).toBeNull();
    expect(localHistory(series, MONDAY + 1)!.values).toEqual(Float64Array.of(0));
  });

  test('cuts on the local clock of the series, not on UTC', () => {
    const series = seriesOf(
      hoursOf(2, (hour) => hour),
      { timeZone: 'America/New_York' },
    );
    const history = localHistory(series, localMidnight('2024-01-03')!)!;
    expect(history.values.at(-1)).toBe(2 * 24 + 4);
  });

  test('keeps the newest 13 weeks and starts with an observation', () => {
    const history = localHistory(seriesOf(hoursOf(20, (hour) => hour)), MONDAY + 20 * 168)!;
    expect(history.values.length).toBe(168 * HISTORY_WEEKS);
    expect(history.values[0]).toBe(7 * 168);
    const gappy = localHistory(seriesOf([NaN, NaN, 5, NaN, 7, NaN]), MONDAY + 6)!;
    expect([...gappy.values]).toEqual([5, NaN, 7]);
    expect(gappy).toMatchObject({ firstHour: MONDAY + 2, observedHours: 2 });
  });

  test('reads negative and infinite demand as missing', () => {
    const history = localHistory(seriesOf([1, -1, Infinity, NaN, 2]), MONDAY + 5)!;
    expect([...history.values]).toEqual([1, NaN, NaN, NaN, 2]);
    expect(localHistory(seriesOf([NaN, -3]), MONDAY + 5)).toBeNull();
  });

  test('the hour skipped in spring is missing, the hour repeated in autumn is a mean', () => {
    const spring = seriesOf(new Float64Array(8).fill(4), {
      timeZone: 'America/New_York',
      startHour: utcHour('2017-03-12T05:00Z'),
    });
    expect([...localHistory(spring, localMidnight('2017-03-13')!)!.values]).toEqual([
      4,
      4,
      NaN,
      4,
      4,
      4,
      4,
      4,
      4,
    ]);
    const autumn = seriesOf([1, 2, 8, 3], {
      timeZone: 'America/New_York',
      startHour: utcHour('2017-11-05T04:00Z'),
    });
    expect([...localHistory(autumn, localMidnight('2017-11-06')!)!.values]).toEqual([1, 5, 3]);
  });
});

describe('localDemand', () => {
  test('sums the real hours of a local hour, and knows the skipped from the missing', () => {
    const autumn = seriesOf([1, 2, 8, NaN], {
      timeZone: 'America/New_York',
      startHour: utcHour('2017-11-05T04:00Z'),
    });
    expect([...localDemand(autumn, localMidnight('2017-11-05')!, 4)]).toEqual([1, 10, NaN, NaN]);
    const spring = seriesOf([1, 2, 3, 4], {
      timeZone: 'America/New_York',
      startHour: utcHour('2017-03-12T05:00Z'),
    });
    expect([...localDemand(spring, localMidnight('2017-03-12')!, 5)]).toEqual([1, 2, 0, 3, 4]);
  });
});

describe('defaultStartDate', () => {
  test('is the local day after the newest observation of the whole set', () => {
    const short = seriesOf([1, 1, 1]);
    const long = seriesOf(hoursOf(1, () => 1));
    expect(defaultStartDate([short])).toBe('2024-01-02');
    expect(defaultStartDate([short, long])).toBe('2024-01-08');
  });

  test('follows the clock of the location: 04:00Z is still the day before in New York', () => {
    expect(defaultStartDate([seriesOf(new Float64Array(28).fill(1))])).toBe('2024-01-03');
    const newYork = seriesOf(new Float64Array(28).fill(1), { timeZone: 'America/New_York' });
    expect(defaultStartDate([newYork])).toBe('2024-01-02');
  });

  test('ignores missing hours at the end and is null where nothing was observed', () => {
    expect(defaultStartDate([seriesOf([1, ...new Array(50).fill(NaN)])])).toBe('2024-01-02');
    expect(defaultStartDate([seriesOf([NaN]), seriesOf([])])).toBeNull();
    expect(defaultStartDate([])).toBeNull();
  });
});
