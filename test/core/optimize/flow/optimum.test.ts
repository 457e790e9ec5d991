import { expect, test } from 'vitest';
import { certify } from '../../../../src/core/optimize/flow/certify.ts';
import { solveFlow } from '../../../../src/core/optimize/flow/solve-flow.ts';
import type { FlowOutcome } from '../../../../src/core/optimize/flow/types.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import {
  type DenseProblem,
  metricProblem,
  mostServedByMatching,
  optimumByHighs,
  optimumByTryingAll,
  randomProblem,
  toSparse,
} from './flow-instances.ts';

/** The four ways to solve a problem: dense and sparse, netted first and not. */
function solveEveryWay(problem: DenseProblem): FlowOutcome[] {
  return [problem, { ...problem, cost: toSparse(problem) }].flatMap((form) =>
    [true, false].map((nettingIsSafe) => solveFlow(form, { nettingIsSafe })),
  );
}

function costOf(outcome: FlowOutcome): number | null {
  if (outcome.kind === 'stopped') throw new Error('nothing stops it');
  return outcome.kind === 'solved' ? outcome.cost : null;
}

test('the cost is the least of all plans, tried one by one, on tiny instances', () => {
  for (const seed of seeds(0, 2999)) {
    const problem = randomProblem(seed, { locations: 4, vehicles: 2, demand: 3 });
    const least = optimumByTryingAll(problem);
    for (const outcome of solveEveryWay(problem)) expect(costOf(outcome), `seed ${seed}`).toBe(least);
  }
});

test('the cost is the optimum of HiGHS on random instances of any costs, and infeasible where HiGHS says so', {
  tags: 'slow',
}, async () => {
  const kinds = new Map<string, number>();
  for (const seed of seeds(10_000, 12_999)) {
    const problem = randomProblem(seed);
    const optimum = await optimumByHighs(problem);
    for (const outcome of solveEveryWay(problem)) {
      const cost = costOf(outcome);
      const kind = `${outcome.kind} ${outcome.counts.method}`;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      expect(cost === null, `seed ${seed}`).toBe(optimum === null);
      if (cost !== null)
        expect(Math.abs(cost - optimum!), `seed ${seed}`).toBeLessThanOrEqual(1e-9 * cost + 1e-4);
    }
  }
  for (const kind of [
    'solved still',
    'solved plain',
    'solved netted',
    'solved netted_then_all',
    'infeasible plain',
  ]) {
    expect(kinds.get(kind), kind).toBeGreaterThan(enough(50));
  }
});

test('the cost is the optimum of HiGHS on larger metric instances, with the netted proof on all arcs', {
  tags: 'slow',
}, async () => {
  let netted = 0;
  for (const seed of seeds(0, 299)) {
    const problem = metricProblem(seed, { locations: 30, vehicles: 40, demand: 40 });
    const optimum = await optimumByHighs(problem);
    for (const outcome of solveEveryWay(problem)) {
      expect(costOf(outcome) ?? -1, `seed ${seed}`).toBeCloseTo(optimum ?? -1, 3);
      if (outcome.counts.method === 'netted') netted++;
      expect(outcome.counts.method, `seed ${seed}`).not.toBe('netted_then_all');
    }
  }
  expect(netted).toBeGreaterThan(enough(200));
});

test('what cannot be served is proved, and is what augmenting paths find on random instances', () => {
  let infeasible = 0;
  for (const seed of seeds(20_000, 21_499)) {
    const problem = randomProblem(seed);
    problem.required = Math.max(
      problem.required,
      problem.demand.reduce((a, b) => a + b, 0),
    );
    const most = mostServedByMatching(problem);
    for (const outcome of solveEveryWay(problem)) {
      expect(outcome.kind, `seed ${seed}`).toBe(most < problem.required ? 'infeasible' : 'solved');
      if (outcome.kind === 'infeasible') {
        expect(outcome.served, `seed ${seed}`).toBe(most);
        infeasible++;
      }
    }
  }
  expect(infeasible).toBeGreaterThan(enough(1000));
});

test('every answer passes its certificate, also against the costs in the other form', () => {
  for (const seed of seeds(0, 1999)) {
    const problem = randomProblem(seed, { locations: 15, vehicles: 9, demand: 9 });
    const outcome = solveFlow(problem);
    if (outcome.kind !== 'solved') continue;
    const check = certify({ ...problem, cost: toSparse(problem) }, outcome.flow, outcome.duals);
    expect(check, `seed ${seed}`).toMatchObject({ ok: true, cost: outcome.cost });
  }
});
