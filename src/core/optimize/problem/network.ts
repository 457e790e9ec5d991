/**
 * Costs and distances between the locations of the problem. Great-circle figures come pair by pair, as the moves
 * within a limit, or as n × n matrices (row-major) built on first read; a request may bring its own matrices.
 */
import type { NetworkInput } from '../../../contracts/optimize.ts';
import { type Coordinates, greatCircleKm, greatCircleMatrix } from '../../geo.ts';
import { type Cache, keptIn, type Slot } from '../run/cache.ts';
import type { Check } from '../run/stopping.ts';
import { fromUnits, toUnitsUp } from './costs.ts';
import { greatCircleCosts } from './distances/great-circle-costs.ts';
import type { SparseCosts } from './distances/move-costs.ts';
import { nearCosts, shareWithin } from './distances/near-costs.ts';
import type { GreatCircle, LocationPoint, Network, Problem } from './model.ts';

/** Matrices of more locations than this do not fit in memory together with the solver. */
export const MAX_MATRIX_LOCATIONS = 5000;
/** Numbers that all cached networks may hold together: 64 MB, a network of 2,000 locations. */
const MAX_KEPT_NUMBERS = 2 ** 23;
const MAX_KEPT_NETWORKS = 16;
/** Below this number of locations, building the matrices is faster than searching a grid. */
const MIN_NEAR_LOCATIONS = 200;
/** Up to this share of the pairs, listing the moves within the limit is faster than building the matrices. */
const NEAR_SHARE = 0.15;

/** The matrices were requested but would not fit in memory. */
export class TooManyLocationsError extends Error {
  readonly locations: number;

  constructor(locations: number) {
    super(`the costs of ${locations} locations do not all fit in memory`);
    this.locations = locations;
  }
}

/** Rows of a request's matrices between two calls of the check. */
const ROWS_PER_LOOK = 128;

type GreatCircleNetwork = { network: Network; greatCircle: GreatCircle; keptNumbers(): number };

/**
 * Networks by their points, because a fleet asks about the same locations repeatedly. Cached networks never change.
 */
const NETWORKS: Slot<Map<string, GreatCircleNetwork>> = { create: () => new Map() };

/**
 * @param points in the order of the problem's locations; cost = km × costPerKm, rounded up to a cost unit
 * @param cache keeps what was computed for recent sets of points
 */
export function greatCircleNetwork(
  points: readonly LocationPoint[],
  costPerKm: number,
  cache: Cache,
): GreatCircleNetwork {
  const kept = keptIn(cache, NETWORKS);
  const key = JSON.stringify([costPerKm, points.map(({ latitude, longitude }) => [latitude, longitude])]);
  const found = kept.get(key) ?? createGreatCircleNetwork(points, costPerKm);
  // Removed here and inserted again at the end: the least recently used network is evicted first.
  kept.delete(key);
  kept.set(key, found);
  let numbers = 0;
  let count = 0;
  for (const [oldest, { keptNumbers }] of [...kept].reverse()) {
    numbers += keptNumbers();
    count++;
    if (numbers > MAX_KEPT_NUMBERS || count > MAX_KEPT_NETWORKS) kept.delete(oldest);
  }
  return found;
}

function createGreatCircleNetwork(points: readonly LocationPoint[], costPerKm: number): GreatCircleNetwork {
  const n = points.length;
  const costs = matrix(n, (check) => greatCircleCosts(points, costPerKm, check).units);
  const distances = matrix(n, (check) => greatCircleMatrix(points, check));
  let near: { limitKm: number; moves: SparseCosts | null } | undefined;
  return {
    network: {
      get costUnits() {
        return costs.read();
      },
      get distanceKm() {
        return distances.read();
      },
    },
    greatCircle: {
      points,
      costPerKm,
      costOf: (from, to) =>
        from === to ? 0 : toUnitsUp(greatCircleKm(points[from], points[to]) * costPerKm),
      kmOf: (from, to) => greatCircleKm(points[from], points[to]),
      buildCosts: (check) => void costs.read(check),
      buildDistances: (check) => void distances.read(check),
      near(limitKm, check) {
        if (near?.limitKm !== limitKm) {
          const isWorthIt = n >= MIN_NEAR_LOCATIONS && shareWithin(points, limitKm) <= NEAR_SHARE;
          near = { limitKm, moves: isWorthIt ? nearCosts(points, costPerKm, limitKm, check) : null };
        }
        return near.moves;
      },
    },
    keptNumbers: () => costs.numbers() + distances.numbers() + 1.5 * (near?.moves?.units.length ?? 0),
  };
}

/** A matrix built on first read. */
function matrix(n: number, build: (check?: Check) => Float64Array) {
  let built: Float64Array | undefined;
  return {
    read(check?: Check): Float64Array {
      if (n > MAX_MATRIX_LOCATIONS) throw new TooManyLocationsError(n);
      built ??= build(check);
      return built;
    },
    numbers: () => built?.length ?? 0,
  };
}

/** Cost units of a move; builds no matrix. */
export function moveCost({ network, greatCircle, locationIds }: Problem, from: number, to: number): number {
  return greatCircle?.costOf(from, to) ?? network.costUnits[from * locationIds.length + to];
}

/**
 * Whether great-circle moves cannot be longer than the limit: twice the way from the middle to the farthest location is
 * not. O(n), builds no matrix. False says nothing.
 */
export function isEveryMoveWithin({ greatCircle }: Problem, limitKm: number): boolean {
  if (greatCircle === null) return false;
  const middle = middleOf(greatCircle.points);
  let farthest = 0;
  for (const point of greatCircle.points) farthest = Math.max(farthest, greatCircleKm(middle, point));
  // Lengths are rounded by far less than a millionth.
  return 2 * farthest * (1 + 1e-6) <= limitKm;
}

/** The middle of the least and the greatest latitude and longitude. Any point is right, a near one says more. */
function middleOf(points: readonly Coordinates[]): Coordinates {
  const middle = (of: (point: Coordinates) => number) => {
    let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const point of points) {
      least = Math.min(least, of(point));
      greatest = Math.max(greatest, of(point));
    }
    return (least + greatest) / 2;
  };
  return { latitude: middle((p) => p.latitude), longitude: middle((p) => p.longitude) };
}

/** Whether the lengths of moves are known: a request's network may omit them. */
export function hasDistances({ network, greatCircle }: Problem): boolean {
  return greatCircle !== null || network.distanceKm !== null;
}

/** Length of a move in km. Requires known lengths. */
export function moveDistance(
  { network, greatCircle, locationIds }: Problem,
  from: number,
  to: number,
): number {
  return greatCircle?.kmOf(from, to) ?? network.distanceKm![from * locationIds.length + to];
}

/**
 * The request's matrices, with rows and columns in the order of `locationIds`. A `null` cost becomes Infinity. O(n²).
 * @param perMove what each move costs beside its own cost
 * @param check called every few milliseconds; it throws to stop the work
 */
export function givenNetwork(
  input: NetworkInput,
  perMove: number,
  locationIds: Int32Array,
  check: Check = () => {},
): Network {
  const n = locationIds.length;
  const position = new Map(input.location_ids.map((id, at) => [id, at]));
  const at = Int32Array.from(locationIds, (id) => position.get(id)!);
  const costUnits = new Float64Array(n * n);
  const distanceKm = input.distances_km ? new Float64Array(n * n) : null;
  for (let i = 0; i < n; i++) {
    if (i % ROWS_PER_LOOK === 0) check();
    const costs = input.costs[at[i]];
    const distances = input.distances_km?.[at[i]];
    for (let j = 0; j < n; j++) {
      if (i === j) continue;
      const cost = costs[at[j]];
      costUnits[i * n + j] = cost === null ? Number.POSITIVE_INFINITY : toUnitsUp(perMove + cost);
      if (distances) distanceKm![i * n + j] = distances[at[j]] ?? Number.POSITIVE_INFINITY;
    }
  }
  return { costUnits, distanceKm };
}

/** Cost of the dearest allowed move in money; 0 if no move is allowed. */
export function dearestMove({ costUnits }: Network): number {
  let dearest = 0;
  // A loop by index: an iterator over a million costs takes milliseconds.
  for (let a = 0; a < costUnits.length; a++) {
    if (costUnits[a] > dearest && costUnits[a] !== Number.POSITIVE_INFINITY) dearest = costUnits[a];
  }
  return fromUnits(dearest);
}

/** Whether a vehicle may go from i to j (staying is always allowed). */
export function isAllowed(network: Network, n: number, maxDistanceKm: number, i: number, j: number): boolean {
  if (i === j) return true;
  const a = i * n + j;
  if (network.costUnits[a] === Number.POSITIVE_INFINITY) return false;
  return network.distanceKm === null || network.distanceKm[a] <= maxDistanceKm;
}
