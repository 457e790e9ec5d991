/**
 * A first plan within milliseconds, without a matrix: every location keeps the vehicles that serve its own demand, and
 * the largest open demands take the nearest of the others, until the service level is reached. With floors, first the
 * locations of the highest one, then those of the next. It is feasible wherever vehicles are plenty, and far from the
 * cheapest. With bounds per location it is not tried.
 */

import { unitVectors } from './distances/chords.ts';
import { floorSlack, floorsOf, levelAt } from './floors.ts';
import type { Moves, Problem } from './model.ts';
import { movesOn } from './moves.ts';
import { isAllowed, moveCost } from './network.ts';
import { leastServed } from './service-level.ts';

/** Relative, by which a squared chord may exceed that of the limit; the exact distance of a chosen pair decides. */
const CHORD_NOISE = 1e-6;
const RADIUS_KM = 6371.0088;
/** Share of sources that may be empty before they are listed again. */
const MOST_EMPTY = 0.1;

/**
 * @param isTooLate asked for every location that takes vehicles; true ends the work without a plan
 * @returns null if a floor or the service level is not reached this way. O(n²) at worst, with a small constant.
 */
export function planNearest(problem: Problem, isTooLate: () => boolean): Moves | null {
  const { demand, capacities } = problem;
  const n = demand.length;
  const free = problem.supply.slice();
  const open = demand.slice();
  let served = 0;
  const serve = (j: number, capacity: number, count: number) => {
    const gain = Math.min(open[j], capacity * count);
    open[j] -= gain;
    served += gain;
  };
  const moved = {
    capacityClass: [] as number[],
    source: [] as number[],
    target: [] as number[],
    count: [] as number[],
  };
  const takeFrom = (i: number, j: number) => {
    for (let k = bestClass(problem, free, i, open[j]); k >= 0; k = bestClass(problem, free, i, open[j])) {
      const count = vehiclesFor(open[j], capacities[k], free[k * n + i]);
      free[k * n + i] -= count;
      serve(j, capacities[k], count);
      if (i === j) continue;
      moved.capacityClass.push(k);
      moved.source.push(i);
      moved.target.push(j);
      moved.count.push(count);
    }
  };
  for (const { at, least } of needsInOrder(problem)) {
    for (const j of at) takeFrom(j, j);
    const needs = at.filter((j) => open[j] > 0).sort((a, b) => open[b] - open[a]);
    const nearestTo = createNearest(problem, free);
    for (const j of needs) {
      if (served >= least || isTooLate()) break;
      for (const i of nearestTo(j)) {
        takeFrom(i, j);
        if (open[j] <= 0) break;
      }
    }
    if (served < least) return null;
  }
  return movesOn([...moved.count.keys()], moved, (m) => moved.count[m]);
}

/** The locations of each floor that are not of a higher one, then all others; and what has to be served by then. */
function needsInOrder(problem: Problem): { at: number[]; least: number }[] {
  let before = Number.POSITIVE_INFINITY;
  const floors = floorsOf(problem).map(({ level, served }) => ({
    level,
    least: served - floorSlack(problem),
  }));
  return [...floors, { level: 0, least: leastServed(problem) }].map(({ level, least }) => {
    const at = [...problem.demand.keys()].filter((j) => {
      return levelAt(problem, j) >= level && levelAt(problem, j) < before;
    });
    before = level;
    return { at, least };
  });
}

/** The largest class with free vehicles at i that the demand fills, else the smallest one; −1: none, or no demand. */
export function bestClass(
  { capacities, demand }: Problem,
  free: Int32Array,
  i: number,
  open: number,
): number {
  if (open <= 0) return -1;
  let smallest = -1;
  for (let k = capacities.length - 1; k >= 0; k--) {
    if (free[k * demand.length + i] === 0) continue;
    if (capacities[k] <= open) return k;
    smallest = k;
  }
  return smallest;
}

/** Full vehicles only, but at least one. */
export function vehiclesFor(open: number, capacity: number, available: number): number {
  return Math.min(available, Math.max(1, Math.floor(open / capacity)));
}

/**
 * For a location: the sources from which it may take vehicles, nearest first; those that are empty are passed over.
 * @param mayGive asked for every source when a location begins
 * @param isSource asked once
 */
export function createNearest(
  problem: Problem,
  free: Int32Array,
  mayGive: (i: number) => boolean = () => true,
  isSource: (i: number) => boolean = () => true,
): (j: number) => Generator<number> {
  const n = problem.locationIds.length;
  const isEmpty = (i: number) => {
    for (let at = i; at < free.length; at += n) if (free[at] > 0) return false;
    return true;
  };
  let sources = [...problem.locationIds.keys()].filter((i) => isSource(i) && !isEmpty(i));
  const howFar = createDistance(problem);
  const near = new Int32Array(n);
  const far = new Float64Array(n);
  return function* nearestTo(j) {
    let empty = 0;
    let count = 0;
    for (const i of sources) {
      if (isEmpty(i)) empty++;
      else if (mayGive(i)) {
        far[count] = howFar(i, j);
        if (far[count] < Number.POSITIVE_INFINITY) near[count++] = i;
      }
    }
    if (empty > MOST_EMPTY * sources.length) sources = sources.filter((i) => !isEmpty(i));
    while (count > 0) {
      let best = 0;
      for (let s = 1; s < count; s++) {
        if (far[s] < far[best] || (far[s] === far[best] && near[s] < near[best])) best = s;
      }
      const i = near[best];
      near[best] = near[--count];
      far[best] = far[count];
      if (mayMove(problem, i, j)) yield i;
    }
  };
}

/** A figure that orders sources by their distance or cost; Infinity where the move is certainly not allowed. */
function createDistance(problem: Problem): (i: number, j: number) => number {
  const { greatCircle, limits } = problem;
  if (!greatCircle) return (i, j) => moveCost(problem, i, j);
  const { x, y, z } = unitVectors(greatCircle.points);
  const angle = Math.min(Math.PI, limits.maxDistanceKm / RADIUS_KM);
  const most = (2 * Math.sin(angle / 2)) ** 2 * (1 + CHORD_NOISE);
  return (i, j) => {
    const chord2 = (x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2 + (z[i] - z[j]) ** 2;
    return chord2 <= most ? chord2 : Number.POSITIVE_INFINITY;
  };
}

function mayMove({ greatCircle, network, limits, locationIds }: Problem, from: number, to: number): boolean {
  if (greatCircle) return greatCircle.kmOf(from, to) <= limits.maxDistanceKm;
  return isAllowed(network, locationIds.length, limits.maxDistanceKm, from, to);
}
