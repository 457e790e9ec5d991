/**
 * The part of the model that does not grow with the number of moves: all rows, and all columns other than moves.
 * `move-columns.ts` appends moves (i ≠ j; staying is no column) as needed: −1 in the row of their source, +1 in that
 * of their target.
 * The model has two forms. Both have artificial columns that make every restriction feasible and are 0 in every plan:
 *   `single-class.ts`   one class without bounds per location and costs of unmet demand: one row per location, integer
 *                       columns are steps
 *   `classes.ts`        everything else: integer columns are the vehicles that arrive, leave and stand idle per (k, j)
 */
import type { LinearModel } from '../highs/linear-model.ts';

export type BaseModel = {
  /** Columns: integer ones first, then the others, artificial ones last. */
  model: LinearModel;
  /** Columns before this one are integers in a plan. */
  integerColumns: number;
  firstArtificial: number;
  serviceRow: number;
  /** Row with −1 for a move from (k, i), at k · n + i; row with +1 for a move to (k, j). */
  sourceRow: Int32Array;
  targetRow: Int32Array;
  /**
   * Whether the rows prevent more than s_ik vehicles from leaving; otherwise `master.ts` adds such a row if it is
   * violated.
   */
  limitsLeaving: boolean;
  /** First column of unmet demand by location if cuts apply, else −1. */
  firstUnmet: number;
  /** Whether the model has columns of idle vehicles. */
  hasIdle: boolean;
  demandScale: number;
  tolerance: number;
};
