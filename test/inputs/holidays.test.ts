import { describe, expect, test } from 'vitest';
import { ConfigError, loadConfig } from '../../src/config.ts';
import { openConfiguredHolidays, openHolidayCalendar } from '../../src/inputs/holidays.ts';

const utcHour = (date: string): number => Date.parse(date) / 3_600_000;
const of2017 = async (region: string) =>
  (await openHolidayCalendar(region))
    .between(utcHour('2017-01-02'), utcHour('2017-12-30'))
    .map(({ date }) => date);

describe('public holidays', () => {
  test('of the United States are the federal ones, substitute days included', async () => {
    expect((await of2017('US')).join(' ')).toBe(
      '2017-01-01 2017-01-02 2017-01-16 2017-02-20 2017-05-29 2017-07-04 2017-09-04 2017-10-09 ' +
        '2017-11-11 2017-11-23 2017-12-25',
    );
  });

  test('follow the part of a country', async () => {
    expect(await of2017('DE-BY')).toContain('2017-06-15');
    expect(await of2017('DE-BE')).not.toContain('2017-06-15');
  });

  test('that begin at sunset or last for days are the days off', async () => {
    const june = (await of2017('TR')).filter((day) => day.startsWith('2017-06'));
    expect(june).toEqual(['2017-06-25', '2017-06-26', '2017-06-27']);
    expect((await of2017('IL')).filter((day) => day.startsWith('2017-09'))).toEqual([
      '2017-09-21',
      '2017-09-22',
      '2017-09-30',
    ]);
  });

  test('are found across the turn of the year, and only those asked for', async () => {
    const calendar = await openHolidayCalendar('US');
    expect(calendar.between(utcHour('2016-12-20'), utcHour('2017-01-10'))).toEqual([
      { date: '2016-12-25', name: 'Christmas Day' },
      { date: '2016-12-26', name: 'Christmas Day (substitute day)' },
      { date: '2017-01-01', name: "New Year's Day" },
      { date: '2017-01-02', name: "New Year's Day (substitute day)" },
    ]);
    expect(calendar.between(utcHour('2017-03-05'), utcHour('2017-03-10'))).toEqual([]);
  });

  test.each([
    ['XX', /"XX" is not a region with known holidays; countries: AD, AE/],
    ['US-ZZ', /parts of US: AK, AL/],
    ['FR-75', /parts of FR: 57, 67/],
    ['US-NY-1', /there are no parts of US-NY|parts of US-NY/],
  ])('of %s are unknown, and the message lists the known ones', async (region, message) => {
    await expect(openHolidayCalendar(region)).rejects.toThrow(message);
  });

  test('of an unknown region stop the start and name the setting', async () => {
    expect(await openConfiguredHolidays({ FORECASTING_HOLIDAYS: undefined })).toBeNull();
    const unknown = openConfiguredHolidays({ FORECASTING_HOLIDAYS: 'XX' });
    await expect(unknown).rejects.toThrow(ConfigError);
    await expect(unknown).rejects.toThrow(/^FORECASTING_HOLIDAYS: "XX"/);
    expect(() => loadConfig({ FORECASTING_HOLIDAYS: 'us' })).toThrow(/FORECASTING_HOLIDAYS: "us"/);
  });
});
