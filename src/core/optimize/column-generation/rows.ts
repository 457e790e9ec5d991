/** The rows of the restricted programme: those of the base model and those added later. */
import type { SolverModel } from '../highs/highs.ts';
import type { BaseModel } from './base-model.ts';

/** A row over base columns, or over moves ("at most s_ik leave"). */
export type ExtraRow = {
  indices: Int32Array;
  values: Float64Array;
  lower: number;
};

export type Rows = ReturnType<typeof createRows>;

export function createRows(base: BaseModel, model: SolverModel) {
  const { model: m } = base;
  const extra: ExtraRow[] = [];
  let count = m.rowCount;

  return {
    extra: extra as readonly ExtraRow[],
    count: () => count,

    /** Appends Σ values · columns ≥ lower. */
    add(rows: readonly ExtraRow[]): void {
      model.addRows(rows.map((row) => ({ ...row, upper: Number.POSITIVE_INFINITY })));
      extra.push(...rows);
      count += rows.length;
    },

    /** Appends a row that bounds by multipliers ignore. */
    addUnpriced({ indices, values, lower }: ExtraRow): void {
      model.addRows([{ indices, values, lower, upper: Number.POSITIVE_INFINITY }]);
      count++;
    },
  };
}
