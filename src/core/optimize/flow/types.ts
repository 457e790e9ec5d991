/**
 * The pure flow case of the model: one capacity class, whole demand, one unit = one vehicle (or one vehicle's load).
 *
 *   minimise   Σ c_ij x_ij
 *   subject to Σ_j x_ij = s_i              every vehicle stays (cost 0, always allowed) or moves
 *              y_j ≤ Σ_i x_ij, 0 ≤ y_j ≤ D_j, Σ_j y_j ≥ R
 *
 * Costs are whole, not negative, in cost units of 1e-4. Staying costs 0, so a vehicle moves only to serve.
 */
import type { FlowCosts } from '../problem/distances/move-costs.ts';
import type { Control } from '../run/control.ts';

/** A flow problem but for its costs. */
export type FlowAmounts = Omit<FlowProblem, 'cost'>;

export type FlowProblem = {
  /** Number of locations. */
  n: number;
  /** n: vehicles at each location, ≥ 0. */
  supply: Int32Array;
  /** n: demand of each location, ≥ 0. */
  demand: Int32Array;
  /** R: units of demand to serve at least, ≥ 0. */
  required: number;
  cost: FlowCosts;
};

/** Vehicles that move, in parallel arrays, by source then target; the others stay. */
export type Flow = { from: Int32Array; to: Int32Array; units: Int32Array };

/**
 * Prices that prove the optimum: for every allowed i → j (staying included) of a location with vehicles to one with
 * demand, `service − supply_i − demand_j ≤ c_ij`, all prices ≥ 0. In cost units.
 */
export type Duals = {
  /** What one more required unit of demand costs. */
  service: number;
  /** n: what a vehicle more at i saves at most; 0 where there are none. */
  supply: Float64Array;
  /** n: what a unit of demand more at j saves at most; 0 where there is none. */
  demand: Float64Array;
};

export type FlowCounts = {
  pivots: number;
  /** Passes over all arcs, and arcs that they added to the candidates. */
  pricingRounds: number;
  candidates: number;
  /**
   * `still`: nothing has to move. `plain`: solved on all locations. `netted`: vehicles served first where they stand, and
   * the certificate held on all arcs. `netted_then_all`: it did not hold, and the search went on with all arcs.
   */
  method: 'still' | 'plain' | 'netted' | 'netted_then_all';
};

export type SolvedFlow = {
  flow: Flow;
  /** Σ c_ij x_ij, the optimum. */
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
  /** Stopped by the flag or the deadline, with the plan at hand where it serves what is required. */
  | { kind: 'stopped'; plan: { flow: Flow; cost: number } | null; counts: FlowCounts };

/**
 * Proof that no more than `served` can be: every allowed arc from a location with vehicles to one with demand starts in
 * the cover or ends in it, and all vehicles and demand in the cover add up to `served`.
 */
export type Cover = { sources: Uint8Array; sinks: Uint8Array };

/**
 * The optimal spanning tree without its artificial node, as arcs. `idle[i] = 1`: the arc "vehicle at i serves nobody" is
 * in the tree. `unserved[j] = 1`: the arc "demand at j is not served" is. `slack`: more may be served than required.
 */
export type FlowBasis = {
  from: Int32Array;
  to: Int32Array;
  units: Int32Array;
  /** Cost units of one unit; staying: 0. */
  cost: Float64Array;
  idle: Uint8Array;
  unserved: Uint8Array;
  slack: boolean;
};

/** Arcs outside the tree that came closest to entering it, and their costs in units. */
export type Alternatives = { from: Int32Array; to: Int32Array; cost: Float64Array };

export type FlowProgress = {
  phase: 'start' | 'candidates' | 'all_arcs';
  pivots: number;
  /** Cost units of the plan at hand, or null while it does not serve what is required. */
  objective: number | null;
};

/** When the search ends early: stop flag and deadline. */
export type FlowControl = Partial<Control<FlowProgress>> & {
  /**
   * Whether it pays to let vehicles serve first where they stand. Never a matter of correctness: the answer counts only
   * with a certificate on all arcs. Default: true.
   */
  nettingIsSafe?: boolean | undefined;
};
