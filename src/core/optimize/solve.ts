/**
 * The cheapest plan of a problem, with a proved bound.
 *
 *   0. A pure min-cost flow: the network simplex, with its certificate (`pure-flow.ts`).
 *   1. One class and fractional demand: the network simplex with the service level priced (`fractional-demand.ts`).
 *   2. Other problems, and what 1 does not prove within the gap: the search over few moves at a time, priced and proved over all of
 *      them (`mixed/search.ts`).
 *   3. What it does not decide: the direct formulation with all moves (`direct.ts`), where that fits the solver's memory.
 *   4. Time up without a plan: a greedy one.
 *
 * Every plan is recomputed from whole vehicles (`evaluate.ts`) before it counts; nothing is rounded into infeasibility.
 */
import { planGreedily, solveDirect } from './direct.ts';
import { evaluateMoves } from './evaluate.ts';
import { NO_MOVES } from './extract.ts';
import { solveFractional } from './fractional-demand.ts';
import { isStopped, MOST_COLUMNS, type RunControl, withSolverModel } from './highs.ts';
import { createIncumbent, type Incumbent } from './incumbent.ts';
import { countBaseColumns, createBaseModel } from './mixed/base-model.ts';
import { search } from './mixed/search.ts';
import type { Problem, SolveControl, SolveFigures, SolveOutcome } from './model.ts';
import { TooManyLocationsError } from './network.ts';
import { isPureFlow, solvePureFlow } from './pure-flow.ts';
import { checkOf, OutOfTime } from './stopping.ts';
import { countArcs } from './variables.ts';
import { countVehicles } from './variants.ts';

/** Columns beside the moves: with their rows and moves, four times as many run out of the memory of the solver. */
const MOST_BASE_COLUMNS = 500_000;

/**
 * Solves to the relative gap `(cost − bound) / cost`.
 * @returns `infeasible` only where that is proved; `solved` with `proved: false` where the time limit came first
 */
export async function solveProblem(
  problem: Problem,
  gap: number,
  control: SolveControl,
): Promise<SolveOutcome> {
  if (isStopped(control.stopFlag)) return { kind: 'cancelled' };
  if (countVehicles(problem) === 0) return solveWithoutVehicles(problem);
  const incumbent = createIncumbent(problem, gap, control);
  try {
    return (await solvePureFlow(problem, control)) ?? (await solve(problem, incumbent, control));
  } catch (error) {
    if (error instanceof OutOfTime) return incumbent.finish('stopped');
    if (error instanceof TooManyLocationsError) return bestOr(incumbent, error.message);
    return {
      kind: 'error',
      message: `the solver failed: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

async function solve(problem: Problem, incumbent: Incumbent, control: SolveControl): Promise<SolveOutcome> {
  const runControl: RunControl = {
    deadlineMs: control.deadlineMs,
    stopFlag: control.stopFlag,
    progressIntervalMs: control.progressIntervalMs,
    onProgress: incumbent.reportSolver,
  };
  // A pure flow comes here where HiGHS did not confirm it: then HiGHS solves it.
  const fractional = isPureFlow(problem) ? 'open' : solveFractional(problem, incumbent, control);
  if (isStopped(control.stopFlag)) return { kind: 'cancelled' };
  if (fractional === 'infeasible') return infeasible(incumbent);
  if (fractional === 'done') return incumbent.finish('done');
  if (fractional === 'stopped') return stopped(problem, incumbent);
  problem.greatCircle?.buildCosts(checkOf(control));
  problem.greatCircle?.buildDistances(checkOf(control));
  const tooMany = describeTooManyColumns(problem);
  if (tooMany) return bestOr(incumbent, tooMany);
  const base = createBaseModel(problem);
  const searched = await withSolverModel(base.model, base.tolerance, runControl, (model) =>
    search(problem, base, model, incumbent),
  );
  if (isStopped(control.stopFlag)) return { kind: 'cancelled' };
  switch (searched) {
    case 'infeasible':
      return infeasible(incumbent);
    case 'done':
      return incumbent.finish('done');
    case 'stopped':
      return stopped(problem, incumbent);
    case 'unproved':
      break;
  }
  const tooLarge = describeTooLarge(problem);
  if (tooLarge) return bestOr(incumbent, tooLarge);
  const ended = await solveDirect(problem, incumbent, runControl);
  return ended === 'infeasible' ? infeasible(incumbent) : incumbent.finish(ended);
}

function stopped(problem: Problem, incumbent: Incumbent): SolveOutcome {
  if (incumbent.best() === null) planGreedily(problem, incumbent);
  return incumbent.finish('stopped');
}

/** The plan in hand where the rest cannot be solved, or why there is none. */
function bestOr(incumbent: Incumbent, message: string): SolveOutcome {
  const best = incumbent.best();
  return best && best.costUnits <= incumbent.ceiling
    ? incumbent.finish('failed')
    : { kind: 'error', message };
}

/** The bound tells where only the cost ceiling is in the way. */
function infeasible(incumbent: Incumbent): SolveOutcome {
  const boundUnits = incumbent.boundUnits();
  return { kind: 'infeasible', boundUnits: boundUnits > incumbent.ceiling ? boundUnits : null };
}

/** Says why not even the model without moves fits the solver's memory, or null. */
function describeTooManyColumns(problem: Problem): string | null {
  const columns = countBaseColumns(problem);
  if (columns <= MOST_BASE_COLUMNS) return null;
  const { locationIds, capacities } = problem;
  return (
    `${capacities.length} distinct capacities at ${locationIds.length} locations make a model of ${columns} columns, more than ` +
    `the ${MOST_BASE_COLUMNS} that fit the solver's memory; use fewer distinct capacities or split the request`
  );
}

/** Says why a problem does not fit the solver's memory, or null. */
function describeTooLarge(problem: Problem): string | null {
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
