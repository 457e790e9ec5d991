/**
 * What a set of moves amounts to, recomputed from whole vehicles: presence, served demand, cost, and whether every
 * constraint of the problem holds. The solver's own figures are never passed on. O(moves + nK + fleet).
 */
import { leastAt, mostAt } from './location-bounds.ts';
import type { Moves, Problem } from './model.ts';
import { moveCost } from './network.ts';
import { leastServed } from './service-level.ts';

export type Evaluation = {
  /** K × n: vehicles of class k at location j after the moves. */
  presence: Int32Array;
  served: number;
  costUnits: number;
  /** Constraints that do not hold, the cost ceiling excepted. */
  broken: string[];
};

export function evaluateMoves(problem: Problem, moves: Moves): Evaluation {
  const n = problem.locationIds.length;
  const presence = problem.supply.slice();
  let costUnits = 0;
  const leaving = new Int32Array(presence.length);
  for (let m = 0; m < moves.count.length; m++) {
    const k = moves.capacityClass[m];
    presence[k * n + moves.source[m]] -= moves.count[m];
    presence[k * n + moves.target[m]] += moves.count[m];
    leaving[k * n + moves.source[m]] += moves.count[m];
    costUnits += moves.count[m] * moveCost(problem, moves.source[m], moves.target[m]);
  }
  const served = servedDemand(problem, presence, problem.limits.totalFleetSize);
  const broken: string[] = [];
  if (leaving.some((count, at) => count > problem.supply[at])) broken.push('supply');
  if (served < leastServed(problem)) broken.push('min_service_level');
  for (let j = 0; j < n; j++) {
    let vehicles = 0;
    for (let k = 0; k < problem.capacities.length; k++) vehicles += presence[k * n + j];
    if (vehicles < leastAt(problem, j)) broken.push('min_vehicles_per_location');
    if (vehicles > mostAt(problem, j)) broken.push('max_vehicles_per_location');
  }
  return { presence, served, costUnits, broken };
}

/**
 * Demand that at most `fleetSize` of the vehicles present can serve. At one location the m largest vehicles serve the
 * most, and each further vehicle adds less; so taking the largest additions over all locations is optimal.
 */
export function servedDemand(problem: Problem, presence: ArrayLike<number>, fleetSize: number): number {
  const n = problem.locationIds.length;
  const additions: { gain: number; count: number }[] = [];
  let served = 0;
  let serving = 0;
  for (let j = 0; j < n; j++) {
    let open = problem.demand[j];
    for (let k = problem.capacities.length - 1; k >= 0 && open > 0; k--) {
      const capacity = problem.capacities[k];
      const full = Math.min(presence[k * n + j], Math.floor(open / capacity));
      if (full > 0) additions.push({ gain: capacity, count: full });
      open -= full * capacity;
      const rest = presence[k * n + j] > full ? Math.min(open, capacity) : 0;
      if (rest > 0) additions.push({ gain: rest, count: 1 });
      open -= rest;
      served += full * capacity + rest;
      serving += full + (rest > 0 ? 1 : 0);
    }
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
