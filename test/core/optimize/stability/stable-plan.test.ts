import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import type { OptimizeOutcome, PreviousPlan } from '../../../../src/core/optimize/problem/model.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { optimizeCached as optimize } from '../cached.ts';
import { cheapestByTryingAll, mostServedByTryingAll, readFacts } from '../exhaustive.ts';
import { solveByHighs } from '../highs-formulation.ts';
import { SETTINGS } from '../instances.ts';
import { mediumRequest } from '../medium-instances.ts';
import { tinyInstance } from '../tiny-instances.ts';
import { withPrevious } from './previous-plans.ts';

const INSTANCES = 1200;
/** What moves cost in the instances, by kind of costs; 30 otherwise. */
const DEAREST: Record<string, number> = { large: 1e8, 'small and large': 1e8 };

type Planned = Extract<OptimizeOutcome, { result: unknown }>;

/** The vehicles that a plan sends elsewhere than the previous one, by id. */
function changesOf({ result }: Planned, previous: PreviousPlan, ids: readonly number[]): number {
  return result.allocation_plan.filter(({ vehicle_id, target_location }) => {
    const before = previous.get(vehicle_id);
    return before !== undefined && ids.includes(before) && before !== target_location;
  }).length;
}

describe('a plan with a change cost', () => {
  test('costs, with its changes, as little as any plan, on random requests', {
    tags: 'slow',
  }, async () => {
    const seen = {
      changed: 0,
      kept: 0,
      dearer: 0,
      classes: 0,
      bounds: 0,
      ceiling: 0,
      short: 0,
      priced: 0,
      none: 0,
    };
    const wrong: unknown[] = [];
    for (const seed of seeds(1, INSTANCES)) {
      const instance = tinyInstance(seed);
      const { locations } = instance;
      const { ids } = readFacts(instance.request, locations);
      const { request, previous } = withPrevious(instance.request, ids, seed, DEAREST[instance.costs] ?? 30);
      if (seed % 5 === 0) request.constraints = { ...request.constraints, shortage: 'serve_most' };
      const isPriced = seed % 4 === 1;
      if (isPriced) request.constraints = { ...request.constraints, unmet_demand_cost: seed % 40 };
      const least = (plan: PreviousPlan | null) =>
        cheapestByTryingAll(request, locations, SETTINGS, null, plan) ??
        (seed % 5 === 0 ? mostServedByTryingAll(request, locations, plan) : null);
      const cheapest = seed % 3 === 2 && !isPriced ? least(null) : null;
      // A ceiling that the plan without it often exceeds.
      const ceiling = cheapest && { max_rebalancing_cost: Math.floor(1.2 * cheapest.costUnits) / 1e4 };
      const atAnyCost = ceiling && least(previous);
      if (ceiling) request.constraints = { ...request.constraints, ...ceiling };
      const expected = least(previous);
      if (ceiling && atAnyCost!.costUnits < expected!.costUnits) seen.ceiling++;
      // Looking for reasons takes many solves.
      if (!expected && seed % 10 > 0) continue;
      const outcome = await optimize({ request, locations, settings: SETTINGS, previous });
      if (!expected) {
        seen.none++;
        if (outcome.status !== 'infeasible') wrong.push({ seed, status: outcome.status });
        continue;
      }
      if (!('result' in outcome)) {
        wrong.push({ seed, outcome });
        continue;
      }
      const { stability, total_cost, shortfall } = outcome.result;
      const { objective } = outcome.certificate;
      const changed = changesOf(outcome, previous, ids);
      const changeCost = (changed * Math.round(request.options!.change_cost! * 1e4)) / 1e4;
      const without = least(null)!.costUnits;
      const unmet = outcome.result.kpis.unmet_demand_cost ?? 0;
      if (
        outcome.status !== 'optimal' ||
        // Costs of unmet demand are not whole units.
        Math.abs(objective * 1e4 - expected.costUnits) > (isPriced ? 1.5 : 0.1) ||
        stability?.changed_vehicles !== changed ||
        stability.change_cost !== changeCost ||
        Math.abs(total_cost + changeCost + unmet - objective) > 1e-4 ||
        (!isPriced && Math.round(stability.cost_without! * 1e4) !== without)
      )
        wrong.push({ seed, objective, expected, stability, changed, without, status: outcome.status });
      if (changed > 0) seen.changed++;
      else seen.kept++;
      if (total_cost > stability!.cost_without!) seen.dearer++;
      if (shortfall) seen.short++;
      const facts = readFacts(request, locations);
      if (new Set(facts.vehicles.map(({ capacity }) => capacity)).size > 1) seen.classes++;
      if (ids.some((id) => facts.minVehicles(id) > 0 || facts.maxVehicles(id) < Number.POSITIVE_INFINITY))
        seen.bounds++;
      if (isPriced) seen.priced++;
    }
    expect(wrong).toEqual([]);
    for (const [kind, count] of Object.entries(seen))
      expect(count, kind).toBeGreaterThan(enough(INSTANCES / 200));
  });

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
