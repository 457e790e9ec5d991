import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { optimizeCached as optimize } from '../cached.ts';
import { byPriorityByTryingAll, cheapestByTryingAll, readFacts } from '../exhaustive.ts';
import { solveByHighs } from '../highs-formulation.ts';
import { cityInstance, createRandom, SETTINGS } from '../instances.ts';
import { mediumRequest } from '../medium-instances.ts';
import { withPrevious } from '../stability/previous-plans.ts';
import { tinyInstance } from '../tiny-instances.ts';
import { withPriorities } from './instances.ts';

const INSTANCES = 1500;

const PAIR_RULES = [{ max_pairs: 1 }, { min_vehicles_per_move: 2 }, { cost_per_pair: 5 }];

/** A service level that is often out of reach, a ceiling that is often too low, and one of both kinds of shortage. */
function hard(request: OptimizeRequest, seed: number): OptimizeRequest {
  const random = createRandom(seed + 6e6);
  const { min_demand_coverage: _, ...constraints } = request.constraints ?? {};
  const isPriced = random.chance(0.3);
  const isPaired = random.chance(0.15);
  const isPinned = random.chance(0.2);
  const vehicles = request.fleet_state.vehicles.map((vehicle) => ({
    ...vehicle,
    ...(isPinned && random.chance(0.4) && { pinned: true }),
  }));
  return {
    ...request,
    fleet_state: { vehicles },
    ...(isPaired && { options: { ...request.options, refine: random.pick(PAIR_RULES) } }),
    constraints: {
      ...constraints,
      min_service_level: random.pick([0, 0.3, 0.5, 0.8, 1]),
      ...(random.chance(0.4) && { max_rebalancing_cost: random.integer(0, 100) / 4 }),
      ...(isPriced && { unmet_demand_cost: random.integer(0, 400) / 4 }),
      shortage: random.chance(0.5) ? 'serve_most' : 'fail',
    },
  };
}

describe('critical demand', () => {
  test('is served first by level, then at the least cost, as of all plans of random requests', {
    tags: 'slow',
  }, async () => {
    const seen = {
      plan: 0,
      none: 0,
      short: 0,
      dearer: 0,
      less: 0,
      partly: 0,
      priced: 0,
      paired: 0,
      pinned: 0,
      classes: 0,
      fleetSize: 0,
      fractional: 0,
    };
    const wrong: unknown[] = [];
    for (const seed of seeds(1, INSTANCES)) {
      const instance = tinyInstance(seed);
      const { request: asked, locations } = withPriorities(instance, seed);
      const request = hard(asked, seed);
      const isServeMost = request.constraints!.shortage === 'serve_most';
      const outcome = await optimize({ request, locations, settings: SETTINGS });
      const atLevel = byPriorityByTryingAll(request, locations, false);
      const best = atLevel ?? (isServeMost ? byPriorityByTryingAll(request, locations, true) : null);
      if (!best) {
        seen.none++;
        if (outcome.status !== 'infeasible') wrong.push({ seed, status: outcome.status, outcome });
        continue;
      }
      if (outcome.status !== 'optimal') {
        wrong.push({ seed, outcome });
        continue;
      }
      seen.plan++;
      const { shortfall, total_cost, priorities = [], stages, kpis, refinement } = outcome.result;
      const isPaired = refinement !== undefined;
      const facts = readFacts(request, locations);
      const levels = [...new Set([...facts.demand].map(([id, d]) => (d > 0 ? facts.level(id) : 0)))];
      const critical = levels.filter((level) => level > 0).sort((a, b) => b - a);
      const all = [...new Set(facts.ids.map(facts.level))].filter((level) => level > 0).sort((a, b) => b - a);
      const expected = critical.map((level) => best.served[all.indexOf(level)]);
      const cost = Math.round(
        (total_cost + (kpis.unmet_demand_cost ?? 0) + (refinement?.pair_cost ?? 0)) * 1e4,
      );
      const expectedStages = [
        ...(critical.length > 0 ? ['critical_demand'] : []),
        'min_cost_flow',
        ...(isPaired ? ['milp_refinement'] : []),
      ].join();
      const isRight =
        priorities.map(({ level }) => level).join() === critical.join() &&
        priorities.every(({ served }, at) => Math.abs(served - expected[at]) < 1e-6) &&
        priorities.every(
          ({ served, served_at_most }) =>
            served_at_most >= served && served_at_most - served <= 1.1e-6 * facts.totalDemand,
        ) &&
        cost === best.costUnits &&
        (shortfall === undefined) === (atLevel !== null) &&
        stages?.join() === (critical.length === 0 && !isPaired ? undefined : expectedStages);
      if (!isRight) {
        wrong.push({ seed, cost, best, priorities, expected, shortfall, stages });
        continue;
      }
      if (critical.length === 0) continue;
      if (shortfall) seen.short++;
      if (kpis.unmet_demand_cost) seen.priced++;
      if (isPaired) seen.paired++;
      if (request.fleet_state.vehicles.some(({ pinned }) => pinned)) seen.pinned++;
      if (priorities.some(({ demand, served }) => served < demand)) seen.partly++;
      const plain = cheapestByTryingAll(request, locations);
      if (plain && plain.costUnits < cost) seen.dearer++;
      if (shortfall && facts.totalDemand * 0.999 > shortfall.reached * facts.totalDemand) seen.less++;
      if (new Set(facts.vehicles.map(({ capacity }) => capacity)).size > 1) seen.classes++;
      if (facts.fleetSize < facts.vehicles.length) seen.fleetSize++;
      if (instance.isFractional) seen.fractional++;
    }
    expect(wrong.slice(0, 5)).toEqual([]);
    for (const [kind, count] of Object.entries(seen))
      expect(count, kind).toBeGreaterThan(enough(INSTANCES / 50));
  });

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

  test('is served first, and then by the plan that costs least with its changes, on random requests', {
    tags: 'slow',
  }, async () => {
    const wrong: unknown[] = [];
    let plans = 0;
    for (const seed of seeds(1, 1000)) {
      const { request: asked, locations } = withPriorities(tinyInstance(seed), seed);
      const { ids } = readFacts(asked, locations);
      const { request, previous } = withPrevious(asked, ids, seed, 30);
      const best = byPriorityByTryingAll(request, locations, false, previous);
      if (!best) continue;
      const outcome = await optimize({ request, locations, settings: SETTINGS, previous });
      if (outcome.status !== 'optimal') {
        wrong.push({ seed, outcome });
        continue;
      }
      if (!outcome.result.priorities) continue;
      plans++;
      const served = outcome.result.priorities.reduce((sum, level) => sum + level.served, 0);
      const most = best.served.slice(0, -1).reduce((sum, level) => sum + level, 0);
      const cost = Math.round(outcome.certificate.objective * 1e4);
      if (cost !== best.costUnits || Math.abs(served - most) > 1e-6) wrong.push({ seed, cost, served, best });
    }
    expect(wrong).toEqual([]);
    expect(plans).toBeGreaterThan(enough(200));
  });
});
