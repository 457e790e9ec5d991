/** Finds the fractional integer columns of a relaxed solution, and reads the moves of an integral one. */
import type { Moves } from '../problem/model.ts';
import { movesOn } from '../problem/moves.ts';
import type { BaseModel } from './base-model.ts';
import type { Context } from './context.ts';

/** A value farther than this from a whole number is fractional. */
const INTEGRALITY_TOLERANCE = 1e-5;

/** Integer columns with fractional values, ascending. */
export function fractionalColumns(base: BaseModel, values: Float64Array): number[] {
  const columns: number[] = [];
  for (let c = 0; c < base.integerColumns; c++) {
    if (Math.abs(values[c] - Math.round(values[c])) > INTEGRALITY_TOLERANCE) columns.push(c);
  }
  return columns;
}

/** Moves of a solution in order of class, source and target; null if a move is fractional. */
export function movesOf({ problem, master }: Context, values: Float64Array): Moves | null {
  const { capacityClass, source, target } = master.columns.arcs;
  const n = problem.locationIds.length;
  const chosen: number[] = [];
  for (let a = 0; a < source.length; a++) {
    const value = values[master.firstArc + a];
    const count = Math.round(value);
    if (Math.abs(value - count) > INTEGRALITY_TOLERANCE) return null;
    if (count > 0) chosen.push(a);
  }
  const key = (a: number) => (capacityClass[a] * n + source[a]) * n + target[a];
  chosen.sort((a, b) => key(a) - key(b));
  return movesOn(chosen, master.columns.arcs, (a) => Math.round(values[master.firstArc + a]));
}
