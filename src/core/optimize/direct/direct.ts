/**
 * The direct formulation: all moves are columns of one model (`formulation.ts`), solved by HiGHS. It is the fallback
 * for problems that column generation does not decide; none of 7,800 test problems came here.
 *
 *   1. Linear relaxation by dual simplex. If it is infeasible, so is the problem. Its duals prove a bound (`bound.ts`).
 *   2. If its steps are whole numbers, it is the optimum: always so for a network, often otherwise.
 *   3. Otherwise branch and cut, to the gap; its steps go through a transportation programme.
 *   4. The cost ceiling becomes a row only if the cheapest plan found is above it and the bound is not; then 3 again.
 *      With a cost of unmet demand it is a row from the start.
 */

import { type RunControl, type SolverModel, withSolverModel } from '../highs/highs.ts';
import {
  BRANCHING_NOISE,
  DUAL_NOISE,
  type Ended,
  type Incumbent,
  type Method,
  provedWithin,
} from '../problem/incumbent.ts';
import type { Problem } from '../problem/model.ts';
import { hasOtherCosts } from '../problem/moving-cost.ts';
import { checkOf, untilOutOfTime } from '../run/stopping.ts';
import { dualBound } from './bound.ts';
import { wholeMoves, wholeSteps } from './extract.ts';
import { costCeilingRow, type Formulation, formulate } from './formulation.ts';

/** Solves the problem with all moves; plans and bounds go to the incumbent. */
export async function solveDirect(
  problem: Problem,
  incumbent: Incumbent,
  control: RunControl,
): Promise<Ended | 'infeasible'> {
  let formulation: Formulation | null = null;
  untilOutOfTime(() => {
    formulation = formulate(problem, { check: checkOf(control) });
  });
  return formulation ? await solveFormulation(problem, formulation, incumbent, control) : 'stopped';
}

async function solveFormulation(
  problem: Problem,
  f: Formulation,
  incumbent: Incumbent,
  control: RunControl,
): Promise<Ended | 'infeasible'> {
  const v = f.variables;
  incumbent.figures.columns = Math.max(incumbent.figures.columns, f.model.columnCount);
  incumbent.figures.rows = Math.max(incumbent.figures.rows, f.model.rowCount);
  const consider = (arcs: Float64Array, method: Method) =>
    incumbent.consider(wholeMoves(problem, f, arcs), method);

  /** The cheapest moves for whole steps: a transportation programme. Restores the model's bounds afterwards. */
  function planForSteps(model: SolverModel, steps: Float64Array, method: Method): void {
    model.setColumnBounds(v.firstStep, steps, steps);
    const linear = model.runLinear();
    incumbent.figures.iterations += linear.iterations;
    model.setColumnBounds(v.firstStep, new Float64Array(steps.length), v.stepUpper);
    if (linear.status === 'optimal') consider(linear.values, method);
  }

  function branchAndCut(model: SolverModel): Ended | 'infeasible' {
    const mixed = model.runMixed({
      integerFrom: v.firstStep,
      integerTo: v.firstStep + v.stepClass.length,
      gap: incumbent.gap,
      absoluteGap: provedWithin(problem),
    });
    incumbent.figures.iterations += mixed.iterations;
    incumbent.figures.nodes += mixed.nodes;
    if (mixed.status === 'infeasible') return 'infeasible';
    incumbent.raiseBound(mixed.bound, BRANCHING_NOISE);
    const steps = mixed.values && wholeSteps(f, mixed.values);
    if (steps) {
      consider(mixed.values!, 'mixed_integer');
      planForSteps(model, steps, 'mixed_integer');
    }
    return mixed.status === 'failed' ? 'failed' : mixed.status === 'stopped' ? 'stopped' : 'done';
  }

  function run(model: SolverModel): Ended | 'infeasible' {
    const { ceiling } = incumbent;
    // The plan of the least objective may be above the ceiling, although others are not.
    const limitsOtherwise = hasOtherCosts(problem) && ceiling !== Number.POSITIVE_INFINITY;
    if (limitsOtherwise) model.addRows([costCeilingRow(problem, f)]);
    const linear = model.runLinear();
    incumbent.figures.iterations += linear.iterations;
    if (linear.status === 'infeasible') return 'infeasible';
    if (linear.rowDual.length > 0) incumbent.raiseBound(dualBound(f.model, linear.rowDual), DUAL_NOISE);
    if (linear.status === 'stopped') return 'stopped';
    if (incumbent.isCeilingProved()) return 'infeasible';
    consider(linear.values, 'linear');
    if (incumbent.isProved()) return 'done';

    let ended = branchAndCut(model);
    if (ended === 'infeasible' && incumbent.best() === null) return 'infeasible';
    if (limitsOtherwise) return ended === 'infeasible' ? 'failed' : ended;
    const best = incumbent.best();
    if (ended === 'done' && best !== null && best.costUnits > ceiling && incumbent.boundUnits() <= ceiling) {
      const row = costCeilingRow(problem, f);
      model.addRows([row]);
      ended = branchAndCut(model);
      if (ended === 'infeasible') incumbent.raiseBoundUnits(ceiling + 1);
    }
    return ended;
  }

  return await withSolverModel(problem.caches.thread, f.model, f.tolerance, control, run);
}
