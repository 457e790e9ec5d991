/**
 * The cheapest plan of a problem, with a proved bound.
 *
 *   1. Linear relaxation by dual simplex. Infeasible: so is the problem. Its duals give a proved bound (`bound.ts`).
 *   2. Where its steps are whole, it is the optimum: always so for a network, often otherwise.
 *   3. Else whole steps by rounding, then a transportation programme for them: a plan, enough where its gap is.
 *   4. Else branch and cut from that plan, to the gap; the steps it returns go through the same transportation programme.
 *   5. The cost ceiling is a row only where the cheapest plan found is above it and the bound is not: then 4 again.
 *
 * Every plan is recomputed from whole vehicles (`evaluate.ts`) before it counts; nothing is rounded into infeasibility.
 */
import { dualBound } from './bound.ts';
import { fromUnits, UNITS_PER_COST } from './costs.ts';
import { evaluateMoves } from './evaluate.ts';
import { columnValues, NO_MOVES, wholeMoves, wholeSteps } from './extract.ts';
import { costCeilingRow, type Formulation, formulate } from './formulation.ts';
import {
  isStopped,
  MOST_COLUMNS,
  type RunControl,
  type SolverModel,
  type SolverProgress,
  withSolverModel,
} from './highs.ts';
import type { Moves, Problem, SolveControl, SolveFigures, SolveOutcome } from './model.ts';
import { roundSteps } from './rounding.ts';
import { countArcs } from './variables.ts';
import { countVehicles } from './variants.ts';

/** Plans cost whole units, so a bound within half a unit of one is that plan's cost. */
const HALF_UNIT = fromUnits(0.5);

/** Error of bounds: in units, and relative for our own sum of duals and for the solver's branching. */
const LEAST_NOISE_UNITS = 0.01;
const DUAL_NOISE = 1e-13;
const BRANCHING_NOISE = 1e-9;
/** A gap of this much is that error and nothing else; below 10⁹ units (100,000 money) it is no whole unit. */
const LEAST_GAP = 2e-9;

/** A plan that is in hand when the time is up may take this long to be made whole: a second, and a twentieth of the limit. */
const GRACE_MS = 1000;
const GRACE_SHARE = 0.05;

/** Share of a solve's progress that the linear relaxation makes. */
const LINEAR_SHARE = 0.2;

/**
 * Solves to the relative gap `(cost − bound) / cost`.
 * @returns `infeasible` only where that is proved; `solved` with `proved: false` where the time limit came first
 */
export async function solveProblem(
  problem: Problem,
  gap: number,
  control: SolveControl,
): Promise<SolveOutcome> {
  const tooLarge = describeTooLarge(problem);
  if (tooLarge) return { kind: 'error', message: tooLarge };
  if (isStopped(control.stopFlag)) return { kind: 'cancelled' };
  if (countVehicles(problem) === 0) return solveWithoutVehicles(problem);
  const f = formulate(problem);
  const search = createSearch(problem, f, gap, control);
  try {
    return await withSolverModel(f.model, f.tolerance, search.runControl, search.run);
  } catch (error) {
    return {
      kind: 'error',
      message: `the solver failed: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

/** Says why a problem does not fit the solver's memory, or null. */
export function describeTooLarge(problem: Problem): string | null {
  const arcs = countArcs(problem, false);
  if (arcs <= MOST_COLUMNS) return null;
  return (
    `the problem has ${arcs} possible moves, more than the ${MOST_COLUMNS} that fit the solver's memory; ` +
    'lower max_distance, use fewer distinct capacities or split the request'
  );
}

function solveWithoutVehicles(problem: Problem): SolveOutcome {
  const { served, broken } = evaluateMoves(problem, NO_MOVES);
  if (broken.length > 0) return { kind: 'infeasible', boundUnits: null };
  const figures: SolveFigures = { method: 'none', columns: 0, rows: 0, iterations: 0, nodes: 0 };
  return {
    kind: 'solved',
    solution: { moves: NO_MOVES, costUnits: 0, boundUnits: 0, gap: 0, proved: true, served, figures },
  };
}

type Method = SolveFigures['method'];
type Plan = { moves: Moves; costUnits: number; served: number; values: Float64Array; method: Method };

/** One search for the cheapest plan: what was found and proved so far, and the steps that find and prove more. */
function createSearch(problem: Problem, f: Formulation, gap: number, control: SolveControl) {
  const v = f.variables;
  const ceiling = problem.limits.maxCostUnits;
  const startedMs = performance.now();
  const graceMs = GRACE_MS + GRACE_SHARE * Math.max(0, control.deadlineMs - startedMs);
  const figures = { columns: f.model.columnCount, rows: f.model.rowCount, iterations: 0, nodes: 0 };
  /** The cheapest plan found, be it above the ceiling. */
  let best = null as Plan | null;
  let boundUnits = 0;
  let isMixed = false;

  const gapOf = (costUnits: number) => (costUnits <= boundUnits ? 0 : (costUnits - boundUnits) / costUnits);
  const isWithin = (reached: number) => reached <= Math.max(gap, LEAST_GAP);
  const isProved = () => best !== null && best.costUnits <= ceiling && isWithin(gapOf(best.costUnits));

  /** Costs are whole units, so a bound just above one proves the next; `noise` is the relative error of the bound's arithmetic. */
  function raiseBound(bound: number, noise: number): void {
    if (!Number.isFinite(bound)) return;
    const units = bound * UNITS_PER_COST;
    boundUnits = Math.max(boundUnits, Math.ceil(units - LEAST_NOISE_UNITS - Math.abs(units) * noise));
  }

  /** Keeps the plan where it holds every constraint (the ceiling apart) and is the cheapest so far. */
  function consider(moves: Moves | null, values: Float64Array, method: Method): boolean {
    if (!moves) return false;
    const { costUnits, served, broken } = evaluateMoves(problem, moves);
    if (broken.length > 0) return false;
    if (best === null || costUnits < best.costUnits) best = { moves, costUnits, served, values, method };
    return true;
  }

  /** The cheapest moves for whole steps: a transportation programme. Leaves the model's bounds as they were. */
  function planForSteps(model: SolverModel, steps: Float64Array, method: Method): boolean {
    model.setColumnBounds(v.firstStep, steps, steps);
    const linear = model.runLinear(graceMs);
    figures.iterations += linear.iterations;
    model.setColumnBounds(v.firstStep, new Float64Array(steps.length), v.stepUpper);
    if (linear.status !== 'optimal') return false;
    const values = columnValues(problem, f, linear.values, steps);
    return consider(wholeMoves(problem, f, linear.values), values, method);
  }

  /** Plans by heuristics, from the relaxation and from nothing: either may be the better one with several classes. */
  function planByRounding(model: SolverModel, relaxed: Float64Array): void {
    planFrom(model, relaxed, 'rounding', true);
    if (!isProved()) planFrom(model, new Float64Array(v.columnCount), 'greedy', true);
  }

  /** @param polish solves for the cheapest moves in any case, not only where the rounded ones break a constraint */
  function planFrom(model: SolverModel, values: Float64Array, method: Method, polish: boolean): void {
    const rounded = roundSteps(problem, f, values);
    if (!rounded) return;
    const whole = columnValues(problem, f, rounded.arcs, rounded.steps);
    const holds = consider(wholeMoves(problem, f, whole), whole, method);
    if (polish || !holds) planForSteps(model, rounded.steps, method);
  }

  /** @returns how it ended; what it found and proved is kept */
  function branchAndCut(model: SolverModel): 'done' | 'stopped' | 'infeasible' | 'failed' {
    isMixed = true;
    const mixed = model.runMixed({
      integerFrom: v.firstStep,
      integerTo: v.firstStep + v.stepClass.length,
      gap,
      absoluteGap: HALF_UNIT,
      start: best !== null && best.costUnits <= ceiling ? best.values : undefined,
    });
    figures.iterations += mixed.iterations;
    figures.nodes += mixed.nodes;
    if (mixed.status === 'infeasible') return 'infeasible';
    raiseBound(mixed.bound, BRANCHING_NOISE);
    const steps = mixed.values && wholeSteps(f, mixed.values);
    if (steps) {
      consider(wholeMoves(problem, f, mixed.values!), mixed.values!, 'mixed_integer');
      planForSteps(model, steps, 'mixed_integer');
    }
    if (mixed.status === 'failed') return 'failed';
    return mixed.status === 'stopped' ? 'stopped' : 'done';
  }

  function addCeiling(model: SolverModel): void {
    const row = costCeilingRow(problem, f);
    model.addRow(row.indices, row.values, Number.NEGATIVE_INFINITY, row.upper);
  }

  function run(model: SolverModel): SolveOutcome {
    const linear = model.runLinear();
    figures.iterations += linear.iterations;
    if (linear.status === 'infeasible') return { kind: 'infeasible', boundUnits: null };
    if (linear.status === 'stopped') {
      if (linear.rowDual.length > 0) raiseBound(dualBound(f.model, linear.rowDual), DUAL_NOISE);
      // No relaxation in time: a greedy plan is still better than none, and mostly needs no solver.
      if (!isStopped(control.stopFlag)) planFrom(model, new Float64Array(v.columnCount), 'greedy', false);
      return finish('stopped');
    }
    raiseBound(dualBound(f.model, linear.rowDual), DUAL_NOISE);
    if (boundUnits > ceiling) return { kind: 'infeasible', boundUnits };
    consider(wholeMoves(problem, f, linear.values), linear.values, 'linear');
    if (!isProved()) planByRounding(model, linear.values);
    if (isProved()) return finish('done');

    let ended = branchAndCut(model);
    if (ended === 'infeasible' && best === null) return { kind: 'infeasible', boundUnits: null };
    if (ended === 'done' && best !== null && best.costUnits > ceiling && boundUnits <= ceiling) {
      addCeiling(model);
      ended = branchAndCut(model);
      if (ended === 'infeasible') return { kind: 'infeasible', boundUnits: ceiling + 1 };
    }
    return finish(ended);
  }

  function finish(ended: 'done' | 'stopped' | 'infeasible' | 'failed'): SolveOutcome {
    if (isStopped(control.stopFlag)) return { kind: 'cancelled' };
    if (boundUnits > ceiling) return { kind: 'infeasible', boundUnits };
    if (best === null || best.costUnits > ceiling) {
      if (ended === 'stopped') return { kind: 'timeout' };
      return { kind: 'error', message: 'the solver ended without a plan that keeps every constraint' };
    }
    const { moves, costUnits, served, method } = best;
    const reached = gapOf(costUnits);
    return {
      kind: 'solved',
      solution: {
        moves,
        costUnits,
        boundUnits: Math.min(boundUnits, costUnits),
        gap: reached,
        proved: isWithin(reached),
        served,
        figures: { ...figures, method },
      },
    };
  }

  function report({ iterations, incumbent, bound }: SolverProgress): void {
    const incumbentUnits =
      incumbent === null ? (best?.costUnits ?? null) : Math.round(incumbent * UNITS_PER_COST);
    const knownBound = Math.max(boundUnits, bound === null ? 0 : Math.round(bound * UNITS_PER_COST));
    const gapNow =
      incumbentUnits === null
        ? null
        : incumbentUnits <= knownBound
          ? 0
          : (incumbentUnits - knownBound) / incumbentUnits;
    const share = isMixed
      ? LINEAR_SHARE +
        (1 - LINEAR_SHARE) * Math.max(timeShare(), gapNow === null ? 0 : gap / Math.max(gap, gapNow, 1e-9))
      : LINEAR_SHARE * (1 - Math.exp(-iterations / (1 + 2 * f.model.rowCount)));
    control.onProgress?.({ share, incumbentUnits, boundUnits: isMixed ? knownBound : null, gap: gapNow });
  }

  function timeShare(): number {
    const elapsed = performance.now() - startedMs;
    return Math.min(1, elapsed / Math.max(1, control.deadlineMs - startedMs));
  }

  const runControl: RunControl = {
    deadlineMs: control.deadlineMs,
    stopFlag: control.stopFlag,
    progressIntervalMs: control.progressIntervalMs,
    onProgress: report,
  };
  return { run, runControl };
}
