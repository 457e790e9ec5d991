/**
 * One capacity class and fractional demand, with the service level priced instead of asked for.
 *
 *   L(λ) = min over plans that may serve any amount of  cost + λ (R − served)  ≤  cost of every plan, for each λ ≥ 0
 *
 * For a given λ that is a transportation problem. Demand D_j is ⌊D_j / c⌋ full loads, each worth λc, and a part of one, worth
 * λ (D_j − c⌊D_j / c⌋). Arcs beside the moves: vehicle → nobody at 0; unserved → j at the price of a full load; j → part of j at 0;
 * unserved → part of j at its price. The part is given up first, as it is worth least. Of the T vehicles that may serve
 * each goes to a load: may serve → nobody at 0, or is not used: may serve → unserved at 0, which has the other loads. All arcs are without
 * bounds, so the trees and pivots are those of `flow/`; only slack arcs have costs and locations a second node.
 *
 * Units: costs and prices of a load in cost units. Prices are multiples of a power of two, which keeps sums exact.
 * Reference: Ahuja, Magnanti, Orlin, Network Flows (1993), §16 (Lagrangian relaxation).
 */
import type { FlowCosts } from '../problem/distances/move-costs.ts';

export type PricedProblem = {
  /** Number of locations. */
  n: number;
  /** n: vehicles at each location, ≥ 0. */
  supply: Int32Array;
  /** n: demand of each location, ≥ 0. */
  demand: Float64Array;
  /** c: demand that a vehicle serves. */
  capacity: number;
  /** R: demand to serve at least. */
  required: number;
  /** T: vehicles that may serve, whole or Infinity. */
  fleetSize: number;
  cost: FlowCosts;
  /** Cost units that a move costs at least which is allowed, but is not listed in `cost`; Infinity where all are. */
  beyond: number;
};

/** What proves a bound: any values do, those of an optimal tree prove most. */
export type ServicePrices = {
  /** λ: cost units per unit of demand. */
  perDemand: number;
  /** μ: cost units per vehicle that serves, 0 where any number may. */
  perVehicle: number;
  /** n: what a vehicle that serves at j is worth, cost units. */
  atLocation: Float64Array;
};
