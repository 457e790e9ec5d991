import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { optimizeCached as optimize } from '../cached.ts';
import { cheapestByTryingAll, mostServedByTryingAll, readFacts } from '../exhaustive.ts';
import { SETTINGS } from '../instances.ts';
import { tinyInstance } from '../tiny-instances.ts';

const INSTANCES = 4000;

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
  test(`serves the most demand, at the least cost of all plans that do, on ${INSTANCES} random requests`, {
    tags: 'slow',
  }, async () => {
    const seen = {
      enough: 0,
      short: 0,
      none: 0,
      ceiling: 0,
      classes: 0,
      bounds: 0,
      fleetSize: 0,
      fractional: 0,
    };
    const wrong: unknown[] = [];
    for (let seed = 1; seed <= INSTANCES; seed++) {
      const instance = tinyInstance(seed);
      const { locations } = instance;
      const request = short(instance.request, seed);
      const outcome = await optimize({ request, locations, settings: SETTINGS });
      const cheapest = cheapestByTryingAll(request, locations);
      const most = mostServedByTryingAll(request, locations);
      const facts = readFacts(request, locations);
      if (!most) {
        seen.none++;
        if (outcome.status !== 'infeasible') wrong.push({ seed, status: outcome.status });
        continue;
      }
      if (outcome.status !== 'optimal') {
        wrong.push({ seed, outcome });
        continue;
      }
      const { shortfall, total_cost } = outcome.result;
      const cost = Math.round(total_cost * 1e4);
      if (cheapest) {
        seen.enough++;
        if (shortfall || cost !== cheapest.costUnits) wrong.push({ seed, cost, cheapest, shortfall });
        continue;
      }
      const reached = most.served / facts.totalDemand;
      if (
        !shortfall ||
        Math.abs(shortfall.reached - reached) > 1e-8 ||
        shortfall.reached_at_most < shortfall.reached ||
        shortfall.reached_at_most > reached + 2e-6 ||
        cost !== most.costUnits
      ) {
        wrong.push({ seed, cost, most, reached, shortfall });
        continue;
      }
      seen.short++;
      const c = request.constraints!;
      if (
        mostServedByTryingAll({ ...request, constraints: { ...c, max_rebalancing_cost: null } }, locations)!
          .served > most.served
      )
        seen.ceiling++;
      if (new Set(facts.vehicles.map(({ capacity }) => capacity)).size > 1) seen.classes++;
      if (facts.minVehicles > 0 || facts.maxVehicles < Number.POSITIVE_INFINITY) seen.bounds++;
      if (facts.fleetSize < facts.vehicles.length) seen.fleetSize++;
      if (instance.isFractional) seen.fractional++;
    }
    expect(wrong).toEqual([]);
    for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(INSTANCES / 50);
  });
});
