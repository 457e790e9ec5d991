import highsModule from 'highs';
import { expect, test } from 'vitest';
import { createFlowModel } from '../../../../src/core/optimize/flow/highs-basis.ts';
import { solveFlow } from '../../../../src/core/optimize/flow/solve-flow.ts';
import type { Alternatives, FlowBasis } from '../../../../src/core/optimize/flow/types.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { createRandom } from '../instances.ts';
import { type DenseProblem, metricProblem, randomProblem } from './flow-instances.ts';

const highs = await (highsModule as unknown as typeof highsModule.default)();

/** All allowed arcs from vehicles, and from "unserved" (n), to demand, except those of the tree. */
function arcsBeside({ n, supply, demand, cost }: DenseProblem, basis: FlowBasis): Alternatives {
  const inTree = new Set(Array.from(basis.from, (i, a) => i * n + basis.to[a]));
  for (let j = 0; j < n; j++) if (basis.unserved[j] === 1) inTree.add(n * n + j);
  const costOf = (i: number, j: number) => (i === j || i === n ? 0 : cost.units[i * n + j]);
  const arcs = Array.from({ length: (n + 1) * n }, (_, a) => [Math.floor(a / n), a % n]).filter(
    ([i, j]) =>
      (i === n || supply[i] > 0) && demand[j] > 0 && !inTree.has(i * n + j) && Number.isFinite(costOf(i, j)),
  );
  return {
    from: Int32Array.from(arcs, ([i]) => i),
    to: Int32Array.from(arcs, ([, j]) => j),
    cost: Float64Array.from(arcs, ([i, j]) => costOf(i, j)),
  };
}

function confirm(problem: DenseProblem): (ReturnType<typeof solveFrom> & { cost: number }) | null {
  const outcome = solveFlow(problem);
  if (outcome.kind !== 'solved') return null;
  const { basis, cost } = outcome;
  return { ...solveFrom(problem, basis, arcsBeside(problem, basis)), cost };
}

/** @returns objective in money, and simplex iterations from the given basis */
function solveFrom(problem: DenseProblem, basis: FlowBasis, extra: Alternatives) {
  const { model: lp, columnStatus, rowStatus } = createFlowModel(problem, basis, extra);
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
        format: 'csc',
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
    };
  });
}

test('HiGHS confirms the tree as an optimal basis of the network it is given, with no iteration', () => {
  let solved = 0;
  for (const seed of seeds(0, 499)) {
    const shape = { locations: createRandom(seed).integer(1, 20), vehicles: 20, demand: 20 };
    const confirmed = confirm(metricProblem(seed, shape));
    if (!confirmed) continue;
    solved++;
    expect(confirmed.iterations, `seed ${seed}`).toBe(0);
    expect(confirmed.objective, `seed ${seed}`).toBeCloseTo(confirmed.cost / 1e4, 6);
  }
  expect(solved).toBeGreaterThan(enough(300));
});

test('with any costs HiGHS confirms the optimum, mostly with no iteration', () => {
  let solved = 0;
  let immediate = 0;
  for (const seed of seeds(0, 499)) {
    const confirmed = confirm(randomProblem(seed));
    if (!confirmed) continue;
    solved++;
    if (confirmed.iterations === 0) immediate++;
    expect(Math.abs(confirmed.objective - confirmed.cost / 1e4), `seed ${seed}`).toBeLessThan(
      1e-6 + 1e-10 * confirmed.cost,
    );
  }
  expect(immediate).toBeGreaterThan(enough(0.9 * solved));
});

test('HiGHS improves a tree that leaves the cheap demand unserved, by the arc that leaves the dear one', () => {
  const problem: DenseProblem = {
    n: 3,
    supply: Int32Array.of(5, 0, 0),
    demand: Int32Array.of(0, 2, 2),
    required: 3,
    cost: { kind: 'dense', units: Float64Array.of(0, 10e4, 30e4, 10e4, 0, 25e4, 30e4, 25e4, 0) },
  };
  const leavesTheCheapOne: FlowBasis = {
    from: Int32Array.of(0, 0),
    to: Int32Array.of(1, 2),
    units: Int32Array.of(1, 2),
    cost: Float64Array.of(10e4, 30e4),
    idle: Uint8Array.of(1, 0, 0),
    unserved: Uint8Array.of(0, 1, 0),
    slack: false,
  };
  const unserved = 3;
  const theDearOne = { from: Int32Array.of(unserved), to: Int32Array.of(2), cost: Float64Array.of(0) };
  expect(solveFrom(problem, leavesTheCheapOne, theDearOne)).toEqual({ objective: 50, iterations: 1 });
});

test('the arc from "unserved" that came closest to entering the tree is among those that HiGHS gets', () => {
  let found = 0;
  for (const seed of seeds(0, 199)) {
    const problem = metricProblem(seed, { locations: 12, vehicles: 20, demand: 20 });
    const outcome = solveFlow(problem);
    if (outcome.kind !== 'solved') continue;
    const { alternatives, basis, duals } = outcome;
    const at = alternatives.from.indexOf(problem.n);
    if (at < 0) continue;
    found++;
    const others = duals.demand.filter((_, j) => problem.demand[j] > 0 && basis.unserved[j] === 0);
    expect(duals.demand[alternatives.to[at]], `seed ${seed}`).toBe(Math.min(...others));
  }
  expect(found).toBeGreaterThan(enough(20));
});
