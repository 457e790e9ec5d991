/** The plan location by location: demand, vehicles before and after the moves, and what they serve. */
import type { PlanLocation } from '../../../contracts/optimize.ts';
import type { MoveDistances } from '../../../contracts/plans.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import { levelAt } from '../problem/floors.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { NO_MOVES } from '../problem/moves.ts';
import { hasDistances, moveDistance } from '../problem/network.ts';
import { planningDemandOf } from '../problem/pinned.ts';
import { countRequestLocations } from '../problem/pinned-places.ts';

/**
 * @param names of locations by id; the name of all others is null
 * @param presence K × n vehicles after the moves
 * @returns all locations of the request by ascending id. `served` is min(demand, capacity present), as in the kpis.
 *   O(nK)
 */
export function describeLocations(
  problem: Problem,
  names: ReadonlyMap<number, string>,
  presence: Int32Array,
): PlanLocation[] {
  const { locationIds, capacities, pinned } = problem;
  const n = locationIds.length;
  const demand = planningDemandOf(problem);
  const { presence: standing } = evaluateMoves(problem, NO_MOVES);
  const named = locationIds.subarray(0, countRequestLocations(problem));
  return Array.from(named, (id, j) => {
    const stay = pinned?.vehicles[j] ?? 0;
    let before = stay;
    let after = stay;
    let capacity = pinned?.capacity[j] ?? 0;
    for (let k = 0; k < capacities.length; k++) {
      before += standing[k * n + j];
      after += presence[k * n + j];
      capacity += presence[k * n + j] * capacities[k];
    }
    const served = Math.min(demand[j], capacity);
    return {
      location_id: id,
      name: names.get(id) ?? null,
      demand: demand[j],
      vehicles_before: before,
      vehicles_after: after,
      capacity_after: capacity,
      served,
      unmet: demand[j] - served,
      ...(problem.priorities && { priority: levelAt(problem, j) }),
    };
  });
}

/** Distance and minutes of every pair of locations that vehicles move between; null if unknown. O(moves). */
export function moveDistances(problem: Problem, moves: Moves): MoveDistances | null {
  if (!hasDistances(problem)) return null;
  const n = problem.locationIds.length;
  const pairs = new Set<number>();
  for (let m = 0; m < moves.count.length; m++) pairs.add(moves.source[m] * n + moves.target[m]);
  const { minutesOf } = problem;
  const distances: MoveDistances = { sources: [], targets: [], km: [], minutes: minutesOf ? [] : null };
  for (const pair of pairs) {
    const source = Math.floor(pair / n);
    const target = pair % n;
    distances.sources.push(problem.locationIds[source]);
    distances.targets.push(problem.locationIds[target]);
    distances.km.push(moveDistance(problem, source, target));
    if (minutesOf) distances.minutes!.push(minutesOf(source, target));
  }
  return distances;
}
