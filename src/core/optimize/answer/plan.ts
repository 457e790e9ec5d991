/**
 * Turns the moves of groups into the plan's items, one per operational vehicle, in the request's order.
 *
 * A group is the vehicles of one capacity at one location. Its moves, in ascending order of the target's id, go to
 * the group's vehicles in the request's order. The remaining vehicles and pinned ones stay. The same request therefore
 * gives the same plan. If changes of a previous plan cost anything, vehicles that can keep their target come first, so
 * that as few as possible change.
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
  const queues = new Map<number, Queue>();
  for (const m of moves.count.keys()) {
    const group = moves.capacityClass[m] * n + moves.source[m];
    const queue = queues.get(group) ?? [];
    queue.push({ target: moves.target[m], count: moves.count[m] });
    queues.set(group, queue);
  }
  // Locations ascend by id. Popping takes from the end, so each queue is sorted in descending order.
  for (const queue of queues.values()) queue.sort((a, b) => b.target - a.target);
  const kept = keptTargets(problem, queues, check);

  const plan: AllocationPlanItem[] = new Array(problem.fleet.location.length);
  for (let f = 0; f < plan.length; f++) {
    if (f % VEHICLES_PER_LOOK === 0) check();
    const source = problem.fleet.location[f];
    const target =
      kept[f] >= 0 ? kept[f] : nextTarget(queues.get(problem.fleet.capacityClass[f] * n + source), source);
    const vehicle = request.fleet_state.vehicles[problem.fleet.request[f]];
    plan[f] = {
      vehicle_id: (vehicle.id ?? vehicle.vehicle_id)!,
      source_location: problem.locationIds[source],
      target_location: problem.locationIds[target],
      cost: target === source ? 0 : fromUnits(moveCost(problem, source, target)),
      assignment: target === source ? 'stay' : 'rebalance',
    };
  }
  return plan;
}

/** The target of the next move; the source if none is left. */
function nextTarget(queue: Queue = [], source: number): number {
  while (queue.at(-1)?.count === 0) queue.pop();
  const next = queue.at(-1);
  if (!next) return source;
  next.count--;
  return next.target;
}

/** Moves of a group, by descending target. */
type Queue = { target: number; count: number }[];

/**
 * The targets of vehicles that keep to the previous plan; −1: any move that is left. All −1 if changes cost nothing.
 * @param queues the moves of each group, at class · n + location; what is kept is taken off them
 */
function keptTargets(problem: Problem, queues: ReadonlyMap<number, Queue>, check: Check): Int32Array {
  const { fleet, previous, supply, locationIds } = problem;
  const n = locationIds.length;
  const kept = new Int32Array(fleet.location.length).fill(-1);
  if (!previous || previous.changeUnits === 0) return kept;
  /** Vehicles that stay, by group, and that move, by group and target. */
  const staying = new Map<number, { count: number }>();
  const moving = new Map<number, { count: number }>();
  for (const [group, queue] of queues) {
    const left = queue.reduce((count, move) => count - move.count, supply[group]);
    staying.set(group, { count: left });
    for (const move of queue) moving.set(group * n + move.target, move);
  }
  for (let f = 0; f < kept.length; f++) {
    if (f % VEHICLES_PER_LOOK === 0) check();
    const target = previous.target[f];
    const group = fleet.capacityClass[f] * n + fleet.location[f];
    // A group without moves stays, whatever its vehicles keep to.
    if (target < 0 || !staying.has(group)) continue;
    const room = target === fleet.location[f] ? staying.get(group) : moving.get(group * n + target);
    if (!room || room.count === 0) continue;
    room.count--;
    kept[f] = target;
  }
  return kept;
}
