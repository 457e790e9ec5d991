/**
 * Rules about pairs of locations (`options.refine`). A pair is used if vehicles, of whatever class, move from the one
 * location to the other: each used pair has at least so many vehicles and may cost something, and at most so many
 * pairs are used, in all and from each location.
 */
import { type ConstraintName, LIMIT_CONSTRAINTS, type Limits } from './constraints.ts';
import type { Moves, Problem } from './model.ts';
import { homeOf } from './pinned-places.ts';

export type PairLimits = Pick<Limits, 'minVehiclesPerMove' | 'maxPairs' | 'maxMovesFrom'>;

export const NO_PAIR_LIMITS: PairLimits = {
  minVehiclesPerMove: LIMIT_CONSTRAINTS.min_vehicles_per_move.off,
  maxPairs: LIMIT_CONSTRAINTS.max_pairs.off,
  maxMovesFrom: LIMIT_CONSTRAINTS.max_moves_from.off,
};

/** Whether a request states the constraint in `options.refine`. */
export function isPairLimit(name: ConstraintName): boolean {
  return name === 'min_vehicles_per_move' || name === 'max_pairs' || name === 'max_moves_from';
}

/** Whether rules about pairs restrict which moves are possible. */
export function hasPairLimits({ limits }: { limits: PairLimits }): boolean {
  return (
    limits.minVehiclesPerMove > NO_PAIR_LIMITS.minVehiclesPerMove ||
    limits.maxPairs < NO_PAIR_LIMITS.maxPairs ||
    limits.maxMovesFrom < NO_PAIR_LIMITS.maxMovesFrom
  );
}

/** Whether the pairs of a plan matter at all. */
export function hasPairRules(problem: Pick<Problem, 'pairCostUnits'> & { limits: PairLimits }): boolean {
  return (problem.pairCostUnits ?? 0) > 0 || hasPairLimits(problem);
}

/** The problem without its rules about pairs: that of the stage before. */
export function withoutPairRules(problem: Problem): Problem {
  return { ...withoutPairCost(problem), limits: { ...problem.limits, ...NO_PAIR_LIMITS } };
}

/** The problem in which pairs cost nothing: they do not change which plans exist. */
export function withoutPairCost({ pairCostUnits: _, ...problem }: Problem): Problem {
  return problem;
}

/** Whether moves from a location are subject to the rules: those of pinned vehicles and of added ones are not. */
export function isRuled(problem: Problem, source: number): boolean {
  const { hasPlaceOutside, locationIds } = problem;
  return homeOf(problem, source) < 0 && !(hasPlaceOutside && source === locationIds.length - 1);
}

/** Vehicles of each used pair, by source · n + target. O(moves). */
export function vehiclesByPair(problem: Problem, { source, target, count }: Moves): Map<number, number> {
  const n = problem.locationIds.length;
  const byPair = new Map<number, number>();
  for (let m = 0; m < count.length; m++) {
    if (count[m] === 0 || !isRuled(problem, source[m])) continue;
    const pair = source[m] * n + target[m];
    byPair.set(pair, (byPair.get(pair) ?? 0) + count[m]);
  }
  return byPair;
}

/** The limits that do not hold, each named once. O(pairs). */
export function brokenPairLimits(
  { limits, locationIds }: Problem,
  byPair: ReadonlyMap<number, number>,
): string[] {
  const n = locationIds.length;
  const from = new Int32Array(n);
  let isSmall = false;
  for (const [pair, vehicles] of byPair) {
    from[Math.floor(pair / n)]++;
    if (vehicles < limits.minVehiclesPerMove) isSmall = true;
  }
  const broken: string[] = [];
  if (isSmall) broken.push('min_vehicles_per_move');
  if (byPair.size > limits.maxPairs) broken.push('max_pairs');
  if (from.some((pairs) => pairs > limits.maxMovesFrom)) broken.push('max_moves_from');
  return broken;
}
