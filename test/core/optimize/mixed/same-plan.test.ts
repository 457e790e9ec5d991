import { expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import type { LocationPoint, OptimizeOutcome } from '../../../../src/core/optimize/problem/model.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { randomBounds } from '../bounds-by-location.ts';
import { optimizeCached as optimize } from '../cached.ts';
import { readFacts } from '../exhaustive.ts';
import { createRandom, SETTINGS } from '../instances.ts';
import { mediumRequest } from '../medium-instances.ts';
import { withPriorities } from '../priorities/instances.ts';
import { randomPrice } from '../unmet-prices.ts';

const INSTANCES = 60;
const GAP = 1e-4;

type Asked = { request: OptimizeRequest; locations: LocationPoint[] };

/** A request of middle size with some of the rules. */
function mediumMix(seed: number): Asked {
  const random = createRandom(seed);
  const medium = mediumRequest(seed);
  const { request, locations } = random.chance(0.3) ? withPriorities(medium, seed) : medium;
  const { ids } = readFacts(request, locations);
  const { min_demand_coverage: _, ...constraints } = request.constraints ?? {};
  const isPriced = random.chance(0.3);
  const bounds = () =>
    randomBounds(
      random,
      ids,
      () => random.integer(0, 3),
      () => random.integer(3, 12),
    );
  return {
    request: {
      ...request,
      constraints: {
        ...constraints,
        max_rebalancing_cost: random.chance(0.3) ? random.integer(20, 200) : null,
        ...(isPriced && { unmet_demand_cost: randomPrice(random, ids) }),
        ...(random.chance(0.3) && bounds()),
        shortage: 'serve_most',
      },
      options: {
        optimality_gap: GAP,
        time_limit_seconds: 30,
        ...(random.chance(0.15) && { refine: { cost_per_pair: 3 } }),
      },
    },
    locations,
  };
}

/** All demand and capacity in another unit, and prices of demand with them. */
function inUnits(request: OptimizeRequest, factor: number): OptimizeRequest {
  const { capacity_per_vehicle = 1, unmet_demand_cost: price, ...constraints } = request.constraints!;
  const rescaled = (values: Record<string, number>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value / factor]));
  const prices = typeof price === 'number' ? price / factor : price && rescaled(price);
  return {
    ...request,
    demand_forecast: Object.fromEntries(
      Object.entries(request.demand_forecast).map(([id, steps]) => [id, steps.map((step) => step * factor)]),
    ),
    fleet_state: {
      vehicles: request.fleet_state.vehicles.map(({ capacity = capacity_per_vehicle, ...vehicle }) => ({
        ...vehicle,
        capacity: capacity * factor,
      })),
    },
    constraints: {
      ...constraints,
      capacity_per_vehicle: capacity_per_vehicle * factor,
      ...(prices !== undefined && { unmet_demand_cost: prices }),
    },
  };
}

/** Limits that no plan comes near, where the request has none. */
function withIdleLimits({ constraints, ...request }: OptimizeRequest): OptimizeRequest {
  const vehicles = request.fleet_state.vehicles.length;
  return {
    ...request,
    constraints: {
      min_vehicles_per_location: { default: 0 },
      max_vehicles_per_location: vehicles,
      max_distance: 1000,
      ...constraints,
      max_rebalancing_cost: constraints!.max_rebalancing_cost ?? 1e11,
    },
  };
}

const objective = (outcome: OptimizeOutcome) =>
  'certificate' in outcome ? outcome.certificate.objective : outcome.status;
const plan = (outcome: OptimizeOutcome) => ('result' in outcome ? outcome.result.allocation_plan : null);

test('what changes nothing leaves the plan or its cost as they are, on random requests of every kind', {
  tags: 'slow',
}, async () => {
  const wrong: unknown[] = [];
  let plans = 0;
  for (const seed of seeds(1, INSTANCES)) {
    const { request, locations } = mediumMix(seed);
    const random = createRandom(seed);
    const run = (asked: OptimizeRequest, stored = locations) =>
      optimize({ request: asked, locations: stored, settings: SETTINGS });
    const usual = await run(request);
    if (usual.status === 'optimal') plans++;
    else if (usual.status !== 'infeasible') continue;
    const shuffled = Object.fromEntries(random.shuffle(Object.entries(request.demand_forecast)));
    const reordered = await run({ ...request, demand_forecast: shuffled }, random.shuffle(locations));
    if (reordered.status !== 'feasible')
      expect(plan(reordered), `${seed} in another order`).toEqual(plan(usual));
    const variants = {
      'vehicles in another order': {
        ...request,
        fleet_state: { vehicles: random.shuffle(request.fleet_state.vehicles) },
      },
      'four times the unit': inUnits(request, 4),
      'a tenth of the unit': inUnits(request, 0.1),
      'limits that do not bind': withIdleLimits(request),
    };
    for (const [what, variant] of Object.entries(variants)) {
      const outcome = await run(variant);
      // Under load the time limit may end a search.
      if (outcome.status === 'feasible') continue;
      const [before, after] = [objective(usual), objective(outcome)];
      const isSame =
        typeof before === 'number' && typeof after === 'number'
          ? Math.abs(before - after) <= 2 * GAP * before + 2e-4
          : before === after;
      if (!isSame) wrong.push({ seed, what, before, after });
    }
  }
  expect(wrong).toEqual([]);
  expect(plans).toBeGreaterThan(enough(INSTANCES / 2));
});
