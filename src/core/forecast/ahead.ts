/** The holidays and events that a forecast takes into account, for the reader of the forecast. */
import { createClocks, localDate, localMidnight } from './local-time.ts';
import { dayOf, specialDays } from './special-days.ts';
import { type DemandEvent, HOURS_PER_DAY, type Holiday } from './types.ts';

/** The local days of a forecast, the same for locations of all zones. */
export type Horizon = {
  /** First local day, `YYYY-MM-DD`. */
  startDate: string;
  horizonHours: number;
};

/**
 * The holidays in a horizon, by date. A holiday outside it is included if it makes a day of the horizon special (the
 * day before, …). O(days).
 */
export function holidaysAhead(holidays: readonly Holiday[], { startDate, horizonHours }: Horizon): Holiday[] {
  const special = specialDays(holidays);
  const start = localMidnight(startDate)!;
  const found = new Map<number, Holiday>();
  for (let day = dayOf(start); day <= dayOf(start + horizonHours - 1); day++) {
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
  { startDate, horizonHours }: Horizon,
): E[] {
  const start = localMidnight(startDate)!;
  const clocks = createClocks();
  const everywhere = [...new Set(zones.values())];
  const isAhead = ({ locationId, fromHour, untilHour }: E): boolean => {
    const own = locationId === null ? everywhere : [zones.get(locationId)];
    return own.some((zone) => {
      if (zone === undefined) return false;
      const clock = clocks(zone);
      const last = untilHour - 1 + clock(untilHour - 1);
      return last >= start && fromHour + clock(fromHour) < start + horizonHours;
    });
  };
  return events.filter(isAhead).sort((a, b) => a.fromHour - b.fromHour);
}
