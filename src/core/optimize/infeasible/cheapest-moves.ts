/** The cheapest moves that bring vehicles to given locations: a pure flow per class. */
import { evaluateMoves } from '../problem/evaluate.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { joinMoves, movesOfFlow } from '../problem/moves.ts';
import { NO_PAIR_LIMITS, withoutPairRules } from '../problem/pairs.ts';
import type { Stopping } from '../run/stopping.ts';
import { solveProblem } from '../solve.ts';

/**
 * @param presence K × n, all vehicles after the moves
 * @returns null if time runs out
 */
export async function cheapestMoves(
  problem: Problem,
  presence: Int32Array,
  stopping: Stopping,
): Promise<Moves | null> {
  const n = problem.locationIds.length;
  const ofClasses: Moves[] = [];
  for (let k = 0; k < problem.capacities.length; k++) {
    const supply = problem.supply.slice(k * n, (k + 1) * n);
    const alone: Problem = {
      ...withoutPairRules(problem),
      pinned: undefined,
      // Floors are in demand, not in vehicles.
      floors: [],
      capacities: Float64Array.of(1),
      supply,
      demand: Float64Array.from(presence.subarray(k * n, (k + 1) * n)),
      limits: {
        minServiceLevel: 1,
        maxDistanceKm: problem.limits.maxDistanceKm,
        maxCostUnits: Number.POSITIVE_INFINITY,
        minVehiclesPerLocation: 0,
        maxVehiclesPerLocation: Number.POSITIVE_INFINITY,
        totalFleetSize: Number.POSITIVE_INFINITY,
        ...NO_PAIR_LIMITS,
      },
    };
    const outcome = await solveProblem(alone, 0, stopping);
    if (outcome.kind !== 'solved') return null;
    const { source, target, count } = outcome.solution.moves;
    ofClasses.push(movesOfFlow(source, target, count, k));
  }
  return joinMoves(ofClasses);
}

/**
 * Several classes: the cheapest moves to the places of a plan's vehicles; the plan's own moves if they are no plan, or
 * dearer. With one class the search for the cheapest plan has its own in the same time.
 */
export async function cheapened(problem: Problem, moves: Moves, stopping: Stopping): Promise<Moves> {
  if (problem.capacities.length === 1) return moves;
  const { presence, objectiveUnits } = evaluateMoves(problem, moves);
  const cheaper = await cheapestMoves(problem, presence, stopping);
  if (!cheaper) return moves;
  const found = evaluateMoves(problem, cheaper);
  return found.broken.length === 0 && found.objectiveUnits < objectiveUnits ? cheaper : moves;
}
