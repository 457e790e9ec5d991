/**
 * Kinds of weeks, so that a backtest can separate usual weeks from others.
 *
 * A week runs from Monday to Sunday on the local clock. It has the first kind that applies:
 *   storm        it contains a day that the caller lists as a storm
 *   holiday      it contains a special day (a public holiday or a day near one, `special-days.ts`) or an hour of
 *                an event at the location
 *   after_shift  it contains a day of the two weeks after a change of level (`level-shifts.ts`), found in the
 *                whole history, including the time after the week
 *   calm         none of these
 * Forecasts do not know the storms: nobody could have known them in advance. Days are not classified by their demand:
 * calling well-forecast weeks calm would make the intervals look better than they are.
 */

import { eventsByHour } from './event-hours.ts';
import { findLevelChanges, wholeDays } from './level-shifts.ts';
import { localHistory, newestLocalHour } from './local-series.ts';
import { clockOf, localMidnight } from './local-time.ts';
import { dayOf, type SpecialDays } from './special-days.ts';
import { type DemandEvent, type DemandSeries, HOURS_PER_DAY, HOURS_PER_WEEK } from './types.ts';

/** The first that fits is the kind of a week. */
export const WEEK_KINDS = ['storm', 'holiday', 'after_shift', 'calm'] as const;
export type WeekKind = (typeof WEEK_KINDS)[number];

const DAYS_PER_WEEK = 7;
/** Number of days that count as after a change of level, including the day of the change. */
const DAYS_AFTER_SHIFT = 14;
/** Local day 0 is a Thursday, 1970-01-01. */
const DAYS_SINCE_MONDAY = 3;

/** What makes a week unusual, for all locations. */
export type UnusualDays = {
  special: SpecialDays;
  events: readonly DemandEvent[];
  /** Local days `YYYY-MM-DD`. */
  storms: readonly string[];
};

/** The kind of a span of local hours at one location: the first kind that applies to a week it touches. */
export type KindOfSpan = (fromHour: number, hours: number) => WeekKind;

/** Kinds of weeks at a location. Throws RangeError if a storm is not a date. O(hours of the history and of events). */
export function weekKinds(series: DemandSeries, { special, events, storms }: UnusualDays): KindOfSpan {
  const kinds = new Map<number, number>();
  const mark = (kind: WeekKind, fromDay: number, toDay: number): void => {
    const rank = WEEK_KINDS.indexOf(kind);
    for (let week = weekOf(fromDay); week <= weekOf(toDay); week++) {
      kinds.set(week, Math.min(rank, kinds.get(week) ?? rank));
    }
  };
  for (const date of storms) {
    const midnight = localMidnight(date);
    if (midnight === null) throw new RangeError(`storm ${date} is not a calendar date; give YYYY-MM-DD`);
    mark('storm', midnight / HOURS_PER_DAY, midnight / HOURS_PER_DAY);
  }
  for (const day of special.keys()) mark('holiday', day, day);
  const clock = clockOf(series);
  const localDay = (utcHour: number): number => Math.floor((utcHour + clock(utcHour)) / HOURS_PER_DAY);
  for (const { locationId, fromHour, untilHour } of events) {
    if (locationId !== null && locationId !== series.locationId) continue;
    mark('holiday', localDay(fromHour), localDay(untilHour - 1));
  }
  for (const day of shiftDays(series, special, events)) mark('after_shift', day, day + DAYS_AFTER_SHIFT - 1);
  return (fromHour, hours) => {
    const [first, last] = [fromHour, fromHour + hours - 1].map((hour) => weekOf(hour / HOURS_PER_DAY));
    let rank = WEEK_KINDS.length - 1;
    for (let week = first!; week <= last!; week++) rank = Math.min(rank, kinds.get(week) ?? rank);
    return WEEK_KINDS[rank];
  };
}

const weekOf = (day: number): number => Math.floor((Math.floor(day) + DAYS_SINCE_MONDAY) / DAYS_PER_WEEK);

/** First local day of each level of a series, without the first level. Special days and events are ignored. */
function shiftDays(series: DemandSeries, special: SpecialDays, events: readonly DemandEvent[]): number[] {
  const newest = newestLocalHour(series);
  if (newest === null) return [];
  const weeks = Math.ceil(series.values.length / HOURS_PER_WEEK) + 1;
  const { firstHour, values } = localHistory(series, newest + 1, weeks)!;
  const own = events.filter(({ locationId }) => locationId === null || locationId === series.locationId);
  const within = { fromHour: series.startHour, untilHour: series.startHour + series.values.length };
  const held = eventsByHour(own, clockOf(series), within);
  const usual = values.map((value, t) =>
    special.has(dayOf(firstHour + t)) || held.has(firstHour + t) ? NaN : value,
  );
  const days = wholeDays(usual.length);
  const { starts } = findLevelChanges(usual, days);
  return starts.map((start) => dayOf(firstHour + days.first + start * HOURS_PER_DAY));
}
