/**
 * Insights where the problem is a network (one class, whole demand): exact, from the plan's flow, without solving again.
 *
 *   one vehicle more at i     a cheapest path from source i to the sink; one fewer: from the sink to source i
 *   one load of demand more at j   a path from `served` to j where that saves; where the level then asks for one vehicle more to
 *                             serve, a path from the sink to j or to `served`
 *   a constraint relaxed      cycles of negative cost through the arcs that it widens
 *   a move forbidden          its vehicles sent again without it
 *
 * Two searches for all vehicles, one for all demand, one or few per move and per constraint: O((n + M) · n² log n) at worst,
 * M moves, and much less in practice because rerouting ends nearby.
 */
import type { BindingConstraint, LocationInsight, MoveInsight } from '../../../contracts/optimize.ts';
import { fromUnits } from '../costs.ts';
import type { Problem, Solution } from '../model.ts';
import { type ClassFlow, createPureFlow, moneyOf, requiredVehicles } from './class-flow.ts';
import type { Figures } from './figures.ts';
import { emptyMove, groupMoves, rerouteMove } from './move-figures.ts';
import { type RelaxableName, relaxableConstraints, relaxedValue, requestedValue } from './units.ts';

/** @param shouldStop asked between steps; what is left then stays null */
export function explainPureFlow(problem: Problem, solution: Solution, shouldStop: () => boolean): Figures {
  const flow = createPureFlow(problem, solution.moves);
  const optimum = solution.costUnits - flow.network.improved;
  const asCost: AsCost = (added) =>
    added !== null && optimum + added <= problem.limits.maxCostUnits ? moneyOf(added) : null;
  const locations = explainLocations(problem, flow, asCost);
  const moves = explainMoves(problem, solution, flow, asCost, shouldStop);
  const binding =
    optimum === 0 ? { found: [], complete: true } : explainBinding(problem, solution, flow, shouldStop);
  return {
    locations,
    moves: moves.found,
    binding: binding.found,
    exact: true,
    complete: moves.complete && binding.complete,
  };
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

/** A constraint binds where the cheapest plan without it is cheaper. */
function explainBinding(
  problem: Problem,
  solution: Solution,
  flow: ClassFlow,
  shouldStop: () => boolean,
): { found: BindingConstraint[]; complete: boolean } {
  const found: BindingConstraint[] = [];
  for (const constraint of relaxableConstraints(problem)) {
    if (shouldStop()) return { found, complete: false };
    const saved =
      constraint === 'max_distance'
        ? savedByDistance(problem, solution, shouldStop)
        : savedByBound(problem, flow, constraint, shouldStop);
    if (saved === null) return { found, complete: false };
    if (!saved.binds) continue;
    found.push({
      constraint,
      value: requestedValue(problem, constraint),
      relaxed_value: relaxedValue(problem, constraint),
      saves: fromUnits(saved.units),
      error_at_most: 0,
    });
  }
  return { found, complete: true };
}

type Saved = { units: number; binds: boolean };

/** Vehicles that need not serve any more, between two looks at the clock. */
const STEP = 8;

/** Null where it took too long. */
function savedByBound(
  problem: Problem,
  flow: ClassFlow,
  constraint: Exclude<RelaxableName, 'max_distance'>,
  shouldStop: () => boolean,
): Saved | null {
  const { network, servedArc, presenceArcs } = flow;
  const back = network.mark();
  /** At every location: what any looser bound would save at all, the first vehicle saves some of. */
  const widenPresence = (half: 0 | 1) => {
    let units = 0;
    for (let j = 0; j < problem.locationIds.length; j++)
      units += network.widen(2 * (presenceArcs + j) + half, 1);
    return { units, binds: units > 0 };
  };
  const saved = ((): Saved | null => {
    switch (constraint) {
      case 'min_service_level': {
        const required = requiredVehicles(problem, problem.limits.minServiceLevel);
        const by = required - requiredVehicles(problem, relaxedValue(problem, constraint));
        if (required === 0) return { units: 0, binds: false };
        const half = 2 * servedArc + 1;
        if (by === 0) return { units: 0, binds: network.widen(half, 1) > 0 };
        let units = 0;
        for (let left = by; left > 0; left -= STEP) {
          if (shouldStop()) return null;
          const saved = network.widen(half, Math.min(left, STEP));
          // Each vehicle saves no more than the one before.
          if (saved === 0) break;
          units += saved;
        }
        return { units, binds: units > 0 };
      }
      case 'total_fleet_size': {
        const units = network.widen(2 * servedArc, 1);
        return { units, binds: units > 0 };
      }
      case 'min_vehicles_per_location':
        return widenPresence(1);
      case 'max_vehicles_per_location':
        return widenPresence(0);
    }
  })();
  back();
  return saved;
}

/** Null where it took too long. */
function savedByDistance(problem: Problem, solution: Solution, shouldStop: () => boolean): Saved | null {
  const { network, beyond } = createPureFlow(problem, solution.moves, true);
  const within = relaxedValue(problem, 'max_distance');
  const open = ({ arc, source }: ClassFlow['beyond'][number]) =>
    network.widen(2 * arc, problem.supply[source]);
  let units = 0;
  for (const move of beyond) {
    if (move.km > within) continue;
    if (shouldStop()) return null;
    units += open(move);
  }
  if (units > 0) return { units, binds: true };
  for (const move of beyond) {
    if (shouldStop()) return null;
    if (move.km > within && open(move) > 0) return { units: 0, binds: true };
  }
  return { units: 0, binds: false };
}
