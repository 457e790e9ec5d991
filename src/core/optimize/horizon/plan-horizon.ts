/**
 * A plan that looks ahead: the moves of the first step as whole vehicles, what the steps after it would bring, and a
 * bound for all of them together. Without trip flows by the network simplex (`solve-network.ts`), with them by HiGHS
 * (`solve-with-flows.ts`). Every plan is measured again from its moves (`horizon-figures.ts`), and every bound from
 * values of vehicles over all moves (`value-bound.ts`), by code that shares nothing with the searches.
 */
import type { Moves } from '../problem/model.ts';
import { movesOfFlow } from '../problem/moves.ts';
import type { Cache } from '../run/cache.ts';
import type { SolveControl } from '../run/control.ts';
import { solverFault } from '../run/solver-fault.ts';
import { isStopped } from '../run/stopping.ts';
import type { MoveColumn } from './flow-master.ts';
import type { HorizonOutcome, HorizonSolution, OutlookStep } from './outcome.ts';
import { planWithRules } from './plan-with-rules.ts';
import { isMost, proofOf, wholeUnits } from './proof-of.ts';
import { solveNetwork } from './solve-network.ts';
import { solveWithFlows } from './solve-with-flows.ts';
import type { HorizonFigures, HorizonProblem, StepMoves } from './types.ts';

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
    // Trips that end where bounds leave no room: the flow alone cannot answer that.
    if (problem.flows && (problem.least || problem.most)) {
      const { capacity, supply } = problem;
      const ruled = { base: problem, capacities: Float64Array.of(capacity), supply };
      return await planWithRules(ruled, gap, control, cache, known);
    }
    return problem.flows
      ? await planWithFlows(problem, gap, control, cache, known)
      : planOnNetwork(problem, gap, control);
  } catch (error) {
    return solverFault(error);
  }
}

function planOnNetwork(problem: HorizonProblem, gap: number, control: SolveControl): HorizonOutcome {
  const found = solveNetwork(problem, control);
  if (isStopped(control.stopFlag)) return { kind: 'cancelled' };
  if (found.kind === 'infeasible') return { kind: found.kind, isProved: true };
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
  { moves, figures, boundUnits, values, mostServed }: Planned,
  how: Pick<HorizonSolution, 'method' | 'iterations' | 'columns' | 'roundingUnits'>,
): HorizonOutcome {
  const total = problem.demand.reduce((sum, demand) => sum + demand, 0);
  const isShort = figures.totalServed < problem.required - SERVED_NOISE * total;
  const proof = proofOf({ ...figures, boundUnits }, gap);
  return {
    kind: 'solved',
    solution: {
      moves: firstStep(moves),
      outlook: outlookOf(problem, moves, figures),
      figures,
      ...proof,
      proved: proof.proved && (!isShort || isMost(figures.totalServed, mostServed, gap)),
      isShort,
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
