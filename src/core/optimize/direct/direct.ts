/**
 * The direct formulation: all moves are columns of one model (`formulation.ts`), solved by HiGHS. The fallback for what
 * the search over few moves (`mixed/`) does not decide, and the plan where the time is up before it has any.
 *
 *   1. Linear relaxation by dual simplex. Infeasible: so is the problem. Its duals give a proved bound (`bound.ts`).
 *   2. Where its steps are whole, it is the optimum: always so for a network, often otherwise.
 *   3. Else whole steps by rounding, then a transportation programme for them: a plan, enough where its gap is.
 *   4. Else branch and cut from that plan, to the gap; the steps it returns go through the same transportation programme.
 *   5. The cost ceiling is a row only where the cheapest plan found is above it and the bound is not: then 4 again.
 */

import { type RunControl, type SolverModel, withSolverModel } from '../highs/highs.ts';
import { fromUnits } from '../problem/costs.ts';
import {
  BRANCHING_NOISE,
  DUAL_NOISE,
  type Ended,
  type Incumbent,
  type Method,
} from '../problem/incumbent.ts';
import type { Problem } from '../problem/model.ts';
import { checkOf, isOver, OutOfTime, untilOutOfTime } from '../run/stopping.ts';
import { dualBound } from './bound.ts';
import { columnValues, wholeMoves, wholeSteps } from './extract.ts';
import { costCeilingRow, type Formulation, formulate } from './formulation.ts';
import { roundSteps } from './rounding.ts';
import { countArcs } from './variables.ts';

/** Plans cost whole units, so a bound within half a unit of one is that plan's cost. */
const HALF_UNIT = fromUnits(0.5);
/** A greedy plan takes a list of all moves; with more than this it takes too long. */
const MAX_GREEDY_MOVES = 60_000;

/** Adds what it finds and proves to the incumbent. */
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
  /** Column values of the cheapest plan that was found here, to start branching from. */
  let start: Float64Array | undefined;

  function consider(arcs: Float64Array, values: Float64Array, method: Method): boolean {
    const before = incumbent.best();
    const holds = incumbent.consider(wholeMoves(problem, f, arcs), method);
    if (incumbent.best() !== before) start = values;
    return holds;
  }

  /** The cheapest moves for whole steps: a transportation programme. Leaves the model's bounds as they were. */
  function planForSteps(model: SolverModel, steps: Float64Array, method: Method): boolean {
    model.setColumnBounds(v.firstStep, steps, steps);
    const linear = model.runLinear();
    incumbent.figures.iterations += linear.iterations;
    model.setColumnBounds(v.firstStep, new Float64Array(steps.length), v.stepUpper);
    if (linear.status !== 'optimal') return false;
    return consider(linear.values, columnValues(problem, f, linear.values, steps), method);
  }

  function planFrom(model: SolverModel, values: Float64Array, method: Method): void {
    const rounded = roundSteps(problem, f, values, () => isOver(control));
    if (!rounded) return;
    const whole = columnValues(problem, f, rounded.arcs, rounded.steps);
    consider(whole, whole, method);
    planForSteps(model, rounded.steps, method);
  }

  function branchAndCut(model: SolverModel): Ended | 'infeasible' {
    const best = incumbent.best();
    const mixed = model.runMixed({
      integerFrom: v.firstStep,
      integerTo: v.firstStep + v.stepClass.length,
      gap: incumbent.gap,
      absoluteGap: HALF_UNIT,
      start: best !== null && best.costUnits <= incumbent.ceiling ? start : undefined,
    });
    incumbent.figures.iterations += mixed.iterations;
    incumbent.figures.nodes += mixed.nodes;
    if (mixed.status === 'infeasible') return 'infeasible';
    incumbent.raiseBound(mixed.bound, BRANCHING_NOISE);
    const steps = mixed.values && wholeSteps(f, mixed.values);
    if (steps) {
      consider(mixed.values!, mixed.values!, 'mixed_integer');
      planForSteps(model, steps, 'mixed_integer');
    }
    return mixed.status === 'failed' ? 'failed' : mixed.status === 'stopped' ? 'stopped' : 'done';
  }

  function run(model: SolverModel): Ended | 'infeasible' {
    const linear = model.runLinear();
    incumbent.figures.iterations += linear.iterations;
    if (linear.status === 'infeasible') return 'infeasible';
    if (linear.rowDual.length > 0) incumbent.raiseBound(dualBound(f.model, linear.rowDual), DUAL_NOISE);
    if (linear.status === 'stopped') return 'stopped';
    if (incumbent.boundUnits() > incumbent.ceiling) return 'infeasible';
    consider(linear.values, linear.values, 'linear');
    // From the relaxation and from nothing: either may be the better one with several classes.
    if (!incumbent.isProved()) planFrom(model, linear.values, 'rounding');
    if (!incumbent.isProved()) planFrom(model, new Float64Array(v.columnCount), 'greedy');
    if (incumbent.isProved()) return 'done';

    let ended = branchAndCut(model);
    if (ended === 'infeasible' && incumbent.best() === null) return 'infeasible';
    const best = incumbent.best();
    const { ceiling } = incumbent;
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

/** A plan by adding the cheapest vehicles, without a solver: better than none where the time is up, if it does not take long. */
export function considerGreedyPlan(problem: Problem, incumbent: Incumbent): void {
  const check = () => {
    if (incumbent.isTooLate()) throw new OutOfTime();
  };
  untilOutOfTime(() => {
    if (countArcs(problem, false, check) > MAX_GREEDY_MOVES) return;
    const f = formulate(problem, { check });
    const rounded = roundSteps(problem, f, new Float64Array(f.variables.columnCount), incumbent.isTooLate);
    if (!rounded) return;
    const whole = columnValues(problem, f, rounded.arcs, rounded.steps);
    incumbent.consider(wholeMoves(problem, f, whole), 'greedy');
  });
}
