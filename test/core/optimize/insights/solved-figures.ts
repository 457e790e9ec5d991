/**
 * Insights of a small problem, found by solving it again with each change: each figure is the difference of two optima.
 * About 3n + M + 2 solves.
 */

import type { LocationInsight } from '../../../../src/contracts/optimize.ts';
import type { Figures } from '../../../../src/core/optimize/insights/figures.ts';
import {
  emptyMove,
  groupMoves,
  type MoveGroup,
} from '../../../../src/core/optimize/insights/move-figures.ts';
import { moneyOf } from '../../../../src/core/optimize/insights/residual/class-flow.ts';
import { nextBest } from '../../../../src/core/optimize/insights/sensitivity.ts';
import {
  relaxableConstraints,
  relaxByOne,
  relaxedValue,
  requestedLimit,
} from '../../../../src/core/optimize/insights/units.ts';
import type { Problem, Solution } from '../../../../src/core/optimize/problem/model.ts';
import { classToTake, mostCommonClass } from '../../../../src/core/optimize/problem/serving.ts';
import { dropConstraint, withNetwork, withVehicle } from '../../../../src/core/optimize/problem/variants.ts';
import { type SolveControl, UNKNOWN_PROGRESS } from '../../../../src/core/optimize/run/control.ts';
import { solveProblem } from '../../../../src/core/optimize/solve.ts';

/** The time limit was reached first; partial results are not used. */
class OutOfTime extends Error {}

/** @returns null if the time limit was reached first */
export async function explainByResolving(
  problem: Problem,
  solution: Solution,
  load: number,
  control: SolveControl,
): Promise<Figures | null> {
  try {
    return await explainEach(problem, solution, load, control);
  } catch (error) {
    if (error instanceof OutOfTime) return null;
    throw error;
  }
}

/** The cheapest plan, or null if there is none. @throws OutOfTime */
async function solve(problem: Problem, control: SolveControl): Promise<Solution | null> {
  const { deadlineMs, stopFlag } = control;
  const outcome = await solveProblem(problem, 0, { deadlineMs, stopFlag });
  if (outcome.kind === 'infeasible') return null;
  if (outcome.kind === 'solved' && outcome.solution.proved) return outcome.solution;
  throw new OutOfTime();
}

async function explainEach(
  problem: Problem,
  solution: Solution,
  load: number,
  control: SolveControl,
): Promise<Figures> {
  const n = problem.locationIds.length;
  const known = solution.gap === 0 ? solution : await solve(problem, control);
  if (!known) throw new OutOfTime();
  const optimum = known.costUnits;
  const added = async (variant: Problem) => {
    const solved = await solve(variant, control);
    return solved === null ? null : moneyOf(solved.costUnits - optimum);
  };
  const common = mostCommonClass(problem) ?? 0;
  const locations: LocationInsight[] = [];
  for (let i = 0; i < n; i++) {
    const more = await added(withVehicle(problem, common, i, 1));
    const taken = classToTake(problem, common, i);
    locations.push({
      location_id: problem.locationIds[i],
      one_more_saves: more === null ? null : 0 - more,
      one_fewer_costs: taken === null ? null : await added(withVehicle(problem, taken, i, -1)),
      more_demand_costs: await added(withDemand(problem, i, load)),
      error_at_most: 0,
      not_known: [],
    });
    control.onProgress?.({ ...UNKNOWN_PROGRESS, share: (i + 1) / n });
  }
  const moves: Figures['moves'] = [];
  for (const group of groupMoves(problem, solution.moves)) {
    const insight = { ...emptyMove(problem, group), error_at_most: 0 };
    moves.push(insight);
    const without = await solve(withoutMove(problem, group), control);
    if (!without) continue;
    insight.forbidding_costs = moneyOf(without.costUnits - optimum);
    const next = nextBest(problem, solution.moves, without.moves, group);
    insight.next_best_location = next === null ? null : problem.locationIds[next];
  }
  const binding: Figures['binding'] = [];
  for (const constraint of relaxableConstraints(problem)) {
    // No cost is below 0.
    const all = optimum === 0 ? null : await added(dropConstraint(problem, constraint));
    if (all === null || all >= 0) continue;
    const unit = await added(relaxByOne(problem, constraint));
    binding.push({
      constraint,
      value: requestedLimit(problem, constraint),
      relaxed_value: relaxedValue(problem, constraint),
      saves: unit === null ? null : 0 - unit,
      error_at_most: 0,
    });
  }
  return { locations, moves, binding, exact: true, complete: true };
}

function withDemand(problem: Problem, location: number, load: number): Problem {
  const demand = problem.demand.slice();
  demand[location] += load;
  return { ...problem, demand };
}

function withoutMove(problem: Problem, { source, target }: MoveGroup): Problem {
  const costUnits = problem.network.costUnits.slice();
  costUnits[source * problem.locationIds.length + target] = Number.POSITIVE_INFINITY;
  return withNetwork(problem, { ...problem.network, costUnits });
}
