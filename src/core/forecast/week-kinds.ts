/**
 * Kinds of weeks, so that a backtest tells usual weeks from others.
 *
 * A week runs from Monday to Sunday on the local clock. It is the first that fits of
 *   storm        it holds a day that the caller sets apart
 *   holiday      it holds a special day (a public holiday or a day beside one, `special-days.ts`) or an hour of an event there
 *   calm         none of these
 * Forecasts know nothing of storms: nobody could have told them. Days are not judged by their demand, since to call calm what
 * was forecast well would flatter the intervals.
 */
import { localMidnight, zoneClock } from './local-time.ts';
import type { SpecialDays } from './special-days.ts';
import { type DemandEvent, type DemandSeries, HOURS_PER_DAY } from './types.ts';

/** The first that fits is the kind of a week. */
export const WEEK_KINDS = ['storm', 'holiday', 'calm'] as const;
export type WeekKind = (typeof WEEK_KINDS)[number];

const DAYS_PER_WEEK = 7;
/** Local day 0 is a Thursday, 1970-01-01. */
const DAYS_SINCE_MONDAY = 3;

/** What makes weeks of all locations what they are. */
export interface UnusualDays {
  special: SpecialDays;
  events: readonly DemandEvent[];
  /** Local days `YYYY-MM-DD`. */
  storms: readonly string[];
}

/** The kind of a span of local hours at one location: the first that fits of the weeks that it touches. */
export type KindOfSpan = (fromHour: number, hours: number) => WeekKind;

/** Kinds of weeks at a location. Throws RangeError for a storm that is no date. O(special days, storms, weeks of events). */
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
    if (midnight === null) throw new RangeError(`storm ${date} is no calendar date; give YYYY-MM-DD`);
    mark('storm', midnight / HOURS_PER_DAY, midnight / HOURS_PER_DAY);
  }
  for (const day of special.keys()) mark('holiday', day, day);
  const clock = zoneClock(series.timeZone);
  const localDay = (utcHour: number): number => Math.floor((utcHour + clock(utcHour)) / HOURS_PER_DAY);
  for (const { locationId, fromHour, untilHour } of events) {
    if (locationId !== null && locationId !== series.locationId) continue;
    mark('holiday', localDay(fromHour), localDay(untilHour - 1));
  }
  return (fromHour, hours) => {
    const [first, last] = [fromHour, fromHour + hours - 1].map((hour) => weekOf(hour / HOURS_PER_DAY));
    let rank = WEEK_KINDS.length - 1;
    for (let week = first!; week <= last!; week++) rank = Math.min(rank, kinds.get(week) ?? rank);
    return WEEK_KINDS[rank]!;
  };
}

const weekOf = (day: number): number => Math.floor((Math.floor(day) + DAYS_SINCE_MONDAY) / DAYS_PER_WEEK);
