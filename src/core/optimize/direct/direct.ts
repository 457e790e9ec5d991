/**
 * The direct formulation: all moves are columns of one model (`formulation.ts`), solved by HiGHS. It is the fallback
 * for problems that column generation does not decide, and for a plan when time is up before one exists.
 *
 *   1. Linear relaxation by dual simplex. If it is infeasible, so is the problem. Its duals give a proved bound (`bound.ts`).
 *   2. If its steps are whole numbers, it is the optimum: always so for a network, often otherwise.
 *   3. Otherwise rounding to whole steps, then a transportation programme for them. Sufficient if the gap is small enough.
 *   4. Otherwise branch and cut from that plan, to the gap; its steps go through the same transportation programme.
 *   5. The cost ceiling becomes a row only if the cheapest plan found is above it and the bound is not; then 4 again.
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

/** Plans cost whole units, so a bound within half a unit of a plan's cost proves that cost. */
const HALF_UNIT = fromUnits(0.5);
/** A greedy plan lists all moves; with more than this it takes too long. */
const MAX_GREEDY_MOVES = 60_000;

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
  /** Column values of the cheapest plan found here, where branching starts. */
  let start: Float64Array | undefined;

  function consider(arcs: Float64Array, values: Float64Array, method: Method): boolean {
    const before = incumbent.best();
    const holds = incumbent.consider(wholeMoves(problem, f, arcs), method);
    if (incumbent.best() !== before) start = values;
    return holds;
  }

  /** The cheapest moves for whole steps: a transportation programme. Restores the model's bounds afterwards. */
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
    // Round once from the relaxation and once from zeros: with several classes either may be better.
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

/** Considers a greedy plan, made without the solver: better than none when time is up, if it does not take long. */
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
