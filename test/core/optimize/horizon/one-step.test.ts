import { expect, test } from 'vitest';
import { buildHorizon, type HorizonInput } from '../../../../src/core/optimize/horizon/build-horizon.ts';
import { planHorizon } from '../../../../src/core/optimize/horizon/plan-horizon.ts';
import type { TripFlows } from '../../../../src/core/optimize/horizon/types.ts';
import { evaluateMoves } from '../../../../src/core/optimize/problem/evaluate.ts';
import type { Problem } from '../../../../src/core/optimize/problem/model.ts';
import { hasPairRules } from '../../../../src/core/optimize/problem/pairs.ts';
import { planningDemandOf } from '../../../../src/core/optimize/problem/pinned.ts';
import { solveProblem } from '../../../../src/core/optimize/solve.ts';
import { enough, isFullDepth, seeds } from '../../../helpers/depth.ts';
import { buildCached, threadCache } from '../cached.ts';
import { SETTINGS } from '../instances.ts';
import { mediumRequest } from '../medium-instances.ts';
import { tinyInstance } from '../tiny-instances.ts';

const control = { deadlineMs: 1e9 };

/** The problem as a horizon of one step of demand, whose moves begin a step before. */
function oneStep(problem: Problem, flows?: TripFlows): HorizonInput {
  return {
    stepHours: 1e6,
    speedKmh: 30,
    isAhead: true,
    demand: planningDemandOf(problem),
    ...(flows && { flows: [flows] }),
  };
}

/** Whether the network alone answers it: no rule ties vehicles of several kinds to each other. */
function isNetwork(problem: Problem): boolean {
  const { capacities, priorities, limits, supply } = problem;
  const vehicles = supply.reduce((sum, count) => sum + count, 0);
  const isFree = limits.maxCostUnits === Number.POSITIVE_INFINITY && limits.totalFleetSize >= vehicles;
  return capacities.length < 2 && !priorities && isFree && !hasPairRules(problem);
}

/** Every trip ends where it begins. */
function stayingTrips(n: number): TripFlows {
  return {
    starts: Int32Array.from({ length: n + 1 }, (_, i) => i),
    targets: Int32Array.from({ length: n }, (_, i) => i),
    shares: new Float64Array(n).fill(1),
  };
}

test('with one step, the objective and the bound are those of the plan for one step, to the last unit', {
  tags: ['slow'],
}, async () => {
  const counts = { same: 0, infeasible: 0, open: 0, refused: 0, large: 0 };
  for (const seed of seeds(1, 4000)) {
    const { request, locations } = seed % 20 === 0 ? mediumRequest(seed) : tinyInstance(seed);
    const problem = buildCached(request, locations, SETTINGS);
    const horizon = buildHorizon(problem, oneStep(problem));
    if ('field' in horizon || !isNetwork(problem)) {
      counts.refused++;
      continue;
    }
    const where = `seed ${seed}`;
    const found = await planHorizon(horizon, 0, control, threadCache);
    if (found.kind === 'error') {
      expect(found.message, where).toContain('too large for exact sums');
      counts.large++;
      continue;
    }
    const expected = await solveProblem(problem, 0, control);
    if (expected.kind === 'infeasible') {
      counts.infeasible++;
      if (found.kind === 'solved') expect(found.solution.isShort, where).toBe(true);
      else expect(found.kind, where).toBe('infeasible');
      continue;
    }
    if (found.kind !== 'solved' || expected.kind !== 'solved')
      throw new Error(`${where}: ${JSON.stringify([found, expected])}`);
    const { objectiveUnits, boundUnits, moves, proved } = found.solution;
    const optimum = expected.solution;
    const measured = evaluateMoves(problem, moves);
    expect(measured.objectiveUnits, where).toBe(objectiveUnits);
    expect(measured.broken, where).toEqual([]);
    expect(optimum.proved, where).toBe(true);
    expect(boundUnits, where).toBeLessThanOrEqual(optimum.objectiveUnits);
    if (proved) {
      expect(Math.abs(objectiveUnits - optimum.objectiveUnits), where).toBeLessThanOrEqual(
        problem.unmetCost ? 1 : 0,
      );
      counts.same++;
    } else counts.open++;
  }
  expect(counts.same).toBeGreaterThan(enough(150));
  // Parts of loads below a service level: the bound is short of the plan.
  if (isFullDepth) expect(counts.open).toBeLessThan(counts.same);
});

test('trips that end where they begin change nothing in one step', { tags: ['slow'] }, async () => {
  let compared = 0;
  for (const seed of seeds(1, 2000)) {
    const { request, locations } = tinyInstance(seed);
    const problem = buildCached(request, locations, SETTINGS);
    const input = oneStep(problem, stayingTrips(problem.locationIds.length));
    const horizon = buildHorizon(problem, input);
    if ('field' in horizon || !isNetwork(problem)) continue;
    const loads = problem.demand.map((demand) => demand / horizon.capacity);
    if (loads.some((load) => load % 1 !== 0)) continue;
    const { flows: _, ...without } = horizon;
    const found = await planHorizon(horizon, 0, control, threadCache);
    const expected = await planHorizon(without, 0, control, threadCache);
    expect(found.kind, `seed ${seed}`).toBe(expected.kind);
    if (found.kind !== 'solved' || expected.kind !== 'solved') continue;
    if (expected.solution.isShort || !expected.solution.proved) continue;
    expect(
      Math.abs(found.solution.objectiveUnits - expected.solution.objectiveUnits),
      `seed ${seed}`,
    ).toBeLessThanOrEqual(1);
    compared++;
  }
  expect(compared).toBeGreaterThan(enough(50));
});
