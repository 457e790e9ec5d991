import { expect, test } from 'vitest';
import { solvePlaceFlow } from '../../../../src/core/optimize/flow/place-flow.ts';
import { solvePureFlow } from '../../../../src/core/optimize/flow/pure-flow.ts';
import { hasLocationBounds } from '../../../../src/core/optimize/problem/variants.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { type PosedRequest, randomlyBounded } from '../bounds-by-location.ts';
import { buildCached } from '../cached.ts';
import { cheapestByTryingAll } from '../exhaustive.ts';
import { solveByHighs } from '../highs-formulation.ts';
import { createRandom, SETTINGS } from '../instances.ts';
import { mediumRequest } from '../medium-instances.ts';
import { hasMovable, tinyInstance } from '../tiny-instances.ts';

const control = { deadlineMs: Number.POSITIVE_INFINITY };

/** The same request with vehicles of one capacity, demand in whole loads of it, and bounds per location. */
function boundedLoads(seed: number, asked: PosedRequest): PosedRequest {
  const random = createRandom(seed + 2e6);
  const capacity = random.pick([1, 1, 0.5, 2.5]);
  const { request, locations } = randomlyBounded(random, asked, capacity);
  const scale = random.pick([0.7, 1]);
  const load = asked.request.fleet_state.vehicles[0]?.capacity ?? 1;
  const demand_forecast = Object.fromEntries(
    Object.entries(request.demand_forecast).map(([id, steps]) => [
      id,
      [capacity * Math.round((scale * Math.max(...steps)) / load)],
    ]),
  );
  return { locations, request: { ...request, demand_forecast } };
}

/** The plan's cost in units of 1e-4, `infeasible`, or what happened instead. */
async function solveBounded({ request, locations }: PosedRequest): Promise<number | string> {
  const problem = buildCached(request, locations, SETTINGS);
  const outcome = hasLocationBounds(problem)
    ? await solvePlaceFlow(problem, control)
    : await solvePureFlow(problem, control);
  if (outcome?.kind !== 'solved') return outcome?.kind ?? 'not solved here';
  const { costUnits, boundUnits, figures } = outcome.solution;
  return boundUnits === costUnits && figures.confirmedWithin !== undefined ? costUnits : 'not proved';
}

test('the plan is the cheapest of all that keep the bounds, tried one by one, on tiny requests', {
  tags: 'slow',
}, async () => {
  const seen = { moves: 0, infeasible: 0, still: 0 };
  for (const seed of seeds(1, 2000)) {
    const asked = boundedLoads(seed, tinyInstance(seed));
    if (!hasMovable(asked.request)) continue;
    const expected = cheapestByTryingAll(asked.request, asked.locations)?.costUnits ?? 'infeasible';
    expect(await solveBounded(asked), `seed ${seed}`).toBe(expected);
    seen[expected === 'infeasible' ? expected : expected === 0 ? 'still' : 'moves']++;
  }
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(enough(200));
});

test('HiGHS alone finds no cheaper plan, and none where there is none, on random requests of middle size', {
  tags: 'slow',
}, async () => {
  const seen = { moves: 0, infeasible: 0 };
  for (const seed of seeds(1, 200)) {
    const asked = boundedLoads(seed, mediumRequest(seed));
    if (!hasMovable(asked.request)) continue;
    const expected = solveByHighs(asked.request, asked.locations, SETTINGS, { gap: 0, seconds: 20 });
    const found = await solveBounded(asked);
    if (expected.kind === 'infeasible') expect(found, `seed ${seed}`).toBe('infeasible');
    else if (expected.kind === 'solved') expect(found, `seed ${seed}`).toBeCloseTo(expected.costUnits, 0);
    if (found === 'infeasible') seen.infeasible++;
    else if (Number(found) > 0) seen.moves++;
  }
  expect(seen.infeasible).toBeGreaterThan(enough(20));
  expect(seen.moves).toBeGreaterThan(enough(60));
});
