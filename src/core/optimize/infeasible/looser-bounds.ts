/**
 * Bounds of vehicles per location that a request states by location: at which locations to loosen them, and to what, so
 * that a plan exists. The change in total is the smallest: an integer programme without moves (`coverage/`), whose
 * bound proves it, finds where vehicles stand; the cheapest moves to there are the plan that shows it sufficient. Of
 * the changes with this total, a second programme looks for one at few locations.
 *
 * If the plan costs more than the ceiling, small problems are solved with all moves. Otherwise any plan with looser
 * bounds names values that suffice: those it needs.
 */
import { withSolverModel } from '../highs/highs.ts';
import type { LinearModel } from '../highs/linear-model.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import { hasFloors } from '../problem/floors.ts';
import { leastAt, mostAt } from '../problem/location-bounds.ts';
import type { LocationChange, Moves, Problem } from '../problem/model.ts';
import { NO_MOVES } from '../problem/moves.ts';
import { totalDemand } from '../problem/service-level.ts';
import { countVehicles } from '../problem/variants.ts';
import { timeFor } from '../run/budget.ts';
import { checkOf, OutOfTime, type Stopping } from '../run/stopping.ts';
import { cheapestMoves } from './coverage/cheapest-moves.ts';
import { createReach, type Reach } from './coverage/class-reach.ts';
import {
  type BoundSide,
  type CoverageModel,
  createCoverageModel,
  withRows,
} from './coverage/coverage-model.ts';
import {
  addCutSets,
  addKeptSets,
  type CoverageSearch,
  keptFor,
  presenceOf,
} from './coverage/coverage-relaxation.ts';
import { createCutSetFinder, findBrokenSets } from './coverage/cut-sets.ts';
import { leastWhole, WHOLE_GAP } from './least-whole.ts';
import { loosenForOneClass } from './loosen-for-one-class.ts';
import { loosenWithinCeiling } from './loosen-within-ceiling.ts';

export type LooserBounds = {
  /** By ascending id. */
  changes: LocationChange[];
  /** Proved: bounds loosened by less in total allow no plan. */
  least: number;
};

/**
 * @param problem infeasible, with vehicles and with bounds by location on this side
 * @returns `none`: proved, no change of these bounds is sufficient; null: nothing was found in time, or only plans
 * above the ceiling
 */
export async function findLooserBounds(
  problem: Problem,
  side: BoundSide,
  control: Stopping,
): Promise<LooserBounds | 'none' | null> {
  if (countVehicles(problem) === 0) return loosenForPinned(problem, side);
  let found: Presences = { least: 0, presences: [] };
  try {
    found = await leastLoosened(problem, side, control);
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
  }
  if (found.least === Number.POSITIVE_INFINITY) return 'none';
  for (const presence of found.presences) {
    const changes = changesFor(problem, side, presence);
    const changed = withLooserBounds(problem, side, changes);
    const moves = await cheapestMoves(changed, presence, control);
    if (!moves) break;
    const { broken, costUnits } = evaluateMoves(changed, moves);
    if (broken.length === 0 && costUnits <= problem.limits.maxCostUnits)
      return { changes, least: found.least };
  }
  const within = await loosenWithinCeiling(problem, side, control);
  if (!within) return null;
  const { changes } = looserBoundsOf(problem, side, within.moves);
  const { broken, costUnits } = evaluateMoves(withLooserBounds(problem, side, changes), within.moves);
  const isPlan = broken.length === 0 && costUnits <= problem.limits.maxCostUnits;
  return isPlan ? { changes, least: Math.max(found.least, within.least) } : null;
}

/** Without vehicles that may move there is one plan. */
function loosenForPinned(problem: Problem, side: BoundSide): LooserBounds | 'none' {
  const { changes } = looserBoundsOf(problem, side, NO_MOVES);
  const { broken } = evaluateMoves(withLooserBounds(problem, side, changes), NO_MOVES);
  return broken.length > 0 ? 'none' : { changes, least: totalChange(changes) };
}

/** The changes that a plan of the problem with looser bounds needs. */
export function looserBoundsOf(problem: Problem, side: BoundSide, moves: Moves): LooserBounds {
  return { changes: changesFor(problem, side, evaluateMoves(problem, moves).presence), least: 1 };
}

/** The problem with other bounds at some locations. */
export function withLooserBounds(
  problem: Problem,
  side: BoundSide,
  changes: readonly LocationChange[],
): Problem {
  const bounds = { ...problem.bounds!, [side]: problem.bounds![side].slice() };
  for (const { location_id, to } of changes) bounds[side][problem.locationIds.indexOf(location_id)] = to;
  return { ...problem, bounds };
}

/** How much bounds change in total. */
export function totalChange(changes: readonly LocationChange[]): number {
  return changes.reduce((sum, { from, to }) => sum + Math.abs(to - from), 0);
}

/** @param presence K × n, after the moves */
function changesFor(problem: Problem, side: BoundSide, presence: ArrayLike<number>): LocationChange[] {
  const n = problem.locationIds.length;
  const pinned = problem.pinned?.vehicles;
  const changes: LocationChange[] = [];
  const stated = problem.bounds![side];
  for (let j = 0; j < stated.length; j++) {
    let present = 0;
    for (let at = j; at < presence.length; at += n) present += presence[at];
    const isBroken = side === 'least' ? present < leastAt(problem, j) : present > mostAt(problem, j);
    if (!isBroken) continue;
    const to = Math.round(present) + (pinned?.[j] ?? 0);
    changes.push({ location_id: problem.locationIds[j], from: stated[j], to });
  }
  return changes;
}

/** Where vehicles are with the smallest change in total, the better ones first; `least` Infinity: there is none. */
type Presences = { least: number; presences: Int32Array[] };

/** @throws OutOfTime */
async function leastLoosened(problem: Problem, side: BoundSide, control: Stopping): Promise<Presences> {
  const check = checkOf(control);
  problem.greatCircle?.buildCosts(check);
  problem.greatCircle?.buildDistances(check);
  const reach = createReach(problem, check);
  if (isOneFreeClass(problem, reach)) {
    const presence = loosenForOneClass(problem, side);
    return presence
      ? { least: changeOf(problem, side, presence), presences: [presence] }
      : { least: Number.POSITIVE_INFINITY, presences: [] };
  }
  const base = createCoverageModel(problem, reach, side);
  const total = totalDemand(problem.demand);
  const shared = { problem, reach, kept: keptFor(problem), total, precision: 0, check };
  const known = { most: total, plan: null };
  const first = await withSolverModel(
    problem.caches.thread,
    base.model,
    base.tolerance,
    control,
    (solver) => {
      const search = { ...shared, base, solver, rows: [], known };
      addKeptSets(search);
      if (!reach.isComplete) cutOff(search);
      return { ...branch(search), rows: search.rows as CoverageSearch['rows'] };
    },
  );
  if (!first.presence) return { least: first.least, presences: [] };
  const change = changeOf(problem, side, first.presence);
  const few = createFewLocations(problem, { ...base, model: withRows(base.model, first.rows) }, change);
  const second = await withSolverModel(
    problem.caches.thread,
    few.model,
    few.tolerance,
    timeFor('fewLocations', control),
    (solver) => branch({ ...shared, base: few, solver, rows: [], known }, base.model.columnCount),
  ).catch(orNothing);
  const presences = second?.presence ? [second.presence, first.presence] : [first.presence];
  return { least: Math.max(1, first.least), presences };
}

/** Whether `loosenForOneClass` applies. */
function isOneFreeClass(problem: Problem, { sourcesOf }: Reach): boolean {
  const { capacities, limits, supply, pinnedPlaces, hasPlaceOutside } = problem;
  const sources = supply.reduce((count, vehicles) => count + (vehicles > 0 ? 1 : 0), 0);
  return (
    capacities.length === 1 &&
    limits.totalFleetSize === Number.POSITIVE_INFINITY &&
    !(pinnedPlaces || hasPlaceOutside || hasFloors(problem)) &&
    sourcesOf.every((list) => list.length === sources)
  );
}

function orNothing(error: unknown): null {
  if (error instanceof OutOfTime) return null;
  throw error;
}

/** Rows that cut off the optimum of the relaxation because its vehicles cannot all come. */
function cutOff(search: CoverageSearch): void {
  const findCutSets = createCutSetFinder(search.problem, search.reach, null, search.check);
  for (;;) {
    search.check();
    const linear = search.solver.runLinear();
    if (linear.status !== 'optimal') return;
    if (addCutSets(search, findCutSets(presenceOf(search, linear.values))) === 0) return;
  }
}

/**
 * The optimum in whole vehicles, which all can come; presence null if none was found.
 * @param moreIntegersFrom further integer columns
 */
function branch(
  search: CoverageSearch,
  moreIntegersFrom?: number,
): { presence: Int32Array | null; least: number } {
  const { problem, reach, base, solver, check } = search;
  for (let least = 0; ; ) {
    check();
    const mixed = solver.runMixed({
      integerFrom: 0,
      integerTo: base.integerColumns,
      moreIntegersFrom,
      gap: 0,
      absoluteGap: WHOLE_GAP,
    });
    if (mixed.status === 'infeasible') return { presence: null, least: Number.POSITIVE_INFINITY };
    least = Math.max(least, leastWhole(mixed.bound));
    if (!mixed.values) return { presence: null, least };
    const presence = Int32Array.from(presenceOf(search, mixed.values), Math.round);
    if (reach.isComplete) return { presence, least };
    const { sets } = findBrokenSets(problem, reach, Float64Array.from(presence), check);
    if (addCutSets(search, sets) === 0) return { presence, least };
    if (mixed.status !== 'optimal') return { presence: null, least };
  }
}

/** How much bounds change in total for these vehicles. */
function changeOf(problem: Problem, side: BoundSide, presence: Int32Array): number {
  return totalChange(changesFor(problem, side, presence));
}

/**
 * The model with a column per location, 1 if its bound changes, whose sum is minimised while the total change stays.
 * @param base of `createCoverageModel`: its last columns are the changes
 */
function createFewLocations(problem: Problem, base: CoverageModel, change: number): CoverageModel {
  const n = problem.locationIds.length;
  const { columnCount, upper } = base.model;
  const first = columnCount - n;
  const all = {
    indices: Int32Array.from({ length: n }, (_, j) => first + j),
    values: new Float64Array(n).fill(1),
  };
  const isChanged = Array.from({ length: n }, (_, j) => ({
    indices: Int32Array.of(first + j, columnCount + j),
    values: Float64Array.of(1, -Math.min(change, upper[first + j])),
    lower: Number.NEGATIVE_INFINITY,
    upper: 0,
  }));
  const longer = (values: Float64Array, rest: number) =>
    Float64Array.from({ length: columnCount + n }, (_, c) => values[c] ?? rest);
  const wider: LinearModel = {
    ...base.model,
    columnCount: columnCount + n,
    cost: longer(new Float64Array(columnCount), 1),
    lower: longer(base.model.lower, 0),
    upper: longer(upper, 1),
  };
  const rows = [{ ...all, lower: Number.NEGATIVE_INFINITY, upper: change }, ...isChanged];
  return { ...base, model: withRows(wider, rows) };
}
