/**
 * Turns the moves of groups into the plan's items, one per operational vehicle, in the request's order.
 *
 * A group is the vehicles of one capacity at one location. Its moves, in ascending order of the target's id, go to
 * the group's vehicles in the request's order. The remaining vehicles stay. The same request therefore gives the same
 * plan.
 * O(vehicles + moves).
 */
import type { AllocationPlanItem, OptimizeRequest } from '../../../contracts/optimize.ts';
import { fromUnits } from '../problem/costs.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { moveCost } from '../problem/network.ts';
import type { Check } from '../run/stopping.ts';

const VEHICLES_PER_LOOK = 1 << 14;

/** @param check called every few milliseconds; it throws to stop the work */
export function createPlan(
  request: OptimizeRequest,
  problem: Problem,
  moves: Moves,
  check: Check = () => {},
): AllocationPlanItem[] {
  const n = problem.locationIds.length;
  const queues = new Map<number, { target: number; count: number }[]>();
  for (const m of moves.count.keys()) {
    const group = moves.capacityClass[m] * n + moves.source[m];
    const queue = queues.get(group) ?? [];
    queue.push({ target: moves.target[m], count: moves.count[m] });
    queues.set(group, queue);
  }
  // Locations ascend by id. Popping takes from the end, so each queue is sorted in descending order.
  for (const queue of queues.values()) queue.sort((a, b) => b.target - a.target);

  const plan: AllocationPlanItem[] = new Array(problem.fleet.location.length);
  for (let f = 0; f < plan.length; f++) {
    if (f % VEHICLES_PER_LOOK === 0) check();
    const source = problem.fleet.location[f];
    const queue = queues.get(problem.fleet.capacityClass[f] * n + source);
    const next = queue?.at(-1);
    if (next && --next.count === 0) queue!.pop();
    const target = next ? next.target : source;
    const vehicle = request.fleet_state.vehicles[problem.fleet.request[f]];
    plan[f] = {
      vehicle_id: (vehicle.id ?? vehicle.vehicle_id)!,
      source_location: problem.locationIds[source],
      target_location: problem.locationIds[target],
      cost: next ? fromUnits(moveCost(problem, source, target)) : 0,
      assignment: next ? 'rebalance' : 'stay',
    };
  }
  return plan;
}
