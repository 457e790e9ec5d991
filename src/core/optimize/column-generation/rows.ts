/**
 * The rows of the restricted programme: those of the base model and those added later. A changed problem has other
 * sides; the solver gets them in a separate step.
 */
import type { SolverModel } from '../highs/highs.ts';
import type { Problem } from '../problem/model.ts';
import type { BaseModel } from './base-model.ts';

/** A row over base columns, or over moves ("at most s_ik leave"). */
export type ExtraRow = {
  indices: Int32Array;
  values: Float64Array;
  lower: number;
  /** The row's side in a changed problem; without it the row is valid only for the problem it was added for. */
  lowerFor?: (changed: Problem) => number;
};

export type Rows = ReturnType<typeof createRows>;

export function createRows(base: BaseModel, model: SolverModel) {
  const { model: m } = base;
  const extra: ExtraRow[] = [];
  /** The sides that the solver has. */
  const sent = {
    rowLower: m.rowLower.slice(),
    rowUpper: m.rowUpper.slice(),
    extra: [] as number[],
  };
  let count = m.rowCount;

  return {
    extra: extra as readonly ExtraRow[],
    count: () => count,

    /** Appends Σ values · columns ≥ lower. */
    add(rows: readonly ExtraRow[]): void {
      // Passes only the row itself: functions cannot be sent to a model in a separate thread.
      model.addRows(
        rows.map(({ indices, values, lower }) => ({
          indices,
          values,
          lower,
          upper: Number.POSITIVE_INFINITY,
        })),
      );
      extra.push(...rows);
      sent.extra.push(...rows.map(({ lower }) => lower));
      count += rows.length;
    },

    /** Appends a row that bounds by multipliers ignore. */
    addUnpriced({ indices, values, lower }: ExtraRow): void {
      model.addRows([{ indices, values, lower, upper: Number.POSITIVE_INFINITY }]);
      count++;
    },

    /** Sets the sides to those of a changed problem, whose base model has the given ones. */
    change(changed: Problem, rowLower: Float64Array, rowUpper: Float64Array): void {
      m.rowLower.set(rowLower);
      m.rowUpper.set(rowUpper);
      for (const row of extra) row.lower = row.lowerFor?.(changed) ?? row.lower;
    },

    /** Passes changed sides to the solver. */
    send(): void {
      for (let r = 0; r < m.rowCount; r++) {
        if (m.rowLower[r] === sent.rowLower[r] && m.rowUpper[r] === sent.rowUpper[r]) continue;
        model.setRowBounds(r, m.rowLower[r], m.rowUpper[r]);
      }
      sent.rowLower.set(m.rowLower);
      sent.rowUpper.set(m.rowUpper);
      extra.forEach(({ lower }, x) => {
        if (lower === sent.extra[x]) return;
        model.setRowBounds(m.rowCount + x, lower, Number.POSITIVE_INFINITY);
        sent.extra[x] = lower;
      });
    },
  };
}
