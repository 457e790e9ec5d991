/** Where the trips of each step end, from counts by hour of the week. */
import { ALL_HOURS, type TripCounts } from '../problem/model.ts';
import { shareTrips } from './trip-shares.ts';
import type { TripFlows } from './types.ts';

const HOURS_PER_WEEK = 168;

type Steps = { steps: number; stepHours: number; firstHourOfWeek: number | null };

/**
 * A table per step; steps alike share one. Without a known hour of the week all counts together. O(n² + counts) for
 * each different step.
 * @param locationIds n; counts of trips from or to other locations are ignored
 */
export function stepFlows(locationIds: Int32Array, counts: TripCounts, steps: Steps): TripFlows[] {
  const { firstHourOfWeek, stepHours } = steps;
  const n = locationIds.length;
  const position = new Map(Array.from(locationIds, (id, j) => [id, j]));
  /** Rows of each location where trips begin, by hour. */
  const rows = Array.from({ length: n }, () => new Map<number, number[]>());
  for (let r = 0; r < counts.trips.length; r++) {
    const byHour = rows[position.get(counts.from[r]) ?? -1];
    if (!byHour || !position.has(counts.to[r])) continue;
    const list = byHour.get(counts.hour[r]) ?? [];
    list.push(r);
    byHour.set(counts.hour[r], list);
  }
  const tableOf = (hours: readonly number[] | null): TripFlows => {
    const trips = new Float64Array(n * n);
    for (const [i, byHour] of rows.entries()) {
      for (const hour of hours ?? byHour.keys()) {
        for (const r of byHour.get(hour) ?? byHour.get(ALL_HOURS) ?? [])
          trips[i * n + position.get(counts.to[r])!] += counts.trips[r];
      }
    }
    return shareTrips(n, trips);
  };
  const isHourly = firstHourOfWeek !== null && counts.hour.some((hour) => hour >= 0);
  const tables = new Map<number, TripFlows>();
  return Array.from({ length: steps.steps }, (_, t) => {
    const first = isHourly ? (firstHourOfWeek + t * stepHours) % HOURS_PER_WEEK : -1;
    const hours = Array.from({ length: stepHours }, (_, h) => (first + h) % HOURS_PER_WEEK);
    const table = tables.get(first) ?? tableOf(isHourly ? hours : null);
    tables.set(first, table);
    return table;
  });
}
