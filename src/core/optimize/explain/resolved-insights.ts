/**
 * Insights of a small problem that is no network: each figure is the difference of two optima, both solved for. Exact; about
 * 3n + M + 2 solves for n locations and M moves.
 */
import type { LocationInsight } from '../../../contracts/optimize.ts';
import type { Moves, Problem, Solution, SolveControl } from '../model.ts';
import { solveProblem } from '../solve.ts';
import { dropConstraint, withNetwork, withVehicle } from '../variants.ts';
import { moneyOf } from './class-flow.ts';
import type { Figures } from './figures.ts';
import { emptyMove, groupMoves, type MoveGroup, mostGained } from './move-figures.ts';
import { classToTake, mostCommonClass } from './serving.ts';
import { relaxableConstraints, relaxByOne, relaxedValue, requestedValue } from './units.ts';

/** The time limit came first: what was found so far is of no use. */
class OutOfTime extends Error {}

/** @returns null where the time limit came first */
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

/** The cheapest plan, or null where there is none. @throws OutOfTime */
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
    });
    control.onProgress?.({ share: (i + 1) / n, incumbentUnits: null, boundUnits: null, gap: null });
  }
  const moves: Figures['moves'] = [];
  for (const group of groupMoves(solution.moves, n)) {
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
    // Nothing is cheaper than free.
    const all = optimum === 0 ? null : await added(dropConstraint(problem, constraint));
    if (all === null || all >= 0) continue;
    const unit = await added(relaxByOne(problem, constraint));
    binding.push({
      constraint,
      value: requestedValue(problem, constraint),
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

/** Where more vehicles of the source go than in the plan; staying counts. */
function nextBest(
  problem: Problem,
  plan: Moves,
  without: Moves,
  { source, target }: MoveGroup,
): number | null {
  const gained = new Float64Array(problem.locationIds.length);
  for (const [moves, sign] of [
    [plan, -1],
    [without, 1],
  ] as const) {
    for (let m = 0; m < moves.count.length; m++) {
      if (moves.source[m] !== source) continue;
      gained[moves.target[m]] += sign * moves.count[m];
      gained[source] -= sign * moves.count[m];
    }
  }
  return mostGained(problem, gained, source, target);
}
