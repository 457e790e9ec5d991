import { expect, test } from 'vitest';
import { withSolverModel } from '../../../../src/core/optimize/highs/highs.ts';
import type { SolverModel } from '../../../../src/core/optimize/highs/solver-model.ts';
import { createFlowMaster } from '../../../../src/core/optimize/horizon/flow-master.ts';
import { generate } from '../../../../src/core/optimize/horizon/generate-moves.ts';
import { setStart } from '../../../../src/core/optimize/horizon/joined-ranges.ts';
import type { HorizonProblem } from '../../../../src/core/optimize/horizon/types.ts';
import { seeds } from '../../../helpers/depth.ts';
import { threadCache } from '../cached.ts';
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

function solve(problem: HorizonProblem, wrap: (model: SolverModel) => SolverModel) {
  const master = createFlowMaster(problem, 1000);
  const counts = { rounds: 0, iterations: 0, columns: 0 };
  return withSolverModel(threadCache, master.model, 1e-9, control, (model) => {
    setStart(master, model, null, []);
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
