/** Requests with too many plans to try, and few enough moves for HiGHS alone to solve all of them as one model. */
import type { OptimizeRequest } from '../../../src/contracts/optimize.ts';
import type { LocationPoint } from '../../../src/core/optimize/problem/model.ts';
import { randomBounds, withBounds } from './bounds-by-location.ts';
import { cityInstance, createRandom } from './instances.ts';

const CAPACITIES = [
  [1],
  [2.5],
  [1, 2],
  [0.5, 1.5],
  [1, 2, 4],
  [0.7, 1.9, 3.1],
  [1, 2, 3, 5],
  [0.3, 1, 1.7, 4],
];

/**
 * 4–16 locations, 1 to 4 classes. Costs are great-circle, or given: without the triangle inequality, large, equal or
 * zero; dense, sparse or in separate parts.
 */
export function mediumRequest(seed: number): {
  request: OptimizeRequest;
  locations: LocationPoint[];
  classes: number;
} {
  const random = createRandom(seed);
  const capacities = random.pick(CAPACITIES);
  const { request, locations } = cityInstance(seed, {
    locations: capacities.length > 1 ? random.integer(4, 10) : random.integer(5, 16),
    perLocation: capacities.length > 1 ? random.integer(1, 4) : random.integer(1, 8),
    fractional: random.chance(0.8),
    capacities,
    load: random.pick([0.5, 0.7, 0.8, 0.9, 1.1]),
  });
  const constraints: NonNullable<OptimizeRequest['constraints']> = {
    min_service_level: random.pick([0.5, 0.8, 0.9, 0.95]),
  };
  if (random.chance(0.3)) constraints.max_distance = random.integer(3, 25);
  const fleet = request.fleet_state.vehicles.length;
  if (random.chance(0.2)) constraints.total_fleet_size = Math.floor(fleet * (0.5 + random.next() / 2));
  if (random.chance(0.15)) constraints.min_vehicles_per_location = 1;
  if (random.chance(0.15)) {
    constraints.max_vehicles_per_location = Math.ceil((fleet / locations.length) * (1.2 + random.next()));
  }
  if (random.chance(0.15)) constraints.max_rebalancing_cost = random.integer(0, 40 * locations.length);
  if (random.chance(0.5)) {
    const location_ids = locations.map(({ id }) => id);
    const parts = random.integer(1, 3);
    const forbidden = random.pick([0, 0, 0.5]);
    const kind = random.pick(['any', 'any', 'any', 'large', 'equal', 'zero']);
    const some = () => random.integer(0, 300_000) * (kind === 'large' ? 1e3 : 1e-4);
    const cost = () => (kind === 'equal' ? 12.5 : kind === 'zero' ? 0 : Number(some().toFixed(4)));
    const costs = location_ids.map((i) =>
      location_ids.map((j) => (i % parts !== j % parts || random.chance(forbidden) ? null : cost())),
    );
    request.network = { location_ids, costs };
  }
  // Every fourth has docks at some locations, from random numbers of their own.
  const own = createRandom(seed + 1e6);
  const share = fleet / locations.length;
  const ids = locations.map(({ id }) => id);
  const docks = () =>
    randomBounds(
      own,
      ids,
      () => own.integer(0, Math.ceil(share / 2)),
      () => Math.ceil(share * (0.6 + own.next())),
    );
  // Every third has pinned vehicles.
  if (seed % 3 === 0) {
    const pins = createRandom(seed + 2e6);
    const pinnedShare = pins.pick([0.1, 0.3, 0.6]);
    for (const vehicle of request.fleet_state.vehicles) {
      if (pins.chance(pinnedShare)) vehicle.pinned = true;
    }
  }
  const bounded = seed % 4 === 0 ? withBounds(constraints, docks()) : constraints;
  return { request: { ...request, constraints: bounded }, locations, classes: capacities.length };
}
