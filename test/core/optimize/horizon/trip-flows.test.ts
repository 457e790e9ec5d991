import { describe, expect, it } from 'vitest';
import { solveWithFlows } from '../../../../src/core/optimize/horizon/solve-with-flows.ts';
import type { HorizonProblem } from '../../../../src/core/optimize/horizon/types.ts';
import { enough, isFullDepth, seeds } from '../../../helpers/depth.ts';
import { threadCache } from '../cached.ts';
import { formulateHorizon } from './horizon-formulation.ts';
import { tinyHorizon } from './horizon-instances.ts';

const endless = { deadlineMs: 1e9 };
/** The solver's tolerances: in units, and relative to the objective and the cost of all unmet demand. */
const NOISE_UNITS = 0.05;
const NOISE = 1e-6;

function scaleOf(problem: HorizonProblem, objective: number): number {
  const unmet = problem.unmetUnits?.reduce((sum, units, u) => sum + units * problem.demand[u], 0) ?? 0;
  return 1 + Math.abs(objective) + unmet;
}

describe('horizon plans with trip flows', { tags: ['slow'] }, () => {
  it.each([
    { what: 'certain', isUncertain: false, count: 600 },
    { what: 'in parts that come with a chance', isUncertain: true, count: 300 },
  ])('agree with all moves as one programme, where demand is $what', async ({ isUncertain, count }) => {
    const kinds = { solved: 0, unserved: 0, stopped: 0, cancelled: 0 };
    for (const seed of seeds(1, count)) {
      const problem = tinyHorizon(seed, true, isUncertain);
      const where = `seed ${seed}`;
      const found = await solveWithFlows(problem, endless, threadCache);
      kinds[found.kind]++;
      const total = problem.demand.reduce((sum, value) => sum + value, 0);
      const most = formulateHorizon(problem, { isMost: true })?.served ?? 0;
      const isReached = most >= problem.required - 1e-7 * total;
      if (Math.abs(most - problem.required) > 1e-6 * total)
        expect(found.kind, where).toBe(isReached ? 'solved' : 'unserved');
      if (found.kind !== 'solved' && found.kind !== 'unserved') continue;
      const { plan } = found;
      const required = isReached ? problem.required : most * (1 - 1e-8);
      const expected = formulateHorizon(problem, { required })?.objectiveUnits ?? Number.NaN;
      // What is served is known within the solver's tolerances, and each unit of it may be worth a lot.
      const byService = plan.multiplier * 1e-7 * total;
      const noise = NOISE_UNITS + byService + NOISE * scaleOf(problem, expected) * (isReached ? 1 : 100);
      expect(plan.boundUnits, where).toBeLessThanOrEqual(expected + noise);
      // A whole first step may serve less: the bound is then that of plans that serve as much as it does.
      if (plan.figures.totalServed >= required - 1e-7 * total)
        expect(plan.boundUnits, where).toBeGreaterThanOrEqual(expected - noise);
      expect(plan.fractionalUnits, where).toBeCloseTo(expected, -Math.log10(2 * noise));
      for (let m = 0; plan.moves.step[m] === 0; m++) expect(plan.moves.vehicles[m] % 1, where).toBe(0);
      expect(plan.mostServed, where).toBeGreaterThanOrEqual(most - 1e-6 * total);
    }
    expect(kinds).toMatchObject({ stopped: 0, cancelled: 0 });
    expect(Math.min(kinds.solved, kinds.unserved)).toBeGreaterThan(enough(count / 6));
  });

  it('have a first step as good as the best whole one, but for the loss that is stated', async () => {
    let losses = 0;
    let best = 0;
    for (const seed of seeds(1, 2000)) {
      const problem = tinyHorizon(seed, true);
      problem.required = 0;
      const found = await solveWithFlows(problem, endless, threadCache);
      if (found.kind !== 'solved') throw new Error(found.kind);
      const { moves, boundUnits, figures } = found.plan;
      let least = Number.POSITIVE_INFINITY;
      for (const firstStep of everyFirstStep(problem))
        least = Math.min(least, formulateHorizon(problem, { firstStep })?.objectiveUnits ?? least);
      const noise = NOISE_UNITS + NOISE * scaleOf(problem, least);
      expect(boundUnits, `seed ${seed}`).toBeLessThanOrEqual(least + noise);
      expect(figures.objectiveUnits, `seed ${seed}`).toBeGreaterThanOrEqual(least - noise);
      const own = Array.from(problem.pairs.targets, () => 0);
      for (let m = 0; moves.step[m] === 0; m++)
        own[pairOf(problem, moves.from[m], moves.to[m])] = moves.vehicles[m];
      const planned = formulateHorizon(problem, { firstStep: own })?.objectiveUnits ?? Number.NaN;
      expect(Math.abs(figures.objectiveUnits - planned), `seed ${seed}`).toBeLessThanOrEqual(noise);
      losses += figures.objectiveUnits - boundUnits;
      best += least - boundUnits;
    }
    // A loss that no whole first step avoids, and not many times as much.
    if (isFullDepth) expect(losses).toBeLessThan(4 * best);
  });
});

function pairOf({ pairs }: HorizonProblem, from: number, to: number): number {
  for (let a = pairs.starts[from]; a < pairs.starts[from + 1]; a++) if (pairs.targets[a] === to) return a;
  return -1;
}

/** Every choice of whole vehicles per pair in the first step. */
function* everyFirstStep({ n, steps, supply, pairs, endUnits }: HorizonProblem): Generator<number[]> {
  const chosen = Array.from(pairs.targets, () => 0);
  function* from(i: number, a: number, left: number): Generator<number[]> {
    if (i === n) {
      yield chosen.slice();
      return;
    }
    if (a === pairs.starts[i + 1]) {
      yield* from(i + 1, a, supply[i + 1] ?? 0);
      return;
    }
    const most = endUnits || pairs.delay[a] < steps ? left : 0;
    for (let going = 0; going <= most; going++) {
      chosen[a] = going;
      yield* from(i, a + 1, left - going);
    }
    chosen[a] = 0;
  }
  yield* from(0, 0, supply[0]);
}
