/** Finds the violated cuts of all locations and adds them as rows. */

import { standingVehicles } from '../../problem/pinned-places.ts';
import type { Context } from '../context.ts';
import type { ExtraRow } from '../rows.ts';
import { findHullCut } from './hull-cuts.ts';
import { findLocationCut } from './location-cuts.ts';

/**
 * Adds at most one cut per location: the most violated rounding or, if no rounding is violated, one of the hull,
 * which takes longer to find.
 * @returns the number of added cuts; when time is up, of the locations examined by then
 */
export function addLocationCuts({ base, master, incumbent }: Context, values: Float64Array): number {
  if (base.firstUnmet < 0) return 0;
  const problem = master.problem;
  const n = problem.locationIds.length;
  const { capacities, demand } = problem;
  const standing = standingVehicles(problem);
  const classes = capacities.length;
  const here = new Float64Array(classes);
  const point = new Float64Array(3 * classes);
  const rows: ExtraRow[] = [];
  for (let j = 0; j < n; j++) {
    if (demand[j] === 0) continue;
    if (incumbent.isOver()) break;
    for (let k = 0; k < classes; k++) {
      here[k] = standing[k * n + j];
      for (let part = 0; part < (base.hasIdle ? 3 : 2); part++) {
        point[part * classes + k] = values[(part * classes + k) * n + j];
      }
    }
    const unmet = values[base.firstUnmet + j] * base.demandScale;
    const at = { demand: demand[j], capacities, here: here.slice(), values: point, unmet };
    const cut = findLocationCut(at, capacities) ?? findHullCut(at);
    if (!cut) continue;
    const indices: number[] = [];
    const gains: number[] = [];
    for (let part = 0; part < (base.hasIdle ? 3 : 2); part++) {
      for (let k = 0; k < classes; k++) {
        if (cut.gains[part * classes + k] === 0) continue;
        indices.push((part * classes + k) * n + j);
        gains.push(cut.gains[part * classes + k] / base.demandScale);
      }
    }
    indices.push(base.firstUnmet + j);
    gains.push(1);
    rows.push({
      indices: Int32Array.from(indices),
      values: Float64Array.from(gains),
      lower: cut.least / base.demandScale,
    });
  }
  master.rows.add(rows);
  return rows.length;
}
