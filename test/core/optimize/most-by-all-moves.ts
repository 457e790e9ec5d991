/** The most demand that a plan serves, by HiGHS from the formulation with all moves. */
import { wholeMoves, wholeSteps } from '../../../src/core/optimize/direct/extract.ts';
import { costCeilingRow, formulate } from '../../../src/core/optimize/direct/formulation.ts';
import { withSolverModel } from '../../../src/core/optimize/highs/highs.ts';
import { evaluateMoves } from '../../../src/core/optimize/problem/evaluate.ts';
import type { Moves, Problem } from '../../../src/core/optimize/problem/model.ts';
import { totalDemand } from '../../../src/core/optimize/problem/service-level.ts';
import { dropConstraint } from '../../../src/core/optimize/problem/variants.ts';
import type { Stopping } from '../../../src/core/optimize/run/stopping.ts';

/** Share of total demand to which the most is found. */
const PRECISION = 1e-7;

/**
 * @param problem with vehicles, without limits of pairs
 * @param level with one, the most at locations of at least this priority level, and the service level is kept
 * @returns `plan` null: there is none
 */
export async function mostByAllMoves(
  problem: Problem,
  control: Stopping,
  level?: number,
): Promise<{ plan: { moves: Moves; served: number } | null; proved: boolean }> {
  const free = level === undefined ? dropConstraint(problem, 'min_service_level') : problem;
  const f = formulate(free, { objective: level === undefined ? 'served' : { servedFrom: level } });
  const { firstStep, stepClass } = f.variables;
  const { thread } = problem.caches;
  return await withSolverModel(thread, f.model, f.tolerance, control, (model) => {
    if (problem.limits.maxCostUnits !== Number.POSITIVE_INFINITY) model.addRows([costCeilingRow(free, f)]);
    const mixed = model.runMixed({
      integerFrom: firstStep,
      integerTo: firstStep + stepClass.length,
      gap: 0,
      absoluteGap: (PRECISION * totalDemand(problem.demand)) / f.demandScale,
    });
    if (mixed.status === 'infeasible') return { plan: null, proved: true };
    const steps = mixed.values && wholeSteps(f, mixed.values);
    if (!steps) return { plan: null, proved: false };
    const most = -f.model.cost.reduce((sum, cost, c) => sum + cost * mixed.values![c], 0) * f.demandScale;
    // The cheapest moves for these steps are whole and within the ceiling.
    model.setColumnBounds(firstStep, steps, steps);
    model.setCosts(f.columnCost);
    const moves = wholeMoves(free, f, model.runLinear().values);
    if (!moves) return { plan: null, proved: false };
    const served = level === undefined ? evaluateMoves(free, moves).served : most;
    return { plan: { moves, served }, proved: mixed.status === 'optimal' };
  });
}
