import type { AllocationPlanItem } from './types.ts';

/** All vehicles that a plan moves from one location to another. */
export type Move = {
  key: string;
  from: number;
  to: number;
  vehicles: number;
  /** The cost of all of them, in the unit of the plan. */
  cost: number;
  vehicleIds: string[];
};

/** The moves of a plan by pair of locations, the largest first. */
export function movesOf(plan: readonly AllocationPlanItem[]): Move[] {
  const moves = new Map<string, Move>();
  for (const { assignment, source_location: from, target_location: to, cost, vehicle_id } of plan) {
    if (assignment !== 'rebalance') continue;
    const key = `${from}-${to}`;
    const move = moves.get(key) ?? { key, from, to, vehicles: 0, cost: 0, vehicleIds: [] };
    move.vehicles++;
    move.cost += cost;
    move.vehicleIds.push(vehicle_id);
    moves.set(key, move);
  }
  return [...moves.values()].toSorted((a, b) => b.vehicles - a.vehicles || b.cost - a.cost);
}
