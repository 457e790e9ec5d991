/**
 * What a set of moves amounts to, recomputed from whole vehicles: presence, served demand, cost, and whether every
 * constraint of the problem holds. The solver's own figures are never passed on. O(moves + nK + fleet).
 */
import { additionsOf } from './additions.ts';
import { hasFloors, serveFloors } from './floors.ts';
import { leastAt, mostAt } from './location-bounds.ts';
import type { Moves, Problem } from './model.ts';
import { movingCost } from './moving-cost.ts';
import { moveCost } from './network.ts';
import { brokenPairLimits, hasPairRules, vehiclesByPair } from './pairs.ts';
import { bringHome } from './pinned-places.ts';
import { changeUnits } from './previous.ts';
import { leastServed } from './service-level.ts';
import { unmetUnits } from './unmet-cost.ts';

export type Evaluation = {
  /** K × n: vehicles of class k at location j after the moves, pinned ones that have a place included. */
  presence: Int32Array;
  served: number;
  /** The cost of moving. */
  costUnits: number;
  /** The cost of moving and all that rules of the request add to it. */
  objectiveUnits: number;
  /** Constraints that do not hold, the cost ceiling excepted. */
  broken: string[];
};

export function evaluateMoves(problem: Problem, moves: Moves): Evaluation {
  const n = problem.locationIds.length;
  const presence = problem.supply.slice();
  let costUnits = 0;
  let otherUnits = 0;
  const leaving = new Int32Array(presence.length);
  for (let m = 0; m < moves.count.length; m++) {
    const k = moves.capacityClass[m];
    presence[k * n + moves.source[m]] -= moves.count[m];
    presence[k * n + moves.target[m]] += moves.count[m];
    leaving[k * n + moves.source[m]] += moves.count[m];
    const [from, to] = [moves.source[m], moves.target[m]];
    const paid = movingCost(problem, from, to);
    costUnits += moves.count[m] * paid;
    if (problem.movingUnits) otherUnits += moves.count[m] * (moveCost(problem, from, to) - paid);
  }
  bringHome(problem, presence);
  const { served, isKept } = hasFloors(problem)
    ? serveFloors(problem, presence, problem.limits.totalFleetSize)
    : { served: servedDemand(problem, presence, problem.limits.totalFleetSize), isKept: true };
  const broken: string[] = [];
  if (!isKept) broken.push('priorities');
  if (leaving.some((count, at) => count > problem.supply[at])) broken.push('supply');
  if (served < leastServed(problem)) broken.push('min_service_level');
  for (let j = 0; j < n; j++) {
    let vehicles = 0;
    for (let k = 0; k < problem.capacities.length; k++) vehicles += presence[k * n + j];
    if (vehicles < leastAt(problem, j)) broken.push('min_vehicles_per_location');
    if (vehicles > mostAt(problem, j)) broken.push('max_vehicles_per_location');
  }
  const byPair = hasPairRules(problem) ? vehiclesByPair(problem, moves) : null;
  if (byPair) broken.push(...brokenPairLimits(problem, byPair));
  const added =
    otherUnits +
    unmetUnits(problem, presence) +
    (problem.pairCostUnits ?? 0) * (byPair?.size ?? 0) +
    changeUnits(problem, moves);
  return { presence, served, costUnits, objectiveUnits: costUnits + added, broken };
}

/**
 * Demand that at most `fleetSize` of the vehicles present can serve. At one location the m largest vehicles serve the
 * most, and each further vehicle adds less; so taking the largest additions over all locations is optimal.
 */
export function servedDemand(problem: Problem, presence: ArrayLike<number>, fleetSize: number): number {
  const additions = additionsOf(problem, presence);
  let served = 0;
  let serving = 0;
  for (const { gain, count } of additions) {
    served += gain * count;
    serving += count;
  }
  if (serving <= fleetSize) return served;
  additions.sort((a, b) => b.gain - a.gain);
  served = 0;
  let left = fleetSize;
  for (const { gain, count } of additions) {
    const used = Math.min(count, left);
    served += used * gain;
    left -= used;
    if (left === 0) break;
  }
  return served;
}
