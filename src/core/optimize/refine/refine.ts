/**
 * The third stage, `milp_refinement`: from the cheapest plan without rules about pairs to the best plan that keeps
 * them (`problem/pairs.ts`), with a proved bound over all pairs.
 *
 *   1. First plans: repaired, then changed a few locations at a time (`resupply.ts`), or by slope scaling
 *      (`first-plans.ts`).
 *   2. A bound over all pairs and the value of each: by targets (`target-bound.ts`), or of the relaxation. There few
 *      pairs have columns; all are priced against its duals (`pair-prices.ts`), and those that would improve it get
 *      columns, until none is left.
 *   3. Branch and cut among the pairs whose value is at most L, the increase of the bound that proves the best plan.
 *      With bound m of that tree and b of step 2, min(m, b + value of the cheapest other pair) holds for all.
 *   4. If there is no plan yet, or few pairs exist, all pairs have columns.
 */

import { wholeMoves } from '../direct/extract.ts';
import { costCeilingRow, type Formulation, formulate } from '../direct/formulation.ts';
import { countArcs } from '../direct/variables.ts';
import { MAX_COLUMNS, type RunControl, withSolverModel } from '../highs/highs.ts';
import { withRow } from '../highs/linear-model.ts';
import { fromUnits } from '../problem/costs.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import {
  BRANCHING_NOISE,
  createIncumbent,
  DUAL_NOISE,
  type Ended,
  type Incumbent,
  type Method,
  provedWithin,
} from '../problem/incumbent.ts';
import type { Moves, Problem, Solution, SolveOutcome } from '../problem/model.ts';
import { NO_MOVES } from '../problem/moves.ts';
import { planNearest } from '../problem/nearest.ts';
import { hasPairLimits, vehiclesByPair, withoutPairRules } from '../problem/pairs.ts';
import { leastServed } from '../problem/service-level.ts';
import { hasLocationBounds } from '../problem/variants.ts';
import { timeFor } from '../run/budget.ts';
import type { SolveControl } from '../run/control.ts';
import {
  checkOf,
  isOver,
  isStopped,
  OutOfTime,
  type Stopping,
  shareOfTime,
  untilOutOfTime,
} from '../run/stopping.ts';
import { fewestPairs } from './fewest-pairs.ts';
import { findFirstPlans, type SolveBefore, usualPairUnits } from './first-plans.ts';
import { mostWithinPairs } from './most-within-pairs.ts';
import { createPairModel, type PairModel, pairCost, wholeValues } from './pair-model.ts';
import { type PairPrices, type PairRules, pricePairs } from './pair-prices.ts';
import { type Pairs, pairsOfMoves } from './pairs-of-moves.ts';
import { repairPairs } from './repair.ts';
import { canResupply, resupply } from './resupply.ts';
import { startingPoint } from './start.ts';
import { boundByTargets, isBoundByTargets } from './target-bound.ts';

/** Up to this many pairs, pricing them saves nothing. */
const FEW_PAIRS = 400;
/** Pairs with columns at first: the cheapest from each source and to each target. */
const NEAREST = 6;
/**
 * Pairs in branch and cut at first: with more, one class proves less in the same time. With several classes the bound
 * of the relaxation is weak, and fewer pairs leave most of the gap to the pairs without columns.
 */
const MAX_BRANCH_PAIRS = 2500;
const MAX_BRANCH_PAIRS_OF_CLASSES = 5000;
/** Most pairs that get columns in one round of pricing, as a multiple of the number of locations. */
const PAIRS_PER_ROUND = 4;
const MAX_REPEATS = 6;
/** Changes tried per location: to the first plan, and to the best plan before branch and cut. */
const FIRST_CHANGES = 20;
const MORE_CHANGES = 300;
/** In money; pairs that improve the relaxation by less do not get columns for that. */
const LEAST_VALUE = fromUnits(0.5);
/** More than `incumbent.ts` subtracts from a bound of branching. */
const BOUND_MARGIN = 2 * BRANCHING_NOISE;

type Context = {
  problem: Problem;
  f: Formulation;
  pairs: Pairs;
  rules: PairRules;
  incumbent: Incumbent;
  control: RunControl;
  keep(moves: Moves | null, method: Method): boolean;
};

/**
 * @param before the cheapest plan without the rules, whose bound holds with them too; null if there was no time for it
 * @param solveBefore solves problems without such rules
 * @param fewPairs up to this many pairs, all have columns
 * @throws TooManyLocationsError
 */
export async function refinePlan(
  problem: Problem,
  before: Solution | null,
  gap: number,
  control: SolveControl,
  solveBefore: SolveBefore,
  fewPairs = FEW_PAIRS,
): Promise<SolveOutcome | 'too large'> {
  const incumbent = createIncumbent(problem, gap, control);
  if (before) incumbent.raiseBoundUnits(before.boundUnits, before.figures.boundBy?.[0]);
  const keep: Context['keep'] = (moves, method) => {
    if (!moves || evaluateMoves(problem, moves).costUnits > incumbent.ceiling) return false;
    const known = incumbent.best();
    return incumbent.consider(moves, method) && incumbent.best() !== known;
  };
  const finish = (ended: Ended | 'infeasible'): SolveOutcome => {
    if (ended === 'infeasible') return { kind: 'infeasible' };
    const outcome = incumbent.finish(ended);
    if (outcome.kind !== 'solved' || !before) return outcome;
    const pairs = vehiclesByPair(problem, before.moves).size;
    return { ...outcome, solution: { ...outcome.solution, before: { costUnits: before.costUnits, pairs } } };
  };
  const isTooLate = () => isStopped(control.stopFlag) || (isOver(control) && incumbent.isTooLate());
  const first = before?.moves ?? planNearest(withoutPairRules(problem), isTooLate) ?? NO_MOVES;
  keep(first, before?.figures.method ?? 'greedy');
  keep(NO_MOVES, 'greedy');
  repairEarly(problem, first, (moves) => keep(moves, 'greedy'), isTooLate);
  if (incumbent.isProved()) return finish('done');
  if (isOver(control)) return finish('stopped');
  if (countArcs(problem, false) > MAX_COLUMNS / 2) return incumbent.best() ? finish('failed') : 'too large';
  try {
    const context = createContext(problem, incumbent, keep, control);
    if (isOutOfReach(context, control)) return finish('infeasible');
    const isSmall = context.pairs.count <= fewPairs;
    return finish(
      isSmall ? await branchAmongAll(context) : await search(context, first, solveBefore, control),
    );
  } catch (error) {
    if (error instanceof OutOfTime) return finish('stopped');
    throw error;
  }
}

/** A plan that keeps the rules, however dear, before anything that takes time: from the plan before, or from none. */
function repairEarly(
  problem: Problem,
  before: Moves,
  keep: (moves: Moves | null) => void,
  isTooLate: () => boolean,
): void {
  const usual = usualPairUnits(problem, before);
  const check = () => {
    if (isTooLate()) throw new OutOfTime();
  };
  untilOutOfTime(() => {
    for (const moves of [before, NO_MOVES]) keep(repairPairs(problem, moves, usual, check));
  });
}

/** @throws OutOfTime */
function createContext(
  problem: Problem,
  incumbent: Incumbent,
  keep: Context['keep'],
  control: SolveControl,
): Context {
  const f = formulate(problem, { check: checkOf(control) });
  return {
    problem,
    f,
    pairs: pairsOfMoves(problem, f, checkOf(control)),
    rules: {
      cost: pairCost(problem),
      minVehicles: problem.limits.minVehiclesPerMove,
      maxPairs: problem.limits.maxPairs,
      maxFrom: problem.limits.maxMovesFrom,
    },
    incumbent,
    control: {
      deadlineMs: control.deadlineMs,
      stopFlag: control.stopFlag,
      onLook: control.onLook,
      progressIntervalMs: control.progressIntervalMs,
      onProgress: incumbent.reportSolver,
    },
    keep,
  };
}

/** Whether it is proved that limits of pairs allow no plan, or leave too much demand unserved; it may find a plan. */
function isOutOfReach({ problem, pairs, incumbent, keep }: Context, control: SolveControl): boolean {
  if (incumbent.best() || !hasPairLimits(problem)) return false;
  if (fewestPairs(problem) > problem.limits.maxPairs) return true;
  const required = leastServed(problem);
  const { plan, most } = mostWithinPairs(problem, required, timeFor('question', control), pairs);
  if (plan) keep(plan.moves, 'rounding');
  return most < required;
}

async function search(
  context: Context,
  before: Moves,
  solveBefore: SolveBefore,
  control: SolveControl,
): Promise<Ended | 'infeasible'> {
  const { problem, pairs, incumbent } = context;
  if (!improve(context, before, FIRST_CHANGES, timeFor('question', control))) {
    const keep = (moves: Moves) => context.keep(moves, 'rounding');
    const time = timeFor('question', control);
    const found = await findFirstPlans(problem, pairs, before, keep, solveBefore, time);
    if (found === 'infeasible') return 'infeasible';
  }
  incumbent.report();
  if (isOver(control)) return 'stopped';
  const chosen = nearestPairs(context);
  const prices = boundTargets(context, control) ?? (await relax(context, chosen, control));
  if (prices === null) return await branchAmongAll(context);
  if (incumbent.isProved()) return 'done';
  if (!isBranchingBetter(problem)) improve(context, before, MORE_CHANGES, timeFor('half', control));
  incumbent.report();
  if (incumbent.isProved()) return 'done';
  return await branchWithin(context, chosen, prices);
}

/**
 * Whether branch and cut finds better plans than more changes would: one class, and pairs that cost nothing and may
 * carry any number, so that the relaxation is close.
 */
function isBranchingBetter(problem: Problem): boolean {
  const { pairCostUnits = 0, limits, capacities } = problem;
  const isFree = pairCostUnits === 0 && limits.minVehiclesPerMove <= 1;
  return isFree && capacities.length === 1 && !hasLocationBounds(problem);
}

/**
 * Changes the best plan a few locations at a time; without one, the plan before.
 * @param changes per location @returns whether there is a plan
 */
function improve(
  { problem, pairs, incumbent, keep }: Context,
  before: Moves,
  changes: number,
  time: Stopping,
): boolean {
  if (!canResupply(problem)) return false;
  const best = incumbent.best();
  const isPlan = best !== null && best.costUnits <= incumbent.ceiling;
  const take = (moves: Moves) => keep(moves, 'rounding');
  const clock = shareOfTime(time);
  const look = () => {
    if (incumbent.isProved()) throw new OutOfTime();
    return clock();
  };
  const all = changes * problem.locationIds.length;
  untilOutOfTime(() => resupply(problem, pairs, isPlan ? best.moves : before, all, take, look));
  return incumbent.best() !== null;
}

/** Raises the bound by what targets need as a whole; null if that bound does not cover the problem. */
function boundTargets({ problem, pairs, incumbent }: Context, control: SolveControl): PairPrices | null {
  const best = incumbent.best();
  if (!best || !isBoundByTargets(problem)) return null;
  const raise = (bound: number) => {
    incumbent.raiseBound(bound, DUAL_NOISE);
    return !incumbent.isProved();
  };
  const time = timeFor('question', control);
  return boundByTargets(problem, pairs, fromUnits(best.objectiveUnits), raise, time, control);
}

async function branchAmongAll(context: Context): Promise<Ended | 'infeasible'> {
  return await branch(context, new Uint8Array(context.pairs.count).fill(1), null);
}

/** The pairs of the best plan, and the cheapest of each source and each target. */
function nearestPairs({ problem, pairs, incumbent }: Context): Uint8Array {
  const n = problem.locationIds.length;
  const best = incumbent.best();
  const used = new Set(best ? vehiclesByPair(problem, best.moves).keys() : []);
  const chosen = new Uint8Array(pairs.count);
  const { costUnits } = problem.network;
  const cost = Float64Array.from(chosen, (_, p) => costUnits[pairs.source[p] * n + pairs.target[p]]);
  const order = Int32Array.from(chosen.keys()).sort((a, b) => cost[a] - cost[b]);
  const from = new Int32Array(n);
  const to = new Int32Array(n);
  for (const p of order) {
    const [i, j] = [pairs.source[p], pairs.target[p]];
    if (!used.has(i * n + j) && from[i] >= NEAREST && to[j] >= NEAREST) continue;
    chosen[p] = 1;
    from[i]++;
    to[j]++;
  }
  return chosen;
}

/**
 * The relaxation over all pairs; pairs that improve it become chosen.
 * @returns the prices with the best bound; null if the relaxation of the chosen pairs has no solution
 */
async function relax(
  { problem, f, pairs, rules, incumbent, control }: Context,
  chosen: Uint8Array,
  outer: SolveControl,
): Promise<PairPrices | null> {
  let best: PairPrices | null = null;
  const stopping = timeFor('half', outer);
  for (;;) {
    const model = createPairModel(problem, f, pairs, chosen);
    noteSize(incumbent, model.model);
    const linear = await withSolverModel(
      problem.caches.thread,
      model.model,
      f.tolerance,
      { ...control, ...stopping, onProgress: control.onProgress },
      (solver) => solver.runLinear(),
    );
    incumbent.figures.iterations += linear.iterations;
    if (linear.rowDual.length === 0) return best;
    const prices = pricePairs(f.model, pairs, model, rules, linear.rowDual);
    if (best === null || prices.bound > best.bound) best = prices;
    incumbent.raiseBound(prices.bound, DUAL_NOISE);
    const improving = Int32Array.from(
      prices.value.keys().filter((p) => prices.value[p] < -LEAST_VALUE && !chosen[p]),
    );
    if (improving.length === 0 || linear.status !== 'optimal' || isOver(stopping)) return best;
    improving.sort((a, b) => prices.value[a] - prices.value[b]);
    for (const p of improving.subarray(0, PAIRS_PER_ROUND * problem.locationIds.length)) chosen[p] = 1;
  }
}

/** Branch and cut among the pairs that a better plan may use. */
async function branchWithin(
  context: Context,
  chosen: Uint8Array,
  { bound, value }: PairPrices,
): Promise<Ended | 'infeasible'> {
  const { incumbent, problem } = context;
  const cheapestFirst = Int32Array.from(value.keys()).sort((a, b) => value[a] - value[b]);
  let most = problem.capacities.length === 1 ? MAX_BRANCH_PAIRS : MAX_BRANCH_PAIRS_OF_CLASSES;
  for (let repeat = 0; repeat < MAX_REPEATS; repeat++) {
    const best = incumbent.best();
    const enough = best
      ? fromUnits(best.objectiveUnits * (1 - incumbent.gap) * (1 + BOUND_MARGIN) + 1)
      : Number.POSITIVE_INFINITY;
    chooseUsed(context, chosen);
    /** What a plan that uses another pair costs at least. */
    let beyond: number | null = null;
    let count = 0;
    for (const p of cheapestFirst) {
      const isWanted = bound + value[p] <= enough && count < most;
      if (isWanted) {
        chosen[p] = 1;
        count++;
      } else if (!chosen[p]) {
        beyond = bound + Math.max(0, value[p]);
        break;
      }
    }
    const ended = await branch(context, chosen, beyond);
    if (ended !== 'done' || incumbent.isProved() || beyond === null) return ended;
    // Every plan that may still be better uses a pair without a column.
    most *= 2;
  }
  return 'failed';
}

/** Gives the pairs of the best plan columns, from which branch and cut starts. */
function chooseUsed({ problem, pairs, incumbent }: Context, chosen: Uint8Array): void {
  const best = incumbent.best();
  if (!best) return;
  const n = problem.locationIds.length;
  const used = vehiclesByPair(problem, best.moves);
  for (let p = 0; p < pairs.count; p++) if (used.has(pairs.source[p] * n + pairs.target[p])) chosen[p] = 1;
}

/**
 * @param chosen pairs with columns
 * @param beyond what plans that use other pairs cost at least, in money; null if there are no other pairs
 * @returns `done`: the bound is that of all plans of the chosen pairs, or `beyond`
 */
async function branch(
  context: Context,
  chosen: Uint8Array,
  beyond: number | null,
): Promise<Ended | 'infeasible'> {
  const { problem, pairs, incumbent, control } = context;
  if (incumbent.isOver()) return 'stopped';
  const f = withCeiling(problem, context.f, incumbent);
  const model = createPairModel(problem, f, pairs, chosen);
  noteSize(incumbent, model.model);
  const take = (values: Float64Array) =>
    context.keep(wholeMoves(problem, f, wholeValues(model, values, f)), 'mixed_integer');
  const best = incumbent.best();
  const mixed = await withSolverModel(
    problem.caches.thread,
    model.model,
    f.tolerance,
    { ...control, onImproved: take },
    (solver) =>
      solver.runMixed({
        integerFrom: 0,
        integerTo: model.integerTo,
        gap: incumbent.gap,
        absoluteGap: provedWithin(problem),
        start: best ? startingPoint(problem, f, model, pairs, best.moves) : undefined,
      }),
  );
  incumbent.figures.iterations += mixed.iterations;
  incumbent.figures.nodes += mixed.nodes;
  if (mixed.values) take(mixed.values);
  if (mixed.status === 'infeasible') {
    if (beyond === null) return incumbent.best() ? 'failed' : 'infeasible';
    incumbent.raiseBound(beyond, BRANCHING_NOISE);
    return 'done';
  }
  incumbent.raiseBound(Math.min(mixed.bound, beyond ?? Number.POSITIVE_INFINITY), BRANCHING_NOISE);
  return mixed.status === 'optimal' ? 'done' : mixed.status;
}

/** With the ceiling as a row, unless every better plan is within it: no plan's moves cost more than its objective. */
function withCeiling(problem: Problem, f: Formulation, incumbent: Incumbent): Formulation {
  const best = incumbent.best();
  const { maxCostUnits } = problem.limits;
  if (maxCostUnits === Number.POSITIVE_INFINITY || (best && best.objectiveUnits <= maxCostUnits)) return f;
  return { ...f, model: withRow(f.model, costCeilingRow(problem, f)) };
}

function noteSize({ figures }: Incumbent, { columnCount, rowCount }: PairModel['model']): void {
  figures.columns = Math.max(figures.columns, columnCount);
  figures.rows = Math.max(figures.rows, rowCount);
}
