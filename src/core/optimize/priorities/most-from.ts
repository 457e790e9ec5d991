/**
 * The most demand that a plan serves at the locations of a priority level and of all higher ones, within every other
 * constraint and the floors of the higher levels.
 *
 * Bisection: a plan raises the lower end to what it serves, a proof that there is none lowers the upper end.
 */

import { evaluateMoves } from '../problem/evaluate.ts';
import { floorsOf, serveFloors, withFloors } from '../problem/floors.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { allDemand, serviceLevelOf } from '../problem/service-level.ts';
import { splitDemand } from '../problem/steps.ts';
import { withLimits } from '../problem/variants.ts';
import { timeFor } from '../run/budget.ts';
import type { SolveControl } from '../run/control.ts';
import { isOver } from '../run/stopping.ts';
import { solveProblem } from '../solve.ts';

/** Share of total demand to which the most is found, whatever the gap. */
const LEVEL_PRECISION = 1e-6;

/** A plan, and what it serves at the locations of a level and of all higher ones. */
export type PlanFrom = { moves: Moves; served: number };

export type MostFrom = {
  plan: PlanFrom;
  /** Proved: no plan serves more. */
  most: number;
};

/** The problem that also serves this much from a level up; level 0 is the service level. */
export function withFloor(problem: Problem, level: number, served: number): Problem {
  return level === 0
    ? withLimits(problem, { minServiceLevel: Math.min(1, serviceLevelOf(problem, served)) })
    : withFloors(problem, [...floorsOf(problem), { level, served }]);
}

/**
 * What moves serve from a level up.
 * @param atLeast that they are known to serve; with a fleet size, more of it could be at the cost of other demand
 */
export function servedFrom(problem: Problem, moves: Moves, level: number, atLeast = 0): number {
  const { presence } = evaluateMoves(problem, moves);
  const least = withFloor(problem, level, atLeast);
  const { byLevel } = serveFloors(least, presence, problem.limits.totalFleetSize);
  let served = 0;
  for (const [of, amount] of byLevel) if (of >= level) served += amount;
  return served;
}

/** Difference between the most that is proved and what is served, up to which the most counts as reached. */
export function toleranceOf(problem: Problem, most: number, gap: number): number {
  return Math.max(gap * most, LEVEL_PRECISION * allDemand(problem));
}

/**
 * @param problem with the floors of all higher levels
 * @param start a plan of the problem
 * @param top proved: no plan serves more
 * @param gap relative, at which the most counts as known
 */
export async function findMostFrom(
  problem: Problem,
  level: number,
  start: PlanFrom,
  top: number,
  gap: number,
  control: SolveControl,
): Promise<MostFrom> {
  let plan = start;
  let most = top;
  const keep = (moves: Moves, atLeast: number) => {
    const served = servedFrom(problem, moves, level, atLeast);
    if (served > plan.served) plan = { moves, served };
  };
  const isFound = () => most - plan.served <= toleranceOf(problem, most, gap);
  if (isFound()) return { plan, most: Math.max(most, plan.served) };
  const unit = unitOf(problem);
  /** Less than this was not found to be out of reach; whether that is proved or not. */
  let unsettled = most + unit;
  for (let asked = most; asked > plan.served && !isFound() && !isOver(control); ) {
    const outcome = await solveProblem(withFloor(problem, level, asked), 1, timeFor('question', control));
    if (outcome.kind === 'cancelled') break;
    if (outcome.kind === 'solved') keep(outcome.solution.moves, asked);
    else {
      unsettled = asked;
      if (outcome.kind === 'infeasible') most = Math.min(most, asked - (isWhole(problem) ? unit : 0));
    }
    const half = Math.ceil((unsettled - plan.served) / 2 / unit - LEVEL_PRECISION) * unit;
    asked = plan.served + half;
    if (asked >= unsettled - LEVEL_PRECISION * unit) break;
  }
  return { plan, most: Math.max(most, plan.served) };
}

/** The step of the bisection. */
function unitOf(problem: Problem): number {
  return isWhole(problem) ? problem.capacities[0] : (LEVEL_PRECISION / 2) * allDemand(problem);
}

/** Whether all demand is in whole loads of one class. */
function isWhole({ capacities, demand }: Problem): boolean {
  return capacities.length === 1 && demand.every((d) => splitDemand(d, capacities[0]).rest === 0);
}
