import { describe, expect, test } from 'vitest';
import { unitsBeyond } from '../../../../src/core/optimize/flow/great-circle-flow.ts';
import type { Flow } from '../../../../src/core/optimize/flow/types.ts';
import { asLagrangianProblem } from '../../../../src/core/optimize/lagrangian/fractional-demand.ts';
import { solveLagrangian } from '../../../../src/core/optimize/lagrangian/solve-lagrangian.ts';
import type { LagrangianProblem } from '../../../../src/core/optimize/lagrangian/types.ts';
import { nearCosts } from '../../../../src/core/optimize/problem/distances/near-costs.ts';
import type { Problem } from '../../../../src/core/optimize/problem/model.ts';
import { withLimits } from '../../../../src/core/optimize/problem/variants.ts';
import type { SolveProgress } from '../../../../src/core/optimize/run/control.ts';
import { solveProblem } from '../../../../src/core/optimize/solve.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { buildCached as buildProblem, optimizeCached as optimize } from '../cached.ts';
import { cityInstance, SETTINGS } from '../instances.ts';
import { randomFractional, shuffled } from './lagrangian-instances.ts';

const settings = { ...SETTINGS, maxRebalancingCost: null };

function city(seed: number, locations: number, perLocation: number): Problem {
  const { request, locations: places } = cityInstance(seed, { locations, perLocation, fractional: true });
  return buildProblem(request, places, settings);
}
const solve = (problem: Problem, gap = 0.01) =>
  solveProblem(problem, gap, { deadlineMs: performance.now() + 300_000 });

describe('the everyday case', () => {
  test('is proved within a percent by the network simplex alone, dense and with a distance limit', async () => {
    for (const [locations, perLocation] of [
      [60, 20],
      [263, 20],
      [263, 3],
      [700, 10],
    ]) {
      for (const maxDistanceKm of [100, 5]) {
        const problem = withLimits(city(locations, locations, perLocation), {
          maxDistanceKm,
          minServiceLevel: maxDistanceKm === 5 ? 0.8 : 0.95,
        });
        const outcome = await solve(problem);
        expect(outcome, `${locations} × ${perLocation}, ${maxDistanceKm} km`).toMatchObject({
          kind: 'solved',
          solution: { proved: true, figures: { method: 'network_simplex', nodes: 0 } },
        });
      }
    }
  });

  test('has a plan within the multiplier of one load of the bound, whatever the costs', {
    tags: 'slow',
  }, () => {
    const seen = { solved: 0, infeasible: 0 };
    for (const seed of seeds(1, 400)) {
      const problem = asLagrangianProblem(randomFractional(seed, { locations: 120, vehicles: 900 }))!;
      let bound = 0;
      const plans: Flow[] = [];
      const { kind, multiplier } = solveLagrangian(
        problem,
        {},
        {
          onBound: (units) => {
            bound = units;
          },
          onPlan: (flow) => {
            plans.push(flow);
            return false;
          },
        },
      );
      if (kind === 'infeasible') seen.infeasible++;
      if (kind !== 'solved') continue;
      seen.solved++;
      for (const flow of plans) {
        const cost = costOf(problem, flow);
        expect(cost - bound, `seed ${seed}`).toBeLessThanOrEqual(multiplier * (1 + 1e-6) + 1);
        expect(cost - bound, `seed ${seed}`).toBeGreaterThanOrEqual(0);
      }
    }
    expect(seen.solved).toBeGreaterThan(enough(300));
    expect(seen.infeasible).toBeGreaterThan(enough(10));
  });

  test('has the same plan for the same problem, and the same cost whatever the order of locations', {
    tags: 'slow',
  }, async () => {
    for (const seed of seeds(1, 40)) {
      const problem = randomFractional(seed, { locations: 25, vehicles: 60 });
      const { caches, ...plain } = problem;
      expect(await solve({ ...structuredClone(plain), caches })).toEqual(await solve(problem));
      const [a, b] = [await solve(problem, 0), await solve(shuffled(problem, seed), 0)];
      expect(b.kind, `seed ${seed}`).toBe(a.kind);
      if (a.kind === 'solved' && b.kind === 'solved')
        expect(b.solution.costUnits, `seed ${seed}`).toBe(a.solution.costUnits);
    }
  });

  test('is solved for 6,000 locations whose matrices would not fit, with a limit and without one', {
    tags: 'slow',
  }, async () => {
    const { request, locations } = cityInstance(7, { locations: 6000, perLocation: 3, fractional: true });
    for (const max_distance of [4, 100]) {
      const constraints = { max_distance, min_service_level: 0.85 };
      expect(await optimize({ request: { ...request, constraints }, locations, settings })).toMatchObject({
        status: 'optimal',
        certificate: { method: 'network_simplex' },
      });
    }
    // If only the matrices could prove the gap, the search keeps its plan, with the proved gap.
    const exact = await optimize({
      request: { ...request, options: { optimality_gap: 0 } },
      locations,
      settings,
    });
    if (exact.status !== 'feasible') throw new Error(exact.status);
    expect(exact.certificate.gap).toBeGreaterThan(0);
    expect(exact.certificate.gap).toBeLessThan(1e-3);
  });
});

test('a bound on the moves within a radius holds for all moves, and is theirs once the multiplier is within it', () => {
  const seen = { within: 0, beyond: 0 };
  for (const seed of seeds(1, 12)) {
    const problem = city(seed, 150, 6);
    const all = asLagrangianProblem(problem)!;
    const best = solved(all);
    for (const radiusKm of [1, 3, 6, 12, 30]) {
      const cost = nearCosts(problem.greatCircle!.points, 1, radiusKm);
      const near = solved({ ...all, cost, beyond: unitsBeyond(radiusKm, 1) });
      expect(near.bound, `seed ${seed}, ${radiusKm} km`).toBeLessThanOrEqual(best.bound * (1 + 1e-6));
      if (near.kind !== 'solved') seen.beyond++;
      else {
        seen.within++;
        expect(near.bound).toBeGreaterThan(best.bound * (1 - 1e-5));
      }
    }
  }
  expect(Math.min(seen.within, seen.beyond)).toBeGreaterThan(enough(10));
});

function solved(problem: LagrangianProblem) {
  let bound = 0;
  const onBound = (units: number) => {
    bound = Math.max(bound, units);
  };
  return { ...solveLagrangian(problem, {}, { onBound, onPlan: () => true }), bound };
}

describe('a search at a multiplier', () => {
  const problem = city(3, 400, 20);

  test('stops on the flag', () => {
    const stopFlag = new Int32Array(new SharedArrayBuffer(4));
    const hooks = { onBound: () => undefined, onPlan: () => true };
    const onProgress = () => Atomics.store(stopFlag, 0, 1);
    expect(solveLagrangian(asLagrangianProblem(problem)!, { stopFlag, onProgress }, hooks).kind).toBe(
      'stopped',
    );
  });

  test('whose time is up leaves the plan at hand, with its gap', async () => {
    const best = await solve(problem);
    const late = await solveProblem(problem, 0.01, { deadlineMs: performance.now() - 1 });
    if (best.kind !== 'solved' || late.kind !== 'solved') throw new Error(`${best.kind} ${late.kind}`);
    expect(late.solution).toMatchObject({ proved: false });
    expect(late.solution.boundUnits).toBeGreaterThan(0);
    expect(late.solution.costUnits).toBeGreaterThan(best.solution.costUnits);
  });

  test('tells pivots that never fall, and incumbent and bound where they are known', async () => {
    const reports: SolveProgress[] = [];
    await solveProblem(problem, 0.01, {
      deadlineMs: performance.now() + 300_000,
      progressIntervalMs: 0,
      onProgress: (p) => reports.push(p),
    });
    expect(reports.length).toBeGreaterThan(3);
    for (let r = 1; r < reports.length; r++) {
      expect(reports[r].iterations).toBeGreaterThanOrEqual(reports[r - 1].iterations!);
    }
    expect(
      reports.every(
        (p) => p.boundUnits === null || p.incumbentUnits === null || p.boundUnits <= p.incumbentUnits,
      ),
    ).toBe(true);
  });
});

function costOf({ n, cost }: NonNullable<ReturnType<typeof asLagrangianProblem>>, flow: Flow): number {
  let total = 0;
  for (let m = 0; m < flow.units.length; m++) {
    const [from, to] = [flow.from[m], flow.to[m]];
    if (cost.kind === 'dense') total += flow.units[m] * cost.units[from * n + to];
    else {
      const row = cost.targets.subarray(cost.starts[from], cost.starts[from + 1]);
      total += flow.units[m] * cost.units[cost.starts[from] + row.indexOf(to)];
    }
  }
  return total;
}
