import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { optimizeCached as optimize } from '../cached.ts';
import { readFacts } from '../exhaustive.ts';
import { solveByHighs } from '../highs-formulation.ts';
import { cityInstance, createRandom, SETTINGS } from '../instances.ts';
import { mediumRequest } from '../medium-instances.ts';
import { withPriorities } from './instances.ts';

describe('critical demand', () => {
  test('is proved if what is served is as far from the bound as the search may leave it', async () => {
    // No vehicle may move, so the search bisects; it ends two of its steps from the bound, where rounding decides.
    const request: OptimizeRequest = {
      demand_forecast: { 1: [0.7], 2: [0.45], 3: [0.44], 4: [1.56] },
      fleet_state: { vehicles: [4, 3].map((location) => ({ id: `v${location}`, location, capacity: 2 })) },
      constraints: { shortage: 'serve_most', priorities: { 1: 9, 3: 9 } },
      network: { location_ids: [1, 2, 3, 4], costs: [0, 1, 2, 3].map(() => [50, 30, 40, 20]) },
      options: { optimality_gap: 0, refine: { max_pairs: 0 } },
    };
    const outcome = await optimize({ request, locations: [], settings: SETTINGS });
    expect(outcome).toMatchObject({ status: 'optimal', result: { shortfall: { unserved: 1.15 } } });
  });

  test('HiGHS alone finds no plan that serves more of a level, and none that serves as much for less, on random requests', {
    tags: 'slow',
  }, async () => {
    const wrong: unknown[] = [];
    const seen = { plans: 0, short: 0, partly: 0, classes: 0, agreed: 0 };
    for (const seed of seeds(1, 100)) {
      const medium = mediumRequest(seed);
      const { request: asked, locations } = withPriorities(medium, seed);
      const random = createRandom(seed + 7e6);
      const constraints = {
        ...asked.constraints,
        min_service_level: random.pick([0.5, 0.8, 1]),
        ...(random.chance(0.5) && { max_rebalancing_cost: random.integer(0, 100) }),
      };
      const request: OptimizeRequest = {
        ...asked,
        constraints: { ...constraints, shortage: 'serve_most' },
        options: { optimality_gap: 0.0001, time_limit_seconds: 20 },
      };
      const outcome = await optimize({ request, locations, settings: SETTINGS });
      if (outcome.status === 'error') wrong.push({ seed, outcome });
      if (outcome.status !== 'optimal' || !outcome.result.priorities) continue;
      const { priorities, shortfall, total_cost } = outcome.result;
      const { totalDemand } = readFacts(request, locations);
      seen.plans++;
      if (shortfall) seen.short++;
      if (medium.classes > 1) seen.classes++;
      const at = (level: number, floors: { level: number; served: number }[]) =>
        solveByHighs(
          { ...request, constraints: { ...constraints, min_service_level: level } },
          locations,
          SETTINGS,
          { gap: 0.0001, seconds: 10, floors },
        );
      let agreed = 0;
      const floors: { level: number; served: number }[] = [];
      let higher = 0;
      const required = shortfall ? 0 : constraints.min_service_level;
      for (const { level, demand, served, served_at_most } of priorities) {
        if (served < demand - 1e-6) seen.partly++;
        const beyond = served_at_most + 2e-6 * totalDemand;
        if (beyond < demand) {
          const more = at(required, [...floors, { level, served: higher + beyond }]);
          if (more.kind === 'solved') wrong.push({ seed, level, beyond, priorities });
          if (more.kind === 'infeasible') agreed++;
        } else agreed++;
        higher += served;
        floors.push({ level, served: higher });
      }
      if (shortfall && shortfall.reached_at_most < 1 - 2e-6) {
        const more = at(shortfall.reached_at_most + 2e-6, floors);
        if (more.kind === 'solved') wrong.push({ seed, shortfall });
      }
      const cheapest = at(shortfall ? shortfall.reached - 1e-9 : required, floors);
      if (cheapest.kind === 'infeasible') wrong.push({ seed, kind: 'infeasible', priorities });
      const cost = total_cost * 1e4;
      if (cheapest.kind === 'solved' && cost > cheapest.costUnits * (1 + 2e-4) + 1)
        wrong.push({ seed, cost, cheapest });
      if (cheapest.kind === 'solved' && agreed === priorities.length) seen.agreed++;
    }
    expect(wrong).toEqual([]);
    expect(seen.agreed).toBeGreaterThan(enough(0.8 * seen.plans));
    for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(enough(10));
  });

  test('of several classes in a fleet a third short is all served, to the gap, and the shortfall names a level', {
    tags: 'slow',
  }, async () => {
    for (const seed of seeds(1, 2)) {
      const shape = { locations: 40, perLocation: 10, fractional: true, capacities: [1, 2, 3], load: 1.45 };
      const { request, locations } = cityInstance(seed, shape);
      const priorities = Object.fromEntries(locations.map(({ id }) => [id, id % 6 === 1 ? 9 : 0]));
      const outcome = await optimize({
        request: { ...request, constraints: { priorities, shortage: 'serve_most' } },
        locations,
        settings: { ...SETTINGS, maxRebalancingCost: null },
      });
      if (outcome.status !== 'optimal') throw new Error(`seed ${seed} is ${outcome.status}`);
      const { priorities: levels = [], shortfall } = outcome.result;
      expect(levels.map(({ level }) => level)).toEqual([9]);
      expect(levels[0].served).toBeCloseTo(levels[0].demand, 6);
      expect(shortfall!.reached).toBeGreaterThan(0.998 * shortfall!.reached_at_most);
      const named = shortfall!.relaxations.find(({ constraint }) => constraint === 'min_service_level');
      expect(named!.relaxation).toBeLessThanOrEqual(shortfall!.reached);
      expect(named!.relaxation).toBeGreaterThan(shortfall!.reached - 2e-6);
    }
  });

  test('among more locations than costs of all pairs fit in memory for is served within a distance', {
    tags: 'slow',
  }, async () => {
    const { request, locations } = cityInstance(3, { locations: 5200, perLocation: 2, fractional: false });
    const [id] = Object.keys(request.demand_forecast).filter((key) => request.demand_forecast[key][0] > 0);
    const outcome = async (max_distance: number) =>
      await optimize({
        request: { ...request, constraints: { max_distance, priorities: { [id]: 9 } } },
        locations,
        settings: { ...SETTINGS, maxRebalancingCost: null },
      });
    expect(await outcome(1000)).toMatchObject({ status: 'refused', faults: [{ field: 'demand_forecast' }] });
    expect(await outcome(5)).toMatchObject({ status: 'optimal', result: { priorities: [{ level: 9 }] } });
  });
});
