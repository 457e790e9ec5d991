/**
 * How much can be served by vehicles of any classes, whatever it costs, proved from both sides (`coverage-model.ts`):
 *
 *   1. the linear relaxation with cuts of single locations (`mixed/location-cuts.ts`) and of what can come to sets of locations
 *      (`cut-sets.ts`) until none is broken: a bound, mostly within a vehicle of the truth and often the truth
 *   2. without bounds of vehicles per location, a local search (`coverage-exchanges.ts`)
 *   3. branch and cut; a point whose vehicles cannot all come has rows added that cut it off, and the tree is searched again
 *
 * The sets that the last relaxation over the same locations could not do without, and the best plan, are where the next one begins: an
 * explanation asks about one problem with one limit after the other.
 */
import { dualBound } from '../bound.ts';
import { evaluateMoves } from '../evaluate.ts';
import { type SolverModel, withSolverModel } from '../highs.ts';
import { BRANCHING_NOISE } from '../incumbent.ts';
import { findLocationCut } from '../mixed/location-cuts.ts';
import type { Moves, Problem } from '../model.ts';
import { totalDemand } from '../service-level.ts';
import type { NewRow } from '../solver-model.ts';
import { type Check, checkOf, OutOfTime, type Stopping } from '../stopping.ts';
import { cheapestMoves } from './cheapest-moves.ts';
import { type ClassFlow, createClassFlow, createReach, type Reach } from './class-reach.ts';
import { exchangeVehicles } from './coverage-exchanges.ts';
import { type CoverageModel, createCoverageModel, withRows } from './coverage-model.ts';
import { type CutSet, createCutSetFinder, findCutSets as findBroken, supplyFor } from './cut-sets.ts';

/** Demand not served is found to this share of the total. */
const PRECISION = 1e-9;
/** Rounds go on until so many have lowered the bound by less than this share of the total demand; with everything in reach, and else. */
const LEAST_GAIN = 1e-6;
const COMPLETE_PATIENCE = 2;
const PATIENCE = { first: 10, all: 100 };
/** A solver's value this close below a whole number is that number. */
const WHOLE_NOISE = 1e-6;
/** A row is tight within this many vehicles. */
const TIGHT = 1e-6;
/** Rounds after which a row that was not tight in any is taken away, where there are so many of them. */
const MOST_IDLE = 5;
const LEAST_DROPPED = 20;
/** Exchanges looked at by location and class in the first round of the local search; each round looks at twice as many as the one before. */
const PROPOSALS = 100;
/** Rounds before the relaxation goes on, and in all. */
const FIRST_ROUNDS = 3;
const MOST_ROUNDS = 6;

export type Coverage = {
  /** Proved: no plan serves more, at any cost; −Infinity: the bounds of vehicles per location allow no plan. */
  most: number;
  /** A plan, be it dear, that keeps everything but the service level, and the demand that it serves. */
  plan: { moves: Moves; served: number } | null;
};

/** What is asked: the first plans and, with bounds per location, the relaxation; these and the relaxation; or all that there is. */
export type Effort = 'glance' | 'quick' | 'full';

/**
 * The plan that serves most, within the time.
 * @param problem with vehicles; its service level is not looked at, its ceiling only in that a plan above it is brought about as cheaply as can be
 * @param enough ends as soon as a plan serves so much, or is proved not to
 */
export async function findCoverage(
  problem: Problem,
  control: Stopping,
  enough = Number.POSITIVE_INFINITY,
  effort: Effort = 'full',
): Promise<Coverage> {
  const found = await cover(problem, control, (search) => {
    const isSearched = !search.base.isBounded;
    // A plan mostly shows sooner that so much can be served than the relaxation does not rule it out; and it leads the relaxation.
    if (isSearched) exchange(search, staying(problem), enough, 0, 1);
    if (isSettled(search, enough) || (isSearched && effort === 'glance')) return;
    const improve = (patience: number, from: number, to: number): boolean => {
      const values = relax(search, enough, patience);
      if (!values || isSettled(search, enough)) return false;
      if (isSearched) exchange(search, wholePart(search, values), enough, from, to);
      return !isSettled(search, enough);
    };
    const isOpen = effort === 'quick' || enough === Number.POSITIVE_INFINITY;
    if (isOpen && (!improve(PATIENCE.first, 0, FIRST_ROUNDS) || effort === 'quick')) return;
    if (improve(PATIENCE.all, isOpen ? FIRST_ROUNDS : 0, MOST_ROUNDS)) branch(search, enough);
  });
  if (!found.plan) return found;
  const { presence, costUnits } = evaluateMoves(problem, found.plan.moves);
  if (costUnits <= problem.limits.maxCostUnits) return found;
  const cheaper = await cheapestMoves(problem, presence, control);
  return cheaper ? { ...found, plan: { ...found.plan, moves: cheaper } } : found;
}

/** What no plan serves more than, by the relaxation alone. */
export async function boundCoverage(problem: Problem, control: Stopping): Promise<number> {
  return (await cover(problem, control, (search) => relax(search, Number.POSITIVE_INFINITY, PATIENCE.all)))
    .most;
}

/** What is kept of one search for the next over the same locations. */
type Kept = {
  /** By class and locations. */
  sets: Map<string, Omit<CutSet, 'most'>>;
  serving: Int32Array | null;
};
const keptOf = new WeakMap<Int32Array, Kept>();

/** What the searches over some locations have found out is kept for others, too, of which they are the first. */
export function startFrom(locationIds: Int32Array, longer: Int32Array): void {
  const kept = keptOf.get(longer) ?? { sets: new Map(), serving: null };
  keptOf.set(longer, kept);
  for (const [key, set] of keptOf.get(locationIds)?.sets ?? []) kept.sets.set(key, set);
}

/** `idle`: rounds in which it has not been tight. */
type AddedRow = NewRow & { set?: CutSet; idle: number };

type Search = {
  problem: Problem;
  base: CoverageModel;
  reach: Reach;
  solver: SolverModel;
  /** Added to the base. */
  rows: AddedRow[];
  kept: Kept;
  total: number;
  known: Coverage;
  check: Check;
};

async function cover(
  problem: Problem,
  control: Stopping,
  operation: (search: Search) => unknown,
): Promise<Coverage> {
  const total = totalDemand(problem.demand);
  const known: Coverage = { most: total, plan: null };
  try {
    const check = checkOf(control);
    problem.greatCircle?.buildCosts(check);
    problem.greatCircle?.buildDistances(check);
    const reach = createReach(problem, check);
    const base = createCoverageModel(problem, reach);
    const kept = keptOf.get(problem.locationIds) ?? { sets: new Map(), serving: null };
    keptOf.set(problem.locationIds, kept);
    await withSolverModel(base.model, base.tolerance, control, (solver) => {
      const search = { problem, base, reach, solver, rows: [], kept, total, known, check };
      addKeptSets(search);
      return operation(search);
    });
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
  }
  return known;
}

/** Whether a plan is enough, or as much as is proved to be the most, or none can be. */
function isSettled({ known, total }: Search, enough: number): boolean {
  const { most, plan } = known;
  if (most === Number.NEGATIVE_INFINITY || (plan && plan.served >= enough)) return true;
  return enough === Number.POSITIVE_INFINITY
    ? plan !== null && plan.served >= most - 3 * PRECISION * total
    : most < enough;
}

/** Rows of the sets that were tight the last time. */
function addKeptSets(search: Search): void {
  const { problem, reach, kept, check } = search;
  if (reach.isComplete) return;
  const sets = [...kept.sets.values()].map(({ capacityClass, locations }) => {
    check();
    return { capacityClass, locations, most: supplyFor(problem, reach, capacityClass, locations) };
  });
  addCutSets(search, sets);
}

/**
 * @param patience rounds that lower the bound by next to nothing, after which it ends; more than this only make its point one that can come
 * @returns the last optimum; null where there is none
 */
function relax(search: Search, enough: number, patience: number): Float64Array | null {
  const { problem, base, reach, solver, known, kept, total, check } = search;
  const inner = known.plan && kept.serving && !base.isBounded ? Float64Array.from(kept.serving) : null;
  const findCutSets = createCutSetFinder(problem, reach, inner, check);
  let values: Float64Array | null = null;
  let idle = 0;
  try {
    for (;;) {
      search.check();
      const linear = solver.runLinear();
      if (linear.status === 'infeasible') known.most = Number.NEGATIVE_INFINITY;
      if (linear.status !== 'optimal') return null;
      values = linear.values;
      const before = known.most;
      const unmet = dualBound(withRows(base.model, search.rows), linear.rowDual) * base.demandScale;
      known.most = Math.min(known.most, total - unmet + PRECISION * total);
      idle = before - known.most < LEAST_GAIN * total ? idle + 1 : 0;
      dropIdleRows(search, values);
      let added = addLocationCuts(search, values);
      if (!reach.isComplete) added += addCutSets(search, findCutSets(presenceOf(search, values)));
      const isTooLittle = enough < Number.POSITIVE_INFINITY && known.most < enough;
      if (added === 0 || isTooLittle || idle >= (reach.isComplete ? COMPLETE_PATIENCE : patience))
        return values;
    }
  } finally {
    if (values) keepTightSets(search, values);
  }
}

/** Vehicles of a point by k · n + j, whether they serve or not. */
function presenceOf({ problem, base }: Search, values: Float64Array): Float64Array {
  const size = problem.supply.length;
  const presence = values.slice(0, size);
  for (let at = 0; base.isBounded && at < size; at++) presence[at] += values[size + at];
  return presence;
}

/** @returns rows added */
function addCutSets({ problem, base, solver, rows }: Search, sets: readonly CutSet[]): number {
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

/** Takes away the rows that have not been tight for some rounds: the linear programme takes the longer the more there are. */
function dropIdleRows(search: Search, values: Float64Array): void {
  const { rows, base, solver } = search;
  for (const row of rows) row.idle = isTight(row, values) ? 0 : row.idle + 1;
  const idle = [...rows.keys()].filter((r) => rows[r].idle >= MOST_IDLE);
  if (idle.length < LEAST_DROPPED) return;
  solver.deleteRows(Int32Array.from(idle, (r) => base.model.rowCount + r));
  search.rows = rows.filter((row) => row.idle < MOST_IDLE);
}

function isTight({ indices, values, lower, upper }: NewRow, point: Float64Array): boolean {
  let activity = 0;
  for (let e = 0; e < indices.length; e++) activity += values[e] * point[indices[e]];
  return activity >= upper - TIGHT || activity <= lower + TIGHT;
}

/** Keeps the sets whose rows are tight. */
function keepTightSets({ rows, kept }: Search, point: Float64Array): void {
  kept.sets.clear();
  for (const row of rows) {
    if (row.set && isTight(row, point))
      kept.sets.set(`${row.set.capacityClass}: ${row.set.locations}`, row.set);
  }
}

/** All vehicles where they stand and there is demand; none where not all may serve. */
function staying({ supply, demand, limits }: Problem): Int32Array {
  if (countOf(supply) > limits.totalFleetSize) return new Int32Array(supply.length);
  return supply.map((count, at) => (demand[at % demand.length] > 0 ? count : 0));
}

/** The vehicles that are whole at a point. */
function wholePart({ problem }: Search, values: Float64Array): Int32Array {
  return Int32Array.from(values.subarray(0, problem.supply.length), (v) => Math.floor(v + WHOLE_NOISE));
}

/**
 * Plans by local search from the better of `start` and the last plan over these locations.
 * @param start K × n vehicles that serve, as many as may
 * @param from rounds, the later the longer, up to, not including, `to`
 */
function exchange(search: Search, start: Int32Array, enough: number, from: number, to: number): void {
  const { problem, reach, kept, check } = search;
  const size = problem.supply.length;
  let serving = start;
  const last = kept.serving;
  const served = considerPlan(search, serving);
  if (last?.length === size && countOf(last) <= problem.limits.totalFleetSize) {
    if (considerPlan(search, last) > served) serving = last.slice();
  }
  for (let round = from; round < to && !isSettled(search, enough); round++) {
    const flows = flowsOf(search, serving);
    try {
      exchangeVehicles(
        problem,
        reach,
        {
          serving,
          flows: reach.isComplete ? null : flows,
          proposals: PROPOSALS * size * 2 ** round,
          enough: Math.min(enough, search.known.most - PRECISION * search.total),
          seed: round,
        },
        check,
      );
    } finally {
      considerPlan(search, serving);
    }
  }
}

function countOf(vehicles: Int32Array): number {
  return vehicles.reduce((sum, count) => sum + count, 0);
}

/** By class, of as many of these vehicles as can come; what cannot is taken off them. @param serving K × n */
function flowsOf({ problem, reach }: Search, serving: Int32Array): ClassFlow[] {
  const n = problem.locationIds.length;
  return Array.from(problem.capacities, (_, k) => {
    const flow = createClassFlow(problem.supply.subarray(k * n, (k + 1) * n), reach);
    for (let at = k * n; at < (k + 1) * n; at++) {
      serving[at] = flow.put(at - k * n, serving[at]);
    }
    return flow;
  });
}

function branch(search: Search, enough: number): void {
  const { problem, base, reach, solver, known, total } = search;
  const unmetOf = (served: number) => (total - served) / base.demandScale;
  const least = PRECISION * unmetOf(0);
  // While the bound has not risen, a point within this of it serves enough.
  const mostGap = enough === Number.POSITIVE_INFINITY ? 0 : unmetOf(enough) - unmetOf(known.most);
  for (let gap = Math.max(least, mostGap); ; ) {
    search.check();
    const mixed = solver.runMixed({
      integerFrom: 0,
      integerTo: base.wholeColumns,
      gap: 0,
      absoluteGap: gap,
      start: startOf(search),
    });
    if (mixed.status === 'infeasible') known.most = Number.NEGATIVE_INFINITY;
    if (Number.isFinite(mixed.bound)) {
      const unmet = mixed.bound - BRANCHING_NOISE * unmetOf(0);
      known.most = Math.min(known.most, total - unmet * base.demandScale);
    }
    let isReached = true;
    if (mixed.values) {
      const presence = presenceOf(search, mixed.values);
      if (!reach.isComplete)
        isReached = addCutSets(search, findBroken(problem, reach, presence, search.check).sets) === 0;
      considerPlan(search, Int32Array.from(presence, Math.round));
      if (!isReached && !base.isBounded) exchange(search, wholePart(search, mixed.values), enough, 0, 1);
    }
    if (mixed.status !== 'optimal' || isSettled(search, enough)) return;
    if (!isReached) continue;
    // It ended at a point that is within the gap but does not serve enough.
    if (gap === least) return;
    gap = least;
  }
}

/** The best plan as a point. */
function startOf({ problem, base, known, kept }: Search): Float64Array | undefined {
  if (base.isBounded || !known.plan || !kept.serving) return undefined;
  const n = problem.locationIds.length;
  const point = new Float64Array(base.model.columnCount);
  const capacity = new Float64Array(n);
  for (const [at, count] of kept.serving.entries()) {
    point[at] = Math.min(count, base.model.upper[at]);
    capacity[at % n] += point[at] * problem.capacities[Math.floor(at / n)];
  }
  for (let j = 0; j < n; j++) {
    point[base.wholeColumns + j] = Math.max(0, problem.demand[j] - capacity[j]) / base.demandScale;
  }
  return point;
}

/**
 * The plan by which as many of these vehicles as can come do; others serve where they are, where they can.
 * @param wanted K × n; what cannot come is taken off
 * @returns what it serves; −Infinity where it breaks the bounds per location
 */
function considerPlan(search: Search, wanted: Int32Array): number {
  const { problem, reach, known, kept } = search;
  const moves = {
    capacityClass: [] as number[],
    source: [] as number[],
    target: [] as number[],
    count: [] as number[],
  };
  for (const [k, { coming }] of flowsOf(search, wanted).entries()) {
    for (const [j, counts] of coming.entries()) {
      for (const [at, count] of counts.entries()) {
        if (count === 0 || reach.sourcesOf[j][at] === j) continue;
        moves.capacityClass.push(k);
        moves.source.push(reach.sourcesOf[j][at]);
        moves.target.push(j);
        moves.count.push(count);
      }
    }
  }
  const typed = {
    capacityClass: Int32Array.from(moves.capacityClass),
    source: Int32Array.from(moves.source),
    target: Int32Array.from(moves.target),
    count: Int32Array.from(moves.count),
  };
  const { served, broken } = evaluateMoves(problem, typed);
  if (broken.some((name) => name !== 'min_service_level')) return Number.NEGATIVE_INFINITY;
  if (known.plan === null || served > known.plan.served) {
    known.plan = { moves: typed, served };
    kept.serving = wanted.slice();
  }
  return served;
}

/** @returns rows added */
function addLocationCuts(search: Search, values: Float64Array): number {
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
    const unmet = values[base.wholeColumns + j] * base.demandScale;
    const cut = findLocationCut({ demand: demand[j], capacities, here, values: point, unmet }, capacities);
    if (!cut) continue;
    more.push({
      indices: Int32Array.from([...capacities.keys()].map((k) => k * n + j).concat(base.wholeColumns + j)),
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
