/**
 * The one reading of "at least this share of total planning demand is served", for the solver's row and for the check
 * of its integers: served ≥ level · ΣD − 1e-9 · ΣD. Sums of decimals miss the exact figure by less than that
 * (10⁵ terms: about 1e-11 relative), and no plan that a reader would call short passes.
 */
import type { Problem } from './model.ts';

/** Share of total planning demand that a plan may fall short of the service level by. */
export const SERVICE_TOLERANCE = 1e-9;

export function totalDemand(demand: Float64Array): number {
  let total = 0;
  for (const value of demand) total += value;
  return total;
}

/** Demand to serve: level · ΣD. */
export function requiredDemand(problem: Problem): number {
  return problem.limits.minServiceLevel * totalDemand(problem.demand);
}

/** The least served demand that passes. */
export function leastServed(problem: Problem): number {
  return (problem.limits.minServiceLevel - SERVICE_TOLERANCE) * totalDemand(problem.demand);
}
