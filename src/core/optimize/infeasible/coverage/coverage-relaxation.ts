/**
 * The linear relaxation of coverage (`coverage-model.ts`), in rounds of cuts for single locations
 * (`column-generation/cuts/location-cuts.ts`) and of rows for sets of locations with limited reach (`cut-sets.ts`).
 * Rows that were tight are kept for the next call on the same locations: an explanation solves one problem with one
 * changed limit after another, and a set that is tight for one distance or fleet is usually tight for the next.
 */

import { findLocationCut } from '../../column-generation/cuts/location-cuts.ts';
import { dualBound } from '../../direct/bound.ts';
import type { SolverModel } from '../../highs/highs.ts';
import type { NewRow } from '../../highs/solver-model.ts';
import type { Moves, Problem } from '../../problem/model.ts';
import { keptIn, type Slot } from '../../run/cache.ts';
import type { Check } from '../../run/stopping.ts';
import type { Reach } from './class-reach.ts';
import { type CoverageModel, withRows } from './coverage-model.ts';
import { type CutSet, createCutSetFinder, supplyFor } from './cut-sets.ts';

/** Demand not served is found to this share of the total. */
export const PRECISION = 1e-9;
/** A round that lowers the bound by less than this share of total demand counts as no progress. */
const MIN_GAIN = 1e-6;
/** A solver value this close below a whole number is rounded up to it. */
export const WHOLE_NOISE = 1e-6;
/** A row is tight within this many vehicles. */
const TIGHT = 1e-6;
/** With many rows, a row that has not been tight for this many rounds is removed. */
const MAX_IDLE = 5;
const MIN_DROPPED = 20;
export type Coverage = {
  /** Proved: no plan serves more, at any cost. −Infinity: no plan satisfies the bounds of vehicles per location. */
  most: number;
  /** A plan of any cost that satisfies everything but the service level, and the demand that it serves. */
  plan: { moves: Moves; served: number } | null;
};

/** State that one search keeps for the next over the same locations. */
export type Kept = {
  /** By class and locations. */
  sets: Map<string, Omit<CutSet, 'most'>>;
  /** Of the best plan, K × n. */
  serving: Int32Array | null;
};
const create = (): Kept => ({ sets: new Map(), serving: null });
const PLAIN: Slot<Kept> = { create };
const WITH_PLACE_OUTSIDE: Slot<Kept> = { create };

/** Results of searches of this problem, or of a problem changed from it. */
export function keptFor({ caches, hasPlaceOutside }: Problem): Kept {
  return keptIn(caches.problem, hasPlaceOutside ? WITH_PLACE_OUTSIDE : PLAIN);
}

/**
 * Sets found without the outside location stay valid with it: it is the last location, so theirs keep their positions.
 */
export function startWithPlaceOutside({ caches }: Problem): void {
  const { sets } = keptIn(caches.problem, WITH_PLACE_OUTSIDE);
  for (const [key, set] of keptIn(caches.problem, PLAIN).sets) sets.set(key, set);
}

/** `idle`: number of rounds in which the row has not been tight. */
type AddedRow = NewRow & { set?: CutSet; idle: number };

export type CoverageSearch = {
  problem: Problem;
  base: CoverageModel;
  reach: Reach;
  solver: SolverModel;
  /** Added to the base. */
  rows: AddedRow[];
  kept: Kept;
  total: number;
  /** Demand to which the most is found. */
  precision: number;
  known: Coverage;
  check: Check;
};

/** Rows of the sets that were tight in the last search. */
export function addKeptSets(search: CoverageSearch): void {
  const { problem, reach, kept, check } = search;
  if (reach.isComplete) return;
  const sets = [...kept.sets.values()].map(({ capacityClass, locations }) => {
    check();
    return { capacityClass, locations, most: supplyFor(problem, reach, capacityClass, locations) };
  });
  addCutSets(search, sets);
}

/**
 * @param patience rounds without progress before the search ends; further rounds only make its point feasible
 * @returns the last optimum; null if there is none
 */
export function relax(search: CoverageSearch, enough: number, patience: number): Float64Array | null {
  const { problem, base, reach, solver, known, kept, total, check } = search;
  const inner = known.plan && kept.serving ? Float64Array.from(kept.serving) : null;
  const findCutSets = createCutSetFinder(problem, reach, inner, check);
  let values: Float64Array | null = null;
  let idle = 0;
  try {
    for (;;) {
      check();
      const linear = solver.runLinear();
      if (linear.status === 'infeasible') known.most = Number.NEGATIVE_INFINITY;
      if (linear.status !== 'optimal') return null;
      values = linear.values;
      const before = known.most;
      const unmet = dualBound(withRows(base.model, search.rows), linear.rowDual) * base.demandScale;
      known.most = Math.min(known.most, total - unmet + PRECISION * total);
      idle = before - known.most < MIN_GAIN * total ? idle + 1 : 0;
      dropIdleRows(search, values);
      let added = addLocationCuts(search, values);
      if (!reach.isComplete) added += addCutSets(search, findCutSets(presenceOf(search, values)));
      const isTooLittle = enough < Number.POSITIVE_INFINITY && known.most < enough;
      if (added === 0 || isTooLittle || idle >= patience) return values;
    }
  } finally {
    if (values) keepTightSets(search, values);
  }
}

/** Vehicles of a point by k · n + j, serving or idle. */
export function presenceOf({ problem, base }: CoverageSearch, values: Float64Array): Float64Array {
  const size = problem.supply.length;
  const presence = values.slice(0, size);
  for (let at = 0; base.isBounded && at < size; at++) presence[at] += values[size + at];
  return presence;
}

/** @returns rows added */
export function addCutSets({ problem, base, solver, rows }: CoverageSearch, sets: readonly CutSet[]): number {
  const n = problem.locationIds.length;
  const size = problem.supply.length;
  const more = sets.map((set): AddedRow => {
    const indices = [...set.locations].map((j) => set.capacityClass * n + j);
    if (base.isBounded) indices.push(...indices.map((at) => size + at));
    return {
      indices: Int32Array.from(indices),
      values: new Float64Array(indices.length).fill(1),
      lower: Number.NEGATIVE_INFINITY,
      upper: set.most,
      set,
      idle: 0,
    };
  });
  if (more.length > 0) solver.addRows(more);
  rows.push(...more);
  return more.length;
}

/** Removes rows that have not been tight for some rounds: more rows make the linear programme slower. */
function dropIdleRows(search: CoverageSearch, values: Float64Array): void {
  const { rows, base, solver } = search;
  for (const row of rows) row.idle = isTight(row, values) ? 0 : row.idle + 1;
  const idle = [...rows.keys()].filter((r) => rows[r].idle >= MAX_IDLE);
  if (idle.length < MIN_DROPPED) return;
  solver.deleteRows(Int32Array.from(idle, (r) => base.model.rowCount + r));
  search.rows = rows.filter((row) => row.idle < MAX_IDLE);
}

function isTight({ indices, values, lower, upper }: NewRow, point: Float64Array): boolean {
  let activity = 0;
  for (let e = 0; e < indices.length; e++) activity += values[e] * point[indices[e]];
  return activity >= upper - TIGHT || activity <= lower + TIGHT;
}

/** Keeps the sets whose rows are tight. */
function keepTightSets({ rows, kept }: CoverageSearch, point: Float64Array): void {
  kept.sets.clear();
  for (const row of rows) {
    if (row.set && isTight(row, point))
      kept.sets.set(`${row.set.capacityClass}: ${row.set.locations}`, row.set);
  }
}

/** @returns rows added */
function addLocationCuts(search: CoverageSearch, values: Float64Array): number {
  const { problem, base, solver } = search;
  const { capacities, demand, locationIds } = problem;
  const n = locationIds.length;
  const classes = capacities.length;
  const here = new Float64Array(classes);
  const point = new Float64Array(3 * classes);
  const more: AddedRow[] = [];
  for (let j = 0; j < n; j++) {
    if (demand[j] === 0) continue;
    for (let k = 0; k < classes; k++) point[k] = values[k * n + j];
    const unmet = values[base.integerColumns + j] * base.demandScale;
    const cut = findLocationCut({ demand: demand[j], capacities, here, values: point, unmet }, capacities);
    if (!cut) continue;
    more.push({
      indices: Int32Array.from([...capacities.keys()].map((k) => k * n + j).concat(base.integerColumns + j)),
      values: Float64Array.from(
        [...cut.gains.subarray(0, classes)].map((gain) => gain / base.demandScale).concat(1),
      ),
      lower: cut.least / base.demandScale,
      upper: Number.POSITIVE_INFINITY,
      idle: 0,
    });
  }
  if (more.length > 0) solver.addRows(more);
  search.rows.push(...more);
  return more.length;
}
