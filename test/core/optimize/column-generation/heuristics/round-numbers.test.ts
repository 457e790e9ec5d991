import { describe, expect, test } from 'vitest';
import { createBaseModel } from '../../../../../src/core/optimize/column-generation/build-base-model.ts';
import { relaxByFlow } from '../../../../../src/core/optimize/column-generation/flow-relaxation.ts';
import { planByNumbers } from '../../../../../src/core/optimize/column-generation/heuristics/round-numbers.ts';
import { priceOfMultipliers } from '../../../../../src/core/optimize/column-generation/master.ts';
import { evaluateMoves } from '../../../../../src/core/optimize/problem/evaluate.ts';
import type { Problem } from '../../../../../src/core/optimize/problem/model.ts';
import { withLimits } from '../../../../../src/core/optimize/problem/variants.ts';
import { createEveningProblem, createMixedProblem } from '../../mixed-cities.ts';

const control = { deadlineMs: performance.now() + 300_000 };
const CAPACITIES = [1, 2, 4];

/** The plan from the relaxation as a flow, and that relaxation's cost of moving, in units. */
function planOf(problem: Problem) {
  const base = createBaseModel(problem);
  const flow = relaxByFlow(problem, base, control)!;
  const atSource = Float64Array.from(base.sourceRow, (row) => flow.rowDual[row]);
  const price = priceOfMultipliers(base, flow.rowDual);
  const { capacityClass, source, target } = flow.moves;
  const n = problem.locationIds.length;
  const relaxed = capacityClass.reduce(
    (sum, _, m) =>
      sum + flow.values[base.model.columnCount + m] * problem.network.costUnits[source[m] * n + target[m]],
    0,
  );
  return { plan: planByNumbers(problem, flow.values, atSource, price, control), relaxed };
}

describe('a plan by numbers of vehicles', () => {
  test.for([
    { name: 'an evening', problem: createEveningProblem(1, 150, CAPACITIES), share: 1.15 },
    {
      name: 'a random city',
      problem: createMixedProblem(1, { n: 150, perLocation: 10, capacities: CAPACITIES }),
      share: 1.4,
    },
  ])('keeps the service level of $name, near the relaxation', ({ problem, share }) => {
    const { plan, relaxed } = planOf(problem);
    const { broken, costUnits } = evaluateMoves(problem, plan!);
    expect(broken).toEqual([]);
    expect(costUnits).toBeGreaterThan(relaxed);
    expect(costUnits).toBeLessThan(share * relaxed);
  });

  test('serves more than it has to where unmet demand costs more than moving', () => {
    const problem = withLimits(createEveningProblem(1, 60, CAPACITIES), { minServiceLevel: 0.5 });
    const dear: Problem = { ...problem, unmetCost: new Float64Array(60).fill(100) };
    const served = evaluateMoves(dear, planOf(dear).plan!).served;
    expect(served).toBeGreaterThan(0.9 * problem.demand.reduce((sum, demand) => sum + demand, 0));
    expect(evaluateMoves(problem, planOf(problem).plan!).served).toBeLessThan(served);
  });

  test('ends when time is up', () => {
    const problem = createEveningProblem(1, 40, CAPACITIES);
    const nothing = new Float64Array(2 * problem.supply.length);
    const noPrices = new Float64Array(problem.supply.length);
    expect(() => planByNumbers(problem, nothing, noPrices, 1, { deadlineMs: 0 })).toThrow();
  });
});
