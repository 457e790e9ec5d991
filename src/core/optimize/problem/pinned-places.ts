/**
 * Pinned vehicles of a request with `total_fleet_size`. They compete with all others for being counted, so they cannot
 * serve ahead of them (`pinned.ts`). They are supply at a place of their own, which has no demand and from which
 * vehicles may only go to the location where they are pinned, at no cost. That is no move of the plan: there, or at
 * their place, they are present at their location (`evaluate.ts`).
 *
 * Every engine then solves a problem of the usual kind, with a place more for each location with pinned vehicles.
 * Column generation counts them where they stand instead, since as columns they weaken its cuts.
 */
import type { Moves, PinnedPlaces, Problem } from './model.ts';
import { joinMoves, movesOn } from './moves.ts';

/** The location whose pinned vehicles are at this place; −1: it is none. */
export function homeOf({ pinnedPlaces }: Problem, place: number): number {
  return pinnedPlaces?.home[place - pinnedPlaces.first] ?? -1;
}

/** The number of locations that the request names; they come first. */
export function countRequestLocations({ pinnedPlaces, locationIds }: Problem): number {
  return pinnedPlaces?.first ?? locationIds.length;
}

/**
 * The problem with places for its pinned vehicles. O((n + places)²)
 * @param problem whose `supply` lacks them, with its matrices
 * @param home ascending: the locations with pinned vehicles
 * @param pinned K × home.length vehicles
 */
export function withPinnedPlaces(problem: Problem, home: Int32Array, pinned: Int32Array): Problem {
  const n = problem.locationIds.length;
  const size = n + home.length;
  const classes = problem.capacities.length;
  const supply = new Int32Array(classes * size);
  for (let k = 0; k < classes; k++) {
    supply.set(problem.supply.subarray(k * n, (k + 1) * n), k * size);
    supply.set(pinned.subarray(k * home.length, (k + 1) * home.length), k * size + n);
  }
  const costUnits = enlarged(problem.network.costUnits, n, size, Number.POSITIVE_INFINITY);
  for (let p = 0; p < home.length; p++) {
    costUnits[(n + p) * size + n + p] = 0;
    costUnits[(n + p) * size + home[p]] = 0;
  }
  const { distanceKm } = problem.network;
  const { unmetCost, priorities, locationIds } = problem;
  const longer = (values: Float64Array) => Float64Array.from({ length: size }, (_, j) => values[j] ?? 0);
  return {
    ...problem,
    locationIds: Int32Array.from([...locationIds, ...Array.from(home, (j) => locationIds[j])]),
    supply,
    demand: longer(problem.demand),
    ...(unmetCost && { unmetCost: longer(unmetCost) }),
    ...(priorities && { priorities: Uint8Array.from({ length: size }, (_, j) => priorities[j] ?? 0) }),
    network: { costUnits, distanceKm: distanceKm && enlarged(distanceKm, n, size, 0) },
    greatCircle: null,
    pinnedPlaces: { first: n, home },
  };
}

/** A matrix of n × n as part of one of size × size. */
function enlarged(matrix: Float64Array, n: number, size: number, other: number): Float64Array {
  const larger = new Float64Array(size * size).fill(other);
  for (let i = 0; i < n; i++) larger.set(matrix.subarray(i * n, (i + 1) * n), i * size);
  return larger;
}

/** n: vehicles whose place is that of the location. O(nK) */
export function pinnedByLocation({ pinnedPlaces, supply, locationIds }: Problem): Int32Array {
  const n = locationIds.length;
  const pinned = new Int32Array(n);
  for (const [p, home] of pinnedPlaces?.home.entries() ?? []) {
    for (let at = pinnedPlaces!.first + p; at < supply.length; at += n) pinned[home] += supply[at];
  }
  return pinned;
}

/** K × n, not to be changed: vehicles at each location before the moves, pinned ones at theirs. */
export function standingVehicles(problem: Problem): Int32Array {
  if (!problem.pinnedPlaces) return problem.supply;
  const standing = problem.supply.slice();
  bringHome(problem, standing);
  return standing;
}

/** K × n, not to be changed: the vehicles that may leave their location. */
export function movableVehicles({ pinnedPlaces, supply, locationIds }: Problem): Int32Array {
  if (!pinnedPlaces) return supply;
  const n = locationIds.length;
  const { first, home } = pinnedPlaces;
  return supply.map((count, at) => (at % n >= first && (at % n) - first < home.length ? 0 : count));
}

/** Counts vehicles that are left at their pinned places at their locations. @param presence K × n, changed */
export function bringHome({ pinnedPlaces, locationIds, capacities }: Problem, presence: Int32Array): void {
  if (!pinnedPlaces) return;
  const n = locationIds.length;
  for (let k = 0; k < capacities.length; k++) {
    for (const [p, home] of pinnedPlaces.home.entries()) {
      const at = k * n + pinnedPlaces.first + p;
      presence[k * n + home] += presence[at];
      presence[at] = 0;
    }
  }
}

/** The moves of an answer: without those of pinned vehicles to their own location. */
export function withoutPinnedMoves(problem: Problem, moves: Moves): Moves {
  if (!problem.pinnedPlaces) return moves;
  const kept = [...moves.count.keys()].filter((m) => homeOf(problem, moves.source[m]) < 0);
  return movesOn(kept, moves, (m) => moves.count[m]);
}

/** The moves with all pinned vehicles at their locations, for code that derives presence from moves. */
export function withPinnedAtHome(problem: Problem, moves: Moves): Moves {
  const { pinnedPlaces } = problem;
  return pinnedPlaces
    ? joinMoves([withoutPinnedMoves(problem, moves), homeward(problem, pinnedPlaces)])
    : moves;
}

function homeward({ supply, locationIds }: Problem, { first, home }: PinnedPlaces): Moves {
  const n = locationIds.length;
  const going = [...supply.keys()].filter((at) => {
    const place = (at % n) - first;
    return supply[at] > 0 && place >= 0 && place < home.length;
  });
  return {
    capacityClass: Int32Array.from(going, (at) => Math.floor(at / n)),
    source: Int32Array.from(going, (at) => at % n),
    target: Int32Array.from(going, (at) => home[(at % n) - first]),
    count: Int32Array.from(going, (at) => supply[at]),
  };
}
