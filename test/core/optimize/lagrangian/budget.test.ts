import { describe, expect, test } from 'vitest';
import { mostWithinBudget } from '../../../../src/core/optimize/lagrangian/fractional-demand.ts';
import { evaluateMoves } from '../../../../src/core/optimize/problem/evaluate.ts';
import type { Problem } from '../../../../src/core/optimize/problem/model.ts';
import { splitDemand } from '../../../../src/core/optimize/problem/steps.ts';
import { countVehicles, withLimits } from '../../../../src/core/optimize/problem/variants.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { createRandom } from '../instances.ts';
import { mostByAllMoves } from '../most-by-all-moves.ts';
import { randomFractional } from './lagrangian-instances.ts';

const INSTANCES = 1000;
/** Several times the error of a sum of demand, relative. */
const NOISE = 1e-9;

/** With a ceiling between nothing and what a plan for all of the demand in reach costs; null without such a plan. */
async function withCeiling(problem: Problem, seed: number): Promise<Problem | null> {
  const random = createRandom(seed + 3e6);
  const free = withLimits(problem, { maxCostUnits: Number.POSITIVE_INFINITY });
  const control = { deadlineMs: performance.now() + 300_000 };
  const { plan } = await mostByAllMoves(free, control);
  const { costUnits } = evaluateMoves(free, plan!.moves);
  return costUnits === 0 ? null : withLimits(free, { maxCostUnits: Math.floor(random.next() * costUnits) });
}

const never = () => false;

describe('the most demand that a budget serves', () => {
  test('lies between the plan and the bound, on random problems', { tags: 'slow' }, async () => {
    const wrong: unknown[] = [];
    const seen = { most: 0, less: 0, whole: 0, fleetSize: 0 };
    for (const seed of seeds(1, INSTANCES)) {
      const any = randomFractional(seed);
      if (countVehicles(any) === 0) continue;
      const problem = await withCeiling(any, seed);
      if (!problem) continue;
      const control = { deadlineMs: performance.now() + 300_000 };
      const start = createRandom(seed).next() * problem.demand.reduce((sum, of) => sum + of, 0);
      const found = mostWithinBudget(problem, start, never, control)!;
      const expected = (await mostByAllMoves(problem, control)).plan!.served;
      const total = problem.demand.reduce((sum, of) => sum + of, 0);
      const { served, costUnits } = evaluateMoves(problem, found.plan!.moves);
      const isWhole = problem.demand.every((of) => splitDemand(of, problem.capacities[0]).rest === 0);
      const isMost = served >= expected - 1e-6 * total;
      const holds =
        costUnits <= problem.limits.maxCostUnits &&
        served === found.plan!.served &&
        served <= expected + 1e-6 * total &&
        found.most >= expected - NOISE * total &&
        // The plan spends the budget but for less than a move of full load.
        found.most - served < problem.capacities[0] * (1 + 1e-6) + 1e-6 * total &&
        (isMost || !isWhole);
      if (!holds) wrong.push({ seed, expected, served, most: found.most, costUnits, limits: problem.limits });
      else if (isMost) seen.most++;
      else seen.less++;
      if (isWhole) seen.whole++;
      if (problem.limits.totalFleetSize < countVehicles(problem)) seen.fleetSize++;
    }
    expect(wrong).toEqual([]);
    for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(enough(5));
  });
});
