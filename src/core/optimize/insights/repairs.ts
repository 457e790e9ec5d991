/**
 * Upper bounds of what a change adds to a plan's cost: the plan is repaired with its serving places kept, along
 * cheapest paths in the flow of the changed class. Not the least cost. O(n² log n) per class, once.
 */
import { evaluateMoves } from '../problem/evaluate.ts';
import { mostAt } from '../problem/location-bounds.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { sparePinned } from '../problem/pinned.ts';
import { classToTake, mostCommonClass, servingVehicles } from '../problem/serving.ts';
import type { Effort } from './effort.ts';
import { rerouteMove } from './move-figures.ts';
import { type ClassFlow, createFixedFlow, presentVehicles } from './residual/class-flow.ts';
import { markState } from './residual/residual-network.ts';
import { distances } from './residual/shortest-paths.ts';
import { learn, type Sensitivities, type Sensitivity } from './sensitivity.ts';

/** A plan and its cost. */
export type PlanInHand = { moves: Moves; costUnits: number };

/** Units of cost; Infinity if the plan cannot be repaired this way. */
type Repairs = {
  withOneMore: (k: number, i: number) => number;
  withOneFewer: (k: number, i: number) => number;
  /** One vehicle more serves at j, of at least this capacity. */
  withServing: (j: number, capacity: number) => number;
};

/**
 * Upper bounds: a few shortest paths for all, one or few per move.
 * @param plan any plan, not necessarily the explained one
 * @throws OutOfTime; the results so far stay
 */
export function learnFromRepairs(
  problem: Problem,
  plan: PlanInHand,
  load: number,
  sensitivities: Sensitivities,
  effort: Effort,
): void {
  const serving = servingVehicles(problem, plan.moves);
  const flows = serving.map((vehicles, k) => createFixedFlow(problem, k, plan.moves, vehicles, effort));
  // With its serving vehicles fixed, the plan may become cheaper.
  const costUnits = flows.reduce((cost, { network }) => cost - network.improved, plan.costUnits);
  sensitivities.optimum.most = Math.min(sensitivities.optimum.most, costUnits);
  const repairs = createRepairs(problem, plan.moves, flows, serving);
  const note = (sensitivity: Sensitivity | null, added: number | null, next: number | null = null) => {
    const most = added === null ? Number.POSITIVE_INFINITY : costUnits + added;
    if (!sensitivity || most === Number.POSITIVE_INFINITY || most > problem.limits.maxCostUnits) return;
    learn(sensitivity, { least: 0, most }, next);
    sensitivity.guess ??= added;
  };
  const common = mostCommonClass(problem) ?? 0;
  for (const [i, sensitivity] of sensitivities.more.entries())
    note(sensitivity, repairs.withOneMore(common, i));
  for (const [i, sensitivity] of sensitivities.fewer.entries()) {
    const k = classToTake(problem, common, i);
    if (k !== null) note(sensitivity, repairs.withOneFewer(k, i));
  }
  for (const [j, sensitivity] of sensitivities.demand.entries()) {
    if (sparePinned(problem, j) === 0) note(sensitivity, repairs.withServing(j, load));
  }
  const restore = flows.map(({ network }) => markState(network));
  for (const sensitivity of sensitivities.moves) {
    const { units, next } = rerouteMove(problem, flows, restore, sensitivity.move!);
    note(sensitivity, units, next);
  }
}

/** @param serving vehicles that serve in the plan, per class and location, which the flows hold fixed */
function createRepairs(
  problem: Problem,
  moves: Moves,
  flows: readonly ClassFlow[],
  serving: readonly Float64Array[],
): Repairs {
  const n = problem.locationIds.length;
  const { presence } = evaluateMoves(problem, moves);
  const present = presentVehicles(presence, n);
  const total = serving.reduce((sum, vehicles) => sum + vehicles.reduce((a, b) => a + b, 0), 0);
  const toSink = flows.map(({ network, sink }) => distances(network, sink, true));
  const fromSink = flows.map(({ network, sink }) => distances(network, sink));
  return {
    withOneMore: (k, i) => toSink[k][flows[k].source(i)],
    withOneFewer: (k, i) => fromSink[k][flows[k].source(i)],
    withServing(j, capacity) {
      let least = Number.POSITIVE_INFINITY;
      if (total >= problem.limits.totalFleetSize) return least;
      const hasRoom = present[j] < mostAt(problem, j);
      for (const [k, flow] of flows.entries()) {
        if (problem.capacities[k] < capacity) continue;
        if (presence[k * n + j] > serving[k][j]) least = Math.min(least, 0);
        if (hasRoom) least = Math.min(least, fromSink[k][flow.departure(j)]);
      }
      return least;
    },
  };
}
