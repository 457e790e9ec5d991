/**
 * The pairs of locations among the moves of a formulation, and how many vehicles a pair may carry.
 *
 * M_ij, the most vehicles of a pair, is what its source has, at most what its target may hold, and never more than the
 * plan can use: with max(m, ⌈D_j / smallest capacity⌉, least_j) vehicles of this pair alone, the target is served and
 * its minimum kept. If more came, the smallest of them could stay where it is: the others serve all of D_j, a smaller
 * pair costs no more, and its source may keep any number. So some cheapest plan keeps M. Where changes of a previous
 * plan cost something, M is at least what that plan sends there: of more vehicles, one that it sends elsewhere can
 * stay. The smaller M, the closer the relaxation's c + f / M per vehicle is to what a pair costs.
 */
import type { Formulation } from '../direct/formulation.ts';
import { leastAt, mostAt } from '../problem/location-bounds.ts';
import type { Problem } from '../problem/model.ts';
import { isRuled } from '../problem/pairs.ts';
import { hasChangeCost, targetGroups } from '../problem/previous.ts';
import { splitDemand } from '../problem/steps.ts';
import type { Check } from '../run/stopping.ts';
import { nettedVehicles } from './netted.ts';

/** Pairs p, numbered by source, then target. A pair that cannot carry its least number of vehicles is left out. */
export type Pairs = {
  count: number;
  source: Int32Array;
  target: Int32Array;
  /** The most vehicles; at least the least number of vehicles of a move. */
  most: Float64Array;
  /** Arcs of pair p: `arcs` from `arcStart[p]` up to the next, by class. */
  arcStart: Int32Array;
  arcs: Int32Array;
  /** Per arc of the formulation: its pair, `STAYS` if it needs none, `UNUSABLE` if its pair is left out. */
  pairOfArc: Int32Array;
};

export const STAYS = -1;
const UNUSABLE = -2;
/** Arcs between two calls of the check. */
const ARCS_PER_LOOK = 1 << 17;

/** @param check throws when time is up. O(n² + arcs) */
export function pairsOfMoves(
  problem: Problem,
  { variables: v }: Formulation,
  check: Check = () => {},
): Pairs {
  const n = problem.locationIds.length;
  const pairOfArc = new Int32Array(v.firstStep).fill(STAYS);
  /** By source · n + target: arcs, their vehicles, then the number of the pair. */
  const arcsOf = new Int32Array(n * n);
  const vehicles = new Float64Array(n * n);
  for (let a = 0; a < v.firstStep; a++) {
    if (a % ARCS_PER_LOOK === 0) check();
    const [i, j] = [v.arcSource[a], v.arcTarget[a]];
    if (i === j || !isRuled(problem, i)) continue;
    arcsOf[i * n + j]++;
    vehicles[i * n + j] += problem.supply[v.arcClass[a] * n + i];
  }
  const netted = nettedVehicles(problem, check);
  const useful = netted?.takes ?? mostUseful(problem);
  const keeping = hasChangeCost(problem) ? keepingByPair(problem) : null;
  const numberOf = new Int32Array(n * n).fill(UNUSABLE);
  const source: number[] = [];
  const target: number[] = [];
  const most: number[] = [];
  const arcStart = [0];
  for (let key = 0; key < arcsOf.length; key++) {
    if (key % ARCS_PER_LOOK === 0) check();
    if (arcsOf[key] === 0) continue;
    const given = netted ? netted.gives[Math.floor(key / n)] : vehicles[key];
    const limit = Math.min(given, Math.max(useful[key % n], keeping?.[key] ?? 0));
    if (limit < Math.max(1, problem.limits.minVehiclesPerMove)) continue;
    numberOf[key] = source.length;
    source.push(Math.floor(key / n));
    target.push(key % n);
    most.push(limit);
    arcStart.push(arcStart[arcStart.length - 1] + arcsOf[key]);
  }
  const arcs = new Int32Array(arcStart[source.length]);
  const next = Int32Array.from(arcStart);
  for (let a = 0; a < v.firstStep; a++) {
    const [i, j] = [v.arcSource[a], v.arcTarget[a]];
    if (i === j || !isRuled(problem, i)) continue;
    const pair = numberOf[i * n + j];
    pairOfArc[a] = pair;
    if (pair >= 0) arcs[next[pair]++] = a;
  }
  return {
    count: source.length,
    source: Int32Array.from(source),
    target: Int32Array.from(target),
    most: Float64Array.from(most),
    arcStart: Int32Array.from(arcStart),
    arcs,
    pairOfArc,
  };
}

/** By source · n + target: the vehicles that a previous plan sends there. */
function keepingByPair(problem: Problem): Float64Array {
  const n = problem.locationIds.length;
  const keeping = new Float64Array(n * n);
  for (const { location, target, count } of targetGroups(problem)) keeping[location * n + target] += count;
  return keeping;
}

/** Pairs by target: those of j are `into` from `start[j]` up to the next. O(n + pairs) */
export function pairsByTarget({ count, target }: Pairs, n: number): [start: Int32Array, into: Int32Array] {
  const start = new Int32Array(n + 1);
  for (let p = 0; p < count; p++) start[target[p] + 1]++;
  for (let j = 0; j < n; j++) start[j + 1] += start[j];
  const next = start.slice();
  const into = new Int32Array(count);
  for (let p = 0; p < count; p++) into[next[target[p]]++] = p;
  return [start, into];
}

/** Per location: the most vehicles that one pair needs to bring. */
function mostUseful(problem: Problem): Float64Array {
  const { demand, limits, capacities } = problem;
  // A vehicle that does not move is then always allowed.
  const mayStay = limits.maxVehiclesPerLocation === Number.POSITIVE_INFINITY;
  return demand.map((d, j) => {
    if (!mayStay) return mostAt(problem, j);
    const { full, rest } = splitDemand(d, capacities[0]);
    return Math.max(limits.minVehiclesPerMove, full + (rest > 0 ? 1 : 0), leastAt(problem, j));
  });
}
