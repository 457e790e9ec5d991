import { expect, test } from 'vitest';
import { boundFromMultipliers } from '../../../../src/core/optimize/lagrangian/bound.ts';
import {
  asLagrangianProblem,
  solveFractional,
} from '../../../../src/core/optimize/lagrangian/fractional-demand.ts';
import { createIncumbent } from '../../../../src/core/optimize/problem/incumbent.ts';
import { planWithinBounds } from '../../../../src/core/optimize/problem/nearest-within-bounds.ts';
import { countVehicles, hasLocationBounds } from '../../../../src/core/optimize/problem/variants.ts';
import { solveProblem } from '../../../../src/core/optimize/solve.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { type PosedRequest, randomlyBounded } from '../bounds-by-location.ts';
import { buildCached } from '../cached.ts';
import { cheapestByTryingAll } from '../exhaustive.ts';
import { solveByHighs } from '../highs-formulation.ts';
import { createRandom, SETTINGS } from '../instances.ts';
import { mediumRequest } from '../medium-instances.ts';
import { hasMovable, tinyInstance } from '../tiny-instances.ts';
import { optimumByAllMoves } from './highs-optimum.ts';
import { randomBounded } from './lagrangian-instances.ts';

const LIMIT_MS = 20_000;
/** Costs of unmet demand are not whole: plans are ranked to this many units. */
const NOISE_UNITS = 0.002;

test('bound ≤ optimum ≤ plan, and no plan only where HiGHS has none, on random problems', {
  tags: 'slow',
}, async () => {
  const wrong: unknown[] = [];
  const seen = { optimal: 0, dearer: 0, infeasible: 0, open: 0 };
  for (const seed of seeds(1, 2500)) {
    const problem = randomBounded(seed, seed % 5 === 0 ? { locations: 12, vehicles: 60 } : undefined);
    if (countVehicles(problem) === 0) continue;
    const control = { deadlineMs: performance.now() + LIMIT_MS };
    const incumbent = createIncumbent(problem, 0, control);
    const kind = solveFractional(problem, incumbent, control);
    const found = incumbent.best()?.objectiveUnits ?? null;
    const bound = incumbent.boundUnits();
    const expected = await optimumByAllMoves(problem);
    if (kind === 'infeasible') seen.infeasible++;
    else if (found === null) seen.open++;
    else seen[found - bound <= 1 ? 'optimal' : 'dearer']++;
    const holds =
      expected === null
        ? kind !== 'done' && found === null
        : kind !== 'infeasible' &&
          bound <= expected + NOISE_UNITS &&
          (found === null || expected <= found + NOISE_UNITS);
    if (!holds) wrong.push({ seed, expected, kind, found, bound });
  }
  expect(wrong).toEqual([]);
  expect(Math.min(seen.optimal, seen.infeasible)).toBeGreaterThan(enough(600));
  // A plan is within about one load of the bound; only huge costs with tiny demand that nobody can serve remain open.
  expect(seen.dearer).toBeLessThan(250);
  expect(seen.open).toBeLessThan(10);
});

test('any multipliers at all prove a bound that no plan within the bounds is below', {
  tags: 'slow',
}, async () => {
  const random = createRandom(19);
  const wrong: unknown[] = [];
  for (const seed of seeds(1, 600)) {
    const problem = randomBounded(seed);
    const asked = countVehicles(problem) > 0 ? asLagrangianProblem(problem) : null;
    const expected = asked && (await optimumByAllMoves(problem));
    if (!asked || expected === null) continue;
    const n = problem.locationIds.length;
    for (let tries = 0; tries < 40; tries++) {
      const scale = random.pick([1, 1000, 300_000, 1e9]);
      const bound = boundFromMultipliers(asked, {
        perDemand: random.integer(-10, scale) / problem.capacities[0],
        perVehicle: random.chance(0.5) ? 0 : random.integer(-10, scale),
        atLocation: Float64Array.from({ length: n }, () => random.integer(-scale, scale)),
      });
      if (bound > expected + NOISE_UNITS) wrong.push({ seed, bound, expected });
    }
  }
  expect(wrong).toEqual([]);
});

test('when time is up before the flow is a plan, the one from the nearest vehicles counts', async () => {
  const seen = { plans: 0, none: 0 };
  for (const seed of seeds(1, 60)) {
    const problem = randomBounded(seed, { locations: 120, vehicles: 900 });
    if (countVehicles(problem) === 0 || !planWithinBounds(problem, () => false)) continue;
    const outcome = await solveProblem(problem, 0, { deadlineMs: performance.now() - 1 });
    seen[outcome.kind === 'solved' ? 'plans' : 'none']++;
  }
  expect(seen.none).toBe(0);
  expect(seen.plans).toBeGreaterThan(enough(10));
});

/** The same request with vehicles of one capacity, any demand, and bounds per location. */
function bounded(seed: number, asked: PosedRequest): PosedRequest {
  const random = createRandom(seed + 3e6);
  return randomlyBounded(random, asked, random.pick([1, 1, 0.7, 2.5]));
}

/** The objective in units of 1e-4, or `infeasible`; and whether the flow decided it. */
async function solve({
  request,
  locations,
}: PosedRequest): Promise<{ cost: number | string; byFlow: boolean }> {
  const problem = buildCached(request, locations, SETTINGS);
  const control = { deadlineMs: performance.now() + LIMIT_MS };
  const byFlow =
    hasLocationBounds(problem) &&
    solveFractional(problem, createIncumbent(problem, 0, control), control) !== 'open';
  const outcome = await solveProblem(problem, 0, control);
  return { cost: outcome.kind === 'solved' ? outcome.solution.objectiveUnits : outcome.kind, byFlow };
}

test('the plan is the cheapest of all that keep the bounds, tried one by one, on tiny requests', {
  tags: 'slow',
}, async () => {
  const seen = { moves: 0, infeasible: 0, still: 0, byFlow: 0 };
  for (const seed of seeds(1, 2000)) {
    const asked = bounded(seed, tinyInstance(seed));
    if (!hasMovable(asked.request)) continue;
    const expected = cheapestByTryingAll(asked.request, asked.locations)?.costUnits ?? 'infeasible';
    const { cost, byFlow } = await solve(asked);
    expect(cost, `seed ${seed}`).toBe(expected);
    seen[expected === 'infeasible' ? expected : expected === 0 ? 'still' : 'moves']++;
    if (byFlow) seen.byFlow++;
  }
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(enough(200));
});

test('HiGHS alone finds no cheaper plan, and none where there is none, on random requests of middle size', {
  tags: 'slow',
}, async () => {
  const seen = { moves: 0, infeasible: 0 };
  for (const seed of seeds(1, 300)) {
    const asked = bounded(seed, mediumRequest(seed));
    if (!hasMovable(asked.request)) continue;
    const expected = solveByHighs(asked.request, asked.locations, SETTINGS, { gap: 0, seconds: 20 });
    const { cost } = await solve(asked);
    if (expected.kind === 'infeasible') expect(cost, `seed ${seed}`).toBe('infeasible');
    else if (expected.kind === 'solved') expect(cost, `seed ${seed}`).toBeCloseTo(expected.costUnits, 0);
    if (cost === 'infeasible') seen.infeasible++;
    else if (Number(cost) > 0) seen.moves++;
  }
  expect(seen.infeasible).toBeGreaterThan(enough(30));
  expect(seen.moves).toBeGreaterThan(enough(40));
});
