/**
 * Insights where the problem is a network (one class, whole demand): exact, from the plan's flow, without solving again.
 *
 *   one vehicle more at i     a cheapest path from source i to the sink; one fewer: from the sink to source i
 *   one load of demand more at j   a path from `served` to j where that saves; where the level then asks for one vehicle more to
 *                             serve, a path from the sink to j or to `served`
 *   a constraint relaxed      the network simplex again, which is quicker than many paths
 *   a move forbidden          its vehicles sent again without it
 *
 * Two searches for all vehicles, one for all demand, one or few per move: O((n + M) · n² log n) at worst,
 * M moves, and much less in practice because rerouting ends nearby.
 */
import type { LocationInsight, MoveInsight } from '../../../contracts/optimize.ts';
import { isStopped } from '../highs.ts';
import type { Problem, Solution, SolveControl } from '../model.ts';
import { bindingOf } from './bounded-insights.ts';
import { type ClassFlow, createPureFlow, moneyOf, requiredVehicles } from './class-flow.ts';
import type { Figures } from './figures.ts';
import { emptyMove, groupMoves, rerouteMove } from './move-figures.ts';
import { askConstraints, NO_QUESTIONS } from './questions.ts';
import { tightenEach } from './tighten.ts';

/** Time running out leaves what is left null. */
export async function explainPureFlow(
  problem: Problem,
  solution: Solution,
  control: SolveControl,
): Promise<Figures> {
  const shouldStop = () => performance.now() >= control.deadlineMs || isStopped(control.stopFlag);
  const flow = createPureFlow(problem, solution.moves);
  const optimum = solution.costUnits - flow.network.improved;
  const asCost: AsCost = (added) =>
    added !== null && optimum + added <= problem.limits.maxCostUnits ? moneyOf(added) : null;
  const locations = explainLocations(problem, flow, asCost);
  const moves = explainMoves(problem, solution, flow, asCost, shouldStop);
  const { binding, isCertain } = await explainBinding(problem, optimum, control);
  return { locations, moves: moves.found, binding, exact: true, complete: moves.complete && isCertain };
}

/** Solved again without each constraint, which for a network is quick. */
async function explainBinding(problem: Problem, optimum: number, control: SolveControl) {
  const questions = {
    ...NO_QUESTIONS,
    optimum: { least: optimum, most: optimum },
    constraints: askConstraints(problem, optimum),
  };
  // Nothing is cheaper than free.
  if (optimum > 0) await tightenEach(problem, questions, control);
  return bindingOf(problem, questions);
}

/** Money that a change adds; null where it leaves no plan. */
type AsCost = (addedUnits: number | null) => number | null;

function explainLocations(problem: Problem, flow: ClassFlow, asCost: AsCost): LocationInsight[] {
  const { network, sink, served, servedArc } = flow;
  const [capacity] = problem.capacities;
  const toSink = network.distances(sink, true);
  const fromSink = network.distances(sink);
  const fromServed = network.distances(served);
  const level = problem.limits.minServiceLevel;
  const forced =
    requiredVehicles(problem, level, capacity) > requiredVehicles(problem, level) &&
    network.residual(2 * servedArc + 1) === 0;
  const canServeMore = network.residual(2 * servedArc) > 0;
  // Either one more serves at j, which a unit that comes there does, or things stay as they are there.
  const demandMore = (j: number): number | null => {
    if (!forced)
      return network.residual(2 * flow.demandArc(j)) > 0 ? 0 : Math.min(0, fromServed[flow.departure(j)]);
    return canServeMore ? Math.min(fromSink[served], fromSink[flow.departure(j)]) : null;
  };
  return Array.from(problem.locationIds, (location_id, i) => {
    const more = asCost(toSink[flow.source(i)]);
    return {
      location_id,
      one_more_saves: more === null ? null : 0 - more,
      one_fewer_costs: problem.supply[i] > 0 ? asCost(fromSink[flow.source(i)]) : null,
      more_demand_costs: asCost(demandMore(i)),
      error_at_most: 0,
    };
  });
}

function explainMoves(
  problem: Problem,
  solution: Solution,
  flow: ClassFlow,
  asCost: AsCost,
  shouldStop: () => boolean,
): { found: MoveInsight[]; complete: boolean } {
  const restore = [flow.network.mark()];
  const found: MoveInsight[] = [];
  let complete = true;
  for (const group of groupMoves(solution.moves, problem.locationIds.length)) {
    const insight = emptyMove(problem, group);
    found.push(insight);
    if (shouldStop()) {
      complete = false;
      continue;
    }
    const { units, next } = rerouteMove(problem, [flow], restore, group);
    insight.error_at_most = 0;
    insight.forbidding_costs = asCost(units);
    if (insight.forbidding_costs !== null && next !== null) {
      insight.next_best_location = problem.locationIds[next];
    }
  }
  return { found, complete };
}
