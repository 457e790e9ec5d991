/** The holidays and events that a forecast takes into account, for the reader of the forecast. */
import { createClocks, localDate, localStart } from './local-time.ts';
import { dayOf, specialDays } from './special-days.ts';
import { type DemandEvent, type ForecastStart, HOURS_PER_DAY, type Holiday } from './types.ts';

/** The local hours of a forecast. */
export type Horizon = ForecastStart & { horizonHours: number };

/**
 * The holidays in a horizon, by date. A holiday outside it is included if it makes a day of the horizon special (the
 * day before, …). O(days).
 * @param zones IANA zones of the locations; they matter only if all locations begin at one hour
 */
export function holidaysAhead(
  holidays: readonly Holiday[],
  horizon: Horizon,
  zones: Iterable<string> = ['UTC'],
): Holiday[] {
  const special = specialDays(holidays);
  const clocks = createClocks();
  const starts = [...new Set(zones)].map((zone) => localStart(horizon, clocks(zone)));
  const last = Math.max(...starts) + horizon.horizonHours - 1;
  const found = new Map<number, Holiday>();
  for (let day = dayOf(Math.min(...starts)); day <= dayOf(last); day++) {
    const one = special.get(day);
    if (one === undefined) continue;
    const holiday = day - one.offset;
    found.set(holiday, { date: localDate(holiday * HOURS_PER_DAY), name: one.name });
  }
  return [...found].sort(([a], [b]) => a - b).map(([, holiday]) => holiday);
}

/**
 * The events with at least one hour in the horizon at a location they apply to, by their start. O(events × zones).
 * @param zones IANA zone of each location
 */
export function eventsAhead<E extends DemandEvent>(
  events: readonly E[],
  zones: ReadonlyMap<number, string>,
  horizon: Horizon,
): E[] {
  const clocks = createClocks();
  const everywhere = [...new Set(zones.values())];
  const isAhead = ({ locationId, fromHour, untilHour }: E): boolean => {
    const own = locationId === null ? everywhere : [zones.get(locationId)];
    return own.some((zone) => {
      if (zone === undefined) return false;
      const clock = clocks(zone);
      const start = localStart(horizon, clock);
      const last = untilHour - 1 + clock(untilHour - 1);
      return last >= start && fromHour + clock(fromHour) < start + horizon.horizonHours;
    });
  };
  return events.filter(isAhead).sort((a, b) => a.fromHour - b.fromHour);
}
