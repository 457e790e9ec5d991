/**
 * The pure flow case of the model: one capacity class, whole demand, one unit = one vehicle (or one vehicle's load).
 *
 *   minimise   Σ c_ij x_ij + Σ q_j (D_j − y_j)
 *   subject to Σ_j x_ij = s_i              every vehicle stays (cost 0, always allowed) or moves
 *              y_j ≤ Σ_i x_ij, 0 ≤ y_j ≤ D_j, Σ_j y_j ≥ R
 *
 * Costs are whole numbers ≥ 0 in cost units of 1e-4. Staying costs 0, so a vehicle moves only to serve. q_j, what a
 * unit of demand costs that is not served, is 0 in most problems.
 */
import type { FlowCosts } from '../problem/distances/move-costs.ts';
import type { Control, SolveProgress } from '../run/control.ts';
import type { SharedCosts } from './shared-costs.ts';

/** A flow problem without its costs. */
export type FlowAmounts = Omit<FlowProblem, 'cost'>;

export type FlowProblem = {
  /** Number of locations. */
  n: number;
  /** n: vehicles at each location, ≥ 0. */
  supply: Int32Array;
  /** n: demand of each location, ≥ 0. */
  demand: Int32Array;
  /** R: the least units of demand to serve, ≥ 0. */
  required: number;
  cost: FlowCosts | SharedCosts;
  /** n: what a unit of demand costs that is not served, in whole cost units ≥ 0; absent: nothing anywhere. */
  unservedCost?: Float64Array;
};

/** Vehicles that move, in parallel arrays, by source then target; the others stay. */
export type Flow = { from: Int32Array; to: Int32Array; units: Int32Array };

/**
 * Prices that prove the optimum: for every allowed i → j (staying included) from a location with vehicles to one with
 * demand, `service + unservedCost_j − supply_i − demand_j ≤ c_ij`, all prices ≥ 0. In cost units.
 */
export type Duals = {
  /** The cost of one more required unit of demand. */
  service: number;
  /** n: the most that one more vehicle at i saves; 0 if i has no vehicles. */
  supply: Float64Array;
  /** n: the most that one more unit of demand at j saves; 0 if j has no demand. */
  demand: Float64Array;
};

export type FlowCounts = {
  pivots: number;
  /** Number of passes over all arcs, and of the arcs that they added to the candidates. */
  pricingRounds: number;
  candidates: number;
  /**
   * `still`: no vehicle has to move. `plain`: solved on all locations. `netted`: vehicles served their own location
   * first, and the certificate held on all arcs. `netted_then_all`: it did not hold, and the search continued with
   * all arcs.
   */
  method: 'still' | 'plain' | 'netted' | 'netted_then_all';
};

export type SolvedFlow = {
  flow: Flow;
  /** Σ c_ij x_ij + Σ q_j (D_j − y_j), the optimum. */
  cost: number;
  duals: Duals;
  basis: FlowBasis;
  alternatives: Alternatives;
  counts: FlowCounts;
};

export type FlowOutcome =
  | ({ kind: 'solved' } & SolvedFlow)
  /** `served`: the most demand that can be served; `cover` proves it. */
  | { kind: 'infeasible'; served: number; cover: Cover; counts: FlowCounts }
  /** Stopped by the flag or the deadline; with the best plan so far if it serves what is required. */
  | { kind: 'stopped'; plan: { flow: Flow; cost: number } | null; counts: FlowCounts };

/**
 * Proof that at most `served` can be served: every allowed arc from a location with vehicles to one with demand
 * starts or ends in the cover, and all vehicles and demand in the cover add up to `served`.
 */
export type Cover = { sources: Uint8Array; sinks: Uint8Array };

/**
 * The optimal spanning tree without its artificial node, as arcs. `idle[i] = 1`: the arc "vehicle at i serves nobody"
 * is in the tree. `unserved[j] = 1`: the arc "demand at j is not served" is. `slack`: more than required may be
 * served.
 */
export type FlowBasis = {
  from: Int32Array;
  to: Int32Array;
  units: Int32Array;
  /** Cost per unit in cost units; staying: 0. */
  cost: Float64Array;
  idle: Uint8Array;
  unserved: Uint8Array;
  slack: boolean;
};

/** Arcs outside the tree that came closest to entering it, and their costs in units. From n: "unserved". */
export type Alternatives = { from: Int32Array; to: Int32Array; cost: Float64Array };

/** Stop flag and deadline of the search. */
export type FlowControl = Partial<Control<SolveProgress>> & {
  /**
   * Whether netting is likely to pay off. It never affects correctness: the answer counts only with a certificate on
   * all arcs. Default: true.
   */
  nettingIsSafe?: boolean | undefined;
  /**
   * Whether only the optimum is of use. When time is up, the search then ends at once; otherwise it first builds the
   * tree that it starts from, which usually is a plan. Default: false.
   */
  needsOptimum?: boolean | undefined;
};
