/**
 * Great-circle distances by the haversine formula, on a sphere of the mean earth radius (IUGG R₁).
 * Coordinates in degrees, distances in km. Relative error against the ellipsoid is at most about 0.5 %.
 * Reference: Sinnott, Virtues of the haversine, Sky and Telescope 68 (1984).
 */

/** Mean earth radius in km. */
export const EARTH_RADIUS_KM = 6371.0088;

const RADIANS_PER_DEGREE = Math.PI / 180;
const ROWS_PER_LOOK = 32;

export type Coordinates = { latitude: number; longitude: number };

/** Great-circle distance of two points in km. */
export function greatCircleKm(a: Coordinates, b: Coordinates): number {
  const sinLat = Math.sin(((b.latitude - a.latitude) * RADIANS_PER_DEGREE) / 2);
  const sinLon = Math.sin(((b.longitude - a.longitude) * RADIANS_PER_DEGREE) / 2);
  const h =
    sinLat * sinLat +
    Math.cos(a.latitude * RADIANS_PER_DEGREE) * Math.cos(b.latitude * RADIANS_PER_DEGREE) * sinLon * sinLon;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(h)));
}

/**
 * All pairwise great-circle distances.
 * @param check called every few milliseconds; it throws to stop the work
 * @returns n × n, row-major, symmetric, zero on the diagonal, km. O(n²).
 */
export function greatCircleMatrix(points: readonly Coordinates[], check = () => {}): Float64Array {
  const n = points.length;
  const matrix = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    if (i % ROWS_PER_LOOK === 0) check();
    for (let j = i + 1; j < n; j++) {
      const km = greatCircleKm(points[i], points[j]);
      matrix[i * n + j] = km;
      matrix[j * n + i] = km;
    }
  }
  return matrix;
}
