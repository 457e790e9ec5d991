/**
 * Great-circle costs in cost units: exactly `toUnitsUp(greatCircleKm(a, b) · costPerKm)`, but faster.
 *
 * The chord between two unit vectors u, v is |u − v|, and the distance is 2R·asin(|u − v| / 2). For s = |u − v| / 2
 * up to MAX_SERIES (about 127 km) the series s + s³/6 + 3s⁵/40 + 15s⁷/336 is within 1e-18 of the arcsine.
 * Both computations are accurate to a few 1e-16 of the earth's radius. The exact function decides if they could
 * round up differently (the value is within ERROR_KM of a whole unit) and beyond the range of the series.
 */
import { type Coordinates, EARTH_RADIUS_KM, greatCircleKm } from '../../../geo.ts';
import { toUnitsUp, UNITS_PER_COST } from '../costs.ts';

/** Half chords up to this length use the series; its first omitted term is 0.03 s⁹. */
const MAX_SERIES = 0.01;

/**
 * Many times the difference of the two computations within the range of the series: 127 km to 16 digits, and R ·
 * 2⁻⁵³.
 */
const ERROR_KM = 1e-10;

/** Relative shift of a value that binary representation and the noise tolerated by `toUnitsUp` may cause. */
const ERROR_SHARE = 2 ** -49;

export type UnitVectors = { x: Float64Array; y: Float64Array; z: Float64Array };

const RADIANS_PER_DEGREE = Math.PI / 180;

export function unitVectors(points: readonly Coordinates[]): UnitVectors {
  const n = points.length;
  const vectors = { x: new Float64Array(n), y: new Float64Array(n), z: new Float64Array(n) };
  for (let i = 0; i < n; i++) {
    const latitude = points[i].latitude * RADIANS_PER_DEGREE;
    const longitude = points[i].longitude * RADIANS_PER_DEGREE;
    vectors.x[i] = Math.cos(latitude) * Math.cos(longitude);
    vectors.y[i] = Math.cos(latitude) * Math.sin(longitude);
    vectors.z[i] = Math.sin(latitude);
  }
  return vectors;
}

/** Cost units between points i and j; `chord2` is the squared distance of their unit vectors. */
export type ChordCost = (chord2: number, i: number, j: number) => number;

export function createChordCost(points: readonly Coordinates[], costPerKm: number): ChordCost {
  const unitsPerHalfChord = 2 * EARTH_RADIUS_KM * costPerKm * UNITS_PER_COST;
  const error = ERROR_KM * costPerKm * UNITS_PER_COST;
  const largest2 = 4 * MAX_SERIES * MAX_SERIES;
  return (chord2, i, j) => {
    if (chord2 <= largest2) {
      const s2 = chord2 / 4;
      const series = 1 + s2 * (1 / 6 + s2 * (3 / 40 + s2 * (15 / 336)));
      const units = unitsPerHalfChord * Math.sqrt(s2) * series;
      const up = Math.ceil(units);
      const margin = error + units * ERROR_SHARE;
      if (up - units > margin && units - up + 1 > margin) return up;
    }
    return toUnitsUp(greatCircleKm(points[i], points[j]) * costPerKm);
  };
}
