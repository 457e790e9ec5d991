/**
 * Costs of moves that have a fixed part, or kilometres and minutes of a travel table: matrices, computed ahead.
 *
 * A fixed part keeps staying free and keeps the triangle inequality: two moves pay it twice. Stored travel need not
 * satisfy the inequality. Either way netting is proved afterwards or not used (`flow/netting.ts`).
 */
import { greatCircleKm } from '../../geo.ts';
import type { Check } from '../run/stopping.ts';
import { toUnitsUp } from './costs.ts';
import type { LocationPoint, Network, TravelTable } from './model.ts';

/** The rates of a move: money per km, per minute, and for the move itself. */
export type MoveRates = { perKm: number; perMinute: number; perMove: number };

/** Rows between two calls of the check. */
const ROWS_PER_LOOK = 64;

/**
 * Minutes from the `from`-th to the `to`-th of these locations; null if the table lacks the pair. O(log n).
 * @param ids of the locations
 */
export function minutesIn(table: TravelTable, ids: ArrayLike<number>) {
  return (from: number, to: number): number | null => {
    const row = table.get(ids[from]);
    if (!row) return null;
    let low = 0;
    let high = row.to.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (row.to[middle] < ids[to]) low = middle + 1;
      else high = middle;
    }
    return row.to[low] === ids[to] ? row.minutes[low] : null;
  };
}

/**
 * Costs and distances of all pairs. A pair without travel is forbidden: its cost is infinite. O(n² + pairs).
 * @param points in the order of the problem's locations, ascending
 * @param table travel between the locations, other pairs are ignored; null: great circles, without minutes
 * @param fallback whether pairs that the table lacks take the great circle, without minutes
 * @param check called every few milliseconds; it throws to stop the work
 */
export function travelNetwork(
  points: readonly LocationPoint[],
  rates: MoveRates,
  table: TravelTable | null,
  fallback: boolean,
  check: Check = () => {},
): Network {
  const n = points.length;
  const costUnits = new Float64Array(n * n).fill(Number.POSITIVE_INFINITY);
  const distanceKm = new Float64Array(n * n);
  const set = (a: number, km: number, minutes: number) => {
    costUnits[a] = toUnitsUp(rates.perMove + rates.perKm * km + rates.perMinute * minutes);
    distanceKm[a] = km;
  };
  if (!table || fallback) {
    for (let i = 0; i < n; i++) {
      if (i % ROWS_PER_LOOK === 0) check();
      for (let j = 0; j < n; j++) set(i * n + j, greatCircleKm(points[i], points[j]), 0);
    }
  }
  if (table) {
    for (let i = 0; i < n; i++) {
      if (i % ROWS_PER_LOOK === 0) check();
      const row = table.get(points[i].id);
      if (!row) continue;
      // Both are ascending.
      let p = 0;
      for (let j = 0; j < n; j++) {
        const id = points[j].id;
        while (p < row.to.length && row.to[p] < id) p++;
        if (row.to[p] === id) set(i * n + j, row.km[p], row.minutes[p]);
      }
    }
  }
  for (let i = 0; i < n; i++) {
    costUnits[i * n + i] = 0;
    distanceKm[i * n + i] = 0;
  }
  return { costUnits, distanceKm };
}
