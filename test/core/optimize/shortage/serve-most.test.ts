import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { optimizeCached as optimize } from '../cached.ts';
import { changed } from '../changed-requests.ts';
import { mostServedByTryingAll } from '../exhaustive.ts';
import { solveByHighs } from '../highs-formulation.ts';
import { cityInstance, createRandom, SETTINGS } from '../instances.ts';
import { mediumRequest } from '../medium-instances.ts';
import { tinyInstance } from '../tiny-instances.ts';
import { answeredBy, judgeMost } from './judge-most.ts';

const INSTANCES = 2000;

/** The request with a service level that is often out of reach, and the plan that serves most asked for. */
function short(request: OptimizeRequest, seed: number): OptimizeRequest {
  const { min_demand_coverage: _, ...constraints } = request.constraints ?? {};
  return {
    ...request,
    constraints: {
      ...constraints,
      min_service_level: seed % 3 === 0 ? (constraints.min_service_level ?? 1) : 1,
      // A third of the plans that serve most cost too much.
      ...(seed % 3 === 1 && { max_rebalancing_cost: (seed % 50) / 4 }),
      shortage: 'serve_most',
    },
  };
}

describe('a fleet that cannot reach the service level', () => {
  test('serves the most demand, at the least cost of all plans that do, and without a plan names what lets one be, on random requests', {
    tags: 'slow',
  }, async () => {
    const seen = { enough: 0, short: 0, none: 0, relaxed: 0, ceiling: 0 };
    const wrong: unknown[] = [];
    for (const seed of seeds(1, INSTANCES)) {
      const instance = tinyInstance(seed);
      const { locations } = instance;
      const request = short(instance.request, seed);
      const outcome = await optimize({ request, locations, settings: SETTINGS });
      const judged = judgeMost(request, locations, answeredBy(outcome));
      if (judged.wrong) wrong.push({ seed, wrong: judged.wrong });
      seen[judged.kind]++;
      if (outcome.status === 'infeasible') {
        // The service level is not in the way of a plan that serves most.
        for (const { constraint, relaxation } of outcome.conflicts) {
          if (constraint === 'min_service_level') wrong.push({ seed, constraint });
          if (relaxation === null || constraint === 'supply' || constraint === 'network') continue;
          seen.relaxed++;
          if (!mostServedByTryingAll(changed(request, constraint, relaxation), locations))
            wrong.push({ seed, constraint, relaxation });
        }
      }
      if (judged.kind !== 'short') continue;
      const constraints = { ...request.constraints, max_rebalancing_cost: null };
      if (mostServedByTryingAll({ ...request, constraints }, locations)!.served > judged.served)
        seen.ceiling++;
    }
    expect(wrong).toEqual([]);
    for (const [kind, count] of Object.entries(seen))
      expect(count, kind).toBeGreaterThan(enough(INSTANCES / 50));
  });

  test('HiGHS alone finds no plan that serves more, and none that serves as much for less, on random requests', {
    tags: 'slow',
  }, async () => {
    const wrong: unknown[] = [];
    const seen = { short: 0, ceiling: 0, classes: 0, agreed: 0 };
    for (const seed of seeds(1, 300)) {
      const { request, locations, classes } = mediumRequest(seed);
      const random = createRandom(seed);
      const ceiling = random.chance(0.5) ? { max_rebalancing_cost: random.integer(0, 100) } : {};
      const constraints = { ...request.constraints, min_service_level: 1, ...ceiling };
      const short: OptimizeRequest = {
        ...request,
        constraints: { ...constraints, shortage: 'serve_most' },
        options: { optimality_gap: 0.0001, time_limit_seconds: 20 },
      };
      const outcome = await optimize({ request: short, locations, settings: SETTINGS });
      if (outcome.status !== 'optimal' || !outcome.result.shortfall) continue;
      const { reached, reached_at_most } = outcome.result.shortfall;
      const at = (min_service_level: number) =>
        solveByHighs(
          { ...request, constraints: { ...constraints, min_service_level } },
          locations,
          SETTINGS,
          {
            gap: 0.0001,
            seconds: 10,
          },
        );
      const more = at(Math.min(1, reached_at_most + 2e-6));
      const cheapest = at(reached - 1e-9);
      seen.short++;
      if (classes > 1) seen.classes++;
      if ('max_rebalancing_cost' in ceiling) seen.ceiling++;
      if (more.kind === 'solved' && reached_at_most < 1 - 2e-6)
        wrong.push({ seed, reached, reached_at_most });
      if (cheapest.kind === 'infeasible') wrong.push({ seed, reached, kind: 'infeasible' });
      const cost = outcome.result.total_cost * 1e4;
      if (cheapest.kind === 'solved' && cost > cheapest.costUnits * (1 + 2e-4) + 1)
        wrong.push({ seed, cost, cheapest });
      if (more.kind === 'infeasible' && cheapest.kind === 'solved') seen.agreed++;
    }
    expect(wrong).toEqual([]);
    expect(seen.agreed).toBeGreaterThan(enough(0.8 * seen.short));
    for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(enough(30));
  });

  test('a plan serves nearly all that the fleet can, however little time there is', async () => {
    const levels = { default: 0, 1: 9, 2: 9, 3: 4 };
    for (const [docks, priorities] of [[14], [14, levels], [null], [null, levels]] as const) {
      for (const seed of seeds(1, 6)) {
        const shape = {
          locations: 60,
          perLocation: 6,
          fractional: true,
          capacities: [1, 2.5, 4],
          load: 1.4,
        };
        const { request, locations } = cityInstance(seed, shape);
        const outcome = await optimize({
          request: {
            ...request,
            constraints: {
              min_service_level: 0.95,
              ...(docks && { max_vehicles_per_location: docks }),
              shortage: 'serve_most',
              ...(priorities && { priorities }),
            },
            options: { time_limit_seconds: 0.02 },
          },
          locations,
          settings: { ...SETTINGS, maxRebalancingCost: null },
        });
        const of = `seed ${seed}, docks ${docks}, ${priorities ? 'with' : 'without'} priorities`;
        if (!('result' in outcome)) throw new Error(`${of}: ${JSON.stringify(outcome)}`);
        const { gap = 0, shortfall } = outcome.result;
        // The fleet carries 1 / 1.4 of the demand.
        expect(shortfall?.reached, of).toBeGreaterThan(0.93 / 1.4);
        if (outcome.status === 'optimal' || priorities) continue;
        // Level or cost is open, and the answer says which.
        const { reached, reached_at_most } = shortfall!;
        expect(
          gap! > SETTINGS.optimalityGap || reached < (1 - SETTINGS.optimalityGap / 10) * reached_at_most,
          of,
        ).toBe(true);
      }
    }
  });
});
