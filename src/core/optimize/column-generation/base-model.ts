/**
 * The part of the model that does not grow with the number of moves: all rows, and the columns beside the moves. Moves (i ≠ j; staying
 * is no column) are appended by `move-columns.ts` as they are needed: −1 in the row of their source, +1 in that of their target.
 * Two forms, both with artificial columns that make every restriction feasible and are 0 in every plan:
 *   `single-class.ts`   one class without bounds of vehicles per location: one row per location, integer columns are steps
 *   `classes.ts`        everything else: integer columns are the vehicles that arrive, leave and stand idle per (k, j)
 */
import type { LinearModel } from '../highs/linear-model.ts';

export type BaseModel = {
  /** Columns: integer ones first, then the others, artificial ones last. */
  model: LinearModel;
  /** Columns 0 up to this one are whole in a plan. */
  integerColumns: number;
  firstArtificial: number;
  serviceRow: number;
  /** Row of −1 for a move from (k, i), by k · n + i, and of +1 for a move to (k, j). */
  sourceRow: Int32Array;
  targetRow: Int32Array;
  /** Whether the rows keep at most s_ik from leaving; otherwise `master.ts` adds that where it is broken. */
  limitsLeaving: boolean;
  /** First column of unmet demand by location where there are cuts to find, else −1. */
  firstUnmet: number;
  /** Whether the model has columns of idle vehicles. */
  hasIdle: boolean;
  demandScale: number;
  tolerance: number;
};
