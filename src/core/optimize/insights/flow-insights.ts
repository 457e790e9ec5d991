/**
 * Insights for a problem that is a network (one class, whole demand): exact, from the plan's flow, without solving
 * again.
 *
 *   one vehicle more at i     a cheapest path from source i to the sink; one fewer: from the sink to source i
 *   one load more at j        a path from `served` to j if that saves; if the level then requires one more serving
 *                             vehicle, a path from the sink to j or to `served`
 *   a constraint relaxed      the network simplex again, which is faster than many paths
 *   a move forbidden          its vehicles rerouted without it
 *
 * Two searches for all vehicles, one for all demand, one or few per move: O((n + M) · n² log n) at worst, M moves, and
 * much less in practice because rerouting ends nearby.
 */

import type { LocationInsight } from '../../../contracts/optimize.ts';
import type { Problem, Solution } from '../problem/model.ts';
import { sparePinned } from '../problem/pinned.ts';
import { countRequestLocations } from '../problem/pinned-places.ts';
import { timeFor } from '../run/budget.ts';
import { type SolveControl, UNKNOWN_PROGRESS } from '../run/control.ts';
import { byClock, type Stopping, untilOutOfTime } from '../run/stopping.ts';
import { bindingOf } from './bounded-insights.ts';
import { effortOf } from './effort.ts';
import { emptyFigures, type Figures } from './figures.ts';
import { groupMoves, rerouteMove } from './move-figures.ts';
import { type ClassFlow, createPureFlow, moneyOf, requiredVehicles } from './residual/class-flow.ts';
import { markState, residualOf } from './residual/residual-network.ts';
import { distances } from './residual/shortest-paths.ts';
import { askConstraints, NO_SENSITIVITIES } from './sensitivity.ts';
import { learnConstraints, tightenEach } from './tighten.ts';

/** Shares of the work: for vehicles and demand of all locations, and for the moves; constraints get the rest. */
const LOCATIONS_SHARE = 0.3;
const MOVES_SHARE = 0.5;

/**
 * When time runs out, the remaining figures are null.
 * @param nearPerNode see `Effort`
 */
export async function explainPureFlow(
  problem: Problem,
  solution: Solution,
  control: SolveControl,
  nearPerNode?: number,
): Promise<Figures> {
  const figures = emptyFigures(problem, solution);
  const timed = byClock(control, control.deadlineMs);
  const effort = effortOf(timed, nearPerNode);
  const tell = (share: number) => control.onProgress?.({ ...UNKNOWN_PROGRESS, share });
  let optimum: number | null = null;
  figures.complete = untilOutOfTime(() => {
    const flow = createPureFlow(problem, solution.moves, effort);
    const cheapest = solution.costUnits - flow.network.improved;
    optimum = cheapest;
    const asCost: AsCost = (added) =>
      added !== null && cheapest + added <= problem.limits.maxCostUnits ? moneyOf(added) : null;
    figures.locations = explainLocations(problem, flow, asCost);
    tell(LOCATIONS_SHARE);
    explainMoves(problem, solution, flow, asCost, figures, (share) =>
      tell(LOCATIONS_SHARE + MOVES_SHARE * share),
    );
  });
  if (optimum !== null) {
    const { binding, isCertain } = await explainBinding(problem, optimum, timed);
    figures.binding = binding;
    figures.complete &&= isCertain;
  }
  figures.exact = figures.complete;
  return figures;
}

/** Solved again without each constraint, which for a network is quick. */
async function explainBinding(problem: Problem, optimum: number, control: Stopping) {
  const sensitivities = {
    ...NO_SENSITIVITIES,
    optimum: { least: optimum, most: optimum },
    constraints: askConstraints(problem, optimum),
  };
  // No cost is below 0.
  if (optimum > 0) {
    await learnConstraints(problem, sensitivities, timeFor('glance', control));
    await tightenEach(problem, sensitivities, control);
  }
  return bindingOf(problem, sensitivities);
}

/** Money that a change adds; null if it leaves no plan. */
type AsCost = (addedUnits: number | null) => number | null;

function explainLocations(problem: Problem, flow: ClassFlow, asCost: AsCost): LocationInsight[] {
  const { network, sink, served, servedArc } = flow;
  const [capacity] = problem.capacities;
  const toSink = distances(network, sink, true);
  const fromSink = distances(network, sink);
  const fromServed = distances(network, served);
  const level = problem.limits.minServiceLevel;
  const isOneMore = requiredVehicles(problem, level, capacity) > requiredVehicles(problem, level);
  const forced = isOneMore && residualOf(network, 2 * servedArc + 1) === 0;
  const canServeMore = residualOf(network, 2 * servedArc) > 0;
  // Either one more vehicle serves at j, which a unit that comes there does, or nothing changes there.
  const demandMore = (j: number): number | null => {
    // A pinned vehicle without work serves it, and another one need not, unless the level then requires one more.
    if (sparePinned(problem, j) >= capacity) return isOneMore ? 0 : Math.min(0, fromServed[sink]);
    if (!forced)
      return residualOf(network, 2 * flow.demandArc(j)) > 0 ? 0 : Math.min(0, fromServed[flow.departure(j)]);
    return canServeMore ? Math.min(fromSink[served], fromSink[flow.departure(j)]) : null;
  };
  const locations = problem.locationIds.subarray(0, countRequestLocations(problem));
  return Array.from(locations, (location_id, i) => {
    const more = asCost(toSink[flow.source(i)]);
    return {
      location_id,
      one_more_saves: more === null ? null : 0 - more,
      one_fewer_costs: problem.supply[i] > 0 ? asCost(fromSink[flow.source(i)]) : null,
      more_demand_costs: asCost(demandMore(i)),
      error_at_most: 0,
      not_known: [],
    };
  });
}

function explainMoves(
  problem: Problem,
  solution: Solution,
  flow: ClassFlow,
  asCost: AsCost,
  figures: Figures,
  tell: (share: number) => void,
): void {
  const restore = [markState(flow.network)];
  const groups = groupMoves(problem, solution.moves);
  for (const [m, group] of groups.entries()) {
    const insight = figures.moves[m];
    const { units, next } = rerouteMove(problem, [flow], restore, group);
    insight.error_at_most = 0;
    insight.forbidding_costs = asCost(units);
    if (insight.forbidding_costs !== null && next !== null) {
      insight.next_best_location = problem.locationIds[next];
    }
    tell((m + 1) / groups.length);
  }
}
