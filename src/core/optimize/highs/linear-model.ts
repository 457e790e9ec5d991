/** A linear programme in typed arrays (compressed by rows), and the builder for its constraints. */

/** lower ≤ Σ values · columns ≤ upper. */
type Row = { indices: Int32Array; values: Float64Array; lower: number; upper: number };

/** minimise cost·x  subject to  rowLower ≤ A x ≤ rowUpper,  lower ≤ x ≤ upper; A by rows. */
export type LinearModel = {
  columnCount: number;
  rowCount: number;
  cost: Float64Array;
  /** Factor on costs for the solver (`cost-scale.ts`); default 1. */
  costScale?: number;
  /** Whether the solver scales rows and columns; default true. */
  isScaled?: boolean;
  lower: Float64Array;
  upper: Float64Array;
  rowLower: Float64Array;
  rowUpper: Float64Array;
  /** Entries of row r: `starts[r]` up to `starts[r + 1]`. */
  starts: Int32Array;
  indices: Int32Array;
  values: Float64Array;
};

/** The same with A by columns: entries of column c are at `starts[c]` up to `starts[c + 1]`, and `indices` are rows. */
export type ColumnModel = Omit<LinearModel, 'costScale' | 'isScaled'>;

/** The programme with one more row, last. O(entries). */
export function withRow(model: LinearModel, { indices, values, lower, upper }: Row): LinearModel {
  const entries = model.starts[model.rowCount];
  const append = <T extends Float64Array | Int32Array>(a: T, b: ArrayLike<number>, length: number): T => {
    const joined = new (a.constructor as new (n: number) => T)(length + b.length);
    joined.set(a.subarray(0, length));
    joined.set(b, length);
    return joined;
  };
  return {
    ...model,
    rowCount: model.rowCount + 1,
    rowLower: append(model.rowLower, [lower], model.rowCount),
    rowUpper: append(model.rowUpper, [upper], model.rowCount),
    starts: append(model.starts, [entries + indices.length], model.rowCount + 1),
    indices: append(model.indices, indices, entries),
    values: append(model.values, values, entries),
  };
}

/** Writes rows one after the other: `add` the entries, then `end` the row. */
export type RowBuilder = {
  add(column: number, value: number): void;
  /** @returns the index of the row */
  end(lower: number, upper: number): number;
  finish(): Pick<LinearModel, 'rowCount' | 'rowLower' | 'rowUpper' | 'starts' | 'indices' | 'values'>;
};

/** @param expectedEntries initial size of the buffers, which grow on demand */
export function createRowBuilder(expectedEntries: number): RowBuilder {
  let indices = new Int32Array(Math.max(16, expectedEntries));
  let values = new Float64Array(indices.length);
  let length = 0;
  const starts = [0];
  const rowLower: number[] = [];
  const rowUpper: number[] = [];
  return {
    add(column, value) {
      if (length === indices.length) {
        const wider = new Int32Array(2 * length);
        wider.set(indices);
        indices = wider;
        const widerValues = new Float64Array(2 * length);
        widerValues.set(values);
        values = widerValues;
      }
      indices[length] = column;
      values[length++] = value;
    },
    end(lower, upper) {
      rowLower.push(lower);
      rowUpper.push(upper);
      starts.push(length);
      return rowLower.length - 1;
    },
    finish: () => ({
      rowCount: rowLower.length,
      rowLower: Float64Array.from(rowLower),
      rowUpper: Float64Array.from(rowUpper),
      starts: Int32Array.from(starts),
      indices: indices.subarray(0, length),
      values: values.subarray(0, length),
    }),
  };
}
