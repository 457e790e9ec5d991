/**
 * How much can be served by vehicles of any classes, whatever it costs, proved from both sides (`coverage-model.ts`):
 *
 *   1. without bounds of vehicles per location, a local search (`coverage-exchanges.ts`), from the last plan over the same locations on
 *   2. the linear relaxation with cuts (`coverage-relaxation.ts`): a bound, mostly within a vehicle of the truth and often the truth
 *   3. branch and cut; a point whose vehicles cannot all come has rows added that cut it off, and the tree is searched again
 */

import { withSolverModel } from '../../highs/highs.ts';
import { evaluateMoves } from '../../problem/evaluate.ts';
import { BRANCHING_NOISE } from '../../problem/incumbent.ts';
import type { Problem } from '../../problem/model.ts';
import { movesOn } from '../../problem/moves.ts';
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

/** Rounds of the relaxation that gain next to nothing: with everything in reach; else before it stops for the local search, and in the end. */
const PATIENCE = { complete: 2, first: 10, all: 100 };
/** Exchanges looked at by location and class in the first round of the local search; each round looks at twice as many as the one before. */
const PROPOSALS = 100;
/** Rounds before the relaxation goes on, and in all. */
const FIRST_ROUNDS = 3;
const MAX_ROUNDS = 6;

/** What is asked: the first plans and, with bounds per location, the relaxation; these and the relaxation; or all that there is. */
export type CoverageEffort = 'glance' | 'quick' | 'full';

/**
 * The plan that serves most, within the time.
 * @param problem with vehicles; its service level is not looked at, its ceiling only in that a plan above it is brought about as cheaply as can be
 * @param enough ends as soon as a plan serves so much, or is proved not to
 */
export async function findCoverage(
  problem: Problem,
  control: Stopping,
  enough = Number.POSITIVE_INFINITY,
  effort: CoverageEffort = 'full',
): Promise<Coverage> {
  const found = await cover(problem, control, (search) => {
    const isSearched = !search.base.isBounded;
    if (search.reach.isComplete) {
      const values = relax(search, enough, PATIENCE.complete);
      if (!values || isSettled(search, enough)) return;
      if (isSearched) exchange(search, values);
      if (effort === 'full' && !isSettled(search, enough)) branch(search, enough);
      return;
    }
    // A plan mostly shows sooner that so much can be served than the relaxation does not rule it out; and it leads the relaxation.
    if (isSearched) improve(search, staying(problem), enough, 0, 1);
    if (isSettled(search, enough) || (isSearched && effort === 'glance')) return;
    const relaxAndImprove = (patience: number, from: number, to: number): void => {
      const values = relax(search, enough, patience);
      if (!values || isSettled(search, enough)) return;
      if (isSearched) improve(search, wholePart(search, values), enough, from, to);
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
  operation: (search: CoverageSearch) => unknown,
): Promise<Coverage> {
  const total = totalDemand(problem.demand);
  const known: Coverage = { most: total, plan: null };
  try {
    const check = checkOf(control);
    problem.greatCircle?.buildCosts(check);
    problem.greatCircle?.buildDistances(check);
    const reach = createReach(problem, check);
    const base = createCoverageModel(problem, reach);
    const kept = keptFor(problem);
    await withSolverModel(problem.caches.thread, base.model, base.tolerance, control, (solver) => {
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
function isSettled({ known, total }: CoverageSearch, enough: number): boolean {
  const { most, plan } = known;
  if (most === Number.NEGATIVE_INFINITY || (plan && plan.served >= enough)) return true;
  return enough === Number.POSITIVE_INFINITY
    ? plan !== null && plan.served >= most - 3 * PRECISION * total
    : most < enough;
}

/** All vehicles where they stand and there is demand; none where not all may serve. */
function staying({ supply, demand, limits }: Problem): Int32Array {
  if (countOf(supply) > limits.totalFleetSize) return new Int32Array(supply.length);
  return supply.map((count, at) => (demand[at % demand.length] > 0 ? count : 0));
}

/** A plan by local search from a relaxed point's whole part, with everything in reach. */
function exchange(search: CoverageSearch, values: Float64Array): void {
  const serving = wholePart(search, values);
  exchangeVehicles(search.problem, serving, search.check);
  considerPlan(search, serving);
}

/** The vehicles that are whole at a point. */
function wholePart({ problem }: CoverageSearch, values: Float64Array): Int32Array {
  return Int32Array.from(values.subarray(0, problem.supply.length), (v) => Math.floor(v + WHOLE_NOISE));
}

/**
 * Plans by local search from the better of `start` and the last plan over these locations.
 * @param start K × n vehicles that serve, as many as may
 * @param from rounds, the later the longer, up to, not including, `to`
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
          enough: Math.min(enough, search.known.most - PRECISION * search.total),
          seed: round,
        },
        check,
      );
    } catch (error) {
      // Where the time is up, what was found is still a plan.
      if (error instanceof OutOfTime) {
        considerPlan(search, serving, checkOf({ deadlineMs: nowMs() + msOf('lateCoverage') }));
      }
      throw error;
    }
    considerPlan(search, serving);
  }
}

function countOf(vehicles: Int32Array): number {
  return vehicles.reduce((sum, count) => sum + count, 0);
}

/** By class, of as many of these vehicles as can come; what cannot is taken off them. @param serving K × n */
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
  const { problem, base, reach, solver, known, total } = search;
  const unmetOf = (served: number) => (total - served) / base.demandScale;
  const least = PRECISION * unmetOf(0);
  // While the bound has not risen, a point within this of it serves enough.
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
    // It ended at a point that is within the gap but does not serve enough.
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
 * The plan by which as many of these vehicles as can come do; others serve where they are, where they can.
 * @param wanted K × n; what cannot come is taken off
 * @returns what it serves; −Infinity where it breaks the bounds per location
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
