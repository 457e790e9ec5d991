import { describe, expect, test } from 'vitest';
import { createBaseModel } from '../../../../src/core/optimize/column-generation/build-base-model.ts';
import {
  hasFlowRelaxation,
  relaxByFlow,
} from '../../../../src/core/optimize/column-generation/flow-relaxation.ts';
import {
  boundByMultipliers,
  createMaster,
  relaxMaster,
  setPenalty,
} from '../../../../src/core/optimize/column-generation/master.ts';
import { withSolverModel } from '../../../../src/core/optimize/highs/highs.ts';
import type { Problem } from '../../../../src/core/optimize/problem/model.ts';
import { dearestMove } from '../../../../src/core/optimize/problem/network.ts';
import { withLimits } from '../../../../src/core/optimize/problem/variants.ts';
import { solveProblem } from '../../../../src/core/optimize/solve.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { buildCached as buildProblem } from '../cached.ts';
import { SETTINGS } from '../instances.ts';
import { mediumRequest } from '../medium-instances.ts';
import { createEveningProblem } from '../mixed-cities.ts';

const control = { deadlineMs: performance.now() + 300_000 };

/** Problems of several classes whose relaxation is a flow, some with a cost of unmet demand. */
function* problemsWithFlow(count: number): Generator<{ name: string; problem: Problem }> {
  for (const seed of seeds(1, count)) {
    const { request, locations, classes } = mediumRequest(seed);
    if (classes === 1) continue;
    const built = buildProblem(request, locations, { ...SETTINGS, maxRebalancingCost: null });
    const problem: Problem =
      seed % 3 > 0 ? built : { ...built, unmetCost: built.demand.map((_, j) => (j % 4) * 1.5) };
    if (hasFlowRelaxation(problem, createBaseModel(problem))) yield { name: `seed ${seed}`, problem };
  }
}

/** The bound of the flow's prices, and what HiGHS finds with and without the flow's tree. */
async function compare(problem: Problem) {
  const base = createBaseModel(problem);
  const flow = relaxByFlow(problem, base, control);
  const relax = (start: typeof flow) =>
    withSolverModel(problem.caches.thread, base.model, base.tolerance, control, (model) => {
      const master = createMaster(problem, base, model, () => false, start?.moves);
      const { lower, upper } = master.whole;
      const proved = start ? boundByMultipliers(master, start.rowDual, lower, upper) : null;
      if (start?.basis) model.setBasis(start.basis.columnStatus, start.basis.rowStatus);
      setPenalty(master, 1e4 * Math.max(1, dearestMove(problem.network)));
      return { ...relaxMaster(master), proved, iterations: master.iterations };
    });
  return { flow, cold: await relax(null), warm: flow && (await relax(flow)) };
}

describe('the relaxation as a flow', () => {
  test('proves what the linear programme proves, and its tree is an optimal basis of that', {
    tags: 'slow',
  }, async () => {
    let compared = 0;
    let moved = 0;
    let atOnce = 0;
    for (const { name, problem } of problemsWithFlow(300)) {
      const { flow, cold, warm } = await compare(problem);
      if (!flow || !warm) {
        expect(cold.hasArtificialColumns, name).toBe(true);
        continue;
      }
      const noise = 1e-6 * Math.max(1, Math.abs(cold.bound));
      expect(flow.basis, name).not.toBeNull();
      expect(Math.abs(warm.proved! - cold.bound), name).toBeLessThan(noise);
      expect(Math.abs(warm.bound - cold.bound), name).toBeLessThan(noise);
      // Ties: another optimal basis.
      expect(warm.iterations, name).toBeLessThanOrEqual(20);
      if (warm.iterations === 0) atOnce++;
      compared++;
      if (cold.bound > 0) moved++;
    }
    expect(compared).toBeGreaterThan(enough(60));
    expect(moved).toBeGreaterThan(enough(40));
    expect(atOnce).toBeGreaterThan(enough(0.6 * compared));
  });

  test('is that of an evening, when vehicles cross the town', async () => {
    const { cold, warm } = await compare(createEveningProblem(1, 60, [1, 2, 4]));
    expect(warm?.proved).toBeCloseTo(cold.bound, 6);
    expect(warm?.iterations).toBe(0);
    expect(cold.iterations).toBeGreaterThan(100);
  });

  test('has no plan where the service level is out of reach', () => {
    const problem = createEveningProblem(1, 20, [1, 2, 4]);
    const scarce = withLimits(
      { ...problem, supply: problem.supply.map((count) => Math.floor(count / 4)) },
      {
        minServiceLevel: 0.95,
      },
    );
    expect(relaxByFlow(scarce, createBaseModel(scarce), control)).toBeNull();
  });

  test('leaves bounds per location to other methods', () => {
    const problem = withLimits(createEveningProblem(1, 20, [1, 2, 4]), { maxVehiclesPerLocation: 3 });
    expect(hasFlowRelaxation(problem, createBaseModel(problem))).toBe(false);
  });

  test('gives the search a bound near the best plan before the first iteration of the solver', async () => {
    const problem = createEveningProblem(2, 150, [1, 2, 4]);
    let first: { boundUnits: number | null; iterations: number | null } | null = null;
    const outcome = await solveProblem(problem, 0.01, {
      deadlineMs: performance.now() + 10_000,
      onProgress: (progress) => {
        if (progress.boundUnits !== null) first ??= progress;
      },
    });
    if (outcome.kind !== 'solved') throw new Error(outcome.kind);
    expect(first).toMatchObject({ iterations: 0 });
    expect(first!.boundUnits).toBeGreaterThan(0.95 * outcome.solution.costUnits);
    expect(first!.boundUnits).toBeLessThanOrEqual(outcome.solution.costUnits);
  });
});
