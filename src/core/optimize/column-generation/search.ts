/**
 * The cheapest plan over the relaxation of `master.ts`. Each step runs only while the gap is not proved:
 *   1. relaxation over all moves, if possible as a flow first (`flow-relaxation.ts`); if artificial columns remain with
 *      every move priced, a separate bound proves that no plan exists
 *   2. cuts of single locations until none is violated (`hull-cuts.ts`)
 *   3. a plan: steps rounded (one class), or a greedy plan improved by local search (`improve.ts`). If the local search
 *      does not support the problem's constraints or ends far from the bound: branch and cut among the relaxation's
 *      columns
 *   4. branch and cut among all moves that a cheaper plan can use: those whose reduced cost is within the gap
 */

import type { SolverModel } from '../highs/highs.ts';
import { DUAL_NOISE, type Incumbent } from '../problem/incumbent.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { dearestMove } from '../problem/network.ts';
import { dearestLoad } from '../problem/unmet-cost.ts';
import { type Stopping, untilOutOfTime } from '../run/stopping.ts';
import type { BaseModel } from './base-model.ts';
import { branchAmongUsed, branchWithin } from './branch.ts';
import type { Context, Searched } from './context.ts';
import { addLocationCuts } from './cuts/separate-cuts.ts';
import { type FlowRelaxation, hasFlowRelaxation, relaxByFlow } from './flow-relaxation.ts';
import { integerColumnsOf, planGreedily } from './heuristics/greedy.ts';
import { canImprove, improve } from './heuristics/improve.ts';
import { planForIntegers, roundGreedily, roundUp } from './heuristics/round.ts';
import { planByNumbers } from './heuristics/round-numbers.ts';
import { cheapestMovesTo, presenceAfter } from './heuristics/transports.ts';
import { fractionalColumns, movesOf } from './integer-columns.ts';
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

/** The sum of artificial columns, in vehicles or units of `demandScale`, above which no tolerance explains it. */
const ARTIFICIAL_NOISE = 1e-6;
/**
 * Cost of one unit of an artificial column, in dearest moves. The second is for demand so small that serving it takes
 * only a tiny fraction of a vehicle.
 */
const PENALTY_FACTORS = [10, 1e4];
/** Relative distance between plan and bound above which the solver's heuristics are worth their time. */
const FAR_GAP = 0.04;
const MAX_CUT_ROUNDS = 30;
/** After these rounds, cutting continues only while a round raises the bound by this share. */
const SURE_CUT_ROUNDS = 3;
const MIN_RAISE = 1e-5;
/** With more, cuts take longer than the plan before them; if that is within the gap, it is the answer. */
const MAX_UNHURRIED_LOCATIONS = 400;
export function search(
  problem: Problem,
  base: BaseModel,
  model: SolverModel,
  incumbent: Incumbent,
): Searched {
  const early: Early = { plan: null };
  const start = relaxByFlowInTime(problem, base, incumbent);
  const master = createMaster(problem, base, model, incumbent.isOver, start?.moves);
  const context = { problem, base, master, model, incumbent };
  let ended: Searched = 'stopped';
  untilOutOfTime(() => {
    if (start) startFromFlow(context, start, early);
    ended = incumbent.isProved() ? 'done' : run(context, early);
  });
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
  if (incumbent.best() === null) {
    const price = priceOfMultipliers(base, flow.rowDual);
    const atSource = master.dualBound.prices(flow.rowDual).atSource;
    early.plan =
      planGreedily(problem, master, flow.values, incumbent.isOver, price) ??
      planByNumbers(problem, flow.values, atSource, price, incumbent);
    if (early.plan && problem.locationIds.length > MAX_UNHURRIED_LOCATIONS) {
      const presence = presenceAfter(problem, early.plan);
      incumbent.consider(cheapestMovesTo(problem, presence, incumbent) ?? early.plan, 'greedy');
      incumbent.report();
    }
  }
  if (flow.basis && !incumbent.isProved()) model.setBasis(flow.basis.columnStatus, flow.basis.rowStatus);
}

function run(context: Context, early: Early): Searched {
  const { problem, base, master, incumbent } = context;
  const first = relaxWithoutArtificialColumns(problem, master);
  if (typeof first === 'string') return first;
  incumbent.raiseBound(first.bound, DUAL_NOISE);
  if (base.firstUnmet >= 0 && !early.plan && !incumbent.best()) {
    early.plan = planGreedily(problem, master, first.values, incumbent.isOver, priceOfService(base, first));
  }
  const { status, relaxed } = cut(context, first);
  if (incumbent.isCeilingProved()) return 'infeasible';
  if (fractionalColumns(base, relaxed.values).length === 0) {
    incumbent.consider(movesOf(context, relaxed.values), 'linear');
  } else if (base.firstUnmet < 0) roundUp(context, relaxed.values);
  const isRounding = base.firstUnmet >= 0 && incumbent.best() === null;
  const draft = isRounding ? roundGreedily(context, relaxed) : null;
  // Also if the draft is a plan within the gap: its moves are not the cheapest ones for its numbers of vehicles.
  if (draft) improvePlan(context, relaxed, draft);
  if (incumbent.isProved()) return 'done';
  if (status !== 'done') return status;
  if (base.firstUnmet >= 0 && !draft) {
    improvePlan(context, relaxed, null);
    if (incumbent.isProved()) return 'done';
  }
  return branch(context, relaxed);
}

function branch(context: Context, relaxed: Relaxed): Searched {
  const { base, incumbent } = context;
  if (base.firstUnmet >= 0 && isFar(incumbent)) {
    if (branchAmongUsed(context, relaxed) === 'stopped') return 'stopped';
    if (incumbent.isProved()) return 'done';
  }
  return branchWithin(context, relaxed);
}

/**
 * Local search from the best plan; branching starts from the result.
 * @param draft moves to start from instead
 */
function improvePlan(context: Context, relaxed: Relaxed, draft: Moves | null): void {
  const { problem, base, incumbent } = context;
  const start = draft ?? incumbent.best()?.moves;
  if (!start || !relaxed.duals || !canImprove(problem)) return;
  improve(problem, start, priceOfService(base, relaxed), incumbent.isOver, (moves) => {
    incumbent.consider(moves, 'rounding');
    incumbent.report();
    return incumbent.isProved();
  });
  startFromBest(context);
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

/** The relaxation with artificial columns so dear that they vanish if they can. */
export function relaxWithoutArtificialColumns(
  problem: Problem,
  master: Master,
): Relaxed | 'infeasible' | 'unproved' | 'stopped' {
  const dearest = Math.max(1, dearestMove(problem.network), dearestLoad(problem));
  for (const factor of PENALTY_FACTORS) {
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
function cut(context: Context, first: Relaxed): { status: Searched; relaxed: Relaxed } {
  const { master, incumbent } = context;
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
    if (incumbent.isCeilingProved() || incumbent.isProved() || incumbent.isOver()) break;
    if (raised < MIN_RAISE * Math.abs(next.bound) && round >= SURE_CUT_ROUNDS) break;
  }
  return { status: 'done', relaxed };
}
