/**
 * The strongest cuts for the demand of one location: facets of the convex hull of the whole numbers of vehicles that
 * may arrive and leave there,
 *
 *   { (in, out, u) : u ≥ D − Σ_k cap_k (s + in − out)_k,  u ≥ 0,  out ≤ s }.
 *
 * With d = in − out its extreme points have in = max(0, d), out = max(0, −d); arriving and leaving at once, (1, 1),
 * is a direction.
 * The least u of the hull at given in, out is a linear programme with these points as columns. If it exceeds the
 * solution's unmet demand, its duals are a violated cut. Only classes with vehicles that arrive or leave take part;
 * the gains of the others are lifted one after the other, each as small as the points allow. The right side is the
 * minimum of the left side over all points, so the cut is valid whatever the gains are. The simplex method needs at
 * most 2K + 1 rows and usually lists tens of points.
 * References: Balas, Facets of the knapsack polytope (1975); Applegate, Bixby, Chvátal, Cook, TSP cuts which do not
 * conform to the template paradigm (2001).
 */
import { inverseOf } from './inverse.ts';
import type { LocationCut, LocationValues } from './location-cuts.ts';

type Place = { capacities: Float64Array; here: ArrayLike<number>; demand: number };

/** Bounds of the net change of each class, in vehicles. */
type Box = { least: Int32Array; most: Int32Array };

/** Maximum numbers of points of a location, and of points listed in the linear programme: a millisecond or two. */
const MAX_POINTS = 20_000;
const MAX_LISTED = 4000;
const MAX_PIVOTS = 300;
const NOISE = 1e-9;
/** A smaller number of vehicles counts as none. */
const MIN_MOVED = 1e-6;
const MIN_VIOLATION = 1e-4;
/** Gains and right sides are multiples of this, so that sums of them are exact. */
const STEP = 2 ** -30;

/** The most violated cut; null if there is none, or if the points are too many to list. */
export function findHullCut(point: LocationValues): LocationCut | null {
  const { capacities, values, unmet } = point;
  const classes = capacities.length;
  const moved = values.subarray(0, 2 * classes);
  if (moved.every((value) => Math.abs(value - Math.round(value)) < MIN_MOVED)) return null;
  const box = boxOf(point);
  const face = faceOf(moved, box);
  let listed = 1;
  for (let k = 0; k < classes; k++) listed *= face.most[k] - face.least[k] + 1;
  if (listed > MAX_LISTED || leastOf(new Float64Array(2 * classes), box, point, MAX_POINTS) === null) {
    return null;
  }
  const proved = leastUnmet(face, point);
  const largest = capacities[classes - 1];
  if (proved === null || (proved.unmet - unmet) / largest <= MIN_VIOLATION) return null;
  const gains = lift(proved.gains, face, box, point);
  const least = Math.floor(leastOf(gains, box, point)! / STEP) * STEP;
  const violation = (least - moved.reduce((sum, value, c) => sum + gains[c] * value, unmet)) / largest;
  if (violation <= MIN_VIOLATION) return null;
  return {
    // A vehicle that is not counted contributes no more than one that leaves.
    gains: Float64Array.from([...gains, ...gains.subarray(classes)]),
    least,
    violation,
  };
}

/** All vehicles may leave, and as many may arrive as serve the whole demand. */
function boxOf({ capacities, demand, here }: Place): Box {
  return {
    least: Int32Array.from(capacities, (_, k) => -here[k]),
    most: Int32Array.from(capacities, (capacity) => Math.ceil(demand / capacity)),
  };
}

/** The face of the box in the directions in which vehicles move. */
function faceOf(moved: Float64Array, { least, most }: Box): Box {
  const classes = least.length;
  return {
    least: least.map((d, k) => (moved[classes + k] > MIN_MOVED ? d : 0)),
    most: most.map((d, k) => (moved[k] > MIN_MOVED ? d : 0)),
  };
}

/**
 * The minimum of Σ gains · (in, out) + u over the points of a box. Gains of arrivals are not negative, so points
 * where one arriving vehicle fewer would suffice are skipped.
 * More arrivals than the box contains would not lower the minimum.
 * @returns null if the points are more than `mostPoints`
 */
function leastOf(
  gains: Float64Array,
  { least, most }: Box,
  { capacities, here, demand }: Place,
  mostPoints = Number.POSITIVE_INFINITY,
): number | null {
  const classes = capacities.length;
  let points = 0;
  /** @param open demand that the classes above k leave unserved */
  const from = (k: number, open: number): number => {
    if (k < 0) {
      points++;
      return Math.max(0, open);
    }
    let lowest = Number.POSITIVE_INFINITY;
    let left = open - capacities[k] * (here[k] + least[k]);
    for (let d = least[k]; d <= most[k] && points <= mostPoints; d++) {
      if (d > 0 && d > least[k] && left + capacities[k] <= 0) break;
      const gain = d > 0 ? gains[k] * d : -gains[classes + k] * d;
      lowest = Math.min(lowest, gain + from(k - 1, left));
      left -= capacities[k];
    }
    return lowest;
  };
  const lowest = from(classes - 1, demand);
  return points > mostPoints ? null : lowest;
}

/**
 * The least unmet demand of the hull at the point's arrivals and departures, and the gains that prove it; null if the
 * programme fails.
 */
function leastUnmet(face: Box, point: LocationValues): { unmet: number; gains: Float64Array } | null {
  const { columns, costs, right, rowOf, basis } = programmeOf(face, point);
  const rows = right.length;
  for (let pivot = 0; pivot < MAX_PIVOTS; pivot++) {
    const inverse = inverseOf(basis.map((c) => columns[c]));
    if (inverse === null) return null;
    const dual = new Float64Array(rows);
    for (let b = 0; b < rows; b++) {
      for (let r = 0; r < rows; r++) dual[r] += costs[basis[b]] * inverse[b * rows + r];
    }
    let entering = -1;
    let lowest = -NOISE;
    for (let c = 0; c < columns.length; c++) {
      const reduced = costs[c] - dot(dual, columns[c]);
      if (reduced >= lowest) continue;
      lowest = reduced;
      entering = c;
    }
    if (entering < 0) {
      const gains = new Float64Array(2 * point.capacities.length);
      for (const [c, row] of rowOf) gains[c] = -Math.round(dual[row] / STEP) * STEP;
      return { unmet: dot(right, dual), gains };
    }
    let leaving = -1;
    let ratio = Number.POSITIVE_INFINITY;
    for (let b = 0; b < rows; b++) {
      const row = inverse.subarray(b * rows, (b + 1) * rows);
      const change = dot(row, columns[entering]);
      if (change <= NOISE || dot(row, right) / change >= ratio) continue;
      ratio = dot(row, right) / change;
      leaving = b;
    }
    if (leaving < 0) return null;
    basis[leaving] = entering;
  }
  return null;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let e = 0; e < a.length; e++) sum += a[e] * b[e];
  return sum;
}

/**
 * Points as columns: one row for each kind of vehicles that arrive or leave, by its position among the values, and
 * one row for the sum of weights.
 * The first basis is the point rounded down, then with one class after the other rounded up, the greatest fraction
 * first.
 */
function programmeOf(face: Box, { capacities, here, values, demand }: LocationValues) {
  const classes = capacities.length;
  const rowOf = new Map<number, number>();
  for (let c = 0; c < 2 * classes; c++) if (values[c] > MIN_MOVED) rowOf.set(c, rowOf.size);
  const rows = rowOf.size + 1;
  const right = new Float64Array(rows).fill(1);
  for (const [c, row] of rowOf) right[row] = values[c];
  const columns: Float64Array[] = [];
  const costs: number[] = [];
  const list = (entries: readonly [number, number][], cost: number): number => {
    const column = new Float64Array(rows);
    for (const [row, value] of entries) column[row] = value;
    costs.push(cost);
    return columns.push(column) - 1;
  };
  const listPoint = (d: Int32Array): number => {
    const entries: [number, number][] = [[rows - 1, 1]];
    let open = demand;
    for (let k = 0; k < classes; k++) {
      open -= capacities[k] * (here[k] + d[k]);
      if (d[k] !== 0) entries.push([rowOf.get(d[k] > 0 ? k : classes + k)!, Math.abs(d[k])]);
    }
    return list(entries, Math.max(0, open));
  };
  const at = (k: number) => values[k] - values[classes + k];
  const near = Int32Array.from(face.least, (least, k) =>
    Math.max(least, Math.min(face.most[k] - 1, Math.floor(at(k)))),
  );
  const fraction = (k: number) => at(k) - near[k];
  const taking = [...near.keys()].filter((k) => face.least[k] < face.most[k]);
  taking.sort((a, b) => fraction(b) - fraction(a) || a - b);
  const basis = [listPoint(near)];
  for (const k of taking) {
    near[k]++;
    basis.push(listPoint(near));
  }
  for (const k of taking) {
    const both = [rowOf.get(k), rowOf.get(classes + k)];
    if (both[0] !== undefined && both[1] !== undefined) {
      basis.push(
        list(
          both.map((row) => [row!, 1]),
          0,
        ),
      );
    }
  }
  for (const d = face.least.slice(); ; ) {
    listPoint(d);
    let k = 0;
    while (k < classes && ++d[k] > face.most[k]) {
      d[k] = face.least[k];
      k++;
    }
    if (k === classes) break;
  }
  return { columns, costs, right, rowOf, basis };
}

/**
 * Gains for the directions that did not take part. No gain of arrivals is negative, nor is the sum for arriving and
 * leaving at once.
 */
function lift(start: Float64Array, face: Box, box: Box, place: Place): Float64Array {
  const classes = place.capacities.length;
  const gains = start.slice();
  for (let k = 0; k < classes; k++) gains[k] = Math.max(0, gains[k]);
  const known = { least: face.least.slice(), most: face.most.slice() };
  const right = leastOf(gains, known, place)!;
  /** The smallest gain that is valid with one vehicle of class k more (`by` 1) or fewer (−1), with two, … */
  const gainOf = (k: number, by: 1 | -1, most: number): number => {
    let gain = Number.NEGATIVE_INFINITY;
    for (let times = 1; times <= most; times++) {
      const there = { least: known.least.slice(), most: known.most.slice() };
      there.least[k] = by * times;
      there.most[k] = by * times;
      gain = Math.max(gain, (right - leastOf(gains, there, place)!) / times);
    }
    return Math.ceil(gain / STEP) * STEP;
  };
  for (let k = 0; k < classes; k++) {
    const out = classes + k;
    if (known.most[k] === 0) {
      gains[k] = Math.max(0, gainOf(k, 1, box.most[k]), known.least[k] < 0 ? -gains[out] : 0);
      known.most[k] = box.most[k];
    }
    if (known.least[k] === 0 && box.least[k] < 0) {
      gains[out] = gainOf(k, -1, -box.least[k]);
      known.least[k] = box.least[k];
    }
    gains[out] = box.least[k] < 0 ? Math.max(-gains[k], gains[out]) : -gains[k];
  }
  return gains;
}
