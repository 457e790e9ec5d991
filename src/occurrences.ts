/**
 * The times of a schedule: a cron expression read on the wall clock of a time zone.
 *
 * The expression is parsed by cron-parser. Its own iteration is not used: what it returns around a change of the clock
 * depends on the time from which it starts. Here an occurrence is a property of the instant alone:
 * - a local time that a clock skips counts as much later as the clock is put forward (02:30 becomes 03:30), once if
 *   that is an occurrence anyway;
 * - a local time that a clock repeats counts the first time. If the expression names every hour, it counts both times,
 *   because such a schedule is about hours that pass and not about a time of day.
 */
import { CronExpressionParser } from 'cron-parser';
import { HOUR_MS } from './contracts/time.ts';

/** A cron expression: the values of its fields, ascending. Days of the week are 1, Monday, to 7. */
export type CronFields = {
  minutes: readonly number[];
  hours: readonly number[];
  months: ReadonlySet<number>;
  /** null: `*` */
  daysOfMonth: ReadonlySet<number> | null;
  /** null: `*` */
  daysOfWeek: ReadonlySet<number> | null;
};

/** The times of a schedule. */
export type Recurrence = { fields: CronFields; timeZone: string };

const FIELDS = ['minute', 'hour', 'day of the month', 'month', 'day of the week'];
const NAMES = new Set(
  'jan feb mar apr may jun jul aug sep oct nov dec sun mon tue wed thu fri sat'.split(' '),
);
const MINUTE_MS = 60_000;
const LEAP_YEAR = 2000;

/**
 * Reads a cron expression: minute, hour, day of the month, month, day of the week; each `*`, values, ranges, steps and
 * lists, months and days of the week also by their English names.
 * @returns the fields, or the fault of the text (a phrase to follow the text itself)
 */
export function readCron(text: string): CronFields | string {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== FIELDS.length || parts[0] === '') {
    return `is not a cron expression: it needs the five fields ${FIELDS.join(', ')}, for example "0 18 * * 1-5"`;
  }
  for (const [i, part] of parts.entries()) {
    const isKnown = (part.match(/[a-z]+/gi) ?? []).every((name) => NAMES.has(name.toLowerCase()));
    if (isKnown && /^[\w*,/-]+$/.test(part)) continue;
    return `has "${part}" as ${FIELDS[i]}; use numbers, names, "*", "-", "," and "/"`;
  }
  let parsed: ReturnType<typeof CronExpressionParser.parse>['fields'];
  try {
    // The parser refuses a value that a list has twice, and 0 beside 7: both are Sunday.
    const [last, ...others] = parts.toReversed();
    const known = [withoutRepeats(last, true), ...others.map((part) => withoutRepeats(part))];
    parsed = CronExpressionParser.parse(known.toReversed().join(' ')).fields;
  } catch (error) {
    const reason = (error as Error).message;
    return /explicit day of month/.test(reason) ? NEVER : `is not a cron expression: ${reason}`;
  }
  const { minute, hour, dayOfMonth, month, dayOfWeek } = parsed;
  const set = (field: { values: readonly unknown[]; isWildcard: boolean }) =>
    field.isWildcard ? null : new Set(field.values.map(Number));
  const fields: CronFields = {
    minutes: minute.values,
    hours: hour.values,
    months: new Set(month.values.map(Number)),
    daysOfMonth: set(dayOfMonth),
    daysOfWeek: dayOfWeek.isWildcard ? null : new Set(dayOfWeek.values.map((day) => Number(day) || 7)),
  };
  return hasDay(fields) ? fields : NEVER;
}

const DAY_NAMES = 'sun mon tue wed thu fri sat'.split(' ');
const MONTH_NAMES = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

/**
 * A field without single values that its list has elsewhere, alone or in a range.
 * @param isDay whether it is that of the days of the week
 */
function withoutRepeats(field: string, isDay = false): string {
  const numberOf = (text: string): number => {
    const name = text.toLowerCase();
    const named = isDay ? DAY_NAMES.indexOf(name) : MONTH_NAMES.indexOf(name) + 1;
    const number = /^\d+$/.test(text) ? Number(text) : named;
    return isDay && number === 7 ? 0 : number;
  };
  const items = field.split(',');
  const covers = (item: string, value: number) => {
    const [from, to] = item.split('-').map(numberOf);
    if (to === undefined || item.includes('/')) return false;
    // A range of days may end with Sunday as 7.
    const end = isDay && to === 0 ? 7 : to;
    return (value >= from && value <= end) || (isDay && value === 0 && end === 7);
  };
  const isSingle = (item: string) => /^\w+$/.test(item);
  const kept = items.filter((item, i) => {
    if (!isSingle(item)) return items.indexOf(item) === i;
    const value = numberOf(item);
    const isEarlier = items.slice(0, i).some((other) => isSingle(other) && numberOf(other) === value);
    return !isEarlier && !items.some((other) => covers(other, value));
  });
  return kept.join(',');
}

const NEVER = 'never occurs: none of its months has such a day';

function hasDay({ months, daysOfMonth, daysOfWeek }: CronFields): boolean {
  if (!daysOfMonth || daysOfWeek) return true;
  const first = Math.min(...daysOfMonth);
  return [...months].some((month) => first <= new Date(Date.UTC(LEAP_YEAR, month, 0)).getUTCDate());
}

/** If both days are restricted, either is enough, as in every cron. */
function isOn({ months, daysOfMonth, daysOfWeek }: CronFields, date: Temporal.PlainDate): boolean {
  if (!months.has(date.month)) return false;
  const onWeekday = daysOfWeek?.has(date.dayOfWeek);
  const onDay = daysOfMonth?.has(date.day);
  if (onWeekday === undefined) return onDay ?? true;
  return onWeekday || (onDay ?? false);
}

/** The occurrences after a time, the first one first. It ends only with the calendar. */
export function* occurrencesAfter(recurrence: Recurrence, after: Date): Generator<Date, undefined> {
  const from = after.getTime();
  for (let day = localDay(recurrence, from); ; day = day.add({ days: 1 })) {
    for (const time of timesOf(recurrence, day)) if (time > from) yield new Date(time);
  }
}

/** The occurrences from a time up to another, both included, the last one first. */
export function* occurrencesUpTo(
  recurrence: Recurrence,
  upTo: Date,
  since: Date,
): Generator<Date, undefined> {
  const [from, until] = [since.getTime(), upTo.getTime()];
  const first = localDay(recurrence, from);
  for (
    let day = localDay(recurrence, until);
    Temporal.PlainDate.compare(day, first) >= 0;
    day = day.subtract({ days: 1 })
  ) {
    for (const time of timesOf(recurrence, day).toReversed())
      if (time >= from && time <= until) yield new Date(time);
  }
}

/** The times of a schedule whose cron expression has been checked. */
export function recurrenceOf(cron: string, timeZone: string): Recurrence {
  const fields = readCron(cron);
  if (typeof fields === 'string') throw new Error(`"${cron}" ${fields}`);
  return { fields, timeZone };
}

/** The first occurrence after a time. */
export function nextOccurrence(recurrence: Recurrence, after: Date): Date {
  for (const time of occurrencesAfter(recurrence, after)) return time;
  throw new RangeError('the calendar has ended');
}

function localDay({ timeZone }: Recurrence, ms: number): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone).toPlainDate();
}

/** The occurrences between the start of a local day and that of the next, in milliseconds since 1970, ascending. */
function timesOf({ fields, timeZone }: Recurrence, day: Temporal.PlainDate): number[] {
  const { minutes, hours } = fields;
  // Days and their neighbours cost next to nothing beside clocks: an expression may name a day in years.
  const days = [day.subtract({ days: 1 }), day, day.add({ days: 1 })].filter((date) => isOn(fields, date));
  if (days.length === 0) return [];
  const startOf = (days: number) => day.add({ days }).toZonedDateTime(timeZone);
  const [start, end] = [startOf(0).epochMilliseconds, startOf(1).epochMilliseconds];
  // The day before may begin with the change, if it does not exist.
  const before = startOf(-1).subtract({ nanoseconds: 1 });
  const change = before.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY;
  if (change >= startOf(2).epochMilliseconds) {
    if (!isOn(fields, day)) return [];
    return hours.flatMap((hour) => minutes.map((minute) => start + hour * HOUR_MS + minute * MINUTE_MS));
  }
  // A skipped time may count on the next day.
  const times = new Set<number>();
  for (const date of days) {
    for (const hour of hours) {
      for (const minute of minutes) {
        const local = date.toPlainDateTime({ hour, minute });
        const add = (disambiguation: 'compatible' | 'later') =>
          times.add(local.toZonedDateTime(timeZone, { disambiguation }).epochMilliseconds);
        add('compatible');
        if (hours.length === 24) add('later');
      }
    }
  }
  return [...times].filter((time) => time >= start && time < end).sort((a, b) => a - b);
}
