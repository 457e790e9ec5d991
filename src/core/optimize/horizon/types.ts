/**
 * Plain data of horizon plans: one capacity class, T steps of equal length, locations j (0 … n−1).
 *
 * Arrays over steps and locations have a row per step: the entry of location j at step t is at t · n + j. Money is in
 * whole cost units, quantities of demand are decimals, vehicles are whole.
 */

/**
 * Allowed moves by source: the targets of i are at `starts[i]` up to `starts[i + 1]`, without i itself. A vehicle that
 * leaves when step t begins is free again when step t + `delay` begins, and serves nobody meanwhile. Without values at
 * the end, no vehicle leaves that would not be back by the last step.
 */
export type TravelPairs = {
  starts: Int32Array;
  targets: Int32Array;
  /** Whole cost units per vehicle, ≥ 0. */
  units: Float64Array;
  /** Steps, 1 to 255. */
  delay: Uint8Array;
};

/**
 * Where trips end: of the vehicles that serve at i, the share `shares[a]` is free at `targets[a]` when the next step
 * begins, for a from `starts[i]` up to `starts[i + 1]`. The shares of a location add up to 1.
 */
export type TripFlows = { starts: Int32Array; targets: Int32Array; shares: Float64Array };

/**
 * Demand that is not certain, in K parts: of the demand of node u, the part `sizes[p · T · n + u]` comes with the
 * chance `chances[p]`, and only if all parts before it come, too. Chances are above 0, at most 1, and never ascend.
 */
export type DemandParts = { chances: Float64Array; sizes: Float64Array };

export type HorizonProblem = {
  n: number;
  /** T, ≥ 1. */
  steps: number;
  /** T × n: vehicles that become free when a step begins: at step 0 those present, later those on the way. */
  supply: Int32Array;
  /** T × n: demand of each step; with `parts` what is expected: Σ chance · size. */
  demand: Float64Array;
  /** Absent: all demand comes. */
  parts?: DemandParts | undefined;
  /** Demand that a vehicle serves in a step, > 0. */
  capacity: number;
  pairs: TravelPairs;
  /** T × n: cost units per unit of demand that is not served; absent: nothing. */
  unmetUnits?: Float64Array | undefined;
  /** The least demand to serve over all steps. */
  required: number;
  /** T × n: the fewest and the most vehicles that stand or serve at a location through a step; absent: any number. */
  least?: Int32Array | undefined;
  most?: Float64Array | undefined;
  /**
   * n: cost units ≥ 0 that a vehicle is worth where it stands at the end; absent: nothing. Only with trip flows and
   * without rules: parts of a long period have it (`../../replay/period-bound.ts`).
   */
  endUnits?: Float64Array | undefined;
  /**
   * Where trips end, a table per step (the same object for steps alike). Absent: vehicles are free where they served,
   * and the plan of all steps is whole. Present: the plan of later steps is a forecast and may be fractional.
   */
  flows?: readonly TripFlows[] | undefined;
};

/** The last step at which a move may arrive; later ones count as arrivals at T. */
export function latestArrival({ steps, endUnits }: HorizonProblem): number {
  return endUnits ? Number.POSITIVE_INFINITY : steps - 1;
}

/** Vehicles that move, in parallel arrays, by step, source and target. */
export type StepMoves = { step: Int32Array; from: Int32Array; to: Int32Array; vehicles: Float64Array };

/** What a plan of all steps amounts to, recomputed from its moves. */
export type HorizonFigures = {
  /** T × n: vehicles free at the beginning of a step, before any of them leaves. */
  vehicles: Float64Array;
  /** T × n: demand served. */
  served: Float64Array;
  totalServed: number;
  /** The cost of moving, in cost units. */
  movingUnits: number;
  /** The cost of moving and of unmet demand, less what the vehicles are worth at the end; cost units, not rounded. */
  objectiveUnits: number;
};
