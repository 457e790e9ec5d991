/**
 * A first plan within bounds per location, within milliseconds: as `nearest.ts`, but vehicles that no own demand needs
 * first bring every location to its least number; then locations with more vehicles than they may have send the rest
 * away, to open demand if they can; then the largest open demands take the nearest free vehicles, if there is room.
 */
import { levelAt } from './floors.ts';
import { leastAt, mostAt } from './location-bounds.ts';
import type { Moves, Problem } from './model.ts';
import { movesOn, NO_MOVES } from './moves.ts';
import { bestClass, createNearest, vehiclesFor } from './nearest.ts';
import { leastServed, totalDemand } from './service-level.ts';

type Draft = {
  problem: Problem;
  /** K × n: vehicles that may be sent. */
  free: Int32Array;
  /** n: vehicles present. */
  here: Int32Array;
  /** n: demand that nothing serves yet, and its sum. */
  open: Float64Array;
  unserved: number;
  /** Vehicles beyond the most, over all locations. */
  surplus: number;
  least: Float64Array;
  most: Float64Array;
  moved: { capacityClass: number[]; source: number[]; target: number[] };
};

/**
 * @param isTooLate asked for every location that takes vehicles; true ends the work without a plan
 * @returns null if the bounds are not kept this way, or the service level is not reached. O(n²) at worst.
 */
export function planWithinBounds(problem: Problem, isTooLate: () => boolean): Moves | null {
  const mayMiss = totalDemand(problem.demand) - leastServed(problem);
  const draft = draftWithinBounds(problem, mayMiss, isTooLate);
  return draft && draft.unserved <= mayMiss ? movesOf(draft) : null;
}

/**
 * The same without a service level: as much as this way serves.
 * @param start moves that are kept; what they serve stays served
 * @returns null if the bounds are not kept this way
 */
export function planMostWithinBounds(
  problem: Problem,
  isTooLate: () => boolean,
  start: Moves = NO_MOVES,
): Moves | null {
  const draft = draftWithinBounds(problem, 0, isTooLate, start);
  return draft && movesOf(draft);
}

/** @param mayMiss demand that may stay unserved: no more vehicles are sent then */
function draftWithinBounds(
  problem: Problem,
  mayMiss: number,
  isTooLate: () => boolean,
  start = NO_MOVES,
): Draft | null {
  const draft = keepOwn(problem, start);
  const { here, open, least, most } = draft;
  const all = [...here.keys()];
  const byNeed = () =>
    all
      .filter((j) => open[j] > 0)
      .sort((a, b) => levelAt(problem, b) - levelAt(problem, a) || open[b] - open[a]);
  const isAbove = (i: number) => here[i] > most[i];

  const short = all.filter((j) => here[j] < least[j]);
  bring(draft, short, { until: (j) => here[j] >= least[j], from: () => true, isTooLate });
  if (short.some((j) => here[j] < least[j])) return null;
  for (const i of all.filter(isAbove)) freeSmallest(draft, i, here[i] - most[i]);
  if (draft.surplus > 0) {
    const isLeft = () => draft.surplus > 0;
    bring(draft, byNeed(), { until: (j) => open[j] <= 0 || !isLeft(), from: isAbove, isTooLate });
    bring(draft, all, { until: () => !isLeft(), from: isAbove, isTooLate });
    if (isLeft()) return null;
  }
  bring(draft, byNeed(), {
    until: (j) => open[j] <= 0 || draft.unserved <= mayMiss,
    from: () => true,
    isTooLate,
  });
  return draft;
}

function movesOf({ moved }: Draft): Moves {
  return movesOn([...moved.source.keys()], moved, () => 1);
}

/** Every location keeps the vehicles that serve its own demand, and those that come; the others are free. */
function keepOwn(problem: Problem, start: Moves): Draft {
  const { demand, capacities, supply } = problem;
  const n = demand.length;
  const free = supply.slice();
  const open = demand.slice();
  const here = new Int32Array(n);
  for (let at = 0; at < supply.length; at++) here[at % n] += supply[at];
  const moved: Draft['moved'] = { capacityClass: [], source: [], target: [] };
  for (const [m, count] of start.count.entries()) {
    const [k, i, j] = [start.capacityClass[m], start.source[m], start.target[m]];
    free[k * n + i] -= count;
    here[i] -= count;
    here[j] += count;
    open[j] = Math.max(0, open[j] - capacities[k] * count);
    for (let v = 0; v < count; v++) {
      moved.capacityClass.push(k);
      moved.source.push(i);
      moved.target.push(j);
    }
  }
  for (let j = 0; j < n; j++) {
    for (let k = bestClass(problem, free, j, open[j]); k >= 0; k = bestClass(problem, free, j, open[j])) {
      const count = vehiclesFor(open[j], capacities[k], free[k * n + j]);
      free[k * n + j] -= count;
      open[j] = Math.max(0, open[j] - capacities[k] * count);
    }
  }
  const most = Float64Array.from(here, (_, j) => mostAt(problem, j));
  return {
    problem,
    free,
    here,
    open,
    unserved: totalDemand(open),
    surplus: most.reduce((sum, allowed, j) => sum + Math.max(0, here[j] - allowed), 0),
    least: Float64Array.from(here, (_, j) => leastAt(problem, j)),
    most,
    moved,
  };
}

/** `from`: once false for a location, it stays false. */
type Wanted = { until: (j: number) => boolean; from: (i: number) => boolean; isTooLate: () => boolean };

/** Brings free vehicles to these locations, from the nearest ones. */
function bring(draft: Draft, targets: readonly number[], { until, from, isTooLate }: Wanted): void {
  const { problem, free, here, least, most } = draft;
  const mayGive = (i: number) => from(i) && here[i] > least[i];
  const nearestTo = createNearest(problem, free, mayGive, from);
  for (const j of targets) {
    if (until(j) || here[j] >= most[j]) continue;
    if (isTooLate()) return;
    for (const i of nearestTo(j)) {
      while (i !== j && mayGive(i) && here[j] < most[j] && !until(j)) {
        if (!sendOne(draft, i, j)) break;
      }
      if (until(j) || here[j] >= most[j]) break;
    }
  }
}

/** @returns false if no vehicle is free */
function sendOne(draft: Draft, i: number, j: number): boolean {
  const { problem, free, here, open, most, moved } = draft;
  const k = bestClass(problem, free, i, open[j] > 0 ? open[j] : Number.MIN_VALUE);
  if (k < 0) return false;
  const gain = Math.min(open[j], problem.capacities[k]);
  free[k * problem.demand.length + i]--;
  if (here[i] > most[i]) draft.surplus--;
  here[i]--;
  here[j]++;
  open[j] -= gain;
  draft.unserved -= gain;
  moved.capacityClass.push(k);
  moved.source.push(i);
  moved.target.push(j);
  return true;
}

/** Frees vehicles of a location, the smallest first, until so many may be sent. */
function freeSmallest(draft: Draft, i: number, wanted: number): void {
  const { problem, free, open } = draft;
  const { supply, capacities, demand } = problem;
  const n = demand.length;
  let isFree = 0;
  let serving = 0;
  for (let k = 0; k < capacities.length; k++) isFree += free[k * n + i];
  for (let k = 0; k < capacities.length; k++) {
    const count = Math.max(0, Math.min(wanted - isFree, supply[k * n + i] - free[k * n + i]));
    free[k * n + i] += count;
    isFree += count;
    serving += capacities[k] * (supply[k * n + i] - free[k * n + i]);
  }
  const left = Math.max(0, demand[i] - serving);
  draft.unserved += left - open[i];
  open[i] = left;
}
