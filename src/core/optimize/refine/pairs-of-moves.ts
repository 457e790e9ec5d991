/**
 * The pairs of locations among the moves of a formulation, and how many vehicles a pair may carry.
 *
 * M_ij, the most vehicles of a pair, is what its source has, at most what its target may hold, and never more than the
 * plan can use: with max(m, ⌈D_j / smallest capacity⌉, least_j) vehicles of this pair alone, the target is served and
 * its minimum kept. If more came, the smallest of them could stay where it is: the others serve all of D_j, a smaller
 * pair costs no more, and its source may keep any number. So some cheapest plan keeps M. The smaller M, the closer the
 * relaxation's c + f / M per vehicle is to what a pair costs.
 */
import type { Formulation } from '../direct/formulation.ts';
import { leastAt, mostAt } from '../problem/location-bounds.ts';
import type { Problem } from '../problem/model.ts';
import { isRuled } from '../problem/pairs.ts';
import { splitDemand } from '../problem/steps.ts';

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

/** O(arcs · log arcs). */
export function pairsOfMoves(problem: Problem, { variables: v }: Formulation): Pairs {
  const n = problem.locationIds.length;
  const pairOfArc = new Int32Array(v.firstStep).fill(STAYS);
  const ruled: number[] = [];
  for (let a = 0; a < v.firstStep; a++) {
    if (v.arcSource[a] !== v.arcTarget[a] && isRuled(problem, v.arcSource[a])) ruled.push(a);
  }
  const keyOf = (a: number) => v.arcSource[a] * n + v.arcTarget[a];
  ruled.sort((a, b) => keyOf(a) - keyOf(b) || v.arcClass[a] - v.arcClass[b]);
  const useful = mostUseful(problem);
  const source: number[] = [];
  const target: number[] = [];
  const most: number[] = [];
  const arcStart = [0];
  const arcs: number[] = [];
  for (let from = 0; from < ruled.length; ) {
    let to = from;
    let vehicles = 0;
    for (; to < ruled.length && keyOf(ruled[to]) === keyOf(ruled[from]); to++) {
      vehicles += problem.supply[v.arcClass[ruled[to]] * n + v.arcSource[ruled[to]]];
    }
    const first = ruled[from];
    const limit = Math.min(vehicles, useful[v.arcTarget[first]]);
    const isUsable = limit >= problem.limits.minVehiclesPerMove;
    for (let at = from; at < to; at++) pairOfArc[ruled[at]] = isUsable ? source.length : UNUSABLE;
    if (isUsable) {
      source.push(v.arcSource[first]);
      target.push(v.arcTarget[first]);
      most.push(limit);
      arcs.push(...ruled.slice(from, to));
      arcStart.push(arcs.length);
    }
    from = to;
  }
  return {
    count: source.length,
    source: Int32Array.from(source),
    target: Int32Array.from(target),
    most: Float64Array.from(most),
    arcStart: Int32Array.from(arcStart),
    arcs: Int32Array.from(arcs),
    pairOfArc,
  };
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
