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
