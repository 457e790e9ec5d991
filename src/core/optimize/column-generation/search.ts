/**
 * The cheapest plan over the relaxation of `master.ts`. Each step runs only while the gap is not proved:
 *   1. relaxation over all moves, if possible as a flow first (`flow-relaxation.ts`); if artificial columns remain with
 *      every move priced, a separate bound proves that no plan exists
 *   2. cuts of single locations until none is violated (`hull-cuts.ts`)
 *   3. a plan: steps rounded (one class), or a greedy plan improved by local search (`improve.ts`). If the local search
 *      does not support the problem's constraints or ends far from the bound: branch and cut among the relaxation's
 *      columns
 *      Small problems that branching does not prove soon: a plan by simulated annealing (`anneal.ts`), if there is
 *      none; choosing configurations of locations (`configuration-model.ts`); a better plan by annealing
 *      Large problems: rounded numbers of vehicles (`round-numbers.ts`), then parts of the city one after the other, by
 *      local search, then each by a search of its own (`parts.ts`). Medium ones, if branching does not prove them soon:
 *      annealing (`anneal-city.ts`), then small parts
 *   4. branch and cut among all moves that a cheaper plan can use: those whose reduced cost is within the gap
 */

import { type RunControl, type SolverModel, withSolverModel } from '../highs/highs.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import { createIncumbent, DUAL_NOISE, type Incumbent } from '../problem/incumbent.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { dearestMove } from '../problem/network.ts';
import { randomFrom } from '../problem/random.ts';
import { leastServed } from '../problem/service-level.ts';
import { dearestLoad } from '../problem/unmet-cost.ts';
import { countVehicles } from '../problem/variants.ts';
import { evenPartOf, msOf, timeFor } from '../run/budget.ts';
import { nowMs } from '../run/clock.ts';
import { checkOf, isOver, type Stopping, untilOutOfTime } from '../run/stopping.ts';
import type { BaseModel } from './base-model.ts';
import { branchAmongUsed, branchWithin } from './branch.ts';
import { createBaseModel } from './build-base-model.ts';
import { solveByConfigurations } from './configuration-model.ts';
import { type Configuration, listConfigurations } from './configurations.ts';
import type { Context, Searched } from './context.ts';
import { addLocationCuts } from './cuts/separate-cuts.ts';
import { type FlowRelaxation, hasFlowRelaxation, relaxByFlow } from './flow-relaxation.ts';
import { annealPlans, canAnneal } from './heuristics/anneal.ts';
import { type AnnealingRun, annealCity } from './heuristics/anneal-city.ts';
import { integerColumnsOf, planGreedily } from './heuristics/greedy.ts';
import { canImprove, improve } from './heuristics/improve.ts';
import {
  BRANCHED_SIZE,
  type CityPart,
  chooseParts,
  hasParts,
  hasSmallParts,
  IMPROVED_SIZE,
  type PartSize,
  partOf,
  SEARCHED_SIZE,
} from './heuristics/parts.ts';
import { planForIntegers, roundGreedily, roundUp } from './heuristics/round.ts';
import { planByNumbers } from './heuristics/round-numbers.ts';
import { cheapestMovesTo, presenceAfter } from './heuristics/transports.ts';
import { fractionalColumns, movesOf } from './integer-columns.ts';
import { boundByLocations } from './location-bound.ts';
import {
  addMoves,
  boundByMultipliers,
  createMaster,
  leastArtificialSum,
  type Master,
  priceOfMultipliers,
  priceOfService,
  type Relaxed,
  relaxMaster,
  setPenalty,
} from './master.ts';
import type { Prices } from './pricing.ts';

/** The sum of artificial columns, in vehicles or units of `demandScale`, above which no tolerance explains it. */
const ARTIFICIAL_NOISE = 1e-6;
/**
 * Cost of one unit of an artificial column, in dearest moves. The second is for demand so small that serving it takes
 * only a tiny fraction of a vehicle.
 */
const PENALTY_FACTORS = [10, 1e4];
/** For integer columns: a tiny fraction of an artificial column must not be cheaper than a vehicle. */
export const SURE_PENALTY = [1e4];
/** Relative distance between plan and bound above which the solver's heuristics are worth their time. */
const FAR_GAP = 0.04;
const MAX_CUT_ROUNDS = 30;
/** After these rounds, cutting continues only while a round raises the bound by this share. */
const SURE_CUT_ROUNDS = 3;
const MIN_RAISE = 1e-5;
/** Of the requested gap: a part is worth more time than its share of the whole gap needs. */
const PART_GAP_SHARE = 0.25;
/** Rounds of parts go on while one saves this share. */
const MIN_GAIN = 1e-4;
/** The local search leaves a part when a round of exchanges saves less than this share of its cost. */
const MIN_STEP_GAIN = 1e-4;
/** Of the first plan of a large city, and the share of the fleet's capacity that has to serve. */
const FAR_FIRST_GAP = 0.1;
const SCARCE_SHARE = 0.9;
/** Annealing of a large city from a rounded plan, and of a medium one from the local search's. */
const LARGE_RUN: AnnealingRun = { proposals: 8000, firstLoss: 0.1, lastLoss: 0.01 };
const MEDIUM_RUN: AnnealingRun = { proposals: 200_000, firstLoss: 0.1, lastLoss: 0.005 };
/** Annealing runs for a first plan: where these find none, often there is none. */
const FIRST_PLAN_RUNS = 3;

export async function search(
  problem: Problem,
  base: BaseModel,
  model: SolverModel,
  incumbent: Incumbent,
  control: RunControl,
): Promise<Searched> {
  const early: Early = { plan: null };
  const start = relaxByFlowInTime(problem, base, incumbent);
  const master = createMaster(problem, base, model, incumbent.isOver, start?.moves);
  const context = { problem, base, master, model, incumbent };
  let ended: Searched | Open = 'stopped';
  untilOutOfTime(() => {
    if (start) startFromFlow(context, start, early);
    ended = incumbent.isProved() ? 'done' : run(context, early);
  });
  if (typeof ended === 'object') {
    const open: Open = ended;
    const isByParts = hasParts(problem) || (open.configurations === null && hasSmallParts(problem));
    ended = await (isByParts ? finishByParts : finishPuzzle)(context, open, control);
  }
  // Time is up without a plan: a greedy plan from the present moves is better than none.
  if (ended === 'stopped' && incumbent.best() === null && !incumbent.isCancelled()) {
    incumbent.consider(early.plan ?? planGreedily(problem, master, null, incumbent.isTooLate), 'greedy');
  }
  incumbent.figures.iterations += master.iterations;
  incumbent.figures.columns = master.firstArc + master.columns.arcs.source.length;
  incumbent.figures.rows = master.rows.count();
  return ended;
}

/** A plan used only if time is up before there is a better one: cuts may take many seconds. */
type Early = { plan: Moves | null };

/**
 * A small problem that the first branching did not prove (`configurations` null: there is no list of them), or a large
 * one that is searched part by part.
 */
type Open = { relaxed: Relaxed; configurations: readonly Configuration[] | null };

function relaxByFlowInTime(problem: Problem, base: BaseModel, control: Stopping): FlowRelaxation | null {
  let relaxed: FlowRelaxation | null = null;
  untilOutOfTime(() => {
    if (hasFlowRelaxation(problem, base)) relaxed = relaxByFlow(problem, base, control);
  });
  return relaxed;
}

/** The bounds and a plan of the flow, and its tree as the first basis of the relaxation. */
function startFromFlow(context: Context, flow: FlowRelaxation, early: Early): void {
  const { problem, base, master, model, incumbent } = context;
  const { lower, upper } = master.whole;
  incumbent.raiseBound(boundByMultipliers(master, flow.rowDual, lower, upper), DUAL_NOISE);
  incumbent.report();
  const price = priceOfMultipliers(base, flow.rowDual);
  const prices = master.dualBound.prices(flow.rowDual);
  const roundNumbers = () => planByNumbers(problem, flow.values, prices.atSource, price, incumbent);
  if (hasParts(problem)) {
    incumbent.consider(roundNumbers(), 'rounding');
    incumbent.report();
  } else if (incumbent.best() === null) {
    early.plan = planGreedily(problem, master, flow.values, incumbent.isOver, price) ?? roundNumbers();
  }
  raiseByLocations(context, prices, price);
  if (isFarAndScarce(problem, incumbent)) {
    const start = incumbent.best()!.moves;
    const presence = annealCity(problem, start, price, LARGE_RUN, timeFor('annealingCity', incumbent));
    // A little may be unmet, which rounding serves.
    const values = presence && Float64Array.of(...presence, ...problem.supply);
    if (values)
      incumbent.consider(planByNumbers(problem, values, prices.atSource, price, incumbent), 'rounding');
    incumbent.report();
    const random = randomFrom(problem.locationIds.length);
    for (let gained = 1; gained > MIN_GAIN && !incumbent.isProved() && !incumbent.isOver(); ) {
      const before = incumbent.best()!.objectiveUnits;
      improveParts(context, price, random, IMPROVED_SIZE);
      reassign(context);
      gained = 1 - incumbent.best()!.objectiveUnits / before;
    }
  }
  if (flow.basis && !incumbent.isProved()) model.setBasis(flow.basis.columnStatus, flow.basis.rowStatus);
}

/**
 * A very large city whose fleet barely suffices: the rounded plan is far from the bound, and a round of cuts takes a
 * third of a minute.
 */
function isFarAndScarce(problem: Problem, incumbent: Incumbent): boolean {
  if (!hasParts(problem) || canImprove(problem) || incumbent.best() === null) return false;
  if (incumbent.boundUnits() > (1 - FAR_FIRST_GAP) * incumbent.best()!.objectiveUnits) return false;
  const n = problem.demand.length;
  const fleet = problem.supply.reduce(
    (sum, count, at) => sum + count * problem.capacities[Math.floor(at / n)],
    0,
  );
  return leastServed(problem) > SCARCE_SHARE * fleet;
}

/** Simulated annealing from the best plan, and the local search from where that ends. */
function annealWhole(context: Context, price: number): void {
  const { problem, incumbent } = context;
  const start = incumbent.best()!.moves;
  const presence = annealCity(problem, start, price, MEDIUM_RUN, timeFor('annealingCity', incumbent));
  const moves = presence && cheapestMovesTo(problem, presence, incumbent);
  if (!moves) return;
  incumbent.consider(moves, 'rounding');
  incumbent.report();
  improveFrom(context, moves, price);
}

/** Local search in parts of the city that cover it, one after the other. */
function improveParts(
  { problem, incumbent }: Context,
  price: number,
  random: () => number,
  size: PartSize,
): void {
  const plan = () => incumbent.best()!.moves;
  for (const { locations } of chooseParts(problem, plan, random, size)) {
    if (incumbent.isProved() || incumbent.isOver()) return;
    const part = partOf(problem, plan(), locations, false);
    let best = part.moves;
    let units = Number.POSITIVE_INFINITY;
    improve(part.problem, part.moves, price, incumbent.isOver, (moves) => {
      const before = units;
      units = evaluateMoves(part.problem, moves).objectiveUnits;
      best = moves;
      return units > (1 - MIN_STEP_GAIN) * before;
    });
    if (best !== part.moves) incumbent.consider(part.planWith(best), 'rounding');
    incumbent.report();
  }
}

function run(context: Context, early: Early): Searched | Open {
  const { problem, base, master, incumbent } = context;
  const first = relaxWithoutArtificialColumns(problem, master);
  if (typeof first === 'string') return first;
  incumbent.raiseBound(first.bound, DUAL_NOISE);
  if (base.firstUnmet >= 0 && !early.plan && !incumbent.best()) {
    early.plan = planGreedily(problem, master, first.values, incumbent.isOver, priceOfService(base, first));
  }
  const { status, relaxed } = cut(context, first);
  if (status === 'done' && relaxed.duals)
    raiseByLocations(context, relaxed.duals.prices, priceOfService(base, relaxed));
  if (incumbent.isCeilingProved()) return 'infeasible';
  if (fractionalColumns(base, relaxed.values).length === 0) {
    incumbent.consider(movesOf(context, relaxed.values), 'linear');
  } else if (base.firstUnmet < 0) roundUp(context, relaxed.values);
  const isRounding = base.firstUnmet >= 0 && (incumbent.best() === null || hasParts(problem));
  const draft = isRounding ? roundGreedily(context, relaxed) : null;
  // Also if the draft is a plan within the gap: its moves are not the cheapest ones for its numbers of vehicles.
  if (draft) improvePlan(context, relaxed, draft);
  if (incumbent.isProved()) return 'done';
  if (status !== 'done') return status;
  if (base.firstUnmet >= 0) {
    if (!draft) improvePlan(context, relaxed, null);
    if (incumbent.isProved()) return 'done';
    if (hasParts(problem) && incumbent.best() !== null) return { relaxed, configurations: null };
    const configurations = listConfigurations(problem);
    const isMedium = hasSmallParts(problem) && incumbent.best() !== null;
    if (configurations || canAnneal(problem) || isMedium) {
      // What branching proves needs no better plan; the rest usually does.
      const part = configurations ? 'beforeConfigurations' : isMedium ? 'beforeParts' : 'firstBranching';
      const first = timeFor(part, incumbent);
      if (part === 'beforeParts')
        first.deadlineMs = Math.min(first.deadlineMs, nowMs() + msOf('beforePartsMost'));
      const ended = branch(context, relaxed, first.deadlineMs);
      return ended !== 'stopped' || incumbent.isOver() ? ended : { relaxed, configurations };
    }
  }
  return branch(context, relaxed);
}

async function finishPuzzle(
  context: Context,
  { relaxed, configurations }: Open,
  control: RunControl,
): Promise<Searched> {
  const { problem, incumbent } = context;
  if (configurations) {
    // The model needs a plan to exclude dear ones, and may end without one.
    if (incumbent.best() === null && canAnneal(problem))
      untilOutOfTime(() => annealPlan(context, 'firstPlan'));
    const share = { ...control, ...timeFor('configurations', control) };
    const ended = await solveByConfigurations(problem, configurations, incumbent, share);
    if (ended === 'infeasible') return ended;
  }
  if (incumbent.isProved()) return 'done';
  if (incumbent.isCeilingProved()) return 'infeasible';
  let ended: Searched = 'stopped';
  untilOutOfTime(() => {
    if (canAnneal(problem)) annealPlan(context, 'annealing');
    if (incumbent.isProved()) ended = 'done';
    else ended = incumbent.best() === null ? branch(context, relaxed) : branchWithin(context, relaxed);
  });
  return ended;
}

/**
 * Improves the plan of a large problem part by part, until a round of them gains little; then branches. Of problems
 * that branching may prove, parts get only a share of the time.
 */
async function finishByParts(context: Context, { relaxed }: Open, control: RunControl): Promise<Searched> {
  const { problem, base, incumbent } = context;
  const random = randomFrom(problem.locationIds.length);
  const price = priceOfService(base, relaxed);
  const plan = () => incumbent.best()!.moves;
  if (!canImprove(problem)) {
    improveParts(context, price, random, SEARCHED_SIZE);
    if (incumbent.isProved()) return 'done';
    if (incumbent.isOver()) return 'stopped';
  }
  if (hasSmallParts(problem)) {
    untilOutOfTime(() => annealWhole(context, price));
    if (incumbent.isProved()) return 'done';
  }
  reassign(context);
  const time = canImprove(problem) ? timeFor('parts', control) : control;
  const size = hasParts(problem) ? SEARCHED_SIZE : BRANCHED_SIZE;
  for (let gained = 1; gained > MIN_GAIN && !isOver(time); ) {
    const before = incumbent.best()!.objectiveUnits;
    for (const { locations, left } of chooseParts(problem, plan, random, size)) {
      if (isOver(time)) break;
      const part = partOf(problem, plan(), locations);
      const share = { ...control, onProgress: undefined, ...evenPartOf(time, left) };
      const moves = await planPart(part, incumbent.gap * PART_GAP_SHARE, share);
      if (moves) incumbent.consider(part.planWith(moves), 'rounding');
      incumbent.report();
      if (incumbent.isProved()) return 'done';
    }
    reassign(context);
    gained = 1 - incumbent.best()!.objectiveUnits / before;
  }
  if (incumbent.isProved()) return 'done';
  let ended: Searched = 'stopped';
  untilOutOfTime(() => {
    startFromBest(context);
    ended = branch(context, relaxed);
  });
  return ended;
}

/** Raises the bound to what whole vehicles at each location prove at these prices of vehicles and of service. */
function raiseByLocations({ problem, base, incumbent }: Context, prices: Prices, price: number): void {
  if (!hasFlowRelaxation(problem, base)) return;
  const bound = boundByLocations(problem, prices, price, checkOf(incumbent));
  if (bound !== null) incumbent.raiseBound(bound, DUAL_NOISE);
}

/** The cheapest moves for the best plan's numbers of vehicles: ways that parts leave to each other may cross. */
function reassign({ problem, incumbent }: Context): void {
  // Costs and first moves of all pairs take a while before the flow looks at the clock.
  if (incumbent.isOver()) return;
  const presence = presenceAfter(problem, incumbent.best()!.moves);
  incumbent.consider(cheapestMovesTo(problem, presence, incumbent), 'rounding');
  incumbent.report();
}

/** A cheaper plan of a part by a search of its own, if there is one in time. */
async function planPart(
  { problem, moves }: CityPart,
  gap: number,
  control: RunControl,
): Promise<Moves | null> {
  if (countVehicles(problem) === 0) return null;
  const base = createBaseModel(problem);
  const incumbent = createIncumbent(problem, gap, { ...control, onProgress: undefined });
  if (!incumbent.consider(moves, 'rounding')) return null;
  await withSolverModel(problem.caches.thread, base.model, base.tolerance, control, (model) =>
    search(problem, base, model, incumbent, control),
  );
  const best = incumbent.best()!.moves;
  return best === moves ? null : best;
}

function branch(context: Context, relaxed: Relaxed, untilMs?: number): Searched {
  const { base, incumbent } = context;
  if (base.firstUnmet >= 0 && isFar(incumbent)) {
    if (branchAmongUsed(context, relaxed, untilMs) === 'stopped') return 'stopped';
    if (incumbent.isProved()) return 'done';
  }
  return branchWithin(context, relaxed, untilMs);
}

/**
 * Local search from the best plan; branching starts from the result.
 * @param draft moves to start from instead
 */
function improvePlan(context: Context, relaxed: Relaxed, draft: Moves | null): void {
  const { problem, base, incumbent } = context;
  const start = draft ?? incumbent.best()?.moves;
  if (!start || !relaxed.duals || !canImprove(problem)) return;
  improveFrom(context, start, priceOfService(base, relaxed));
  startFromBest(context);
}

function improveFrom({ problem, incumbent }: Context, start: Moves, price: number): void {
  improve(problem, start, price, incumbent.isOver, (moves) => {
    incumbent.consider(moves, 'rounding');
    incumbent.report();
    return incumbent.isProved();
  });
}

/** Simulated annealing from the best plan, or without one; for a first plan it ends with that. */
function annealPlan(context: Context, part: 'firstPlan' | 'annealing'): void {
  const { problem, incumbent } = context;
  const before = incumbent.best();
  const share = timeFor(part, incumbent);
  annealPlans(
    problem,
    before?.moves ?? null,
    () => incumbent.isOver() || nowMs() > share.deadlineMs,
    (moves) => {
      incumbent.consider(moves, 'rounding');
      incumbent.report();
      return incumbent.isProved() || part === 'firstPlan';
    },
    part === 'firstPlan' ? FIRST_PLAN_RUNS : undefined,
  );
  if (incumbent.best() !== before) startFromBest(context);
}

/** Gives the master the best plan's moves, and branching its start. */
function startFromBest(context: Context): void {
  const { problem, master, incumbent } = context;
  const best = incumbent.best();
  if (!best || incumbent.isProved() || incumbent.isOver()) return;
  addMoves(master, best.moves);
  planForIntegers(context, integerColumnsOf(problem, best.moves), 'rounding');
}

function isFar(incumbent: Incumbent): boolean {
  const best = incumbent.best();
  return best === null || incumbent.boundUnits() < (1 - FAR_GAP) * best.objectiveUnits;
}

/**
 * The relaxation with artificial columns so dear that they vanish if they can.
 * @param factors their costs, tried one after the other
 */
export function relaxWithoutArtificialColumns(
  problem: Problem,
  master: Master,
  factors: readonly number[] = PENALTY_FACTORS,
): Relaxed | 'infeasible' | 'unproved' | 'stopped' {
  const dearest = Math.max(1, dearestMove(problem.network), dearestLoad(problem));
  for (const factor of factors) {
    setPenalty(master, factor * dearest);
    const relaxed = relaxMaster(master);
    if (relaxed.status === 'stopped') return 'stopped';
    if (relaxed.status !== 'optimal') return 'unproved';
    if (!relaxed.hasArtificialColumns) return relaxed;
  }
  const least = leastArtificialSum(master);
  if (least.status === 'stopped') return 'stopped';
  return least.status === 'optimal' && least.bound > ARTIFICIAL_NOISE ? 'infeasible' : 'unproved';
}

/** @returns the last optimal relaxation; `done` unless a later one was stopped or failed */
export function cut(context: Context, first: Relaxed): { status: Searched; relaxed: Relaxed } {
  const { problem, master, incumbent } = context;
  const time = hasParts(problem) ? timeFor('cuts', incumbent) : incumbent;
  let relaxed = first;
  for (let round = 0; round < MAX_CUT_ROUNDS; round++) {
    incumbent.report();
    if (addLocationCuts(context, relaxed.values) === 0) break;
    const next = relaxMaster(master);
    incumbent.raiseBound(next.bound, DUAL_NOISE);
    if (next.status === 'stopped') return { status: 'stopped', relaxed };
    if (next.status !== 'optimal') return { status: 'unproved', relaxed };
    const raised = next.bound - relaxed.bound;
    relaxed = next;
    if (incumbent.isCeilingProved() || incumbent.isProved() || isOver(time)) break;
    if (raised < MIN_RAISE * Math.abs(next.bound) && round >= SURE_CUT_ROUNDS) break;
  }
  return { status: 'done', relaxed };
}
