/**
 * The plan of a fleet that cannot reach the service level: the most demand that can be served within the other
 * constraints, then the cheapest plan that serves it.
 */

import { cheapened } from '../infeasible/cheapest-moves.ts';
import type { HighestLevel } from '../infeasible/highest-service-level.ts';
import { findHighestServiceLevel } from '../infeasible/highest-service-level.ts';
import type { KnownLevel } from '../infeasible/infeasible.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import type { Problem, Solution, SolveOutcome } from '../problem/model.ts';
import { leastServed, serviceLevelOf } from '../problem/service-level.ts';
import { withoutUnmetCost } from '../problem/unmet-cost.ts';
import { withLimits } from '../problem/variants.ts';
import { timeFor } from '../run/budget.ts';
import type { SolveControl } from '../run/control.ts';
import { isStopped } from '../run/stopping.ts';
import { solveProblem } from '../solve.ts';
import { firstPlan } from './first-plan.ts';

/** Share of the requested gap for the first stage: served demand counts more than its cost. */
const SERVICE_SHARE = 0.1;

/** `problem` has the level that is reached as its service level, so the plan satisfies all of it. */
export type ServedMost = {
  kind: 'served';
  problem: Problem;
  solution: Solution;
  /** Proved: no plan within the other constraints serves more demand. */
  most: number;
  /** Whether `most` is known within the share of the gap that the first stage has. */
  isMostProved: boolean;
  /** The highest service level that can be requested, as an explanation names it. */
  level: KnownLevel;
};

/** The cheapest plan at the requested service level, or, if none is found, the plan that serves most. */
export async function solveOrServeMost(
  problem: Problem,
  gap: number,
  control: SolveControl,
): Promise<ServedMost | SolveOutcome> {
  const solved: SolveOutcome = isBeyondFleet(problem)
    ? { kind: 'infeasible' }
    : await solveProblem(problem, gap, { ...control, ...timeFor('most', control) });
  return solved.kind === 'infeasible' || solved.kind === 'timeout'
    ? await serveMost(problem, gap, control)
    : solved;
}

/** Whether the vehicles that may serve are too few for the service level, wherever they are. */
export function isBeyondFleet(problem: Problem): boolean {
  const { capacities, supply, demand, limits } = problem;
  const n = demand.length;
  let left = limits.totalFleetSize;
  let capacity = 0;
  for (let k = capacities.length - 1; k >= 0; k--) {
    const vehicles = Math.min(
      left,
      supply.subarray(k * n, (k + 1) * n).reduce((sum, count) => sum + count, 0),
    );
    left -= vehicles;
    capacity += capacities[k] * vehicles;
  }
  return capacity < leastServed(problem);
}

/**
 * @param problem whose service level is out of reach, or not known to be within reach
 * @param gap relative, of the cost of the second stage
 * @returns `served`, `proved` only if both stages are; `infeasible` if no plan exists even at service level 0
 */
async function serveMost(
  problem: Problem,
  gap: number,
  control: SolveControl,
): Promise<ServedMost | SolveOutcome> {
  const found = await findHighestServiceLevel(
    withoutUnmetCost(problem),
    timeFor('half', control),
    gap * SERVICE_SHARE,
  );
  if (isStopped(control.stopFlag)) return { kind: 'cancelled' };
  const { most } = found;
  // Out of time, a search may have but its own first point.
  const first = found.proved ? null : firstPlan(problem, control);
  const plan = first && first.served > (found.plan?.served ?? -1) ? first : found.plan;
  if (!plan) return found.proved ? { kind: 'infeasible' } : { kind: 'timeout' };
  // Time may have ended the search for a plan at the requested level, and this one found it.
  if (plan.served >= leastServed(problem)) {
    const solved = await solveProblem(problem, gap, control, plan.moves);
    return solved.kind === 'timeout' ? { kind: 'solved', solution: unproved(problem, plan) } : solved;
  }
  const reached = withLimits(problem, { minServiceLevel: serviceLevelOf(problem, plan.served) });
  const moves = await cheapened(reached, plan.moves, control);
  const solved = await solveProblem(reached, gap, control, moves);
  if (solved.kind === 'cancelled') return solved;
  const solution = solved.kind === 'solved' ? solved.solution : unproved(problem, { ...plan, moves });
  // The cheapest plan may serve more than the first stage's, and so be proved where that was not.
  const isMostProved = found.proved || most - solution.served <= gap * SERVICE_SHARE * most;
  return {
    kind: 'served',
    problem: reached,
    solution: { ...solution, proved: solution.proved && isMostProved },
    most: Math.max(most, solution.served),
    isMostProved,
    level: { relaxation: found.relaxation, insufficient: found.insufficient, proved: found.isNearest },
  };
}

/** The first stage's plan, if the second stage finds none in time. */
export function unproved(problem: Problem, { moves, served }: NonNullable<HighestLevel['plan']>): Solution {
  const { costUnits, objectiveUnits } = evaluateMoves(problem, moves);
  return {
    moves,
    costUnits,
    objectiveUnits,
    boundUnits: 0,
    gap: objectiveUnits === 0 ? 0 : 1,
    proved: objectiveUnits === 0,
    served,
    figures: { method: 'greedy', columns: 0, rows: 0, iterations: 0, nodes: 0 },
  };
}
