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
  moved: { capacityClass: number[]; source: number[]; target: number[]; count: number[] };
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
  const aboveMost = (i: number) => here[i] - most[i];
  const anyNumber = () => Number.POSITIVE_INFINITY;

  const short = all.filter((j) => here[j] < least[j]);
  bring(draft, short, { wanted: (j) => least[j] - here[j], spare: anyNumber, isTooLate });
  if (short.some((j) => here[j] < least[j])) return null;
  for (const i of all.filter((i) => aboveMost(i) > 0)) freeSmallest(draft, i, aboveMost(i));
  if (draft.surplus > 0) {
    const wanted = (j: number) => (open[j] > 0 ? draft.surplus : 0);
    bring(draft, byNeed(), { wanted, spare: aboveMost, isTooLate });
    bring(draft, all, { wanted: () => draft.surplus, spare: aboveMost, isTooLate });
    if (draft.surplus > 0) return null;
  }
  const wanted = (j: number, capacity: number) => {
    const missing = draft.unserved - mayMiss;
    return open[j] > 0 && missing > 0 ? Math.ceil(missing / capacity) : 0;
  };
  bring(draft, byNeed(), { wanted, spare: anyNumber, isTooLate });
  return draft;
}

function movesOf({ moved }: Draft): Moves {
  return movesOn([...moved.source.keys()], moved, (m) => moved.count[m]);
}

/** Every location keeps the vehicles that serve its own demand, and those that come; the others are free. */
function keepOwn(problem: Problem, start: Moves): Draft {
  const { demand, capacities, supply } = problem;
  const n = demand.length;
  const free = supply.slice();
  const open = demand.slice();
  const here = new Int32Array(n);
  for (let at = 0; at < supply.length; at++) here[at % n] += supply[at];
  const moved: Draft['moved'] = { capacityClass: [], source: [], target: [], count: [] };
  for (const [m, count] of start.count.entries()) {
    const [k, i, j] = [start.capacityClass[m], start.source[m], start.target[m]];
    free[k * n + i] -= count;
    here[i] -= count;
    here[j] += count;
    open[j] = Math.max(0, open[j] - capacities[k] * count);
    note(moved, k, i, j, count);
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

type Wanted = {
  /** Vehicles of this capacity that the location still takes, if it has room. */
  wanted: (j: number, capacity: number) => number;
  /** Vehicles that the location may give, if it keeps its least number: once 0 or less, they stay so. */
  spare: (i: number) => number;
  isTooLate: () => boolean;
};

/** Brings free vehicles to these locations, from the nearest ones. */
function bring(draft: Draft, targets: readonly number[], { wanted, spare, isTooLate }: Wanted): void {
  const { problem, free, here, least, most } = draft;
  const mayGive = (i: number) => Math.min(spare(i), here[i] - least[i]);
  const mayTake = (j: number, capacity = 1) => Math.min(wanted(j, capacity), most[j] - here[j]);
  const nearestTo = createNearest(
    problem,
    free,
    (i) => mayGive(i) > 0,
    (i) => spare(i) > 0,
  );
  for (const j of targets) {
    if (mayTake(j) <= 0) continue;
    if (isTooLate()) return;
    for (const i of nearestTo(j)) {
      while (i !== j && mayGive(i) > 0 && mayTake(j) > 0) {
        const k = nextClass(draft, i, j);
        if (k < 0) break;
        send(draft, k, i, j, Math.min(mayGive(i), mayTake(j, problem.capacities[k])));
      }
      if (mayTake(j) <= 0) break;
    }
  }
}

/** The class that the demand at j takes of those free at i, the smallest without demand; −1: none is free. */
function nextClass({ problem, free, open }: Draft, i: number, j: number): number {
  return bestClass(problem, free, i, open[j] > 0 ? open[j] : Number.MIN_VALUE);
}

/** Sends at most so many free vehicles of a class, and no more than are full where there is open demand. */
function send(draft: Draft, k: number, i: number, j: number, atMost: number): void {
  const { problem, free, here, open, most, moved } = draft;
  const at = k * problem.demand.length + i;
  const capacity = problem.capacities[k];
  const available = Math.min(atMost, free[at]);
  const count = open[j] > 0 ? vehiclesFor(open[j], capacity, available) : available;
  const gain = Math.min(open[j], capacity * count);
  free[at] -= count;
  draft.surplus -= Math.min(count, Math.max(0, here[i] - most[i]));
  here[i] -= count;
  here[j] += count;
  open[j] -= gain;
  draft.unserved -= gain;
  note(moved, k, i, j, count);
}

function note(moved: Draft['moved'], k: number, i: number, j: number, count: number): void {
  moved.capacityClass.push(k);
  moved.source.push(i);
  moved.target.push(j);
  moved.count.push(count);
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
