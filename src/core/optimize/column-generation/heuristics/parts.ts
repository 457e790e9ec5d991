/**
 * Parts of a large city, each a problem of its own. The search improves some hundred locations within a second, but
 * takes far longer than the time limit for thousands. So it improves a plan part by part.
 *
 * A part is a set S of neighbouring locations. Vehicles that the plan x sends into S may go elsewhere in S, or stay at
 * home: the set E of places outside from which they come is part of the problem, with these vehicles alone. All other
 * moves stay as they are, so vehicles that leave S for good are not there:
 *
 *   supply of k at i    s_ik − Σ_{j ∉ S} x_ijk  in S,  Σ_{j ∈ S} x_ijk  in E
 *   demand of j         D_j  in S,  what the plan leaves unmet  in E
 *   unmet demand        at most what the plan leaves unmet in S and E, and what the whole plan serves beyond the level
 *
 * so a plan of the part together with the rest is a plan of the whole, and saves as much. Parts overlap: a location
 * at the edge of one is inside of another. O(n + (|S| + |E|)²) per part.
 * Reference: Shaw, Using constraint programming and local search methods to solve vehicle routing problems (1998),
 * large neighbourhood search.
 */
import { hasFurtherRules } from '../../problem/floors.ts';
import type { Moves, Problem } from '../../problem/model.ts';
import { joinMoves, movesOn } from '../../problem/moves.ts';
import { requiredDemand, totalDemand } from '../../problem/service-level.ts';
import { createCache } from '../../run/cache.ts';

/** The most locations of a part: inner ones, and all. */
export type PartSize = { inner: number; all: number };

/** A search of its own takes about a second for so many. */
export const SEARCHED_SIZE: PartSize = { inner: 250, all: 250 };
/** The local search alone: outer locations, from which vehicles come, cost it little. */
export const IMPROVED_SIZE: PartSize = { inner: 250, all: Number.POSITIVE_INFINITY };
/** Of a city that is hardly larger than a part: branching proves most parts of so many within a second. */
export const BRANCHED_SIZE: PartSize = { inner: 80, all: 80 };
/** At least so many are inner ones, even if outer ones then make the part larger. */
const MIN_INNER = 40;
/** Share of a part's inner locations that no part before it holds, on average. */
const USUAL_NEW = 0.5;
/** With fewer locations one search of the whole does better. */
const MIN_LOCATIONS = 1000;

/** Whether the problem is better searched part by part than as a whole. */
export function hasParts(problem: Problem): boolean {
  return problem.locationIds.length >= MIN_LOCATIONS && arePartsAlike(problem);
}

/** Whether parts may improve a plan that a search of the whole did not prove. A part has none itself. */
export function hasSmallParts(problem: Problem): boolean {
  const n = problem.locationIds.length;
  return n > SEARCHED_SIZE.all && n < MIN_LOCATIONS && arePartsAlike(problem);
}

/** Whether parts of the problem are problems of the same kind. */
function arePartsAlike(problem: Problem): boolean {
  const { capacities, limits, pinnedPlaces, movingUnits, previous } = problem;
  if (capacities.length === 1) return false;
  if (hasFurtherRules(problem) || limits.totalFleetSize !== Number.POSITIVE_INFINITY) return false;
  return !pinnedPlaces && !movingUnits && !previous && !problem.hasPlaceOutside;
}

export type CityPart = {
  problem: Problem;
  /** The plan's moves inside of the part. */
  moves: Moves;
  /** The plan of the whole with other moves inside of the part. */
  planWith(moves: Moves): Moves;
};

/**
 * A round of parts that together cover the city; others for other random numbers. O(n log n + moves) each.
 * @param plan the present plan, whose moves lead into a part from outside
 * @returns `locations`: the inner ones, ascending, and about how many parts are `left`, this one included
 */
export function* chooseParts(
  { network, locationIds }: Problem,
  plan: () => Moves,
  random: () => number,
  size: PartSize,
): Generator<{ locations: Int32Array; left: number }, void> {
  const n = locationIds.length;
  const isCovered = new Uint8Array(n);
  for (let open = n; open > 0; ) {
    let rank = Math.floor(random() * open);
    let centre = 0;
    while (isCovered[centre] === 1 || rank-- > 0) centre++;
    const costs = network.costUnits.subarray(centre * n, (centre + 1) * n);
    // Others may be as near as the centre is to itself.
    const costTo = (j: number) => (j === centre ? -1 : costs[j]);
    const nearest = Int32Array.from(costs.keys()).sort(
      (a, b) => costTo(a) - costTo(b) || isCovered[a] - isCovered[b] || a - b,
    );
    const locations = nearest.subarray(0, countInner(nearest, plan(), size)).sort();
    const left = Math.ceil(open / (USUAL_NEW * locations.length));
    for (const j of locations) {
      if (isCovered[j] === 0) open--;
      isCovered[j] = 1;
    }
    yield { locations, left };
  }
}

/** How many of the nearest locations are a part's inner ones, so that it is not too large with the outer ones. */
function countInner(nearest: Int32Array, { source, target }: Moves, size: PartSize): number {
  const n = nearest.length;
  const rank = new Int32Array(n);
  for (let r = 0; r < n; r++) rank[nearest[r]] = r;
  /** The first of the ranks at which a location joins: as an inner one, or as a source of one. */
  const joins = rank.slice();
  for (let m = 0; m < source.length; m++) joins[source[m]] = Math.min(joins[source[m]], rank[target[m]]);
  const joiningAt = new Int32Array(n);
  for (const r of joins) joiningAt[r]++;
  let count = 0;
  let all = 0;
  while (count < Math.min(n, size.inner) && (count < MIN_INNER || all + joiningAt[count] <= size.all))
    all += joiningAt[count++];
  return count;
}

/**
 * @param inner ascending
 * @param plan serves what is required
 * @param servesOutside whether vehicles from outside may stay to serve demand that the plan leaves unmet there
 */
export function partOf(problem: Problem, plan: Moves, inner: Int32Array, servesOutside = true): CityPart {
  const { capacities, limits, unmetCost } = problem;
  const n = problem.locationIds.length;
  const isInner = new Uint8Array(n);
  for (const j of inner) isInner[j] = 1;
  const isHere = isInner.slice();
  for (let m = 0; m < plan.count.length; m++) if (isInner[plan.target[m]] === 1) isHere[plan.source[m]] = 1;
  const locations = Int32Array.from(isHere.keys()).filter((j) => isHere[j] === 1);
  const size = locations.length;
  const at = new Int32Array(n).fill(-1);
  for (let p = 0; p < size; p++) at[locations[p]] = p;
  const unmet = unmetIn(problem, plan);
  const supply = new Int32Array(capacities.length * size);
  const left = (j: number) => (isInner[j] === 1 || servesOutside ? unmet[j] : 0);
  const demand = Float64Array.from(locations, (j) => (isInner[j] === 1 ? problem.demand[j] : left(j)));
  for (let k = 0; k < capacities.length; k++)
    for (let p = 0; p < size; p++)
      if (isInner[locations[p]] === 1) supply[k * size + p] = problem.supply[k * n + locations[p]];
  const inside: number[] = [];
  const outside: number[] = [];
  for (let m = 0; m < plan.count.length; m++) {
    const k = plan.capacityClass[m];
    const from = plan.source[m];
    const arrives = isInner[plan.target[m]] === 1;
    (arrives ? inside : outside).push(m);
    if (arrives && isInner[from] === 0) supply[k * size + at[from]] += plan.count[m];
    if (!arrives && isInner[from] === 1) supply[k * size + at[from]] -= plan.count[m];
  }
  const moves: Moves = {
    ...movesOn(inside, plan, (m) => plan.count[m]),
    source: Int32Array.from(inside, (m) => at[plan.source[m]]),
    target: Int32Array.from(inside, (m) => at[plan.target[m]]),
  };
  const rest = movesOn(outside, plan, (m) => plan.count[m]);
  const spare = totalDemand(problem.demand) - requiredDemand(problem) - totalDemand(unmet);
  let mayMiss = Math.max(0, spare);
  for (const j of locations) mayMiss += left(j);
  const total = totalDemand(demand);
  const { pinned: _pinned, bounds: _bounds, minutesOf: _minutes, priorities: _levels, ...whole } = problem;
  return {
    problem: {
      ...whole,
      locationIds: Int32Array.from(locations, (j) => problem.locationIds[j]),
      supply,
      demand,
      network: networkOf(problem, locations),
      greatCircle: null,
      limits: {
        ...limits,
        minServiceLevel: total > 0 ? Math.max(0, 1 - mayMiss / total) : 0,
        maxCostUnits: Number.POSITIVE_INFINITY,
      },
      ...(unmetCost && { unmetCost: Float64Array.from(locations, (j) => unmetCost[j]) }),
      caches: { ...problem.caches, problem: createCache() },
    },
    moves,
    planWith: (other) =>
      joinMoves([
        rest,
        {
          ...other,
          source: Int32Array.from(other.source, (p) => locations[p]),
          target: Int32Array.from(other.target, (p) => locations[p]),
        },
      ]),
  };
}

function unmetIn({ capacities, demand, supply }: Problem, plan: Moves): Float64Array {
  const n = demand.length;
  const unmet = demand.slice();
  for (let k = 0; k < capacities.length; k++)
    for (let j = 0; j < n; j++) unmet[j] -= capacities[k] * supply[k * n + j];
  for (let m = 0; m < plan.count.length; m++) {
    const capacity = capacities[plan.capacityClass[m]] * plan.count[m];
    unmet[plan.source[m]] += capacity;
    unmet[plan.target[m]] -= capacity;
  }
  return unmet.map((open) => Math.max(0, open));
}

function networkOf({ network, locationIds }: Problem, locations: Int32Array): Problem['network'] {
  const n = locationIds.length;
  const piece = (matrix: Float64Array) => {
    const own = new Float64Array(locations.length ** 2);
    let to = 0;
    for (const i of locations) for (const j of locations) own[to++] = matrix[i * n + j];
    return own;
  };
  return {
    costUnits: piece(network.costUnits),
    distanceKm: network.distanceKm && piece(network.distanceKm),
  };
}
