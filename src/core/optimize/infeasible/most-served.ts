/**
 * The most demand that any plan serves within the other constraints, including the cost ceiling: the highest reachable
 * service level. Same model as for the cheapest plan, with another objective and the ceiling as a row.
 */

import { wholeMoves, wholeSteps } from '../direct/extract.ts';
import { costCeilingRow, type Formulation, formulate } from '../direct/formulation.ts';
import { countArcs } from '../direct/variables.ts';
import { MAX_COLUMNS, type SolverModel, withSolverModel } from '../highs/highs.ts';
import { withRow } from '../highs/linear-model.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { NO_MOVES } from '../problem/moves.ts';
import { hasPairLimits, withoutPairCost } from '../problem/pairs.ts';
import { totalDemand } from '../problem/service-level.ts';
import { countVehicles, dropConstraint } from '../problem/variants.ts';
import { createPairModel, wholeValues } from '../refine/pair-model.ts';
import { pairsOfMoves } from '../refine/pairs-of-moves.ts';
import { msOf } from '../run/budget.ts';
import type { Stopping } from '../run/stopping.ts';

/** Possible moves up to which branch and cut is tried first. */
export const MAX_SMALL_ARCS = 2000;
/** Share of total demand to which the most is found; suggested service levels have six decimals. */
const PRECISION = 1e-7;

/** `plan` null: none was found; with `proved`, none exists even without a service level. */
export type MostServed = { plan: { moves: Moves; served: number } | null; proved: boolean };

/**
 * @param level with one, the most at locations of at least this priority level is found, and the service level stays a
 *   constraint
 */
export async function findMostServed(
  problem: Problem,
  control: Stopping,
  level?: number,
): Promise<MostServed> {
  const free = level === undefined ? dropConstraint(problem, 'min_service_level') : problem;
  if (countVehicles(free) === 0) {
    // Pinned vehicles may be at locations, too few or too many.
    const { broken } = evaluateMoves(free, NO_MOVES);
    return { plan: broken.length > 0 ? null : { moves: NO_MOVES, served: 0 }, proved: true };
  }
  if (countArcs(free, false) > MAX_COLUMNS) return { plan: null, proved: false };
  const f = formulate(free, { objective: level === undefined ? 'served' : { servedFrom: level } });
  if (hasPairLimits(free)) return await mostWithinPairLimits(withoutPairCost(free), f, control);
  return await withSolverModel(problem.caches.thread, f.model, f.tolerance, control, (model) =>
    maximise(free, f, model, level),
  );
}

function maximise(problem: Problem, f: Formulation, model: SolverModel, level?: number): MostServed {
  const v = f.variables;
  if (problem.limits.maxCostUnits !== Number.POSITIVE_INFINITY) {
    const row = costCeilingRow(problem, f);
    model.addRows([row]);
  }
  const mixed = model.runMixed({
    integerFrom: v.firstStep,
    integerTo: v.firstStep + v.stepClass.length,
    gap: 0,
    absoluteGap: (PRECISION * totalDemand(problem.demand)) / f.demandScale,
  });
  if (mixed.status === 'infeasible') return { plan: null, proved: true };
  const steps = mixed.values && wholeSteps(f, mixed.values);
  if (!steps) return { plan: null, proved: false };
  /** Of the locations of the level. */
  const most = -f.model.cost.reduce((sum, cost, c) => sum + cost * mixed.values![c], 0) * f.demandScale;
  // The cheapest moves for these steps are whole and within the ceiling.
  model.setColumnBounds(v.firstStep, steps, steps);
  model.setCosts(f.columnCost);
  const linear = model.runLinear(msOf('lateMoves'));
  const moves = linear.status === 'optimal' ? wholeMoves(problem, f, linear.values) : null;
  if (!moves) return { plan: null, proved: false };
  const { served, costUnits, broken } = evaluateMoves(problem, moves);
  if (broken.length > 0 || costUnits > problem.limits.maxCostUnits) return { plan: null, proved: false };
  return { plan: { moves, served: level === undefined ? served : most }, proved: mixed.status === 'optimal' };
}

/** The same with limits of pairs, whose moves are not whole for whole steps alone. */
async function mostWithinPairLimits(
  problem: Problem,
  f: Formulation,
  control: Stopping,
): Promise<MostServed> {
  const pairs = pairsOfMoves(problem, f);
  const isCeilingSet = problem.limits.maxCostUnits !== Number.POSITIVE_INFINITY;
  const whole = isCeilingSet ? { ...f, model: withRow(f.model, costCeilingRow(problem, f)) } : f;
  const all = createPairModel(problem, whole, pairs, new Uint8Array(pairs.count).fill(1));
  let best: MostServed['plan'] = null;
  const take = (values: Float64Array) => {
    const moves = wholeMoves(problem, f, wholeValues(all, values, f));
    if (!moves) return;
    const { served, costUnits, broken } = evaluateMoves(problem, moves);
    const isPlan = broken.length === 0 && costUnits <= problem.limits.maxCostUnits;
    if (isPlan && (best === null || served > best.served)) best = { moves, served };
  };
  const mixed = await withSolverModel(
    problem.caches.thread,
    all.model,
    f.tolerance,
    { ...control, onImproved: take },
    (model) =>
      model.runMixed({
        integerFrom: 0,
        integerTo: all.integerTo,
        gap: 0,
        absoluteGap: (PRECISION * totalDemand(problem.demand)) / f.demandScale,
      }),
  );
  if (mixed.status === 'infeasible') return { plan: null, proved: true };
  if (mixed.values) take(mixed.values);
  return { plan: best, proved: mixed.status === 'optimal' && best !== null };
}
