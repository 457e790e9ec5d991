/** The day on which the observations of most locations end. */
import { createClocks } from '../core/forecast/local-time.ts';
import type { NewestHour } from '../db/data/demand.ts';

const WEEK_DAYS = 7;

/**
 * The local day on which the observations of the locations end together: the latest week in which at least half of the
 * locations end, and in it the day on which most do. A few locations that were observed later, or in a wrong year, do
 * not move it; nor do those that stopped long ago, or that have rows only where there was demand.
 * @param newest of at least one location
 * @returns the day, counted from the epoch, and its last observed hour, UTC since the epoch
 */
export function newestDay(
  newest: readonly NewestHour[],
  defaultTimeZone: string,
): { day: number; hour: number } {
  const clocks = createClocks();
  const dayOf = ({ timeZone, hour }: NewestHour) =>
    Math.floor((hour + clocks(timeZone ?? defaultTimeZone)(hour)) / 24);
  const days = [...Map.groupBy(newest, dayOf)].toSorted(([a], [b]) => b - a);
  const weekOf = (last: number) => days.filter(([day]) => day <= last && day > last - WEEK_DAYS);
  const endingIn = (week: typeof days) => week.reduce((sum, [, ending]) => sum + ending.length, 0);
  const week =
    days.map(([day]) => weekOf(day)).find((one) => endingIn(one) * 2 >= newest.length) ?? weekOf(days[0][0]);
  const [day, ending] = week.reduce((most, one) => (one[1].length > most[1].length ? one : most));
  return { day, hour: Math.max(...ending.map(({ hour }) => hour)) };
}
