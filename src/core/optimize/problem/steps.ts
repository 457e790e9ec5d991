/**
 * Steps: whole vehicles that are counted as serving at a location. One class of capacity c: `full_j` steps of gain c,
 * at most ⌊D_j / c⌋, and one `part_j` step of gain D_j − c⌊D_j / c⌋ unless that is zero. Served demand is then linear
 * in the steps. Several classes: z_jk.
 */
import type { Problem } from './model.ts';
import { countVehicles } from './variants.ts';

/** Demand below this share of the capacity, or of itself, is representation noise and needs no vehicle. */
const DEMAND_NOISE = 1e-12;

export type Steps = {
  stepClass: Int32Array;
  stepLocation: Int32Array;
  /** The most demand that one vehicle of this step serves. */
  stepGain: Float64Array;
  stepUpper: Float64Array;
};

export function createSteps(problem: Problem): Steps {
  return problem.capacities.length === 1 ? singleClassSteps(problem) : classSteps(problem);
}

/** The number of vehicles of the given capacity that demand fills, and the rest that one more vehicle would serve. */
export function splitDemand(demand: number, capacity: number): { full: number; rest: number } {
  const noise = DEMAND_NOISE * Math.max(demand, capacity);
  const full = Math.floor((demand + noise) / capacity);
  const rest = demand - full * capacity;
  return { full, rest: rest <= noise ? 0 : rest };
}

/** Vehicles of a capacity that can serve at each location. */
export function loadsOf(demand: ArrayLike<number>, capacity: number): Int32Array {
  return Int32Array.from(demand, (d) => {
    const { full, rest } = splitDemand(d, capacity);
    return full + (rest > 0 ? 1 : 0);
  });
}

function singleClassSteps(problem: Problem): Steps {
  const capacity = problem.capacities[0];
  const vehicles = countVehicles(problem);
  const location: number[] = [];
  const gain: number[] = [];
  const upper: number[] = [];
  for (let j = 0; j < problem.demand.length; j++) {
    const { full, rest } = splitDemand(problem.demand[j], capacity);
    if (full > 0) {
      location.push(j);
      gain.push(capacity);
      upper.push(Math.min(full, vehicles));
    }
    if (rest > 0) {
      location.push(j);
      gain.push(rest);
      upper.push(1);
    }
  }
  return {
    stepClass: new Int32Array(location.length),
    stepLocation: Int32Array.from(location),
    stepGain: Float64Array.from(gain),
    stepUpper: Float64Array.from(upper),
  };
}

function classSteps(problem: Problem): Steps {
  const vehicles = countVehicles(problem);
  const location: number[] = [];
  const capacityClass: number[] = [];
  const gain: number[] = [];
  const upper: number[] = [];
  for (let j = 0; j < problem.demand.length; j++) {
    if (problem.demand[j] === 0) continue;
    for (let k = 0; k < problem.capacities.length; k++) {
      const { full, rest } = splitDemand(problem.demand[j], problem.capacities[k]);
      location.push(j);
      capacityClass.push(k);
      gain.push(Math.min(problem.capacities[k], problem.demand[j]));
      upper.push(Math.min(full + (rest > 0 ? 1 : 0), vehicles));
    }
  }
  return {
    stepClass: Int32Array.from(capacityClass),
    stepLocation: Int32Array.from(location),
    stepGain: Float64Array.from(gain),
    stepUpper: Float64Array.from(upper),
  };
}

export function locationsWithDemand(problem: Problem): Int32Array {
  return Int32Array.from(problem.demand.keys().filter((j) => problem.demand[j] > 0));
}
