/**
 * The rows of the restricted programme: those of the base model and those that are added to them. A changed problem has other
 * sides, of which the solver is told apart from changing them.
 */
import type { SolverModel } from '../highs/highs.ts';
import type { Problem } from '../problem/model.ts';
import type { BaseModel } from './base-model.ts';

/** A row over base columns, or over moves (at most s_ik leave). */
export type ExtraRow = {
  indices: Int32Array;
  values: Float64Array;
  lower: number;
  /** The side of the same row in a changed problem; without it the row is only true of the one it was added for. */
  lowerFor?: (changed: Problem) => number;
};

export type Rows = ReturnType<typeof createRows>;

export function createRows(base: BaseModel, model: SolverModel) {
  const { model: m } = base;
  const extra: ExtraRow[] = [];
  /** Sides as the solver knows them. */
  const told = {
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
      // Only what a row is: a model in a thread of its own cannot be sent functions.
      model.addRows(
        rows.map(({ indices, values, lower }) => ({
          indices,
          values,
          lower,
          upper: Number.POSITIVE_INFINITY,
        })),
      );
      extra.push(...rows);
      told.extra.push(...rows.map(({ lower }) => lower));
      count += rows.length;
    },

    /** Appends a row that no bound by multipliers knows of. */
    addUnpriced({ indices, values, lower }: ExtraRow): void {
      model.addRows([{ indices, values, lower, upper: Number.POSITIVE_INFINITY }]);
      count++;
    },

    /** Sides of rows as they are in a changed problem, whose base model has these. */
    change(changed: Problem, rowLower: Float64Array, rowUpper: Float64Array): void {
      m.rowLower.set(rowLower);
      m.rowUpper.set(rowUpper);
      for (const row of extra) row.lower = row.lowerFor?.(changed) ?? row.lower;
    },

    /** Tells the solver the sides that are others than it knows. */
    tell(): void {
      for (let r = 0; r < m.rowCount; r++) {
        if (m.rowLower[r] === told.rowLower[r] && m.rowUpper[r] === told.rowUpper[r]) continue;
        model.setRowBounds(r, m.rowLower[r], m.rowUpper[r]);
      }
      told.rowLower.set(m.rowLower);
      told.rowUpper.set(m.rowUpper);
      extra.forEach(({ lower }, x) => {
        if (lower === told.extra[x]) return;
        model.setRowBounds(m.rowCount + x, lower, Number.POSITIVE_INFINITY);
        told.extra[x] = lower;
      });
    },
  };
}
