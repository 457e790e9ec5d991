import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { DemandSeries } from '../../../src/core/forecast/types.ts';

const NYC = new URL('../../../data/nyc/demand_hourly.csv.gz', import.meta.url);

/** Seeded uniform numbers in (0, 1): mulberry32. */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 4294967296;
  };
}

export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
}

/** Poisson count, by inversion; for means below about 500. */
export function poisson(random: () => number, mean: number): number {
  let k = 0;
  let term = Math.exp(-mean);
  let sum = term;
  const u = random();
  while (u > sum && k < 2000) {
    k++;
    term *= mean / k;
    sum += term;
  }
  return k;
}

/** A shape with a daily wave and quieter weekends, mean about `level`; `hour` counts from a Monday midnight. */
export function weeklyShape(hour: number, level: number): number {
  const wave = 1.1 - Math.cos((2 * Math.PI * (hour % 24)) / 24);
  return level * wave * (hour % 168 < 120 ? 1 : 0.6);
}

/** UTC hours since the epoch of an ISO stamp. */
export const utcHour = (stamp: string): number => Date.parse(stamp) / 3_600_000;

/** Monday 2024-01-01T00:00Z. */
export const MONDAY = utcHour('2024-01-01T00:00Z');

export function seriesOf(values: ArrayLike<number>, overrides: Partial<DemandSeries> = {}): DemandSeries {
  return {
    locationId: 1,
    timeZone: 'UTC',
    startHour: MONDAY,
    values: Float64Array.from(values),
    ...overrides,
  };
}

/** The hours of `weeks` weeks, from a function of the hour. */
export const hoursOf = (weeks: number, demand: (hour: number) => number): Float64Array =>
  Float64Array.from({ length: 168 * weeks }, (_, hour) => demand(hour));

export const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};

/** The NYC sample as consecutive hours: the index of a row is its hour. */
export function loadNyc(timeZone = 'America/New_York'): DemandSeries[] {
  const rows = gunzipSync(readFileSync(NYC)).toString().trim().split('\n').slice(1);
  const byLocation = new Map<number, { startHour: number; values: number[] }>();
  for (const row of rows) {
    const [id, stamp, count] = row.split(',');
    let one = byLocation.get(Number(id));
    if (one === undefined) {
      one = { startHour: utcHour(stamp!), values: [] };
      byLocation.set(Number(id), one);
    }
    one.values.push(Number(count));
  }
  return [...byLocation].map(([locationId, { startHour, values }]) => ({
    locationId,
    timeZone,
    startHour,
    values: Float64Array.from(values),
  }));
}
