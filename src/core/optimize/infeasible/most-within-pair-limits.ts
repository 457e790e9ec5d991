/** The most demand that any plan serves within limits of pairs: all moves and pairs as one programme. */

import { wholeMoves } from '../direct/extract.ts';
import { costCeilingRow, formulate } from '../direct/formulation.ts';
import { countArcs } from '../direct/variables.ts';
import { withSolverModel } from '../highs/highs.ts';
import { withRow } from '../highs/linear-model.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import type { Problem } from '../problem/model.ts';
import { withoutPairCost } from '../problem/pairs.ts';
import { totalDemand } from '../problem/service-level.ts';
import { countVehicles } from '../problem/variants.ts';
import { createPairModel, wholeValues } from '../refine/pair-model.ts';
import { pairsOfMoves } from '../refine/pairs-of-moves.ts';
import type { Stopping } from '../run/stopping.ts';
import type { MostServed } from './elastic.ts';

/** With more moves nothing is searched for. */
const MAX_ARCS = 20_000;
/** Share of total demand to which the most is found; suggested service levels have six decimals. */
const PRECISION = 1e-7;

/** @param limited its service level is ignored */
export async function findMostWithinPairLimits(limited: Problem, control: Stopping): Promise<MostServed> {
  const problem = withoutPairCost(limited);
  let most = totalDemand(problem.demand);
  let best: MostServed['plan'] = null;
  if (countVehicles(problem) === 0 || countArcs(problem, false) > MAX_ARCS) return { most, plan: null };
  const f = formulate(problem, { objective: 'served' });
  const pairs = pairsOfMoves(problem, f);
  const isCeilingSet = problem.limits.maxCostUnits !== Number.POSITIVE_INFINITY;
  const whole = isCeilingSet ? { ...f, model: withRow(f.model, costCeilingRow(problem, f)) } : f;
  const all = createPairModel(problem, whole, pairs, new Uint8Array(pairs.count).fill(1));
  const take = (values: Float64Array) => {
    const moves = wholeMoves(problem, f, wholeValues(all, values, f));
    if (!moves) return;
    const { served, costUnits, broken } = evaluateMoves(problem, moves);
    const isPlan = broken.every((name) => name === 'min_service_level');
    if (isPlan && costUnits <= problem.limits.maxCostUnits && served > (best?.served ?? -1))
      best = { moves, served };
  };
  const run = { ...control, onImproved: take };
  const mixed = await withSolverModel(problem.caches.thread, all.model, f.tolerance, run, (model) =>
    model.runMixed({
      integerFrom: 0,
      integerTo: all.integerTo,
      gap: 0,
      absoluteGap: (PRECISION * most) / f.demandScale,
    }),
  );
  if (mixed.values) take(mixed.values);
  if (mixed.status === 'infeasible') most = Number.NEGATIVE_INFINITY;
  else if (Number.isFinite(mixed.bound)) most = Math.min(most, -mixed.bound * f.demandScale);
  return { most, plan: best };
}
