/**
 * By how much a plan gets dearer, at most, when it is repaired after a change with its serving places kept: cheapest paths in the flow
 * of the class that changes. Upper bounds of what the change costs, not the least. O(n² log n) per class, once.
 */
import { evaluateMoves } from '../evaluate.ts';
import type { Moves, Problem } from '../model.ts';
import { type ClassFlow, presentVehicles } from './class-flow.ts';

/** Units of cost, Infinity where the plan cannot be repaired so. */
export type Repairs = {
  withOneMore: (k: number, i: number) => number;
  withOneFewer: (k: number, i: number) => number;
  /** One vehicle more serves at j, of at least this capacity. */
  withServing: (j: number, capacity: number) => number;
};

/** @param serving vehicles that serve in the plan, per class and location, which the flows hold fixed */
export function createRepairs(
  problem: Problem,
  moves: Moves,
  flows: readonly ClassFlow[],
  serving: readonly Float64Array[],
): Repairs {
  const n = problem.locationIds.length;
  const { presence } = evaluateMoves(problem, moves);
  const present = presentVehicles(presence, n);
  const total = serving.reduce((sum, vehicles) => sum + vehicles.reduce((a, b) => a + b, 0), 0);
  const toSink = flows.map(({ network, sink }) => network.distances(sink, true));
  const fromSink = flows.map(({ network, sink }) => network.distances(sink));
  return {
    withOneMore: (k, i) => toSink[k][flows[k].source(i)],
    withOneFewer: (k, i) => fromSink[k][flows[k].source(i)],
    withServing(j, capacity) {
      let least = Number.POSITIVE_INFINITY;
      if (total >= problem.limits.totalFleetSize) return least;
      const hasRoom = present[j] < problem.limits.maxVehiclesPerLocation;
      for (const [k, flow] of flows.entries()) {
        if (problem.capacities[k] < capacity) continue;
        if (presence[k * n + j] > serving[k][j]) least = Math.min(least, 0);
        if (hasRoom) least = Math.min(least, fromSink[k][flow.departure(j)]);
      }
      return least;
    },
  };
}
