/**
 * Costs of 10¹⁰ per move, and artificial columns 10⁴ times as dear, are beyond what HiGHS can solve. It gets costs
 * divided by a power of two, so that nothing is rounded; its results in money are multiplied by the same number.
 */
import type { RunState } from '../run/control.ts';
import type { LinearModel } from './linear-model.ts';
import type { RunControl, SolverModel } from './solver-model.ts';

/** Models whose dearest move costs at most this are not scaled. */
const MAX_SCALED_COST = 1e4;

/** The factor on costs for the solver. @param largest the dearest move in money */
export function costScaleOf(largest: number): number {
  return largest <= MAX_SCALED_COST ? 1 : 2 ** -Math.ceil(Math.log2(largest / MAX_SCALED_COST));
}

export function scaleSource(source: LinearModel, scale: number): LinearModel {
  return { ...source, cost: times(source.cost, scale) };
}

export function scaleControl(control: RunControl, scale: number): RunControl {
  const { onProgress } = control;
  if (!onProgress) return control;
  const money = (value: number | null) => (value === null ? null : value / scale);
  return {
    ...control,
    onProgress: (progress: RunState) =>
      onProgress({ ...progress, incumbent: money(progress.incumbent), bound: money(progress.bound) }),
  };
}

/** Presents a model whose costs are multiplied by `scale` as a model in money. */
export function scaleModel(model: SolverModel, scale: number): SolverModel {
  return {
    ...model,
    setCosts: (cost) => model.setCosts(times(cost, scale)),
    addColumns: (columns) => model.addColumns({ ...columns, cost: times(columns.cost, scale) }),
    runLinear(graceMs, method, keepsBasis) {
      const result = model.runLinear(graceMs, method, keepsBasis);
      return {
        ...result,
        rowDual: times(result.rowDual, 1 / scale),
        objective: result.objective / scale,
      };
    },
    runMixed(options) {
      const result = model.runMixed({ ...options, absoluteGap: options.absoluteGap * scale });
      return { ...result, bound: result.bound / scale };
    },
  };
}

function times(values: Float64Array, factor: number): Float64Array {
  return values.map((value) => value * factor);
}
