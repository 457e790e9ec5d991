/**
 * A plan that looks ahead: the moves of the first step as whole vehicles, what the steps after it would bring, and a
 * bound for all of them together. Without trip flows by the network simplex (`solve-network.ts`), with them by HiGHS
 * (`solve-with-flows.ts`). Every plan is measured again from its moves (`horizon-figures.ts`), and every bound from
 * values of vehicles over all moves (`value-bound.ts`), by code that shares nothing with the searches.
 */
import type { Moves } from '../problem/model.ts';
import { movesOfFlow } from '../problem/moves.ts';
import { MIN_NOISE_UNITS } from '../problem/unmet-cost.ts';
import type { Cache } from '../run/cache.ts';
import type { SolveControl } from '../run/control.ts';
import { isStopped } from '../run/stopping.ts';
import type { MoveColumn } from './flow-master.ts';
import { solveNetwork } from './solve-network.ts';
import { solveWithFlows } from './solve-with-flows.ts';
import type { HorizonFigures, HorizonProblem, StepMoves } from './types.ts';

/** What a step would bring. With trip flows, amounts after the first step's moves may be fractional. */
type OutlookStep = {
  /** n each: vehicles free when the step begins, demand, and what of it is served. */
  vehicles: Float64Array;
  demand: Float64Array;
  served: Float64Array;
  moves: { from: number; to: number; vehicles: number }[];
};

export type HorizonSolution = {
  /** Of the first step. */
  moves: Moves;
  outlook: OutlookStep[];
  figures: HorizonFigures;
  /** Cost units, both rounded up to whole units: what all steps cost, and the least that any plan costs. */
  objectiveUnits: number;
  boundUnits: number;
  /** Their distance, relative to the objective, or to the cost of moving if that is larger. */
  gap: number;
  /** Whether the gap is within the requested one. */
  proved: boolean;
  /** What whole vehicles in the first step cost beyond fractional ones, in cost units; without trip flows 0. */
  roundingUnits: number;
  /** Whether less than what is required is served; then no plan serves more than `mostServed`. */
  isShort: boolean;
  mostServed: number;
  /** (T + 1) × n: what one more vehicle is worth, in cost units. */
  values: Float64Array;
  method: 'network_simplex' | 'linear';
  iterations: number;
  columns: number;
};

export type HorizonOutcome =
  | { kind: 'solved'; solution: HorizonSolution }
  /** No plan keeps the bounds per location. */
  | { kind: 'infeasible' }
  | { kind: 'cancelled' }
  /** Time was up before any plan was found. */
  | { kind: 'timeout' }
  | { kind: 'error'; message: string };

/**
 * @param gap relative, that proves a plan
 * @param known moves that are likely to be used, such as those of the plan before
 */
export async function planHorizon(
  problem: HorizonProblem,
  gap: number,
  control: SolveControl,
  cache: Cache,
  known?: readonly MoveColumn[],
): Promise<HorizonOutcome> {
  if (isStopped(control.stopFlag)) return { kind: 'cancelled' };
  try {
    return problem.flows
      ? await planWithFlows(problem, gap, control, cache, known)
      : planOnNetwork(problem, gap, control);
  } catch (error) {
    const message = `the solver failed: ${error instanceof Error ? error.message : String(error)}`;
    return { kind: 'error', message };
  }
}

function planOnNetwork(problem: HorizonProblem, gap: number, control: SolveControl): HorizonOutcome {
  const found = solveNetwork(problem, control);
  if (isStopped(control.stopFlag)) return { kind: 'cancelled' };
  if (found.kind === 'infeasible') return found;
  if (!found.plan) return { kind: 'timeout' };
  const { counts, plan } = found;
  return describe(problem, gap, plan, {
    method: 'network_simplex',
    iterations: counts.pivots,
    columns: counts.candidates,
    roundingUnits: 0,
  });
}

async function planWithFlows(
  problem: HorizonProblem,
  gap: number,
  control: SolveControl,
  cache: Cache,
  known: readonly MoveColumn[] | undefined,
): Promise<HorizonOutcome> {
  const found = await solveWithFlows(problem, control, cache, known);
  if (found.kind === 'cancelled') return { kind: 'cancelled' };
  const { counts, plan } = found;
  const rounding = plan.fractionalUnits === null ? 0 : plan.figures.objectiveUnits - plan.fractionalUnits;
  return describe(problem, gap, plan, {
    method: 'linear',
    iterations: counts.iterations,
    columns: counts.columns,
    roundingUnits: Math.max(0, wholeUnits(rounding)),
  });
}

/** Relative, of total demand: less is missing than a plan may lack. */
const SERVED_NOISE = 2e-9;
/** Relative error of sums of costs. */
const SUM_NOISE = 1e-13;

/** As costs of unmet demand are rounded up elsewhere (`../problem/unmet-cost.ts`). */
function wholeUnits(units: number): number {
  return Math.ceil(units - MIN_NOISE_UNITS - Math.abs(units) * SUM_NOISE) + 0;
}

type Planned = {
  moves: StepMoves;
  figures: HorizonFigures;
  boundUnits: number;
  values: Float64Array;
  mostServed: number;
};

function describe(
  problem: HorizonProblem,
  gap: number,
  { moves, figures, boundUnits: bound, values, mostServed }: Planned,
  how: Pick<HorizonSolution, 'method' | 'iterations' | 'columns' | 'roundingUnits'>,
): HorizonOutcome {
  const total = problem.demand.reduce((sum, demand) => sum + demand, 0);
  const objectiveUnits = wholeUnits(figures.objectiveUnits);
  const boundUnits = Math.min(objectiveUnits, wholeUnits(bound));
  // What vehicles are worth at the end may make the objective 0 or negative.
  const scale = Math.max(1, Math.abs(objectiveUnits), figures.movingUnits);
  const reached = (objectiveUnits - boundUnits) / scale;
  return {
    kind: 'solved',
    solution: {
      moves: firstStep(moves),
      outlook: outlookOf(problem, moves, figures),
      figures,
      objectiveUnits,
      boundUnits,
      gap: reached,
      // Parts of a load cost parts of a unit.
      proved: reached <= gap || objectiveUnits - boundUnits <= 1,
      isShort: figures.totalServed < problem.required - SERVED_NOISE * total,
      mostServed,
      values,
      ...how,
    },
  };
}

function firstStep({ step, from, to, vehicles }: StepMoves): Moves {
  const later = step.findIndex((t) => t > 0);
  const count = later < 0 ? step.length : later;
  return movesOfFlow(from.slice(0, count), to.slice(0, count), Int32Array.from(vehicles.subarray(0, count)));
}

function outlookOf(
  { n, steps, demand }: HorizonProblem,
  moves: StepMoves,
  { vehicles, served }: HorizonFigures,
): OutlookStep[] {
  const outlook = Array.from({ length: steps }, (_, t): OutlookStep => {
    const row = (values: Float64Array) => values.slice(t * n, (t + 1) * n);
    return { vehicles: row(vehicles), demand: row(demand), served: row(served), moves: [] };
  });
  for (let m = 0; m < moves.step.length; m++)
    outlook[moves.step[m]].moves.push({ from: moves.from[m], to: moves.to[m], vehicles: moves.vehicles[m] });
  return outlook;
}
