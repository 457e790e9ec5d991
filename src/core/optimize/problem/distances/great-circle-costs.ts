/**
 * Costs of all pairs of points: haversine distances rounded up to the unit, several times faster than one by one.
 * Computes one triangle only, in tiles, so that the mirrored writes stay in the processor's cache. O(n²).
 */
import type { Coordinates } from '../../../geo.ts';
import { createChordCost, unitVectors } from './chords.ts';
import type { DenseCosts } from './move-costs.ts';

const TILE = 64;

/**
 * n × n cost units, row-major, symmetric, zero on the diagonal.
 * @param check called every few milliseconds; it throws to stop the work
 */
export function greatCircleCosts(
  points: readonly Coordinates[],
  costPerKm: number,
  check = () => {},
): DenseCosts & { units: Float64Array } {
  const n = points.length;
  const { x, y, z } = unitVectors(points);
  const costOf = createChordCost(points, costPerKm);
  const units = new Float64Array(n * n);
  for (let top = 0; top < n; top += TILE) {
    check();
    const bottom = Math.min(top + TILE, n);
    for (let left = top; left < n; left += TILE) {
      const right = Math.min(left + TILE, n);
      for (let i = top; i < bottom; i++) {
        const xi = x[i];
        const yi = y[i];
        const zi = z[i];
        for (let j = Math.max(left, i + 1); j < right; j++) {
          const dx = x[j] - xi;
          const dy = y[j] - yi;
          const dz = z[j] - zi;
          const cost = costOf(dx * dx + dy * dy + dz * dz, i, j);
          units[i * n + j] = cost;
          units[j * n + i] = cost;
        }
      }
    }
  }
  return { kind: 'dense', units };
}
