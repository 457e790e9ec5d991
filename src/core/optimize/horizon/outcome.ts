/** What a search for a plan of all steps ends with. */
import type { Moves } from '../problem/model.ts';
import type { SolverFault } from '../run/solver-fault.ts';
import type { HorizonFigures } from './types.ts';

/** What a step would bring. With trip flows, amounts after the first step's moves may be fractional. */
export type OutlookStep = {
  /** n each: vehicles free when the step begins, demand, and what of it is served. */
  vehicles: Float64Array;
  demand: Float64Array;
  served: Float64Array;
  moves: { from: number; to: number; vehicles: number }[];
};

export type HorizonSolution = {
  /** Of the first step. */
  moves: Moves;
  outlook: OutlookStep[];
  figures: HorizonFigures;
  /** Cost units, both rounded up to whole units: what all steps cost, and the least that any plan costs. */
  objectiveUnits: number;
  boundUnits: number;
  /** Their distance, relative to the objective, or to the cost of moving if that is larger. */
  gap: number;
  /** Whether the gap is within the requested one. */
  proved: boolean;
  /** What whole vehicles in the first step cost beyond fractional ones, in cost units; without trip flows 0. */
  roundingUnits: number;
  /** Whether less than what is required is served; then no plan serves more than `mostServed`. */
  isShort: boolean;
  mostServed: number;
  /** (T + 1) × n: what one more vehicle is worth, in cost units. */
  values: Float64Array;
  method: 'network_simplex' | 'linear' | 'mixed_integer';
  iterations: number;
  columns: number;
  /** What each priority level gets with the higher ones, the highest first; absent without critical demand. */
  levels?: readonly LevelServed[];
  /** Of the first step of the plan without its rules about pairs; absent without such rules, or if time ran out. */
  withoutPairs?: Moves;
  /** Whether the bound is that of branch and cut. */
  isBranched?: boolean | undefined;
  /**
   * Only if the ceiling was in the way: what the dearest step costs without it, in cost units; null if what is required
   * is out of reach without it, too.
   */
  withoutCeiling?: { dearestUnits: number | null };
};

/**
 * Of a priority level and all higher ones: what the plan serves, and the most of any plan that serves the higher levels
 * as well as they can be.
 */
export type LevelServed = { level: number; served: number; most: number };

export type HorizonOutcome =
  | { kind: 'solved'; solution: HorizonSolution }
  /**
   * No plan keeps the bounds per location. `isProved`: otherwise none of whole vehicles was found. `withoutCeiling`:
   * only if there is one without the ceiling, as of a solution.
   */
  | {
      kind: 'infeasible';
      isProved: boolean;
      withoutCeiling?: NonNullable<HorizonSolution['withoutCeiling']>;
    }
  | { kind: 'cancelled' }
  /** Time was up before any plan was found. */
  | { kind: 'timeout' }
  | SolverFault;
