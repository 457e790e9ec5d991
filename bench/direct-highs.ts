/** The baseline: the same problems, solved by HiGHS directly with all arcs. */
import highsModule, { type Highs } from 'highs';
import type { FlowProblem } from '../src/core/optimize/flow/types.ts';
import { createRowBuilder, type LinearModel } from '../src/core/optimize/highs/linear-model.ts';
import { UNITS_PER_COST } from '../src/core/optimize/problem/costs.ts';
import type { DenseCosts } from '../src/core/optimize/problem/distances/move-costs.ts';

// The package's ES module exports the loader itself; its declarations are read as those of a CommonJS module.
const loadHighs = highsModule as unknown as typeof highsModule.default;

export const highs: Highs = await loadHighs();

/** The model as in the specification, with all arcs, by dual simplex without presolve. Includes model building. */
export function solveDirectly(problem: FlowProblem & { cost: DenseCosts }): number {
  return run(createDirectModel(problem));
}

/** Columns x_ij (of sources with vehicles), then y_j; rows Σ_j x_ij = s_i, Σ_i x_ij − y_j ≥ 0, Σ y_j ≥ R. */
function createDirectModel({
  n,
  supply,
  demand,
  required,
  cost,
}: FlowProblem & { cost: DenseCosts }): LinearModel {
  const sources = Array.from(supply.keys()).filter((i) => supply[i] > 0);
  const arcs = sources.length * n;
  const rows = createRowBuilder(2 * arcs + 2 * n);
  sources.forEach((i, s) => {
    for (let j = 0; j < n; j++) rows.add(s * n + j, 1);
    rows.end(supply[i], supply[i]);
  });
  for (let j = 0; j < n; j++) {
    for (let s = 0; s < sources.length; s++) rows.add(s * n + j, 1);
    rows.add(arcs + j, -1);
    rows.end(0, Number.POSITIVE_INFINITY);
  }
  for (let j = 0; j < n; j++) rows.add(arcs + j, 1);
  rows.end(required, Number.POSITIVE_INFINITY);
  const model = {
    columnCount: arcs + n,
    cost: new Float64Array(arcs + n),
    lower: new Float64Array(arcs + n),
    upper: new Float64Array(arcs + n).fill(Number.POSITIVE_INFINITY),
    ...rows.finish(),
  };
  sources.forEach((i, s) => {
    for (let j = 0; j < n; j++) model.cost[s * n + j] = cost.units[i * n + j] / UNITS_PER_COST;
  });
  model.upper.set(demand, arcs);
  return model;
}

function run(lp: LinearModel): number {
  return highs.withModel((model) => {
    model.options.set({ output_flag: false, presolve: 'off', solver: 'simplex', simplex_strategy: 1 });
    model.passModel({
      numCols: lp.columnCount,
      numRows: lp.rowCount,
      colCost: lp.cost,
      colLower: lp.lower,
      colUpper: lp.upper,
      rowLower: lp.rowLower,
      rowUpper: lp.rowUpper,
      matrix: {
        format: 'csr',
        numRows: lp.rowCount,
        numCols: lp.columnCount,
        starts: lp.starts,
        indices: lp.indices,
        values: lp.values,
      },
    });
    if (model.run().modelStatus !== highs.constants.modelStatus.optimal)
      throw new Error('HiGHS found no optimum');
    return Math.round(model.getObjectiveValue() * UNITS_PER_COST);
  });
}
