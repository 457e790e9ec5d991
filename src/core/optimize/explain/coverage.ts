/**
 * How much can be served by vehicles of any classes, whatever it costs, proved from both sides (`coverage-model.ts`):
 *
 *   1. the linear relaxation with cuts of single locations (`mixed/location-cuts.ts`) until none is broken: a bound, mostly within
 *      a vehicle of the truth
 *   2. without bounds of vehicles per location, a local search (`coverage-exchanges.ts`)
 *   3. branch and cut; the vehicles of its point come by a flow (`class-reach.ts`)
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
import { type CoverageModel, createCoverageModel, movesOfFlows, withRows } from './coverage-model.ts';

/** Demand not served is found to this share of the total. */
const PRECISION = 1e-9;
/** With more moves the relaxation takes seconds, and the search for the cheapest plan, which looks at few, tells more. */
const MOST_MOVES = 60_000;
/** Rounds of cuts go on while one lowers the bound by this share of the total demand, and this many at least. */
const LEAST_GAIN = 1e-6;
const SURE_ROUNDS = 3;
/** A solver's value this close below a whole number is that number. */
const WHOLE_NOISE = 1e-6;

export type Coverage = {
  /** Proved: no plan serves more, at any cost; −Infinity: the bounds of vehicles per location allow no plan. */
  most: number;
  /** A plan, be it dear, that keeps everything but the service level, and the demand that it serves. */
  plan: { moves: Moves; served: number } | null;
};

/**
 * The plan that serves most, within the time.
 * @param problem with vehicles; its service level is not looked at, its ceiling only in that a plan above it is brought about as cheaply as can be
 * @param enough ends as soon as a plan serves so much, or is proved not to
 * @param isQuick without branching
 */
export async function findCoverage(
  problem: Problem,
  control: Stopping,
  enough = Number.POSITIVE_INFINITY,
  isQuick = false,
): Promise<Coverage> {
  const found = await cover(problem, control, (search) => {
    const values = relax(search);
    if (!values || isSettled(search, enough)) return;
    const start = search.base.isBounded ? undefined : exchange(search, values);
    if (!isQuick && !isSettled(search, enough)) branch(search, enough, start);
  });
  if (!found.plan) return found;
  const { presence, costUnits } = evaluateMoves(problem, found.plan.moves);
  if (costUnits <= problem.limits.maxCostUnits) return found;
  const cheaper = await cheapestMoves(problem, presence, control);
  return cheaper ? { ...found, plan: { ...found.plan, moves: cheaper } } : found;
}

/** What no plan serves more than, by the relaxation alone: some milliseconds. */
export async function boundCoverage(problem: Problem, control: Stopping): Promise<number> {
  return (await cover(problem, control, relax)).most;
}

/** Whether everything is in reach: then coverage is quickly found, and decides more than solving does. */
export function isInReach(problem: Problem): boolean {
  return createReach(problem, () => {}).isComplete;
}

type Search = {
  problem: Problem;
  base: CoverageModel;
  reach: Reach;
  solver: SolverModel;
  /** Added to the base. */
  rows: NewRow[];
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
    const pairs = reach.sourcesOf.reduce((sum, { length }) => sum + length, 0);
    if (!reach.isComplete && pairs * problem.capacities.length > MOST_MOVES) return known;
    const base = createCoverageModel(problem, reach);
    await withSolverModel(base.model, base.tolerance, control, (solver) =>
      operation({ problem, base, reach, solver, rows: [], total, known, check }),
    );
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

/** @returns the last optimum; null where there is none */
function relax(search: Search): Float64Array | null {
  const { base, solver, known, total, rows } = search;
  for (let round = 0; ; round++) {
    search.check();
    const linear = solver.runLinear();
    if (linear.status === 'infeasible') known.most = Number.NEGATIVE_INFINITY;
    if (linear.status !== 'optimal') return null;
    const before = known.most;
    const unmet = dualBound(withRows(base.model, rows), linear.rowDual) * base.demandScale;
    known.most = Math.min(known.most, total - unmet + PRECISION * total);
    if (round >= SURE_ROUNDS && before - known.most < LEAST_GAIN * total) return linear.values;
    if (addLocationCuts(search, linear.values) === 0) return linear.values;
  }
}

/** A point by local search from the whole part of a relaxed one. */
function exchange(search: Search, values: Float64Array): Float64Array {
  const { problem, base, reach, check } = search;
  const n = problem.locationIds.length;
  const serving = Int32Array.from(values.subarray(0, base.wholeColumns), (v) => Math.floor(v + WHOLE_NOISE));
  const flows = flowsOf(search, serving);
  exchangeVehicles(problem, serving, reach.isComplete ? null : flows, check);
  const point = new Float64Array(base.model.columnCount);
  point.set(serving);
  for (let j = 0; j < n; j++) {
    let capacity = 0;
    for (const [k, c] of problem.capacities.entries()) capacity += c * serving[k * n + j];
    point[base.wholeColumns + j] = Math.max(0, problem.demand[j] - capacity) / base.demandScale;
  }
  if (!reach.isComplete) point.set(movesOfFlows(problem, reach, flows), base.wholeColumns + n);
  considerPlan(search, point);
  return point;
}

/** By class, of as many of these vehicles as can come; what cannot is taken off them. @param serving K × n */
function flowsOf({ problem, reach, check }: Search, serving: Int32Array): ClassFlow[] {
  const n = problem.locationIds.length;
  return Array.from(problem.capacities, (_, k) => {
    const flow = createClassFlow(problem.supply.subarray(k * n, (k + 1) * n), reach);
    for (let at = k * n; at < (k + 1) * n; at++) {
      check();
      serving[at] = flow.put(at - k * n, serving[at]);
    }
    return flow;
  });
}

function branch(search: Search, enough: number, start: Float64Array | undefined): void {
  const { base, solver, known, total } = search;
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
      start,
    });
    if (mixed.status === 'infeasible') known.most = Number.NEGATIVE_INFINITY;
    if (Number.isFinite(mixed.bound)) {
      const unmet = mixed.bound - BRANCHING_NOISE * unmetOf(0);
      known.most = Math.min(known.most, total - unmet * base.demandScale);
    }
    if (mixed.values) considerPlan(search, mixed.values);
    const isEnough = known.plan !== null && known.plan.served >= enough;
    const isTooLittle = enough !== Number.POSITIVE_INFINITY && known.most < enough;
    if (mixed.status !== 'optimal' || isEnough || isTooLittle) return;
    // It ended at a point that is within the gap but does not serve enough.
    if (gap === least) return;
    gap = least;
  }
}

/** As many of a point's vehicles as can come; those that it does not have serve where they are, where they can. */
function considerPlan(search: Search, values: Float64Array): void {
  const { problem, base, reach, known } = search;
  const size = problem.supply.length;
  const wanted = Int32Array.from({ length: size }, (_, at) =>
    Math.round(values[at] + (base.isBounded ? values[size + at] : 0)),
  );
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
  if (broken.some((name) => name !== 'min_service_level')) return;
  if (known.plan === null || served > known.plan.served) known.plan = { moves: typed, served };
}

/** @returns rows added */
function addLocationCuts(search: Search, values: Float64Array): number {
  const { problem, base, solver } = search;
  const { capacities, demand, locationIds } = problem;
  const n = locationIds.length;
  const classes = capacities.length;
  const here = new Float64Array(classes);
  const point = new Float64Array(3 * classes);
  const more: NewRow[] = [];
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
    });
  }
  if (more.length > 0) solver.addRows(more);
  search.rows.push(...more);
  return more.length;
}
