/** Requests of every kind that are small enough to try every plan, and the same requests in another order. */
import type { OptimizeRequest } from '../../../src/contracts/optimize.ts';
import type { LocationPoint } from '../../../src/core/optimize/problem/model.ts';
import { namedByBounds, randomBounds, renamed, withBounds } from './bounds-by-location.ts';
import { createRandom, type Instance, type Random } from './instances.ts';

export const COSTS = [
  'zero',
  'equal',
  'small',
  'large',
  'small and large',
  'great circle',
  'same places',
] as const;
type Constraints = NonNullable<OptimizeRequest['constraints']>;
type CostKind = (typeof COSTS)[number];
/** Money. */
const MAX_COST = 1e8;
const CAPACITIES = [
  [1, 2, 3, 5],
  [0.3, 0.7, 1.1, 2],
  [4, 2, 1, 0.5],
  [1.5, 1, 2.5, 7],
];

export type TinyInstance = Instance & { costs: CostKind; isFractional: boolean };

/** 1 to 4 locations, at most 6 vehicles, 1 to 4 capacities; gap 0. */
export function tinyInstance(seed: number): TinyInstance {
  const random = createRandom(seed);
  const ids = random.shuffle([5, -3, 100, 42]).slice(0, random.pick([1, 2, 3, 3, 4, 4]));
  const capacities = random.pick(CAPACITIES).slice(0, random.pick([1, 2, 3, 4, 4]));
  const isFractional = random.chance(0.6);
  const costs = random.pick(COSTS);
  const spread = costs === 'same places' ? 1 : 60;
  const locations = ids.map((id) => ({
    id,
    latitude: 40 + random.integer(0, spread) / 100,
    longitude: -74 + (costs === 'same places' ? 0 : random.integer(0, spread) / 100),
  }));
  const vehicles: OptimizeRequest['fleet_state']['vehicles'] = randomVehicles(random, ids, capacities);
  const capacity = vehicles.reduce((sum, vehicle) => sum + (vehicle.capacity ?? capacities[0]), 0);
  const request: OptimizeRequest = {
    demand_forecast: randomDemand(random, ids, capacity, isFractional ? 0.01 : capacities[0]),
    fleet_state: { vehicles },
    constraints: withBoundsOf(seed, ids, randomConstraints(random, capacities[0])),
    options: {
      optimality_gap: 0,
      demand_aggregation: random.pick(['peak', 'mean', 'first', 'sum'] as const),
    },
  };
  if (costs !== 'great circle' && costs !== 'same places')
    request.network = randomNetwork(random, ids, costs);
  pinSome(seed, request);
  return { seed, request, locations, costs, isFractional };
}

/** Multiples of `unit`, usually in total less than the fleet can serve; sometimes there is no demand. */
function randomDemand(
  random: Random,
  ids: readonly number[],
  capacity: number,
  unit: number,
): Record<string, number[]> {
  const load = random.pick([0.2, 0.5, 0.7, 0.9, 1.3]) * (random.chance(0.05) ? 0 : 1);
  const most = (2 * load * Math.max(1, capacity)) / ids.length;
  const series = Array.from({ length: random.integer(1, 2) });
  const value = () => Number((unit * Math.round((most * random.next()) / unit)).toFixed(2));
  return Object.fromEntries(
    ids.filter((_, i) => i === 0 || random.chance(0.9)).map((id) => [id, series.map(value)]),
  );
}

function randomVehicles(random: Random, ids: readonly number[], capacities: readonly number[]) {
  // All vehicles often start together, so there is something to move; sometimes none is operational.
  const depots = random.chance(0.6) ? ids.slice(0, 1) : ids;
  const broken = random.chance(0.05) ? 1 : 0.08;
  const least = random.chance(0.1) ? 0 : 3;
  return Array.from({ length: random.integer(least, ids.length === 4 ? 5 : 6) }, (_, v) => ({
    id: `v${v}`,
    location: random.pick(depots),
    ...(random.chance(0.9) && { capacity: capacities[v] ?? random.pick(capacities) }),
    ...(random.chance(broken) && { status: random.pick(['maintenance', 'downtime'] as const) }),
  }));
}

function randomConstraints(random: Random, capacity: number): Constraints {
  const level = random.pick([0, 0.3, 0.5, 0.8, 0.8, 0.95, 1]);
  const distance = random.integer(0, 60);
  const least = random.pick([0, 1, 1, 2]);
  return {
    capacity_per_vehicle: capacity,
    ...(random.chance(0.8) ? { min_service_level: level } : { min_demand_coverage: level }),
    ...(random.chance(0.4) &&
      (random.chance(0.8) ? { max_distance: distance } : { max_rebalancing_distance_km: distance })),
    ...(random.chance(0.15) && { min_vehicles_per_location: least }),
    ...(random.chance(0.2) && { max_vehicles_per_location: random.integer(Math.max(1, least), 4) }),
    ...(random.chance(0.25) && { total_fleet_size: random.integer(1, 5) }),
    max_rebalancing_cost: random.chance(0.75) ? null : random.integer(0, 1_000_000) / 1e4,
  };
}

/** In every fourth instance bounds by location, from random numbers of their own; they may name any location. */
function withBoundsOf(seed: number, ids: readonly number[], constraints: Constraints): Constraints {
  if (seed % 4 > 0) return constraints;
  const random = createRandom(seed + 1e6);
  const minimum = () => random.pick([0, 0, 1, 1, 2]);
  return withBounds(
    constraints,
    randomBounds(random, ids, minimum, () => random.integer(0, 4)),
  );
}

/** Whether any vehicle may move; if none does, no engine is asked. */
export function hasMovable({ fleet_state: { vehicles } }: OptimizeRequest): boolean {
  return vehicles.some(({ status = 'operational', pinned }) => status === 'operational' && !pinned);
}

/** In every third instance, by random numbers of their own. */
function pinSome(seed: number, { fleet_state: { vehicles } }: OptimizeRequest): void {
  if (seed % 3 > 0) return;
  const random = createRandom(seed + 2e6);
  const share = random.pick([0.2, 0.5, 0.5, 1]);
  for (const vehicle of vehicles) if (random.chance(share)) vehicle.pinned = true;
}

/** Dense, with gaps, or in two separate parts. */
function randomNetwork(
  random: Random,
  location_ids: number[],
  kind: CostKind,
): NonNullable<OptimizeRequest['network']> {
  const equal = random.integer(0, 500_000) / 1e4;
  const small = () => random.integer(0, 500_000) / 1e4;
  const large = () => random.integer(0, MAX_COST / 100) * 100;
  const costOf: Partial<Record<CostKind, () => number>> = {
    zero: () => 0,
    equal: () => equal,
    small,
    large,
    'small and large': () => (random.chance(0.3) ? large() : small()),
  };
  const cost = costOf[kind]!;
  const gaps = random.pick([0, 0, 0, 0.2, 0.5]);
  const parts = random.pick([1, 1, 1, 2]);
  const isOpen = (i: number, j: number) => i % parts === j % parts && !random.chance(gaps);
  return {
    location_ids,
    costs: location_ids.map((_, i) => location_ids.map((_, j) => (isOpen(i, j) ? cost() : null))),
    ...(random.chance(0.4) && {
      distances_km: location_ids.map(() => location_ids.map(() => random.integer(0, 60))),
    }),
  };
}

/**
 * The same request with every list in another order: demand, vehicles, locations, the network's rows and columns. With
 * new location ids, the order in which the service sorts them changes, too.
 */
export function reordered(
  { request, locations }: { request: OptimizeRequest; locations: readonly LocationPoint[] },
  random: Random,
  ids: 'same ids' | 'other ids',
): { request: OptimizeRequest; locations: LocationPoint[] } {
  const { network } = request;
  const known = [
    ...new Set([
      ...Object.keys(request.demand_forecast).map(Number),
      ...request.fleet_state.vehicles.map((vehicle) => vehicle.location!),
      ...(network?.location_ids ?? locations.map(({ id }) => id)),
      ...namedByBounds(request.constraints),
    ]),
  ];
  const others = random.shuffle(known.map((_, at) => 3 * at - 4));
  const nameOf = new Map(known.map((id, at) => [id, ids === 'same ids' ? id : others[at]]));
  const order = random.shuffle(Array.from(network?.location_ids.keys() ?? []));
  const permuted = <T>(matrix: T[][]) => order.map((i) => order.map((j) => matrix[i][j]));
  return {
    request: {
      ...request,
      constraints: { ...request.constraints, ...renamed(request.constraints ?? {}, nameOf) },
      demand_forecast: Object.fromEntries(
        random
          .shuffle(Object.entries(request.demand_forecast))
          .map(([id, steps]) => [nameOf.get(Number(id))!, steps]),
      ),
      fleet_state: {
        vehicles: random
          .shuffle(request.fleet_state.vehicles)
          .map((vehicle) => ({ ...vehicle, location: nameOf.get(vehicle.location!)! })),
      },
      ...(network && {
        network: {
          location_ids: order.map((i) => nameOf.get(network.location_ids[i])!),
          costs: permuted(network.costs),
          ...(network.distances_km && { distances_km: permuted(network.distances_km) }),
        },
      }),
    },
    locations: random.shuffle(locations).map(({ id, ...place }) => ({ id: nameOf.get(id) ?? id, ...place })),
  };
}
