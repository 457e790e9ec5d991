/**
 * Kinds of weeks, so that a backtest tells usual weeks from others.
 *
 * A week runs from Monday to Sunday on the local clock. It is the first that fits of
 *   storm        it holds a day that the caller sets apart
 *   holiday      it holds a special day (a public holiday or a day beside one, `special-days.ts`) or an hour of an
 *     event there
 *   after_shift  it holds a day of the two weeks from a lasting change of level on (`level-shifts.ts`), as the whole
 *     history,
 *                that after the week too, shows it
 *   calm         none of these
 * Forecasts know nothing of storms: nobody could have told them. Days are not judged by their demand, since to call
 * calm what was forecast well would flatter the intervals.
 */
import { wholeDays } from './day-levels.ts';
import { eventsByHour } from './event-hours.ts';
import { findLevelChanges } from './level-shifts.ts';
import { localHistory, newestLocalHour } from './local-series.ts';
import { localMidnight, zoneClock } from './local-time.ts';
import { dayOf, type SpecialDays } from './special-days.ts';
import { type DemandEvent, type DemandSeries, HOURS_PER_DAY, HOURS_PER_WEEK } from './types.ts';

/** The first that fits is the kind of a week. */
export const WEEK_KINDS = ['storm', 'holiday', 'after_shift', 'calm'] as const;
export type WeekKind = (typeof WEEK_KINDS)[number];

const DAYS_PER_WEEK = 7;
/** Days from a change of level on that count as after it, that of the change among them. */
const DAYS_AFTER_SHIFT = 14;
/** Local day 0 is a Thursday, 1970-01-01. */
const DAYS_SINCE_MONDAY = 3;

/** What makes weeks of all locations what they are. */
export type UnusualDays = {
  special: SpecialDays;
  events: readonly DemandEvent[];
  /** Local days `YYYY-MM-DD`. */
  storms: readonly string[];
};

/** The kind of a span of local hours at one location: the first that fits of the weeks that it touches. */
export type KindOfSpan = (fromHour: number, hours: number) => WeekKind;

/**
 * Kinds of weeks at a location. Throws RangeError for a storm that is no date. O(hours of the history and of events).
 */
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
  const clock = zoneClock(series.timeZone);
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

/**
 * First local days of the levels that a series has had, but for the first of them; special days and events tell
 * nothing of it.
 */
function shiftDays(series: DemandSeries, special: SpecialDays, events: readonly DemandEvent[]): number[] {
  const newest = newestLocalHour(series);
  if (newest === null) return [];
  const weeks = Math.ceil(series.values.length / HOURS_PER_WEEK) + 1;
  const { firstHour, values } = localHistory(series, newest + 1, weeks)!;
  const own = events.filter(({ locationId }) => locationId === null || locationId === series.locationId);
  const within = { fromHour: series.startHour, untilHour: series.startHour + series.values.length };
  const held = eventsByHour(own, zoneClock(series.timeZone), within);
  const usual = values.map((value, t) =>
    special.has(dayOf(firstHour + t)) || held.has(firstHour + t) ? NaN : value,
  );
  const days = wholeDays(firstHour, usual.length);
  const { starts } = findLevelChanges(usual, days);
  return starts.map((start) => dayOf(firstHour + days.first + start * HOURS_PER_DAY));
}
