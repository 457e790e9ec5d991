/**
 * The most demand that can be served within limits of pairs.
 * @module-tag slow
 */
import { describe, expect, test } from 'vitest';
import { mostWithinPairs } from '../../../../src/core/optimize/refine/most-within-pairs.ts';
import { solveProblem } from '../../../../src/core/optimize/solve.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { buildCached as buildProblem } from '../cached.ts';
import { mostServedByTryingAll } from '../exhaustive.ts';
import { createRandom, SETTINGS } from '../instances.ts';
import { withPairRules } from '../pair-rules.ts';
import { tinyInstance } from '../tiny-instances.ts';

const COUNT = 600;
const ENDLESS = { deadlineMs: Number.POSITIVE_INFINITY };

/** 60 stations and 600 bicycles, of which a van moves at least 3 at a time, between 6 pairs of stations. */
function vanProblem(minServiceLevel: number) {
  const random = createRandom(7);
  const locations = Array.from({ length: 60 }, (_, id) => ({
    id,
    latitude: 40.7 + random.next() / 10,
    longitude: -74 + random.next() / 10,
  }));
  const request = {
    demand_forecast: Object.fromEntries(locations.map(({ id }) => [String(id), [random.integer(0, 16)]])),
    fleet_state: {
      vehicles: Array.from({ length: 600 }, (_, v) => ({ id: `B${v}`, location: random.integer(0, 29) })),
    },
    constraints: { min_service_level: minServiceLevel, capacity_per_vehicle: 1, max_distance: 100 },
    options: {
      refine: { max_pairs: 6, max_moves_from: 2, min_vehicles_per_move: 3, cost_per_pair: 8 },
    },
  };
  return buildProblem(request, locations, { ...SETTINGS, maxRebalancingCost: null });
}

describe('the most demand served within limits of pairs', () => {
  test('is between the plan found and the bound, on random requests', () => {
    const wrong: unknown[] = [];
    const seen = { plans: 0, exact: 0, bounds: 0 };
    for (const seed of seeds(1, COUNT)) {
      const { request: plain, locations } = tinyInstance(seed);
      const request = withPairRules(plain, seed, { vehicles: 3, pairs: 2, from: 1, cost: 20 });
      const problem = buildProblem(request, locations, SETTINGS);
      if (problem.pinned || problem.supply.every((vehicles) => vehicles === 0)) continue;
      const most = mostServedByTryingAll(request, locations)?.served ?? null;
      const found = mostWithinPairs(problem, null, ENDLESS);
      if (found.plan) seen.plans++;
      if (most === null ? found.plan : found.most < most - 1e-6) wrong.push({ seed, found, most });
      if (most === null) continue;
      if (found.plan && found.plan.served > most + 1e-6) wrong.push({ seed, found, most });
      if (found.plan && found.plan.served > most - 1e-6) seen.exact++;
      if (found.most < most + 1e-6) seen.bounds++;
    }
    expect(wrong).toEqual([]);
    expect(seen.exact).toBeGreaterThan(enough(0.8 * seen.plans));
    expect(seen.bounds).toBeGreaterThan(enough(COUNT / 20));
  });

  test('is known within 1 % for 60 stations and 6 moves of a van', () => {
    const { plan, most } = mostWithinPairs(vanProblem(1), null, ENDLESS);
    expect(plan!.served).toBeGreaterThan(0.99 * most);
  });

  test('proves that a service level is out of reach, or finds a plan that reaches it', async () => {
    const { plan, most } = mostWithinPairs(vanProblem(1), null, ENDLESS);
    const total = vanProblem(1).demand.reduce((sum, demand) => sum + demand, 0);
    const solve = (level: number) =>
      solveProblem(vanProblem(level), 1, { deadlineMs: performance.now() + 20_000 });
    expect((await solve((most + 1) / total)).kind).toBe('infeasible');
    expect((await solve((plan!.served - 5) / total)).kind).toBe('solved');
  });
});
