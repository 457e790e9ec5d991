/** The moves that are columns of the restricted programme; they follow the columns of the base model. */

import type { SolverModel } from '../highs/highs.ts';
import { fromUnits } from '../problem/costs.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { movesOn } from '../problem/moves.ts';
import { OutOfTime } from '../run/stopping.ts';
import type { BaseModel } from './base-model.ts';
import type { MoveArcs } from './pricing.ts';

/** Moves appended between two looks at the clock. */
const ARCS_PER_LOOK = 1 << 14;

export type MoveColumns = ReturnType<typeof createMoveColumns>;

/**
 * @param n locations
 * @param leavingRow row "at most s_ik leave" at k · n + i; −1 without such a row
 * @param isOver ends long work, which then throws OutOfTime
 */
export function createMoveColumns(
  base: BaseModel,
  model: SolverModel,
  n: number,
  leavingRow: Int32Array,
  isOver: () => boolean,
) {
  const capacityClass: number[] = [];
  const source: number[] = [];
  const target: number[] = [];
  const known = new Set<number>();

  /** Appends moves that are not columns yet. @param isFree at no cost */
  function add(problem: Problem, more: MoveArcs, isFree: boolean): void {
    for (let from = 0; from < more.source.length; from += ARCS_PER_LOOK) {
      if (from > 0 && isOver()) throw new OutOfTime();
      const to = from + ARCS_PER_LOOK;
      addSome(
        problem,
        {
          capacityClass: more.capacityClass.subarray(from, to),
          source: more.source.subarray(from, to),
          target: more.target.subarray(from, to),
        },
        isFree,
      );
    }
  }

  function addSome(problem: Problem, more: MoveArcs, isFree: boolean): void {
    const count = more.source.length;
    const cost = new Float64Array(count);
    const upper = new Float64Array(count);
    const starts = new Int32Array(count + 1);
    const indices: number[] = [];
    const values: number[] = [];
    for (let m = 0; m < count; m++) {
      const k = more.capacityClass[m];
      const from = k * n + more.source[m];
      known.add(from * n + more.target[m]);
      capacityClass.push(k);
      source.push(more.source[m]);
      target.push(more.target[m]);
      cost[m] = isFree ? 0 : fromUnits(problem.network.costUnits[more.source[m] * n + more.target[m]]);
      upper[m] = problem.supply[from];
      indices.push(base.sourceRow[from], base.targetRow[k * n + more.target[m]]);
      values.push(-1, 1);
      if (leavingRow[from] >= 0) {
        indices.push(leavingRow[from]);
        values.push(-1);
      }
      starts[m + 1] = indices.length;
    }
    model.addColumns({
      cost,
      lower: new Float64Array(count),
      upper,
      starts,
      indices: Int32Array.from(indices),
      values: Float64Array.from(values),
    });
  }

  return {
    arcs: { capacityClass, source, target },
    /** Whether a move (k · n + i) · n + j is a column. */
    has: (arc: number) => known.has(arc),
    add,
    /** Turns the moves of a plan into columns. */
    addPlan(problem: Problem, moves: Moves): void {
      const more: number[] = [];
      for (let m = 0; m < moves.count.length; m++) {
        if (!known.has((moves.capacityClass[m] * n + moves.source[m]) * n + moves.target[m])) more.push(m);
      }
      add(
        problem,
        movesOn(more, moves, (m) => moves.count[m]),
        false,
      );
    },
  };
}
