/**
 * Events by the hour, and those ahead. A location can have many events, and every hour of its history and forecast is
 * looked up. Set-up is proportional to the hours of events; a look-up takes the logarithm of their number.
 */
import { createClocks, localStart } from './local-time.ts';
import type { DemandEvent, DemandSeries, Horizon, ZoneClock } from './types.ts';

/** Hours `fromHour … untilHour − 1`, UTC since the epoch. */
export type HourRange = {
  fromHour: number;
  untilHour: number;
};

/** The events in effect in each local hour of a range; hours without events have no entry. */
export function eventsByHour(
  events: readonly DemandEvent[],
  clock: ZoneClock,
  within: HourRange,
): Map<number, DemandEvent[]> {
  const hours = new Map<number, DemandEvent[]>();
  for (const event of events) {
    const until = Math.min(event.untilHour, within.untilHour);
    for (let hour = Math.max(event.fromHour, within.fromHour); hour < until; hour++) {
      const local = hour + clock(hour);
      const holding = hours.get(local);
      // A repeated hour of the clock is one local hour.
      if (holding === undefined) hours.set(local, [event]);
      else if (holding.at(-1) !== event) holding.push(event);
    }
  }
  return hours;
}

/** The hours covered by any event, as ascending ranges without overlaps. */
export function heldRanges(events: readonly DemandEvent[]): HourRange[] {
  const merged: HourRange[] = [];
  for (const { fromHour, untilHour } of events.toSorted((a, b) => a.fromHour - b.fromHour)) {
    const last = merged.at(-1);
    if (last !== undefined && fromHour <= last.untilHour)
      last.untilHour = Math.max(last.untilHour, untilHour);
    else merged.push({ fromHour, untilHour });
  }
  return merged;
}

/** A series without some hours; the series itself if it has none of them. @param ranges ascending, without overlaps */
export function withoutRanges(series: DemandSeries, ranges: readonly HourRange[]): DemandSeries {
  const cut = <T extends { startHour: number; values: Float64Array }>(stretch: T): T => {
    const { startHour, values } = stretch;
    const endHour = startHour + values.length;
    let i = firstEndingAfter(ranges, startHour);
    if (i === ranges.length || ranges[i].fromHour >= endHour) return stretch;
    const quiet = values.slice();
    for (; i < ranges.length && ranges[i].fromHour < endHour; i++) {
      const { fromHour, untilHour } = ranges[i];
      quiet.fill(NaN, Math.max(0, fromHour - startHour), untilHour - startHour);
    }
    return { ...stretch, values: quiet };
  };
  const { older } = series;
  return { ...cut(series), ...(older && { older: older.map(cut) }) };
}

function firstEndingAfter(ranges: readonly HourRange[], hour: number): number {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[middle].untilHour > hour) high = middle;
    else low = middle + 1;
  }
  return low;
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
