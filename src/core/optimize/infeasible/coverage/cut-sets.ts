/**
 * Valid rows for limited reach, without columns of moves: the vehicles of class k that come to a set S of locations are
 * at most those at the locations N(S) from which they may come,
 *
 *   Σ_{j ∈ S} z_jk  ≤  Σ_{i ∈ N(S)} s_ik            for all S.
 *
 * These rows are also sufficient (max-flow min-cut): numbers of vehicles that satisfy all of them can be realized,
 * whole numbers by whole moves. So only violated rows are separated, by a flow per class (`class-reach.ts`). If a
 * location gets too few vehicles, no augmenting path leads to it, and the locations searched form the smallest violated
 * set that contains it.
 *
 * Rows that cut off only the optimum of the relaxation come by the hundred and gain little each. So rows are separated
 * at a point between this optimum and a point that satisfies all rows; that point moves to the last one that violated
 * none.
 * References: Hall, On representatives of subsets (1935); Ben-Ameur, Neto, Acceleration of cutting-plane and column
 * generation algorithms (2007).
 */
import type { Problem } from '../../problem/model.ts';
import type { Check } from '../../run/stopping.ts';
import { createReachFlow, type Reach } from './class-reach.ts';

/** Locations to which together at most this many vehicles of a class can come. */
export type CutSet = { capacityClass: number; locations: Int32Array; most: number };

/** Minimum violation of a row, in vehicles. */
const MIN_VIOLATION = 1e-5;
/**
 * Initial distance from the feasible point; if no row is violated there, the remaining distance shrinks by this factor.
 */
const FIRST_STEP = 0.3;
const REST_SHARE = 0.3;
const MIN_REST = 0.1;

/** Rows violated by one point after another. */
export function createCutSetFinder(problem: Problem, reach: Reach, start: Float64Array | null, check: Check) {
  let inner = start;
  return (outer: Float64Array): CutSet[] => {
    if (!inner) {
      const { sets, reached } = findBrokenSets(problem, reach, outer, check);
      inner = reached;
      return sets;
    }
    for (let rest = 1 - FIRST_STEP; ; rest *= REST_SHARE) {
      if (rest < MIN_REST) rest = 0;
      const between = outer.map((value, at) => (1 - rest) * value + rest * inner![at]);
      const { sets } = findBrokenSets(problem, reach, between, check);
      if (sets.length > 0) return sets;
      inner = between;
      if (rest === 0) return [];
    }
  };
}

/**
 * One set for each class and location that gets too few vehicles, without duplicates; and the vehicles that do come,
 * which satisfy all rows.
 */
export function findBrokenSets(
  problem: Problem,
  reach: Reach,
  presence: Float64Array,
  check: Check,
): { sets: CutSet[]; reached: Float64Array } {
  const { capacities, supply, demand } = problem;
  const n = demand.length;
  const sets: CutSet[] = [];
  const reached = new Float64Array(presence.length);
  for (let k = 0; k < capacities.length; k++) {
    const flow = createReachFlow(supply.subarray(k * n, (k + 1) * n), reach);
    const known = new Set<string>();
    for (let j = 0; j < n; j++) {
      const wanted = presence[k * n + j];
      if (wanted <= 0) continue;
      check();
      const got = flow.put(j, wanted);
      reached[k * n + j] = got;
      if (wanted - got < MIN_VIOLATION) continue;
      const locations = Int32Array.from(flow.closedSet()).sort();
      const key = locations.join();
      if (known.has(key)) continue;
      known.add(key);
      sets.push({ capacityClass: k, locations, most: supplyFor(problem, reach, k, locations) });
    }
  }
  return { sets, reached };
}

/** Vehicles of a class that may come to any of the locations. */
export function supplyFor(
  { supply, demand }: Problem,
  { sourcesOf }: Reach,
  capacityClass: number,
  locations: Int32Array,
): number {
  const n = demand.length;
  const isCounted = new Uint8Array(n);
  let total = 0;
  for (const j of locations) {
    for (const i of sourcesOf[j]) {
      if (isCounted[i]) continue;
      isCounted[i] = 1;
      total += supply[capacityClass * n + i];
    }
  }
  return total;
}
