/**
 * Moves within a distance limit and their costs, found without visiting all pairs. The points lie in the cells of a
 * cubic grid whose side is the chord of the limit; only the 27 cells around each point are searched. The grid holds
 * unit vectors, so poles and the date line need no special case. O(n log n + pairs visited).
 *
 * A pair is within the limit exactly if `greatCircleKm(a, b) <= limit` holds, to the last bit.
 */
import { type Coordinates, EARTH_RADIUS_KM, greatCircleKm } from '../../../geo.ts';
import { createChordCost, unitVectors } from './chords.ts';
import type { SparseCosts } from './move-costs.ts';

/** The exact distance decides for chords within this relative distance of the limit. */
const CLOSE_SHARE = 1e-9;
/** The same for tiny limits, where the absolute error of a squared chord matters. */
const CLOSE_CHORD2 = 1e-15;

/** Points between two calls of the check. */
const POINTS_PER_LOOK = 256;

/**
 * Pairs of different points at most `limitKm` apart, by source, targets ascending.
 * @param check called every few milliseconds; it throws to stop the work
 */
export function nearCosts(
  points: readonly Coordinates[],
  costPerKm: number,
  limitKm: number,
  check = () => {},
): SparseCosts {
  const n = points.length;
  const vectors = unitVectors(points);
  const { x, y, z } = vectors;
  const costOf = createChordCost(points, costPerKm);
  const limitChord = 2 * Math.sin(Math.min(Math.PI / 2, limitKm / (2 * EARTH_RADIUS_KM)));
  const limit2 = limitChord * limitChord;
  const surely = limit2 * (1 - CLOSE_SHARE) - CLOSE_CHORD2;
  const possibly = limit2 * (1 + CLOSE_SHARE) + CLOSE_CHORD2;
  const grid = createGrid(vectors, Math.sqrt(possibly) * (1 + CLOSE_SHARE));
  const starts = new Int32Array(n + 1);
  let targets = new Int32Array(16 * n);
  let units = new Float64Array(16 * n);
  let count = 0;
  const found = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    if (i % POINTS_PER_LOOK === 0) check();
    const near = grid.around(i, found);
    if (count + near > targets.length) {
      const size = Math.max(2 * targets.length, count + near);
      targets = extend(targets, new Int32Array(size));
      units = extend(units, new Float64Array(size));
    }
    const first = count;
    for (let f = 0; f < near; f++) {
      const j = found[f];
      const dx = x[j] - x[i];
      const dy = y[j] - y[i];
      const dz = z[j] - z[i];
      const chord2 = dx * dx + dy * dy + dz * dz;
      if (j === i || chord2 > possibly) continue;
      if (chord2 <= surely || greatCircleKm(points[i], points[j]) <= limitKm) targets[count++] = j;
    }
    targets.subarray(first, count).sort();
    for (let a = first; a < count; a++) {
      const j = targets[a];
      const dx = x[j] - x[i];
      const dy = y[j] - y[i];
      const dz = z[j] - z[i];
      units[a] = costOf(dx * dx + dy * dy + dz * dz, i, j);
    }
    starts[i + 1] = count;
  }
  return { kind: 'sparse', starts, targets: targets.slice(0, count), units: units.slice(0, count) };
}

/** Number of points in the sample that estimates a share. */
const SAMPLED = 64;

/** Share of all pairs that are at most `limitKm` apart, estimated from a sample of points. O(n). */
export function shareWithin(points: readonly Coordinates[], limitKm: number): number {
  const n = points.length;
  const { x, y, z } = unitVectors(points);
  const limitChord = 2 * Math.sin(Math.min(Math.PI / 2, limitKm / (2 * EARTH_RADIUS_KM)));
  const limit2 = limitChord * limitChord;
  const samples = Math.min(n, SAMPLED);
  let within = 0;
  for (let s = 0; s < samples; s++) {
    const i = Math.floor((s * n) / samples);
    for (let j = 0; j < n; j++) {
      const dx = x[j] - x[i];
      const dy = y[j] - y[i];
      const dz = z[j] - z[i];
      if (dx * dx + dy * dy + dz * dz <= limit2) within++;
    }
  }
  return n === 0 ? 0 : within / (samples * n);
}

function extend<T extends Int32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

type Grid = {
  /** Writes the points of the cells around point i (including i) to `found`. @returns their number */
  around(i: number, found: Int32Array): number;
};

/** Maximum number of cells along an axis, so that cell numbers are exact integers. */
const MAX_CELLS = 100_000;

function createGrid({ x, y, z }: { x: Float64Array; y: Float64Array; z: Float64Array }, side: number): Grid {
  const n = x.length;
  const cells = Math.max(1, Math.min(MAX_CELLS, Math.floor(2 / side)));
  // One empty layer on each side, so that neighbours never wrap around.
  const stride = cells + 3;
  const at = (value: number) => 1 + Math.min(cells, Math.floor(((value + 1) / 2) * cells));
  const key = Float64Array.from(x, (_, i) => (at(x[i]) * stride + at(y[i])) * stride + at(z[i]));
  const order = Int32Array.from(key.keys()).sort((a, b) => key[a] - key[b] || a - b);
  const firstOf = new Map<number, number>();
  for (let r = n - 1; r >= 0; r--) firstOf.set(key[order[r]], r);
  let lastKey = -1;
  /** Runs of `order`: the points around the cell requested last. */
  const runs: number[] = [];
  return {
    around(i, found) {
      if (key[i] !== lastKey) {
        lastKey = key[i];
        runs.length = 0;
        for (let dx = -1; dx <= 1; dx++) {
          for (let dy = -1; dy <= 1; dy++) {
            for (let dz = -1; dz <= 1; dz++) {
              const first = firstOf.get(lastKey + (dx * stride + dy) * stride + dz);
              if (first !== undefined) runs.push(first);
            }
          }
        }
      }
      let count = 0;
      for (const first of runs) {
        const cell = key[order[first]];
        for (let r = first; r < n && key[order[r]] === cell; r++) found[count++] = order[r];
      }
      return count;
    },
  };
}
