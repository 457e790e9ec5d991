/** Numbers, days and times as a reader's own locale writes them; times are on the city's clock. */
import { cityZone } from './city-time.ts';

/** A number that rounds to 0 has no sign. */
const signDisplay = 'negative';
const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0, signDisplay });
const tenths = new Intl.NumberFormat(undefined, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay,
});
const share = new Intl.NumberFormat(undefined, {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const level = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });
const list = new Intl.ListFormat(undefined, { type: 'conjunction' });

export const count = (value: number) => whole.format(value);
export const decimal = (value: number) => tenths.format(value);
export const percent = (value: number) => share.format(value);
/** A share that somebody chose, as the level of an interval: `80%`. */
export const chosenShare = (value: number) => level.format(value);
/** Below 10 with tenths, so that what is little does not read as nothing. */
export const amount = (value: number) =>
  value < 10 && !Number.isInteger(value) ? decimal(value) : count(value);
/** A difference of two shares, in percentage points. */
export const points = (value: number) => tenths.format(100 * value);
export const listed = (names: string[]) => list.format(names);
export const kilometres = (km: number) => `${km >= 100 || Number.isInteger(km) ? count(km) : decimal(km)} km`;

/** With its sign, by which a difference is known; what is written as 0 is neither more nor less. */
export function signed(value: number, write: (value: number) => string = count): string {
  const size = write(Math.abs(value));
  return size === write(0) ? '±0' : `${value > 0 ? '+' : '−'}${size}`;
}

/** A local day as the service writes it, `2017-05-04`, in words. */
export function dayInWords(day: string, style: 'long' | 'short' = 'long'): string {
  const date = new Date(`${day}T12:00:00Z`);
  const weekday = style === 'long' ? 'long' : 'short';
  const month = style === 'long' ? 'long' : 'short';
  return new Intl.DateTimeFormat(undefined, {
    weekday,
    day: 'numeric',
    month,
    year: 'numeric',
    timeZone: 'UTC',
  }).format(date);
}

/** An hour of a day, counted from midnight: 19 is `19:00`. */
export const clock = (hour: number) => `${String(((hour % 24) + 24) % 24).padStart(2, '0')}:00`;

const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const;

/**
 * A moment on the city's clock, whose zone is named; without the day if it is today there. Without locations it is on
 * the reader's own clock.
 */
export function moment(at: string): string {
  const timeZone = cityZone.value;
  const dayOf = (date: Date) => new Intl.DateTimeFormat(undefined, { ...DAY, timeZone }).format(date);
  const date = new Date(at);
  const isToday = dayOf(date) === dayOf(new Date());
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' } as const;
  return new Intl.DateTimeFormat(undefined, { ...(isToday ? {} : DAY), ...time, timeZone }).format(date);
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** A moment on the clock of a zone, which is named. */
export function momentIn(timeZone: string, at: string): string {
  let clock = clocks.get(timeZone);
  if (!clock) {
    const time = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const;
    clock = new Intl.DateTimeFormat(undefined, { ...DAY, ...time, timeZone });
    clocks.set(timeZone, clock);
  }
  return clock.format(new Date(at));
}

/** A duration: `840 ms`, `12.3 s`, `4 min`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${count(ms)} ms`;
  return ms < 120_000 ? `${decimal(ms / 1000)} s` : `${count(ms / 60_000)} min`;
}
