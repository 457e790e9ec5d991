/**
 * The single definition of "at least this share of total planning demand is served", for the solver's row and for the
 * check of its integers: served ≥ level · ΣD − 1e-9 · ΣD. ΣD and the level count what pinned vehicles serve; `served`
 * is what the others serve.
 * Rounding errors of decimal sums are smaller than that (10⁵
 * terms: about 1e-11 relative), and no plan that a reader would call short passes.
 */
import type { Problem } from './model.ts';
import { planningDemandOf } from './pinned.ts';

/** Share of total planning demand by which a plan may miss the service level. */
export const SERVICE_TOLERANCE = 1e-9;

export function totalDemand(demand: Float64Array): number {
  let total = 0;
  for (const value of demand) total += value;
  return total;
}

/** ΣD: planning demand of all locations, with what pinned vehicles serve. */
export function allDemand(problem: Problem): number {
  return totalDemand(planningDemandOf(problem));
}

/** Demand that pinned vehicles serve. */
function servedByPinned(problem: Problem): number {
  return problem.pinned ? allDemand(problem) - totalDemand(problem.demand) : 0;
}

/** Demand that vehicles which may move have to serve at a level; negative if pinned ones serve more. */
export function servedAt(problem: Problem, level: number, more = 0): number {
  return level * (allDemand(problem) + more) - servedByPinned(problem);
}

/** The service level at which vehicles that may move serve this much. */
export function serviceLevelOf(problem: Problem, served: number): number {
  return (served + servedByPinned(problem)) / allDemand(problem);
}

/** Demand to serve: level · ΣD, without what pinned vehicles serve. */
export function requiredDemand(problem: Problem): number {
  return servedAt(problem, problem.limits.minServiceLevel);
}

/** The smallest served demand that passes. @param more demand that is added, and that no pinned vehicle serves */
export function leastServed(problem: Problem, more = 0): number {
  return servedAt(problem, problem.limits.minServiceLevel - SERVICE_TOLERANCE, more);
}
