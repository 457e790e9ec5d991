import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../src/contracts/optimize.ts';
import { checkRequest } from '../../../src/core/optimize/request/check.ts';
import { enough, seeds } from '../../helpers/depth.ts';
import { optimizeCached as optimize } from './cached.ts';
import { readFacts } from './exhaustive.ts';
import { solveByHighs } from './highs-formulation.ts';
import { createRandom, type Random, SETTINGS } from './instances.ts';
import { mediumRequest } from './medium-instances.ts';
import { randomPrice } from './unmet-prices.ts';

type Constraints = NonNullable<OptimizeRequest['constraints']>;

/** The request with a cost of unmet demand, and a level that leaves it something to decide. */
function priced(request: OptimizeRequest, random: Random): OptimizeRequest {
  const ids = readFacts(request, []).ids;
  const {
    min_demand_coverage,
    min_service_level = min_demand_coverage,
    ...others
  } = request.constraints ?? {};
  const level = random.pick([0, 0, 0.3, 0.5, min_service_level ?? 1]);
  const constraints = {
    ...others,
    min_service_level: level,
    unmet_demand_cost: randomPrice(random, ids),
    ...(random.chance(0.3) && { max_rebalancing_cost: random.integer(0, 40) }),
  };
  return { ...request, constraints };
}

describe('a cost of unmet demand', () => {
  const locations = [
    { id: 1, latitude: 40.7, longitude: -74 },
    { id: 2, latitude: 40.75, longitude: -74 },
    { id: 3, latitude: 40.8, longitude: -74 },
  ];
  const ids = new Set([1, 2, 3]);
  const asked = (
    unmet_demand_cost: Constraints['unmet_demand_cost'],
    over: Constraints = {},
  ): OptimizeRequest => ({
    demand_forecast: { 1: [1], 2: [1], 3: [1] },
    fleet_state: { vehicles: [{ id: 'a', location: 1 }] },
    constraints: { min_service_level: 0, ...over, unmet_demand_cost },
  });
  async function answer(request: OptimizeRequest) {
    const outcome = await optimize({ request, locations, settings: SETTINGS });
    if (outcome.status !== 'optimal') throw new Error(outcome.status);
    const { result, certificate } = outcome;
    const target = result.allocation_plan[0].target_location;
    return {
      target,
      moving: result.total_cost,
      unmet: result.kpis.unmet_demand_cost,
      objective: certificate.objective,
    };
  }

  test('a vehicle leaves what it serves only for demand that is worth more than the move besides', async () => {
    // Location 3 is 11.1195 km from location 1.
    expect(await answer(asked({ 1: 5, 2: 5, 3: 16 }))).toEqual({
      target: 1,
      moving: 0,
      unmet: 21,
      objective: 21,
    });
    expect(await answer(asked({ 1: 5, 2: 5, 3: 17 }))).toMatchObject({ target: 3, unmet: 10 });
    expect(await answer(asked({ default: 5, 3: 17 }))).toMatchObject({ target: 3, unmet: 10 });
    expect(await answer(asked({ 3: 11 }))).toMatchObject({ target: 1, unmet: 11 });
    expect(await answer(asked({ 3: 12 }))).toMatchObject({ target: 3, unmet: 0 });
  });

  test('the ceiling limits the cost of moving alone', async () => {
    expect(await answer(asked({ 3: 100 }, { max_rebalancing_cost: 11.2 }))).toMatchObject({ target: 3 });
    expect(await answer(asked({ 3: 100 }, { max_rebalancing_cost: 11.1 }))).toMatchObject({
      target: 1,
      unmet: 100,
    });
    expect(await answer(asked({ 2: 50, 3: 100 }, { max_rebalancing_cost: 11.1 }))).toMatchObject({
      target: 2,
    });
  });

  test('an answer states the cost of unmet demand if the request does, even if it is 0', async () => {
    expect((await answer(asked(0))).unmet).toBe(0);
    expect((await answer(asked(null))).unmet).toBeUndefined();
    expect((await answer(asked({}))).unmet).toBe(0);
  });

  test('a fleet of which no vehicle may serve leaves all demand unmet, which is proved', async () => {
    for (const demand of [1, 0.3]) {
      const over = { min_service_level: 0, total_fleet_size: 0 };
      const request = { ...asked({ 1: 5, 2: 5 }, over), demand_forecast: { 1: [demand], 2: [demand] } };
      expect(await optimize({ request, locations, settings: SETTINGS })).toMatchObject({
        status: 'optimal',
        result: { total_cost: 0 },
        certificate: { objective: 10 * demand, bound: 10 * demand },
      });
    }
  });

  test('names what is wrong with it', () => {
    const faults = (price: Constraints['unmet_demand_cost'], over: Partial<OptimizeRequest> = {}) =>
      checkRequest({ ...asked(price), ...over }, ids, SETTINGS);
    expect(faults({ default: 1, 9: 2 })).toMatchObject(
      [{ field: 'constraints.unmet_demand_cost.9', message: /^location 9 is not a stored location/ }].map(
        (fault) => ({ ...fault, message: expect.stringMatching(fault.message) }),
      ),
    );
    expect(faults(1e6, { demand_forecast: { 1: [2e5] } })).toMatchObject([
      {
        field: 'constraints.unmet_demand_cost',
        message: expect.stringMatching(/would cost 200000000000, above/),
      },
    ]);
    expect(faults({ default: 3, 2: 0 })).toEqual([]);
  });

  test('HiGHS alone finds no plan that costs less, on random requests', { tags: 'slow' }, async () => {
    const wrong: unknown[] = [];
    const seen = { solved: 0, infeasible: 0, classes: 0, unmet: 0, byFlow: 0 };
    for (const seed of seeds(1, 300)) {
      const { request: plain, locations, classes } = mediumRequest(seed);
      const request = {
        ...priced(plain, createRandom(seed + 7e5)),
        options: { optimality_gap: 0.001, time_limit_seconds: 20 },
      };
      const outcome = await optimize({ request, locations, settings: SETTINGS });
      const alone = solveByHighs(request, locations, SETTINGS, { gap: 0.0005, seconds: 10 });
      if (outcome.status === 'infeasible') {
        if (alone.kind === 'solved') wrong.push({ seed, alone, status: outcome.status });
        seen.infeasible++;
        continue;
      }
      if (outcome.status !== 'optimal') {
        wrong.push({ seed, outcome });
        continue;
      }
      const { objective, bound } = outcome.certificate;
      seen.solved++;
      if (classes > 1) seen.classes++;
      if (outcome.certificate.method === 'network_simplex') seen.byFlow++;
      if (outcome.result.kpis.unmet_demand_cost! > 0) seen.unmet++;
      const [units, least] = [objective * 1e4, bound * 1e4];
      if (alone.kind === 'infeasible') wrong.push({ seed, alone, units });
      if (alone.kind !== 'solved') continue;
      if (least > alone.costUnits * (1 + 1e-6) + 1) wrong.push({ seed, least, alone });
      if (units < alone.boundUnits * (1 - 1e-6) - 1) wrong.push({ seed, units, alone });
    }
    expect(wrong).toEqual([]);
    expect(seen.solved).toBeGreaterThan(enough(200));
    expect(seen.classes).toBeGreaterThan(enough(100));
    expect(seen.unmet).toBeGreaterThan(enough(100));
    expect(seen.byFlow).toBeGreaterThan(enough(30));
  });
});
