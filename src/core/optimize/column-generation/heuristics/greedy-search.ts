/** The state of a greedy search for a plan (`greedy.ts`): vehicles sent so far, and what is left at every location. */
import { UNITS_PER_COST } from '../../problem/costs.ts';
import { leastAt, mostAt } from '../../problem/location-bounds.ts';
import type { Problem } from '../../problem/model.ts';
import { isAllowed } from '../../problem/network.ts';
import { movableVehicles, standingVehicles } from '../../problem/pinned-places.ts';
import type { MoveColumns } from '../move-columns.ts';

const ROUNDING_NOISE = 1e-6;
/** Moves and locations visited between two looks at the clock: some milliseconds. */
const MAX_UNSEEN = 100_000;

/** Moves by the location at one of their ends, in order: those of j are at `starts[j]` up to `starts[j + 1]`. */
export type MovesByLocation = { starts: Int32Array; arcs: Int32Array };

export type GreedySearch = {
  readonly problem: Problem;
  readonly arcs: MoveColumns['arcs'];
  /** Whether the problem allows the move of a column. */
  readonly isMove: Uint8Array;
  /** Vehicles sent along each move. */
  readonly moved: Int32Array;
  /** Vehicles not sent away, per class and location. */
  readonly free: Problem['supply'];
  /** Capacity and vehicles present at each location, and the fewest and most vehicles that may be there. */
  readonly capacity: Float64Array;
  readonly here: Int32Array;
  readonly least: Float64Array;
  readonly most: Float64Array;
  /** Only demand of at least this priority level counts now, and no move costs demand of at least the other one. */
  level: number;
  keptLevel: number;
  served: number;
  required: number;
  /** n: cost units per unmet demand; absent: 0. */
  readonly unmetUnits: Float64Array | undefined;
  readonly into: MovesByLocation;
  readonly outOf: MovesByLocation;
  /** The cheapest move into each location (−1: none), and its cost per demand that it adds. */
  readonly cheapest: Int32Array;
  readonly price: Float64Array;
  readonly isOver: () => boolean;
  /** Moves and locations visited since the last look at the clock. */
  unseen: number;
};

/** A search from no moves; `served` is not counted yet. */
export function createGreedySearch(
  problem: Problem,
  arcs: MoveColumns['arcs'],
  isOver: () => boolean,
): GreedySearch {
  const { source, target } = arcs;
  const { capacities, demand, network, limits } = problem;
  const standing = standingVehicles(problem);
  const n = demand.length;
  const capacity = new Float64Array(n);
  const here = new Int32Array(n);
  for (let at = 0; at < standing.length; at++) {
    capacity[at % n] += capacities[Math.floor(at / n)] * standing[at];
    here[at % n] += standing[at];
  }
  return {
    problem,
    arcs,
    // The columns may stem from another problem of the same form.
    isMove: Uint8Array.from(source, (i, a) =>
      isAllowed(network, n, limits.maxDistanceKm, i, target[a]) ? 1 : 0,
    ),
    moved: new Int32Array(source.length),
    free: movableVehicles(problem).slice(),
    capacity,
    here,
    least: Float64Array.from(here, (_, j) => leastAt(problem, j)),
    most: Float64Array.from(here, (_, j) => mostAt(problem, j)),
    level: 0,
    keptLevel: Number.POSITIVE_INFINITY,
    served: 0,
    required: 0,
    unmetUnits: problem.unmetCost?.map((cost) => cost * UNITS_PER_COST),
    into: groupByLocation(target, n),
    outOf: groupByLocation(source, n),
    cheapest: new Int32Array(n).fill(-1),
    price: new Float64Array(n),
    isOver,
    unseen: 0,
  };
}

/** Whether `isOver` ends the search after so many moves and locations more. */
export function isTooLong(search: GreedySearch, more: number): boolean {
  search.unseen += more;
  if (search.unseen < MAX_UNSEEN) return false;
  search.unseen = 0;
  return search.isOver();
}

/** Sends vehicles along a move. */
export function sendAlong(
  { problem, arcs, moved, free, capacity, here }: GreedySearch,
  a: number,
  count: number,
): void {
  const k = arcs.capacityClass[a];
  const from = arcs.source[a];
  const load = count * problem.capacities[k];
  moved[a] += count;
  free[k * problem.demand.length + from] -= count;
  capacity[from] -= load;
  capacity[arcs.target[a]] += load;
  here[from] -= count;
  here[arcs.target[a]] += count;
}

/** Sends the whole part of a relaxed solution. @param firstArc number of the first column that is a move */
export function sendWholePart(search: GreedySearch, values: Float64Array, firstArc: number): void {
  const { problem, arcs, free } = search;
  const n = problem.demand.length;
  for (let a = 0; a < arcs.source.length; a++) {
    const count = Math.floor(values[firstArc + a] + ROUNDING_NOISE);
    if (count > 0) sendAlong(search, a, Math.min(count, free[arcs.capacityClass[a] * n + arcs.source[a]]));
  }
}

function groupByLocation(ends: readonly number[], n: number): MovesByLocation {
  const starts = new Int32Array(n + 1);
  for (const j of ends) starts[j + 1]++;
  for (let j = 0; j < n; j++) starts[j + 1] += starts[j];
  const next = starts.slice();
  const arcs = new Int32Array(ends.length);
  for (let a = 0; a < ends.length; a++) arcs[next[ends[a]]++] = a;
  return { starts, arcs };
}
