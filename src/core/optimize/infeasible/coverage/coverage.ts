/**
 * The most demand that vehicles of any classes can serve at any cost, bounded from both sides (`coverage-model.ts`):
 *
 *   1. a first plan: local search (`coverage-annealing.ts`) from the last plan; with bounds per location from the
 *      nearest vehicles (`nearest-within-bounds.ts`)
 *   2. the linear relaxation with cuts (`coverage-relaxation.ts`): a bound, usually within one vehicle of the optimum;
 *      and better plans by local search (`coverage-exchanges.ts`, `coverage-annealing.ts`)
 *   3. branch and cut; a point whose vehicles cannot all come is cut off by rows, and the tree is searched again
 */

import { withSolverModel } from '../../highs/highs.ts';
import { evaluateMoves } from '../../problem/evaluate.ts';
import { BRANCHING_NOISE } from '../../problem/incumbent.ts';
import type { Moves, Problem } from '../../problem/model.ts';
import { movesOn, NO_MOVES } from '../../problem/moves.ts';
import { planMostWithinBounds } from '../../problem/nearest-within-bounds.ts';
import { totalDemand } from '../../problem/service-level.ts';
import { msOf } from '../../run/budget.ts';
import { nowMs } from '../../run/clock.ts';
import { type Check, checkOf, OutOfTime, type Stopping } from '../../run/stopping.ts';
import { cheapestMoves } from './cheapest-moves.ts';
import { createReach, createReachFlow, type ReachFlow } from './class-reach.ts';
import { anneal } from './coverage-annealing.ts';
import { exchangeVehicles } from './coverage-exchanges.ts';
import { createCoverageModel } from './coverage-model.ts';
import {
  addCutSets,
  addKeptSets,
  type Coverage,
  type CoverageSearch,
  keptFor,
  PRECISION,
  presenceOf,
  relax,
  WHOLE_NOISE,
} from './coverage-relaxation.ts';
import { findBrokenSets } from './cut-sets.ts';

/**
 * Relaxation rounds without progress: with full reach; otherwise before the local search takes over, and at the end.
 */
const PATIENCE = { complete: 2, first: 10, all: 100 };
/** Exchanges per location and class in the first round of the local search; each round doubles them. */
const PROPOSALS = 100;
/** Rounds before the relaxation continues, and in total. */
const FIRST_ROUNDS = 3;
const MAX_ROUNDS = 6;

/**
 * Depth of the answer: first plans (and the relaxation with bounds per location); also the relaxation and the local
 * search; or everything.
 */
export type CoverageEffort = 'glance' | 'quick' | 'full';

/**
 * The plan that serves most, within the time.
 * @param problem with vehicles; its service level is ignored, and its ceiling only makes a plan above it use the
 * cheapest moves
 * @param enough stops as soon as a plan serves this much, or it is proved that none does
 * @param tolerance demand within which the most counts as found; at least a billionth of all demand
 * @param start moves of a plan; used with bounds per location
 */
export async function findCoverage(
  problem: Problem,
  control: Stopping,
  enough = Number.POSITIVE_INFINITY,
  effort: CoverageEffort = 'full',
  tolerance = 0,
  start?: Moves,
): Promise<Coverage> {
  const found = await cover(problem, control, tolerance, (search) => {
    const { isBounded } = search.base;
    const isSearched = !isBounded;
    const draft = isBounded ? draftWithinBounds(search, start) : null;
    if (isBounded && isSettled(search, enough)) return;
    if (search.reach.isComplete) {
      const values = relax(search, enough, PATIENCE.complete);
      if (!values || isSettled(search, enough)) return;
      if (isSearched) exchange(search, values);
      else if (draft && effort !== 'glance') improve(search, draft, enough, 0, FIRST_ROUNDS);
      if (effort === 'full' && !isSettled(search, enough)) branch(search, enough);
      return;
    }
    // A plan usually proves sufficiency sooner than the relaxation fails to refute it; it also guides the relaxation.
    if (isSearched) improve(search, staying(problem), enough, 0, 1);
    if (isSettled(search, enough) || (isSearched && effort === 'glance')) return;
    const relaxAndImprove = (patience: number, from: number, to: number): void => {
      const values = relax(search, enough, patience);
      if (!values || isSettled(search, enough)) return;
      if (isSearched) improve(search, wholePart(search, values), enough, from, to);
      else if (draft && effort !== 'glance') improve(search, draft, enough, from, to);
    };
    const isOpen = effort === 'quick' || enough === Number.POSITIVE_INFINITY;
    if (isOpen) relaxAndImprove(PATIENCE.first, 0, FIRST_ROUNDS);
    if (isSettled(search, enough) || effort === 'quick') return;
    relaxAndImprove(PATIENCE.all, isOpen ? FIRST_ROUNDS : 0, MAX_ROUNDS);
    if (effort === 'full' && !isSettled(search, enough)) branch(search, enough);
  });
  if (!found.plan) return found;
  const { presence, costUnits } = evaluateMoves(problem, found.plan.moves);
  if (costUnits <= problem.limits.maxCostUnits) return found;
  const cheaper = await cheapestMoves(problem, presence, control);
  return cheaper ? { ...found, plan: { ...found.plan, moves: cheaper } } : found;
}

async function cover(
  problem: Problem,
  control: Stopping,
  tolerance: number,
  operation: (search: CoverageSearch) => unknown,
): Promise<Coverage> {
  const total = totalDemand(problem.demand);
  const precision = Math.max(PRECISION * total, tolerance);
  const known: Coverage = { most: total, plan: null };
  try {
    const check = checkOf(control);
    problem.greatCircle?.buildCosts(check);
    problem.greatCircle?.buildDistances(check);
    const reach = createReach(problem, check);
    const base = createCoverageModel(problem, reach);
    const kept = keptFor(problem);
    await withSolverModel(problem.caches.thread, base.model, base.tolerance, control, (solver) => {
      const search = { problem, base, reach, solver, rows: [], kept, total, precision, known, check };
      addKeptSets(search);
      return operation(search);
    });
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
  }
  return known;
}

/** Whether the best plan is sufficient or proved optimal, or no plan exists. */
function isSettled({ known, precision }: CoverageSearch, enough: number): boolean {
  const { most, plan } = known;
  if (most === Number.NEGATIVE_INFINITY || (plan && plan.served >= enough)) return true;
  return enough === Number.POSITIVE_INFINITY
    ? plan !== null && plan.served >= most - 3 * precision
    : most < enough;
}

/** All vehicles at their current locations that have demand; none if not all may serve. */
function staying({ supply, demand, limits }: Problem): Int32Array {
  if (countOf(supply) > limits.totalFleetSize) return new Int32Array(supply.length);
  return supply.map((count, at) => (demand[at % demand.length] > 0 ? count : 0));
}

/** A plan by local search from the integral part of a relaxed point, with full reach. */
function exchange(search: CoverageSearch, values: Float64Array): void {
  const serving = wholePart(search, values);
  exchangeVehicles(search.problem, serving, search.check);
  considerPlan(search, serving);
}

/** The integral part of a point, in vehicles. */
function wholePart({ problem }: CoverageSearch, values: Float64Array): Int32Array {
  return Int32Array.from(values.subarray(0, problem.supply.length), (v) => Math.floor(v + WHOLE_NOISE));
}

/**
 * Plans by local search from the better of `start` and the last plan over these locations.
 * @param start K × n vehicles that serve, as many as possible
 * @param from first round; later rounds take longer; `to` is excluded
 */
function improve(search: CoverageSearch, start: Int32Array, enough: number, from: number, to: number): void {
  const { problem, reach, kept, check } = search;
  const size = problem.supply.length;
  let serving = start;
  const last = kept.serving;
  const served = considerPlan(search, serving);
  if (last?.length === size && countOf(last) <= problem.limits.totalFleetSize) {
    if (considerPlan(search, last) > served) serving = last.slice();
  }
  for (let round = from; round < to && !isSettled(search, enough); round++) {
    const flows = flowsOf(search, serving, check);
    try {
      anneal(
        problem,
        reach,
        {
          serving,
          flows,
          proposals: PROPOSALS * size * 2 ** round,
          enough: Math.min(enough, search.known.most - search.precision),
          seed: round,
        },
        check,
      );
    } catch (error) {
      // When time runs out, the best state found is still a plan.
      if (error instanceof OutOfTime) {
        considerPlan(search, serving, checkOf({ deadlineMs: nowMs() + msOf('lateCoverage') }));
      }
      throw error;
    }
    considerPlan(search, serving);
  }
}

/**
 * First plans within bounds per location, where all vehicles count as serving: every one is somewhere.
 * @param start the moves of a plan
 * @returns K × n vehicles within the bounds, to search from: of the best plan, else of one that breaks floors; null
 *   without one, or if not all vehicles may serve
 */
function draftWithinBounds(search: CoverageSearch, start?: Moves): Int32Array | null {
  const { problem, known, kept, check } = search;
  const isTooLate = () => {
    check();
    return false;
  };
  const last = kept.serving;
  if (last?.length === problem.supply.length) considerPlan(search, last);
  let draft: Int32Array | null = null;
  for (const from of start ? [start, NO_MOVES] : [NO_MOVES]) {
    const moves = planMostWithinBounds(problem, isTooLate, from);
    if (!moves) continue;
    const { presence, served, broken } = evaluateMoves(problem, moves);
    const isPlan = broken.every((name) => name === 'min_service_level');
    if (isPlan || broken.every((name) => name === 'min_service_level' || name === 'priorities'))
      draft ??= presence;
    if (!isPlan || (known.plan && known.plan.served >= served)) continue;
    known.plan = { moves, served };
    kept.serving = presence;
  }
  if (problem.limits.totalFleetSize < countOf(problem.supply)) return null;
  return known.plan && kept.serving ? kept.serving.slice() : draft;
}

function countOf(vehicles: Int32Array): number {
  return vehicles.reduce((sum, count) => sum + count, 0);
}

/** Flows by class, of as many of these vehicles as can come; the others are removed. @param serving K × n */
function flowsOf({ problem, reach }: CoverageSearch, serving: Int32Array, check: Check): ReachFlow[] {
  const n = problem.locationIds.length;
  return Array.from(problem.capacities, (_, k) => {
    const flow = createReachFlow(problem.supply.subarray(k * n, (k + 1) * n), reach);
    for (let at = k * n; at < (k + 1) * n; at++) {
      check();
      serving[at] = flow.put(at - k * n, serving[at]);
    }
    return flow;
  });
}

function branch(search: CoverageSearch, enough: number): void {
  const { problem, base, reach, solver, known, total, precision } = search;
  const unmetOf = (served: number) => (total - served) / base.demandScale;
  const least = precision / base.demandScale;
  // Until the bound rises, a point within this of it serves enough.
  const mostGap = enough === Number.POSITIVE_INFINITY ? 0 : unmetOf(enough) - unmetOf(known.most);
  for (let gap = Math.max(least, mostGap); ; ) {
    search.check();
    const mixed = solver.runMixed({
      integerFrom: 0,
      integerTo: base.integerColumns,
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
        isReached = addCutSets(search, findBrokenSets(problem, reach, presence, search.check).sets) === 0;
      considerPlan(search, Int32Array.from(presence, Math.round));
      if (!isReached && !base.isBounded) improve(search, wholePart(search, mixed.values), enough, 0, 1);
    }
    if (mixed.status !== 'optimal' || isSettled(search, enough)) return;
    if (!isReached) continue;
    // The search ended at a point that is within the gap but does not serve enough.
    if (gap === least) return;
    gap = least;
  }
}

/** The best plan as a point. */
function startOf({ problem, base, known, kept }: CoverageSearch): Float64Array | undefined {
  if (base.isBounded || !known.plan || !kept.serving) return undefined;
  const n = problem.locationIds.length;
  const point = new Float64Array(base.model.columnCount);
  const capacity = new Float64Array(n);
  for (const [at, count] of kept.serving.entries()) {
    point[at] = Math.min(count, base.model.upper[at]);
    capacity[at % n] += point[at] * problem.capacities[Math.floor(at / n)];
  }
  for (let j = 0; j < n; j++) {
    point[base.integerColumns + j] = Math.max(0, problem.demand[j] - capacity[j]) / base.demandScale;
  }
  return point;
}

/**
 * The plan in which as many of the wanted vehicles as possible come; others serve at their own locations if they can.
 * @param wanted K × n; vehicles that cannot come are removed
 * @returns the demand served; −Infinity if the plan violates the bounds per location or a floor
 */
function considerPlan(search: CoverageSearch, wanted: Int32Array, check = search.check): number {
  const { problem, reach, known, kept } = search;
  const used = { capacityClass: [] as number[], source: [] as number[], target: [] as number[] };
  const vehicles: number[] = [];
  for (const [k, { coming }] of flowsOf(search, wanted, check).entries()) {
    for (const [j, counts] of coming.entries()) {
      for (const [at, count] of counts.entries()) {
        if (count === 0 || reach.sourcesOf[j][at] === j) continue;
        used.capacityClass.push(k);
        used.source.push(reach.sourcesOf[j][at]);
        used.target.push(j);
        vehicles.push(count);
      }
    }
  }
  const moves = movesOn([...vehicles.keys()], used, (m) => vehicles[m]);
  const { served, broken } = evaluateMoves(problem, moves);
  if (broken.some((name) => name !== 'min_service_level')) return Number.NEGATIVE_INFINITY;
  if (known.plan === null || served > known.plan.served) {
    known.plan = { moves, served };
    kept.serving = wanted.slice();
  }
  return served;
}
