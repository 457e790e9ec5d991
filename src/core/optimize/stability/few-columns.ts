/** A model in which few moves are open, without the columns that follow from the others. */
import type { Formulation } from '../direct/formulation.ts';
import { costScaleOf } from '../highs/cost-scale.ts';
import { createRowBuilder, type LinearModel } from '../highs/linear-model.ts';
import type { Problem } from '../problem/model.ts';

/** The columns that are left, first the moves; `whole` gives the values of all columns. */
export type FewColumns = { model: LinearModel; moves: number; whole(values: Float64Array): Float64Array };

/**
 * Where no move is open, what is there serves the most it can, unless a fleet size makes locations compete; the same
 * holds for the vehicles that leave their previous targets.
 * @param model the formulation with some moves fixed, and perhaps further rows
 */
export function withFewColumns(problem: Problem, f: Formulation, model: LinearModel): FewColumns {
  const { firstStep } = f.variables;
  const value = Float64Array.from(model.lower);
  const isOpen = Uint8Array.from(model.lower, (lower, c) =>
    c >= firstStep || lower < model.upper[c] ? 1 : 0,
  );
  settle(problem, f, value, isOpen);
  const columns = Int32Array.from(isOpen.keys().filter((c) => isOpen[c] === 1));
  const place = new Int32Array(model.columnCount).fill(-1);
  for (const [at, c] of columns.entries()) place[c] = at;
  const rows = createRowBuilder(4 * columns.length);
  for (let r = 0; r < model.rowCount; r++) {
    let fixed = 0;
    let open = 0;
    for (let e = model.starts[r]; e < model.starts[r + 1]; e++) {
      const c = model.indices[e];
      if (place[c] < 0) fixed += model.values[e] * value[c];
      else {
        rows.add(place[c], model.values[e]);
        open++;
      }
    }
    if (open > 0) rows.end(model.rowLower[r] - fixed, model.rowUpper[r] - fixed);
  }
  const pick = (values: Float64Array) => Float64Array.from(columns, (c) => values[c]);
  const cost = pick(model.cost);
  return {
    model: {
      columnCount: columns.length,
      cost,
      costScale: costScaleOf(cost.reduce((most, c) => Math.max(most, Math.abs(c)), 0)),
      lower: pick(model.lower),
      upper: pick(model.upper),
      ...rows.finish(),
    },
    moves: columns.filter((c) => c < firstStep).length,
    whole(values) {
      const all = value.slice();
      for (const [at, c] of columns.entries()) all[c] = values[at];
      return all;
    },
  };
}

/** Closes the columns that follow from fixed moves, at their values. */
function settle(
  problem: Problem,
  { variables: v, demandScale }: Formulation,
  value: Float64Array,
  isOpen: Uint8Array,
) {
  const n = problem.locationIds.length;
  const close = (column: number, amount: number) => {
    value[column] = amount;
    isOpen[column] = 0;
  };
  for (const [g, { arc, count }] of v.kept.entries()) {
    if (arc < 0 || !isOpen[arc]) close(v.firstChanged + g, Math.max(0, count - (value[arc] ?? 0)));
  }
  if (problem.limits.totalFleetSize !== Number.POSITIVE_INFINITY) return;
  const isTouched = new Uint8Array(n);
  /** Vehicles by class and location that no step has counted yet. */
  const left = new Float64Array(problem.capacities.length * n);
  for (let a = 0; a < v.firstStep; a++) {
    if (isOpen[a]) isTouched[v.arcTarget[a]] = 1;
    else left[v.arcClass[a] * n + v.arcTarget[a]] += value[a];
  }
  const served = new Float64Array(n);
  for (let s = 0; s < v.stepClass.length; s++) {
    const j = v.stepLocation[s];
    if (isTouched[j]) continue;
    const steps = Math.min(left[v.stepClass[s] * n + j], v.stepUpper[s]);
    left[v.stepClass[s] * n + j] -= steps;
    served[j] += steps * v.stepGain[s];
    close(v.firstStep + s, steps);
  }
  for (const [first, locations, isServed] of [
    [v.firstServed, v.servedLocation, true],
    [v.firstUnmet, v.unmetLocation, false],
  ] as const) {
    for (const [c, j] of locations.entries()) {
      if (isTouched[j]) continue;
      const amount = Math.min(served[j], problem.demand[j]);
      close(first + c, (isServed ? amount : problem.demand[j] - amount) / demandScale);
    }
  }
}
