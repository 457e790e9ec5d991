/**
 * Numbers of vehicles that cannot be enough because all their capacity together is not, wherever they go: where bisection over solves
 * begins. The best `total_fleet_size` of the fleet count, at the whole of their capacity. O(K log vehicles).
 */
import type { Problem } from '../model.ts';
import { leastServed, totalDemand } from '../service-level.ts';
import { leastEnough } from './bisect.ts';

/** Sums of capacities may be off by this share of the total demand. */
const NOISE = 1e-12;

/** The fewest vehicles more of a class with which the capacity is enough, at most `most` + 1. */
export function leastAdditions(problem: Problem, addedClass: number, most: number): number {
  const isEnough = (added: number) => hasCapacity(problem, problem.limits.totalFleetSize, addedClass, added);
  return leastEnough(most, isEnough);
}

/** The least fleet size with which the capacity is enough, at most `most` + 1. */
export function leastFleetSize(problem: Problem, most: number): number {
  return leastEnough(most, (size) => hasCapacity(problem, size, 0, 0));
}

function hasCapacity(problem: Problem, fleetSize: number, addedClass: number, added: number): boolean {
  const n = problem.locationIds.length;
  let left = fleetSize;
  let capacity = 0;
  for (let k = problem.capacities.length - 1; k >= 0; k--) {
    let vehicles = k === addedClass ? added : 0;
    for (let i = 0; i < n; i++) vehicles += problem.supply[k * n + i];
    capacity += problem.capacities[k] * Math.min(vehicles, left);
    left -= Math.min(vehicles, left);
  }
  return capacity >= leastServed(problem) - NOISE * totalDemand(problem.demand);
}
