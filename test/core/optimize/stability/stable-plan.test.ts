import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import type { OptimizeOutcome, PreviousPlan } from '../../../../src/core/optimize/problem/model.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { optimizeCached as optimize } from '../cached.ts';
import { readFacts } from '../exhaustive.ts';
import { solveByHighs } from '../highs-formulation.ts';
import { SETTINGS } from '../instances.ts';
import { mediumRequest } from '../medium-instances.ts';
import { tinyInstance } from '../tiny-instances.ts';
import { withPrevious } from './previous-plans.ts';

type Planned = Extract<OptimizeOutcome, { result: unknown }>;

/** The vehicles that a plan sends elsewhere than the previous one, by id. */
function changesOf({ result }: Planned, previous: PreviousPlan, ids: readonly number[]): number {
  return result.allocation_plan.filter(({ vehicle_id, target_location }) => {
    const before = previous.get(vehicle_id);
    return before !== undefined && ids.includes(before) && before !== target_location;
  }).length;
}

describe('a plan with a change cost', () => {
  test('is proved with priorities and bounds by location that bind nowhere, although groups of vehicles have none', async () => {
    const request: OptimizeRequest = {
      demand_forecast: { 1: [1], 2: [1] },
      fleet_state: { vehicles: [{ id: 'a', location: 3 }] },
      constraints: {
        min_service_level: 0.5,
        min_vehicles_per_location: { 1: 0 },
        priorities: { default: 5 },
      },
      network: { location_ids: [1, 2, 3], costs: [0, 1, 2].map(() => [4, 9, 0]) },
      options: { optimality_gap: 0, previous_plan_id: 'plan_before', change_cost: 2 },
    };
    const outcome = await optimize({
      request,
      locations: [],
      settings: SETTINGS,
      previous: new Map([['a', 2]]),
    });
    expect(outcome).toMatchObject({
      status: 'optimal',
      result: { total_cost: 4, stability: { changed_vehicles: 1 } },
    });
  });

  test('a change cost of 0 gives the plan without it, to the last vehicle', async () => {
    for (const seed of seeds(1, 60)) {
      const { request: plain, locations } = tinyInstance(seed);
      const { ids } = readFacts(plain, locations);
      const { request, previous } = withPrevious(plain, ids, seed, 10);
      request.options!.change_cost = 0;
      const [asked, today] = await Promise.all([
        optimize({ request, locations, settings: SETTINGS, previous }),
        optimize({ request: plain, locations, settings: SETTINGS }),
      ]);
      expect(asked.status, `seed ${seed}`).toBe(today.status);
      if (!('result' in asked) || !('result' in today)) continue;
      const { stability, ...rest } = asked.result;
      expect(rest).toEqual(today.result);
      expect(stability).toMatchObject({
        changed_vehicles: changesOf(asked, previous, ids),
        change_cost: 0,
        cost_without: today.result.total_cost,
      });
    }
  });

  test('HiGHS alone finds no plan that costs less with its changes, on random requests of middle size', {
    tags: 'slow',
  }, async () => {
    const wrong: unknown[] = [];
    const seen = { planned: 0, changed: 0, dearer: 0 };
    for (const seed of seeds(1, 100)) {
      const { request: plain, locations } = mediumRequest(seed);
      const { ids } = readFacts(plain, locations);
      const { request, previous } = withPrevious(plain, ids, seed, 15);
      request.options = { ...request.options, optimality_gap: 0.0001, time_limit_seconds: 20 };
      const outcome = await optimize({ request, locations, settings: SETTINGS, previous });
      const byHighs = solveByHighs(request, locations, SETTINGS, { gap: 0.0001, seconds: 10 }, previous);
      if (!('result' in outcome)) {
        if (byHighs.kind === 'solved') wrong.push({ seed, outcome, byHighs });
        continue;
      }
      seen.planned++;
      const { objective, bound } = outcome.certificate;
      if (byHighs.kind === 'infeasible') wrong.push({ seed, byHighs });
      if (byHighs.kind !== 'solved') continue;
      const isCheap =
        outcome.status === 'feasible' || objective * 1e4 <= byHighs.costUnits * (1 + 1.1e-4) + 1;
      const isBound = bound * 1e4 <= byHighs.costUnits + 1;
      const isAbove = objective * 1e4 >= byHighs.boundUnits * (1 - 1e-9) - 1;
      if (!isCheap || !isBound || !isAbove) wrong.push({ seed, objective, bound, byHighs });
      if (outcome.result.stability!.changed_vehicles > 0) seen.changed++;
      if (outcome.result.total_cost > outcome.result.stability!.cost_without!) seen.dearer++;
    }
    expect(wrong).toEqual([]);
    expect(seen.planned).toBeGreaterThan(enough(50));
    expect(seen.dearer).toBeGreaterThan(enough(10));
  });
});
