import type Holidays from 'date-holidays';
import { type Config, ConfigError } from '../config.ts';
import { HOUR_MS } from '../contracts/time.ts';
import type { Holiday } from '../core/forecast/types.ts';

const HOURS_PER_DAY = 24;

/** Public holidays of one country or a part of it. */
export type HolidayCalendar = {
  /**
   * Holidays from one UTC hour since the epoch to another, including those of the adjacent days.
   * @returns their local days, `YYYY-MM-DD`, ascending, and names
   */
  between(fromHour: number, toHour: number): Holiday[];
};

/** The calendar does not know the region. The message lists the regions that exist. */
export class UnknownRegionError extends Error {}

/**
 * Opens the calendar of `US`, `DE-BY` or `ES-CT-B`: country, state and region as the package date-holidays names them.
 * The package is loaded only here because it takes a quarter of a second and some 20 MB.
 */
export async function openHolidayCalendar(region: string): Promise<HolidayCalendar> {
  const { default: Calendar } = await import('date-holidays');
  const calendar = new Calendar();
  assertKnown(calendar, region);
  const [country, ...parts] = region.split('-');
  calendar.init(country!, ...parts);
  const years = new Map<number, Holiday[]>();
  const daysOf = (year: number): Holiday[] => {
    let days = years.get(year);
    if (days === undefined) {
      days = (calendar.getHolidays(year, undefined) ?? [])
        .filter(({ type }) => type === 'public')
        .flatMap((holiday) => daysOff(holiday).map((date, i) => ({ date, name: nameOf(holiday.name, i) })));
      years.set(year, days);
    }
    return days;
  };
  return {
    between(fromHour, toHour) {
      const from = localDay((fromHour - HOURS_PER_DAY) * HOUR_MS);
      const to = localDay((toHour + HOURS_PER_DAY) * HOUR_MS);
      const found = new Map<string, Holiday>();
      // A holiday at the turn of the year can be listed with either year.
      for (let year = Number(from.slice(0, 4)) - 1; year <= Number(to.slice(0, 4)) + 1; year++) {
        for (const holiday of daysOf(year)) {
          const { date, name } = holiday;
          if (date >= from && date <= to) found.set(`${date} ${name}`, holiday);
        }
      }
      return [...found.values()].sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
    },
  };
}

/** The calendar that the settings name, or null. @throws ConfigError for an unknown region */
export async function openConfiguredHolidays({
  FORECASTING_HOLIDAYS: region,
}: Pick<Config, 'FORECASTING_HOLIDAYS'>): Promise<HolidayCalendar | null> {
  try {
    return region === undefined ? null : await openHolidayCalendar(region);
  } catch (error) {
    if (error instanceof UnknownRegionError)
      throw new ConfigError([`FORECASTING_HOLIDAYS: ${error.message}`]);
    throw error;
  }
}

const localDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The name of one day of a holiday that may last for several. */
const nameOf = (name: string, day: number): string => (day === 0 ? name : `${name}, day ${day + 1}`);

/**
 * The days whose noon lies in the holiday: some begin at sunset, some last for days.
 * @param date local start, `2017-12-25 00:00:00`; `2017-06-25 00:00:00 -0600` starts six hours before
 */
function daysOff({ date, start, end }: { date: string; start: Date; end: Date }): string[] {
  const [day, time, before] = date.split(' ');
  const from =
    Date.parse(`${day}T${time}Z`) + (before === undefined ? 0 : Number(before.slice(0, 3)) * HOUR_MS);
  const to = from + (end.getTime() - start.getTime());
  const days: string[] = [];
  for (let noon = Date.parse(`${day}T12:00Z`); noon < to; noon += HOURS_PER_DAY * HOUR_MS) {
    if (noon >= from) days.push(localDay(noon));
  }
  return days;
}

function assertKnown(calendar: Holidays, region: string): void {
  const [country, state, part] = region.split('-');
  const levels: [string | undefined, Record<string, string> | undefined, string][] = [
    [country, calendar.getCountries(), 'countries'],
    [state, calendar.getStates(country!), `parts of ${country}`],
    [
      part,
      state === undefined ? undefined : calendar.getRegions(country!, state),
      `parts of ${country}-${state}`,
    ],
  ];
  for (const [code, known, what] of levels) {
    if (code === undefined || (known !== undefined && Object.hasOwn(known, code))) continue;
    const codes = Object.keys(known ?? {});
    throw new UnknownRegionError(
      `"${region}" is not a region with known holidays; ` +
        (codes.length === 0 ? `there are no ${what}` : `${what}: ${codes.sort().join(', ')}`),
    );
  }
}
