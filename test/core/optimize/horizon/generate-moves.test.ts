import { expect, test } from 'vitest';
import { withSolverModel } from '../../../../src/core/optimize/highs/highs.ts';
import type { SolverModel } from '../../../../src/core/optimize/highs/solver-model.ts';
import { createFlowMaster, type Split } from '../../../../src/core/optimize/horizon/flow-master.ts';
import { generate } from '../../../../src/core/optimize/horizon/generate-moves.ts';
import { setStart } from '../../../../src/core/optimize/horizon/joined-ranges.ts';
import type { HorizonProblem } from '../../../../src/core/optimize/horizon/types.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { threadCache } from '../cached.ts';
import { createRandom } from '../instances.ts';
import { tinyHorizon } from './horizon-instances.ts';

const control = { deadlineMs: 1e9 };

/** HiGHS, that gives up its first run and every third one. */
function givingUp(model: SolverModel): SolverModel {
  let runs = 0;
  return {
    ...model,
    runLinear(...how) {
      const result = model.runLinear(...how);
      return runs++ % 3 === 0 ? { ...result, status: 'failed', values: new Float64Array() } : result;
    },
  };
}

function solve(
  problem: HorizonProblem,
  wrap: (model: SolverModel) => SolverModel,
  splits: readonly Split[] = [],
) {
  const master = createFlowMaster(problem, 1000, splits);
  const counts = { rounds: 0, iterations: 0, columns: 0 };
  return withSolverModel(threadCache, master.model, 1e-9, control, (model) => {
    // Where nobody moves is a basis of nodes that are not split; with those that are, none is set.
    if (splits.length === 0) setStart(master, model, null, []);
    return generate({ master, control, counts }, wrap(model), problem, 0);
  });
}

test('a programme that HiGHS gives up on is begun again, and has the same optimum', async () => {
  for (const seed of seeds(1, 60)) {
    const problem = tinyHorizon(seed, true);
    const usual = await solve(problem, (model) => model);
    const again = await solve(problem, givingUp);
    expect([usual.isOptimal, again.isOptimal], `seed ${seed}`).toEqual([true, true]);
    // In cost units: reduced costs of a hundredth are noise.
    const noise = 0.05 + 1e-6 * Math.abs(usual.boundUnits);
    expect(Math.abs(again.boundUnits - usual.boundUnits), `seed ${seed}`).toBeLessThan(noise);
  }
});

test('nodes that are split between vehicles that arrive and leave change neither the optimum nor its proof', async () => {
  let tight = 0;
  for (const seed of seeds(1, 80)) {
    const problem = tinyHorizon(seed, true, seed % 2 === 0);
    const random = createRandom(seed);
    const { n, steps } = problem;
    const nodes = Array.from({ length: n * (steps - 1) }, (_, k) => n + k);
    const splits = nodes
      .filter(() => random.chance(0.6))
      .map((node) => ({ node, most: random.pick([0, 0.5, 1, 2]) }));
    tight += splits.length;
    const usual = await solve(problem, (model) => model);
    const split = await solve(problem, (model) => model, splits);
    expect([usual.isOptimal, split.isOptimal], `seed ${seed}`).toEqual([true, true]);
    const noise = 0.05 + 1e-6 * Math.abs(usual.boundUnits);
    expect(Math.abs(split.boundUnits - usual.boundUnits), `seed ${seed}`).toBeLessThan(noise);
  }
  expect(tight).toBeGreaterThan(enough(100));
});
