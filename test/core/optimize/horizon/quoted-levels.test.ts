import { expect, it } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { optimizeCached } from '../cached.ts';
import { createRandom, type Random, SETTINGS } from '../instances.ts';

const settings = { ...SETTINGS, maxRebalancingCost: null };

/** Any rules, with trip flows: whole first moves serve less than fractional ones. */
function randomRequest(random: Random) {
  const ids = Array.from({ length: random.integer(2, 6) }, (_, j) => j + 1);
  const steps = random.integer(2, 4);
  const hasFlows = random.chance(0.6);
  const capacities = random.chance(0.4) ? [1, 2] : [1];
  const amount = () => (random.chance(0.5) ? random.integer(0, 5) : Math.round(50 * random.next()) / 10);
  const series = () => Array.from({ length: steps }, amount);
  const vehicle = (v: number) => ({
    ...{ id: `${v}`, location: random.pick(ids), capacity: random.pick(capacities) },
  });
  const request: OptimizeRequest = {
    demand_forecast: Object.fromEntries(ids.map((id) => [id, series()])),
    fleet_state: { vehicles: Array.from({ length: random.integer(2, 14) }, (_, v) => vehicle(v)) },
    network: {
      location_ids: ids,
      costs: ids.map((i) => ids.map((j) => (i === j ? 0 : random.integer(1, 9)))),
    },
    constraints: {
      min_service_level: random.pick([0.8, 0.9, 1]),
      ...(random.chance(0.3) && { unmet_demand_cost: random.integer(1, 12) }),
      ...(random.chance(0.25) && { max_rebalancing_cost: random.integer(3, 20) }),
      ...(random.chance(0.25) && { max_vehicles_per_location: random.integer(2, 6) }),
      ...(random.chance(0.2) && { total_fleet_size: random.integer(2, 8) }),
      ...(random.chance(0.2) && { priorities: { '1': 3, '2': 1 } }),
    },
    options: { horizon: {}, ...(random.chance(0.15) && { refine: { max_pairs: random.integer(0, 3) } }) },
  };
  const pairs = ids.flatMap((from) => ids.map((to) => ({ from, to, trips: random.integer(0, 9) })));
  const tripCounts = {
    from: Int32Array.from(pairs, ({ from }) => from),
    to: Int32Array.from(pairs, ({ to }) => to),
    hour: new Int16Array(pairs.length).fill(-1),
    trips: Float64Array.from(pairs, ({ trips }) => trips),
  };
  const coordinate = () => random.integer(0, 9) / 1000;
  const locations = ids.map((id) => ({ id, latitude: 40 + coordinate(), longitude: coordinate() }));
  const { network: _, ...stored } = request;
  return hasFlows ? { request: stored, locations, tripCounts } : { request, locations: [] };
}

it('a service level that is named as within reach is reached if it is asked for', {
  tags: ['slow'],
}, async () => {
  let named = 0;
  for (const seed of [116, 424, 1274, 1627, ...seeds(1, 60)]) {
    const { request, ...rest } = randomRequest(createRandom(seed));
    const plan = (one: OptimizeRequest) => optimizeCached({ request: one, ...rest, settings });
    const outcome = await plan(request);
    if (outcome.status !== 'infeasible') continue;
    const level = outcome.conflicts.find(({ constraint }) => constraint === 'min_service_level')?.relaxation;
    if (level == null) continue;
    const again = await plan({
      ...request,
      constraints: { ...request.constraints, min_service_level: level },
    });
    expect(again.status, `seed ${seed}: ${level}`).not.toBe('infeasible');
    named++;
  }
  expect(named).toBeGreaterThan(enough(20));
});
