import { HOUR_MS } from '../../city-time.ts';
import { dayInWords } from '../../format.ts';
import { texts } from '../../texts.ts';

const DAY_MS = 86_400_000;

/** A local day, `2017-05-04`, so many days later. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, day.length);
}

/** A period in words; `to` is the day after its last. */
export function periodInWords({ from, to }: { from: string; to: string }): string {
  const last = addDays(to, -1);
  const begin = dayInWords(from, 'short');
  return last === from ? begin : texts.replay.days(begin, dayInWords(last, 'short'));
}

/** Begin of an hour of a replay, counted from its first one. */
export function startOf({ starts_at }: { starts_at: string }, hour: number): number {
  return Date.parse(starts_at) + hour * HOUR_MS;
}

/** Day and hour on the clock of the city. */
export function hourFormat({ time_zone: timeZone }: { time_zone: string }): Intl.DateTimeFormat {
  const day = { weekday: 'short', month: 'short', day: 'numeric' } as const;
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return new Intl.DateTimeFormat(undefined, { ...day, ...time, timeZone });
}
