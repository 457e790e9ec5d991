/**
 * The single definition of "at least this share of total planning demand is served", for the solver's row and for the
 * check of its integers: served ≥ level · ΣD − 1e-9 · ΣD. Rounding errors of decimal sums are smaller than that (10⁵
 * terms: about 1e-11 relative), and no plan that a reader would call short passes.
 */
import type { Problem } from './model.ts';

/** Share of total planning demand by which a plan may miss the service level. */
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

/** The smallest served demand that passes. */
export function leastServed(problem: Problem): number {
  return (problem.limits.minServiceLevel - SERVICE_TOLERANCE) * totalDemand(problem.demand);
}
