import { describe, expect, test } from 'vitest';
import { localDate } from '../../../src/core/forecast/local-time.ts';
import { type OlderStretch, olderStretches } from '../../../src/core/forecast/older.ts';
import { specialDays } from '../../../src/core/forecast/special-days.ts';
import type { DemandEvent } from '../../../src/core/forecast/types.ts';
import { openHolidayCalendar } from '../../../src/inputs/holidays.ts';
import { utcHour } from './samples.ts';

const calendar = await openHolidayCalendar('US');
const special = specialDays(calendar.between(utcHour('2014-03-01'), utcHour('2017-12-31')));
/** Asks for a forecast of a week from a day on, with 13 weeks of history. */
const ask = (day: string, locationCount = 10) => {
  const start = utcHour(day);
  return { historyFromHour: start - 91 * 24, aheadFromHour: start, untilHour: start + 168, locationCount };
};
const event = (day: string, hours: number, rest: Partial<DemandEvent> = {}): DemandEvent => ({
  kind: 'marathon',
  locationId: null,
  fromHour: utcHour(day),
  untilHour: utcHour(day) + hours,
  factor: null,
  ...rest,
});
const holds = (stretches: readonly OlderStretch[], day: string): boolean =>
  stretches.some(({ fromHour, beforeHour }) => fromHour <= utcHour(day) && utcHour(day) + 24 <= beforeHour);

describe('demand before the history is read', () => {
  test('around the same holiday of earlier years and those of like kind, with a week beside', () => {
    const stretches = olderStretches(special, [], ask('2017-05-26'));
    for (const day of ['2014-05-23', '2015-05-25', '2016-05-30', '2016-05-20', '2016-06-07', '2016-10-10']) {
      expect(holds(stretches, day), day).toBe(true);
    }
    for (const day of ['2016-07-20', '2016-08-10', '2015-12-28'])
      expect(holds(stretches, day), day).toBe(false);
    const hours = stretches.reduce((sum, { fromHour, beforeHour }) => sum + beforeHour - fromHour, 0);
    expect(hours).toBeLessThan(8 * 22 * 24);
  });

  test('of the seasons before a season, with two weeks beside', () => {
    const stretches = olderStretches(special, [], ask('2017-12-22'));
    for (const day of ['2016-12-10', '2016-12-28', '2015-12-24', '2015-01-12'])
      expect(holds(stretches, day), day).toBe(true);
  });

  test('not where no special day and no event is ahead, nor where their factors are stated', () => {
    expect(olderStretches(special, [], ask('2017-03-20'))).toEqual([]);
    const stated = [event('2016-03-20', 5), event('2017-03-21', 5, { factor: 2 })];
    expect(olderStretches(special, stated, ask('2017-03-20'))).toEqual([]);
  });

  test('around past events of the kind ahead, of one location for that one only', () => {
    const events = [
      event('2016-03-20', 5),
      event('2016-06-01', 12, { locationId: 7 }),
      event('2016-08-01', 12, { kind: 'strike' }),
      event('2017-03-21', 5),
    ];
    const found = olderStretches(special, events, ask('2017-03-20'));
    expect(
      found.map(({ locationId, fromHour, beforeHour }) => [
        locationId,
        localDate(fromHour),
        beforeHour - fromHour,
      ]),
    ).toEqual([
      [null, '2016-03-13', 341],
      [7, '2016-05-25', 348],
    ]);
  });

  test('in stretches that end before the history and do not overlap', () => {
    for (let start = utcHour('2017-01-01'); start < utcHour('2017-12-01'); start += 24 * 5) {
      const day = localDate(start);
      const events = [0, 100, 101, 400].map((days) => event(localDate(start - 24 * days), 60 * 24));
      const stretches = olderStretches(special, events, ask(day));
      stretches.forEach(({ fromHour, beforeHour }, i) => {
        expect(fromHour).toBeLessThan(beforeHour);
        expect(beforeHour).toBeLessThanOrEqual(stretches[i + 1]?.fromHour ?? ask(day).historyFromHour);
      });
    }
  });

  test('of many locations only as much as memory holds, the most alike first', () => {
    const few = olderStretches(special, [], {
      ...ask('2017-05-26', 10_000),
      untilHour: utcHour('2017-05-26') + 168,
    });
    const hours = few.reduce((sum, { fromHour, beforeHour }) => sum + beforeHour - fromHour, 0);
    expect(hours * 10_000).toBeLessThanOrEqual(20_000_000);
    for (const day of ['2014-05-26', '2015-05-25', '2016-05-30']) expect(holds(few, day)).toBe(true);
  });
});
