import highsModule from 'highs';
import { expect, test } from 'vitest';
import { createFlowModel } from '../../../../src/core/optimize/flow/highs-basis.ts';
import { solveFlow } from '../../../../src/core/optimize/flow/solve-flow.ts';
import type { Alternatives, FlowBasis } from '../../../../src/core/optimize/flow/types.ts';
import { createRandom } from '../instances.ts';
import { type DenseProblem, metricProblem, randomProblem } from './flow-instances.ts';

const highs = await (highsModule as unknown as typeof highsModule.default)();

/** All allowed moves from vehicles to demand, except those of the tree. */
function movesBeside({ n, supply, demand, cost }: DenseProblem, basis: FlowBasis): Alternatives {
  const inTree = new Set(Array.from(basis.from, (i, a) => i * n + basis.to[a]));
  const costOf = (i: number, j: number) => (i === j ? 0 : cost.units[i * n + j]);
  const arcs = Array.from({ length: n * n }, (_, a) => [Math.floor(a / n), a % n]).filter(
    ([i, j]) => supply[i] > 0 && demand[j] > 0 && !inTree.has(i * n + j) && Number.isFinite(costOf(i, j)),
  );
  return {
    from: Int32Array.from(arcs, ([i]) => i),
    to: Int32Array.from(arcs, ([, j]) => j),
    cost: Float64Array.from(arcs, ([i, j]) => costOf(i, j)),
  };
}

/** @returns objective in money, and simplex iterations from the given basis */
function confirm(problem: DenseProblem): { objective: number; iterations: number; cost: number } | null {
  const outcome = solveFlow(problem);
  if (outcome.kind !== 'solved') return null;
  const {
    model: lp,
    columnStatus,
    rowStatus,
  } = createFlowModel(problem, outcome.basis, movesBeside(problem, outcome.basis));
  const basics = [...columnStatus, ...rowStatus].filter(
    (status) => status === highs.constants.basisStatus.basic,
  );
  expect(basics.length).toBe(lp.rowCount);
  return highs.withModel((model) => {
    model.options.set({ output_flag: false, presolve: 'off', solver: 'simplex', simplex_strategy: 4 });
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
    model.setBasis({ colStatus: columnStatus, rowStatus });
    const { optimal, empty } = highs.constants.modelStatus;
    expect(model.run().modelStatus).toBe(lp.columnCount > 0 ? optimal : empty);
    return {
      objective: model.getObjectiveValue(),
      iterations: Number(model.info.get('simplex_iteration_count')),
      cost: outcome.cost,
    };
  });
}

test('HiGHS confirms the tree as an optimal basis of the network it is given, with no iteration', () => {
  let solved = 0;
  for (let seed = 0; seed < 500; seed++) {
    const shape = { locations: createRandom(seed).integer(1, 20), vehicles: 20, demand: 20 };
    const confirmed = confirm(metricProblem(seed, shape));
    if (!confirmed) continue;
    solved++;
    expect(confirmed.iterations, `seed ${seed}`).toBe(0);
    expect(confirmed.objective, `seed ${seed}`).toBeCloseTo(confirmed.cost / 1e4, 6);
  }
  expect(solved).toBeGreaterThan(300);
});

test('with any costs HiGHS confirms the optimum, mostly with no iteration', () => {
  let solved = 0;
  let immediate = 0;
  for (let seed = 0; seed < 500; seed++) {
    const confirmed = confirm(randomProblem(seed));
    if (!confirmed) continue;
    solved++;
    if (confirmed.iterations === 0) immediate++;
    expect(Math.abs(confirmed.objective - confirmed.cost / 1e4), `seed ${seed}`).toBeLessThan(
      1e-6 + 1e-10 * confirmed.cost,
    );
  }
  expect(immediate).toBeGreaterThan(0.9 * solved);
});
