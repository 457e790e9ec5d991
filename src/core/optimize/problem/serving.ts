/**
 * Which vehicles of a plan serve: as few as the service level needs, those that serve the most first. O(nK log nK).
 */
import { evaluateMoves } from './evaluate.ts';
import type { Moves, Problem } from './model.ts';
import { leastServed } from './service-level.ts';

/** @returns per class and location: the serving vehicles; all others may leave without missing the service level */
export function servingVehicles(problem: Problem, moves: Moves): Float64Array[] {
  const n = problem.locationIds.length;
  const { presence } = evaluateMoves(problem, moves);
  const additions: { k: number; j: number; gain: number; count: number }[] = [];
  for (let j = 0; j < n; j++) {
    let open = problem.demand[j];
    for (let k = problem.capacities.length - 1; k >= 0 && open > 0; k--) {
      const capacity = problem.capacities[k];
      const full = Math.min(presence[k * n + j], Math.floor(open / capacity));
      if (full > 0) additions.push({ k, j, gain: capacity, count: full });
      open -= full * capacity;
      const rest = presence[k * n + j] > full ? Math.min(open, capacity) : 0;
      if (rest > 0) additions.push({ k, j, gain: rest, count: 1 });
      open -= rest;
    }
  }
  // At one location each further vehicle adds less, so this order never skips a vehicle that counts.
  additions.sort((a, b) => b.gain - a.gain);
  const serving = Array.from(problem.capacities, () => new Float64Array(n));
  const required = leastServed(problem);
  let served = 0;
  for (const { k, j, gain, count } of additions) {
    if (served >= required) break;
    const needed = Math.min(count, Math.ceil((required - served) / gain));
    serving[k][j] += needed;
    served += needed * gain;
  }
  return serving;
}

/** The class of most vehicles, pinned ones included (on a tie, the smaller capacity); null if none may move. */
export function mostCommonClass(problem: Problem): number | null {
  const n = problem.locationIds.length;
  let best: number | null = null;
  let most = 0;
  for (let k = 0; k < problem.capacities.length; k++) {
    let count = problem.pinned?.byCapacity?.get(problem.capacities[k]) ?? 0;
    for (let i = 0; i < n; i++) count += problem.supply[k * n + i];
    if (count > most) {
      most = count;
      best = k;
    }
  }
  return best;
}

/**
 * The class of a vehicle taken from a location: the common class if present there, else the location's own most
 * common class.
 */
export function classToTake(problem: Problem, common: number, location: number): number | null {
  const n = problem.locationIds.length;
  if (problem.supply[common * n + location] > 0) return common;
  let best: number | null = null;
  for (let k = 0; k < problem.capacities.length; k++) {
    const count = problem.supply[k * n + location];
    if (count > 0 && (best === null || count > problem.supply[best * n + location])) best = k;
  }
  return best;
}

/**
 * The steps that a plan's vehicles serve: full steps first, up to the fleet size; within a kind, those of the largest
 * gain first.
 */
export function stepsServed(problem: Problem, moves: Moves, full: Float64Array, rest: Float64Array) {
  const { presence } = evaluateMoves(problem, moves);
  let left = problem.limits.totalFleetSize;
  const fulls = full.map((most, j) => {
    const count = Math.min(most, presence[j], left);
    left -= count;
    return count;
  });
  const parts = new Float64Array(rest.length);
  for (const j of [...rest.keys()].sort((a, b) => rest[b] - rest[a])) {
    if (left > 0 && rest[j] > 0 && presence[j] > fulls[j]) {
      parts[j] = 1;
      left--;
    }
  }
  return { full: fulls, part: parts };
}
