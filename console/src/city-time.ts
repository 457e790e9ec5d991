import { signal } from '@preact/signals';

/** Times on the clock of the city, whatever clock the reader has. */

export const HOUR_MS = 3_600_000;

/** The time zone of the stored city; undefined until the locations are loaded, or if none has one. */
export const cityZone = signal<string | undefined>(undefined);

const formats = new Map<string, Intl.DateTimeFormat>();

/** The hour that the clock of a time zone shows, counted from 1970. */
export function localHour(ms: number, timeZone = 'UTC'): number {
  let format = formats.get(timeZone);
  if (!format) {
    const digits = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const;
    format = new Intl.DateTimeFormat('en-US', { ...digits, hourCycle: 'h23', timeZone });
    formats.set(timeZone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour) / HOUR_MS;
}

/** The time at which the clock of a time zone shows an hour, counted from 1970; the next one if it skips that hour. */
export function timeOf(hour: number, timeZone = 'UTC'): number {
  let ms = (hour - (localHour(hour * HOUR_MS, timeZone) - hour)) * HOUR_MS;
  while (localHour(ms, timeZone) < hour) ms += HOUR_MS;
  while (localHour(ms - HOUR_MS, timeZone) >= hour) ms -= HOUR_MS;
  return ms;
}

/** The time zone of a city: that of the first location that has one. */
export const zoneOf = (places: readonly { time_zone?: string }[]): string | undefined =>
  places.find(({ time_zone }) => time_zone)?.time_zone;
