/**
 * Floors (`problem/floors.ts`) in the local searches for the most demand served: demand counts the more, the more
 * floors it is part of. A plan counts only if it keeps the floors, whatever its weight.
 */
import { floorsOf, levelAt } from '../../problem/floors.ts';
import type { Problem } from '../../problem/model.ts';

/** Added to the weight of demand, which is 1, by each floor: the last part of a load counts more than vehicles. */
const PER_FLOOR = 1e5;

/** n: what a unit of demand counts at each location. */
export function levelWeights(problem: Problem): Float64Array {
  const floors = floorsOf(problem);
  return problem.demand.map((_, j) => {
    return 1 + PER_FLOOR * floors.filter(({ level }) => levelAt(problem, j) >= level).length;
  });
}

/** What serving this much counts, floors included. */
export function weightOf(problem: Problem, served: number): number {
  return floorsOf(problem).reduce((sum, floor) => sum + PER_FLOOR * floor.served, served);
}
