/**
 * A problem of few places in place of many: near ones are one place, within which nobody has to move. The multiplier of
 * its service level is close to that of the problem itself, and found in a tenth of the time. It is the price at which
 * the search for that begins, and its plan says how many vehicles each step should leave where (`seams.ts`). It proves
 * nothing.
 */
import { partsOf } from './demand-parts.ts';
import { sourceOf } from './flow-master.ts';
import type { HorizonProblem, TravelPairs, TripFlows } from './types.ts';

export type FewerPlaces = {
  coarse: HorizonProblem;
  /** n: the place of the coarse problem that a place belongs to. */
  clusterOf: Int32Array;
  /** What the dearest move from the centre of a place of the coarse problem to another place of it costs. */
  radius: number;
};

/**
 * @param problem with trip flows
 * @param count of places, at least; more if some are reached from no other; all if there are no more
 * @returns with the same total supply and demand; O(count · pairs of a place + T n + trip shares)
 */
export function withFewerPlaces(problem: HorizonProblem, count: number): FewerPlaces {
  const { n, steps, supply, unmetUnits, end, flows = [] } = problem;
  const { clusterOf, clusters, radius } = clustersOf(problem, count);
  const { chances, sizes } = partsOf(problem);
  const size = steps * n;
  const at = (u: number) => Math.floor(u / n) * clusters + clusterOf[u % n];
  const sum = (values: ArrayLike<number>): Float64Array => {
    const sums = new Float64Array((values.length / n) * clusters);
    for (let u = 0; u < values.length; u++) sums[at(u)] += values[u];
    return sums;
  };
  const demand = sum(problem.demand);
  const prices = unmetUnits && sum(unmetUnits.map((units, u) => units * problem.demand[u]));
  const ofPlace = new Float64Array(n);
  for (let u = 0; u < size; u++) ofPlace[u % n] += problem.demand[u];
  const coarseFlows = new Map<TripFlows, TripFlows>();
  for (const trips of flows)
    if (!coarseFlows.has(trips)) coarseFlows.set(trips, coarseTrips(trips, ofPlace, clusterOf, clusters));
  const members = sum(new Float64Array(n).fill(1));
  const coarse = {
    n: clusters,
    steps,
    supply: Int32Array.from(sum(supply)),
    demand,
    ...(problem.parts && { parts: { chances, sizes: sum(sizes) } }),
    capacity: problem.capacity,
    pairs: coarsePairs(problem, clusterOf, clusters),
    required: problem.required,
    ...(prices && { unmetUnits: prices.map((paid, u) => (demand[u] > 0 ? paid / demand[u] : 0)) }),
    ...(end && {
      end: {
        units: sum(end.units).map((units, c) => Math.round(units / members[c])),
        ...(end.most && { most: sum(end.most) }),
      },
    }),
    flows: flows.map((trips) => coarseFlows.get(trips)!),
  };
  return { coarse, clusterOf, radius };
}

/** Each centre is the place that is dearest to reach from all centres before; the others belong to the nearest. */
function clustersOf(
  { n, pairs }: HorizonProblem,
  count: number,
): { clusterOf: Int32Array; clusters: number; radius: number } {
  const { starts, targets, units } = pairs;
  const clusterOf = new Int32Array(n);
  const far = new Float64Array(n).fill(Number.POSITIVE_INFINITY);
  let clusters = 0;
  for (let centre = 0; far[centre] > 0; clusters++) {
    if (clusters >= count && far[centre] < Number.POSITIVE_INFINITY) break;
    far[centre] = 0;
    clusterOf[centre] = clusters;
    for (let a = starts[centre]; a < starts[centre + 1]; a++) {
      if (units[a] >= far[targets[a]]) continue;
      far[targets[a]] = units[a];
      clusterOf[targets[a]] = clusters;
    }
    for (let j = 0; j < n; j++) if (far[j] > far[centre]) centre = j;
  }
  return { clusterOf, clusters, radius: far.reduce((most, units) => Math.max(most, units), 0) };
}

/** Moves between places of the coarse problem: the mean of those between their places. */
function coarsePairs(problem: HorizonProblem, clusterOf: Int32Array, clusters: number): TravelPairs {
  const { units, delay, targets } = problem.pairs;
  const cost = new Float64Array(clusters * clusters);
  const late = new Float64Array(clusters * clusters);
  const number = new Float64Array(clusters * clusters);
  for (let a = 0; a < targets.length; a++) {
    const from = clusterOf[sourceOf(problem, a)];
    const to = clusterOf[targets[a]];
    if (from === to) continue;
    const key = from * clusters + to;
    cost[key] += units[a];
    late[key] += delay[a];
    number[key]++;
  }
  const keys = [...number.keys()].filter((key) => number[key] > 0);
  const starts = new Int32Array(clusters + 1);
  for (const key of keys) starts[Math.floor(key / clusters) + 1]++;
  for (let c = 0; c < clusters; c++) starts[c + 1] += starts[c];
  return {
    starts,
    targets: Int32Array.from(keys, (key) => key % clusters),
    units: Float64Array.from(keys, (key) => Math.round(cost[key] / number[key])),
    delay: Uint8Array.from(keys, (key) => Math.max(1, Math.round(late[key] / number[key]))),
  };
}

/** Where trips end, in proportion to the demand of the places where they begin. */
function coarseTrips(
  { starts, targets, shares }: TripFlows,
  demand: Float64Array,
  clusterOf: Int32Array,
  clusters: number,
): TripFlows {
  const trips = new Float64Array(clusters * clusters);
  for (let i = 0; i < demand.length; i++) {
    // Places without demand count for little, but for something if there are no others.
    const weight = demand[i] + Number.EPSILON;
    for (let a = starts[i]; a < starts[i + 1]; a++)
      trips[clusterOf[i] * clusters + clusterOf[targets[a]]] += weight * shares[a];
  }
  const found = {
    starts: new Int32Array(clusters + 1),
    targets: [] as number[],
    shares: [] as number[],
  };
  for (let from = 0; from < clusters; from++) {
    const row = trips.subarray(from * clusters, (from + 1) * clusters);
    const all = row.reduce((sum, count) => sum + count, 0);
    for (const [to, count] of row.entries()) {
      if (count === 0) continue;
      found.targets.push(to);
      found.shares.push(count / all);
    }
    found.starts[from + 1] = found.targets.length;
  }
  return {
    starts: found.starts,
    targets: Int32Array.from(found.targets),
    shares: Float64Array.from(found.shares),
  };
}
