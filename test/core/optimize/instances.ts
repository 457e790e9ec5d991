/** Random small requests of every kind, from a seeded generator, so a failure can be repeated with its seed. */
import type { OptimizeRequest } from '../../../src/contracts/optimize.ts';
import type { LocationPoint, OptimizeSettings } from '../../../src/core/optimize/problem/model.ts';
import { randomBounds, withBounds } from './bounds-by-location.ts';

export const SETTINGS: OptimizeSettings = {
  maxDistanceKm: 100,
  minServiceLevel: 0.95,
  maxRebalancingCost: 10_000,
  capacityPerVehicle: 1,
  tripsPerVehicleHour: null,
  timeLimitSeconds: 60,
  maxTimeLimitSeconds: 600,
  optimalityGap: 0.01,
  costPerKm: 1,
};

export type Random = {
  /** 0 ≤ value < 1 */
  next(): number;
  /** a whole number, including both ends */
  integer(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<T>(values: readonly T[]): T;
  /** A copy in another order. */
  shuffle<T>(values: readonly T[]): T[];
};

/** mulberry32 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    integer,
    chance: (probability) => next() < probability,
    pick: (values) => values[integer(0, values.length - 1)],
    shuffle: (values) => {
      const copy = [...values];
      for (let a = copy.length - 1; a > 0; a--) {
        const b = integer(0, a);
        [copy[a], copy[b]] = [copy[b], copy[a]];
      }
      return copy;
    },
  };
}

export type Instance = { seed: number; request: OptimizeRequest; locations: LocationPoint[] };

/** At most 4 locations and 6 vehicles, so every plan can be tried. Every fourth has bounds by location. */
export function randomInstance(seed: number): Instance {
  const random = createRandom(seed);
  const n = random.integer(1, 4);
  const ids = Array.from({ length: n }, (_, i) => 10 * (i + 1));
  const locations = ids.map((id) => ({
    id,
    latitude: 40 + random.integer(0, 60) / 100,
    longitude: -74 + random.integer(0, 60) / 100,
  }));
  const vehicleCount = random.integer(random.chance(0.1) ? 0 : 2, n === 4 ? 5 : 6);
  // Vehicles often start together, so there is something to move.
  const depots = random.chance(0.6) ? ids.slice(0, random.integer(1, 2)) : ids;
  const mixed = random.chance(0.5);
  const fractional = random.chance(0.5);
  const whole = random.pick([1, 2, 4]);
  const capacities = mixed
    ? random.pick([
        [1, 2],
        [1, 2, 4],
        [0.5, 1.5],
        [1, 3],
      ])
    : [whole];
  const vehicles = Array.from({ length: vehicleCount }, (_, v) => ({
    id: `v${v}`,
    location: random.pick(depots),
    ...(random.chance(0.9) ? { capacity: random.pick(capacities) } : {}),
    ...(random.chance(0.1) ? { status: random.pick(['maintenance', 'downtime'] as const) } : {}),
  }));
  const demand = (largest: number) =>
    fractional ? random.integer(0, 100 * largest) / 100 : (mixed ? 1 : whole) * random.integer(0, largest);
  const scale = random.pick([1, 2, 3]);
  const forecast: Record<string, number[]> = {};
  for (const id of ids) {
    if (id === 10 || random.chance(0.8)) {
      forecast[id] = Array.from({ length: random.integer(1, 3) }, () => demand(scale));
    }
  }
  const constraints: NonNullable<OptimizeRequest['constraints']> = {
    min_service_level: random.pick([0, 0.3, 0.5, 0.5, 0.75, 0.9, 1]),
  };
  if (random.chance(0.8)) constraints.capacity_per_vehicle = whole;
  if (random.chance(0.5)) constraints.max_distance = random.integer(0, 60);
  if (random.chance(0.25)) constraints.min_vehicles_per_location = random.integer(0, 1);
  if (random.chance(0.25)) {
    constraints.max_vehicles_per_location = random.integer(1, 4);
  }
  if (random.chance(0.25)) constraints.total_fleet_size = random.integer(1, 6);
  if (random.chance(0.4))
    constraints.max_rebalancing_cost = random.pick([null, random.integer(0, 1_000_000) / 1e4]);
  const own = createRandom(seed + 1e6);
  const bounds =
    seed % 4 === 0
      ? randomBounds(
          own,
          ids,
          () => own.integer(0, 2),
          () => own.integer(0, 4),
        )
      : null;
  const request: OptimizeRequest = {
    demand_forecast: forecast,
    fleet_state: { vehicles },
    constraints: bounds ? withBounds(constraints, bounds) : constraints,
    options: {
      optimality_gap: 0,
      demand_aggregation: random.pick(['peak', 'mean', 'first', 'sum'] as const),
    },
  };
  if (random.chance(0.5)) {
    const matrix = (largest: number, gaps: number) =>
      ids.map(() => ids.map(() => (random.chance(gaps) ? null : random.integer(0, largest) / 1e4)));
    request.network = { location_ids: ids, costs: matrix(500_000, 0.2) };
    if (random.chance(0.5)) request.network.distances_km = matrix(600_000, 0);
  }
  return { seed, request, locations };
}

/** City-like: random vehicles and demand, total demand `load` times the fleet's capacity. */
export function cityInstance(
  seed: number,
  size: { locations: number; perLocation: number; fractional: boolean; capacities?: number[]; load?: number },
): Instance {
  const random = createRandom(seed);
  const capacities = size.capacities ?? [1];
  const locations: LocationPoint[] = [];
  const vehicles: { id: string; location: number; capacity: number }[] = [];
  let capacity = 0;
  for (let i = 1; i <= size.locations; i++) {
    locations.push({ id: i, latitude: 40.5 + random.next() * 0.4, longitude: -74.2 + random.next() * 0.5 });
    for (let v = random.integer(0, 2 * size.perLocation); v > 0; v--) {
      vehicles.push({ id: `v${vehicles.length}`, location: i, capacity: random.pick(capacities) });
      capacity += vehicles.at(-1)!.capacity;
    }
  }
  const weights = locations.map(() => random.next());
  const total = weights.reduce((a, b) => a + b, 0);
  const demand_forecast: Record<string, number[]> = {};
  locations.forEach(({ id }, i) => {
    const value = (weights[i] / total) * capacity * (size.load ?? 0.9);
    demand_forecast[id] = [size.fractional ? Math.round(value * 100) / 100 : Math.round(value)];
  });
  return { seed, request: { demand_forecast, fleet_state: { vehicles } }, locations };
}
