/**
 * One capacity class and fractional demand, with a Lagrangian multiplier in place of the service level.
 *
 *   L(λ) = min over plans that may serve any amount of  cost + λ (R − served)  ≤  cost of every plan, for each λ ≥ 0
 *
 * `cost` includes Σ p_j · (demand not served at j) if unmet demand has a cost p_j. Where it does, read λ + p_j for the
 * λ of location j in what follows.
 *
 * For a given λ that is a transportation problem. Demand D_j is ⌊D_j / c⌋ full loads, each worth λc, and a part of one,
 * worth λ (D_j − c⌊D_j / c⌋). Arcs other than moves: vehicle → nobody at 0; unserved → j at λc; j → part of j at 0;
 * unserved → part of j at λ times its demand. The part is given up first, because it is worth least. Each of the T
 * vehicles that may serve either goes to a load (may serve → nobody at 0) or is not used (may serve → unserved at 0,
 * which takes the other loads). No arc has a bound, so the trees and pivots are those of `flow/`; only slack arcs have
 * costs, and locations have a second node.
 *
 * Units: costs and the multiplier λc of a full load in cost units. It is a multiple of a power of two, so sums are
 * exact.
 *
 * With floors some loads have to be served (`forced-loads.ts`). They are worth more than any path of moves, by their
 * rank: `rank · (F + 2λc)` beside λ times their demand, where F is raised until the flow serves as many of every group
 * as there have to be. That worth is no part of L.
 * With bounds per location every vehicle needs a place, and some places have to be taken: `bounded-tree.ts`.
 * Reference: Ahuja, Magnanti, Orlin, Network Flows (1993), §16 (Lagrangian relaxation).
 */
import type { FlowCosts } from '../problem/distances/move-costs.ts';
import type { ForcedLoads } from './forced-loads.ts';

export type LagrangianProblem = {
  /** Number of locations. */
  n: number;
  /** n: vehicles at each location, ≥ 0. */
  supply: Int32Array;
  /** n: demand of each location, ≥ 0. */
  demand: Float64Array;
  /** c: demand that a vehicle serves. */
  capacity: number;
  /** R: the least demand to serve. With a budget: about what it is enough for, where the search begins. */
  required: number;
  /** The most that moves may cost, in cost units: as much as possible is served then, and unmet demand is free. */
  budget?: number;
  /** T: vehicles that may serve, whole or Infinity. */
  fleetSize: number;
  /** n: p_j, cost units per unit of demand that is not served at j; absent: 0. */
  unmetUnits?: Float64Array;
  /**
   * n each: the fewest and the most vehicles at each location, whole, least ≤ most. A most of all vehicles or above is
   * no maximum. Absent: any number. Only if all vehicles may serve, and without forced loads.
   */
  bounds?: { least: Int32Array; most: Int32Array };
  /** Loads that have to be served; absent: none. */
  forced?: ForcedLoads;
  cost: FlowCosts;
  /** Every allowed move that `cost` does not list costs at least this many units; Infinity if all are listed. */
  beyond: number;
};

/** Multipliers that prove a bound. Any values do; those of an optimal tree prove the most. */
export type Multipliers = {
  /** λ: cost units per unit of demand. */
  perDemand: number;
  /** μ: cost units per vehicle that serves; 0 if any number may. */
  perVehicle: number;
  /** n: value of a vehicle at j, in cost units; below 0 only where vehicles have to leave. */
  atLocation: Float64Array;
};
