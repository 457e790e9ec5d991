import { describe, expect, test } from 'vitest';
import { solveDirect } from '../../../../src/core/optimize/direct/direct.ts';
import { createIncumbent } from '../../../../src/core/optimize/problem/incumbent.ts';
import type { Problem, SolveOutcome } from '../../../../src/core/optimize/problem/model.ts';
import { solveProblem } from '../../../../src/core/optimize/solve.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { buildCached as buildProblem } from '../cached.ts';
import { solveByHighs } from '../highs-formulation.ts';
import { SETTINGS } from '../instances.ts';
import { mediumRequest } from '../medium-instances.ts';

const INSTANCES = 600;
const LIMIT_MS = 20_000;
const settings = { ...SETTINGS, maxRebalancingCost: null };

async function solveAllMoves(problem: Problem, gap: number): Promise<SolveOutcome> {
  const control = { deadlineMs: performance.now() + LIMIT_MS };
  const incumbent = createIncumbent(problem, gap, control);
  const ended = await solveDirect(problem, incumbent, control);
  return ended === 'infeasible' ? { kind: 'infeasible' } : incumbent.finish(ended);
}

/** Compares cost and bound in both directions: no bound is above a plan. */
const agree = (a: Interval, b: Interval) =>
  a.boundUnits <= b.costUnits + noise(b) && b.boundUnits <= a.costUnits + noise(a);
type Interval = { costUnits: number; boundUnits: number };
const noise = ({ costUnits }: Interval) => 0.5 + 1e-9 * costUnits;

describe('plans and proofs', () => {
  test('agree with HiGHS on a formulation of its own within the proved gaps on random problems; so do those of all moves as one model, the last resort', {
    tags: 'slow',
  }, async () => {
    const wrong: unknown[] = [];
    const seen = { infeasible: 0, exact: 0, undecided: 0, several: 0 };
    for (const seed of seeds(1, INSTANCES)) {
      const { request, locations, classes } = mediumRequest(seed);
      const problem = buildProblem(request, locations, settings);
      const gap = seed % 2 === 0 ? 0 : 0.002;
      const expected = solveByHighs(request, locations, settings, { gap, seconds: LIMIT_MS / 1000 });
      if (expected.kind === 'unknown') {
        seen.undecided++;
        continue;
      }
      const ways = [await solveProblem(problem, gap, { deadlineMs: performance.now() + LIMIT_MS })];
      if (seed % 5 === 0) ways.push(await solveAllMoves(problem, gap));
      for (const found of ways) {
        const holds =
          found.kind === 'solved' && expected.kind === 'solved'
            ? found.solution.proved && agree(found.solution, expected)
            : found.kind === expected.kind;
        if (!holds) wrong.push({ seed, gap, found, expected });
      }
      if (expected.kind === 'infeasible') seen.infeasible++;
      else if (classes > 1) seen.several++;
      const [found] = ways;
      if (found.kind === 'solved' && expected.kind === 'solved') {
        if (Math.abs(found.solution.costUnits - expected.costUnits) <= noise(expected)) seen.exact++;
      }
    }
    expect(wrong).toEqual([]);
    expect(seen.infeasible).toBeGreaterThan(enough(INSTANCES / 20));
    expect(seen.several).toBeGreaterThan(enough(INSTANCES / 3));
    expect(seen.exact).toBeGreaterThan(enough(INSTANCES / 3));
    expect(seen.undecided).toBeLessThan(INSTANCES / 50);
  });
});
