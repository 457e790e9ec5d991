/**
 * Hundreds of conflicts, each solved again without each of its constraints.
 * @module-tag slow
 */
import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import type { ConstraintName } from '../../../../src/core/optimize/problem/constraints.ts';
import { enough, isFullDepth, seeds } from '../../../helpers/depth.ts';
import { optimizeCached as optimize } from '../cached.ts';
import { changed, NO_CONSTRAINT, withoutForbiddenMoves } from '../changed-requests.ts';
import { cheapestByTryingAll, readFacts } from '../exhaustive.ts';
import { createRandom, type Instance, randomInstance, SETTINGS } from '../instances.ts';

/**
 * Whether there is a plan under these constraints alone, by trying all plans. Without `supply`, any fleet may be used.
 */
function hasPlanWithOnly(
  request: OptimizeRequest,
  locations: Instance['locations'],
  names: readonly ConstraintName[],
): boolean {
  let only = request;
  for (const [name, noLimit] of Object.entries(NO_CONSTRAINT)) {
    if (!names.includes(name as ConstraintName)) only = changed(only, name as ConstraintName, noLimit);
  }
  if (!names.includes('network')) only = withoutForbiddenMoves(only);
  if (names.includes('supply')) return cheapestByTryingAll(only, locations) !== null;
  return hasPlanWithAnyFleet(only);
}

/** Every vehicle is as large as the largest and wherever it is needed, so nothing has to move. */
function hasPlanWithAnyFleet(request: OptimizeRequest): boolean {
  const c = request.constraints ?? {};
  const facts = readFacts(request, []);
  const { demand: planned, vehicles, usualCapacity } = facts;
  const largest = vehicles.length > 0 ? Math.max(...vehicles.map((v) => v.capacity)) : usualCapacity;
  if (facts.ids.some((id) => facts.minVehicles(id) > facts.maxVehicles(id))) return false;
  const gains: number[] = [];
  let total = 0;
  for (const [id, demand] of planned) {
    const most = facts.maxVehicles(id);
    total += demand;
    for (let v = 0; v < most && v * largest < demand; v++)
      gains.push(Math.min(largest, demand - v * largest));
  }
  gains.sort((a, b) => b - a);
  const served = gains.slice(0, c.total_fleet_size ?? gains.length).reduce((a, b) => a + b, 0);
  return served >= (c.min_service_level ?? SETTINGS.minServiceLevel) * total - 1e-9 * total;
}

/**
 * Every constraint at once, some implied by others: moves both forbidden and too long, locations that must not be left
 * or filled.
 */
function crowdedInstance(seed: number): Instance {
  const random = createRandom(seed);
  const { request, locations } = randomInstance(seed);
  const least = random.integer(0, 2);
  const constraints: NonNullable<OptimizeRequest['constraints']> = {
    ...request.constraints,
    min_service_level: random.pick([0, 0.8, 0.95, 1]),
    max_distance: random.integer(0, 50),
    min_vehicles_per_location: least,
  };
  if (random.chance(0.6)) constraints.max_vehicles_per_location = random.integer(Math.max(1, least), 3);
  if (random.chance(0.4)) constraints.total_fleet_size = random.integer(1, 5);
  const { network } = request;
  if (network) {
    const matrix = (value: () => number | null) => network.costs.map((row) => row.map(value));
    network.costs = matrix(() => (random.chance(0.4) ? null : random.integer(0, 50)));
    network.distances_km = matrix(() => random.integer(0, 60));
  }
  return { seed, request: { ...request, constraints }, locations };
}

describe('the constraints in conflict', () => {
  test.each([
    { of: 'random instances', instance: randomInstance, first: 14_001, last: 14_600 },
    {
      of: 'instances with many constraints',
      instance: crowdedInstance,
      first: 20_001,
      last: 20_800,
      members: 8,
    },
  ])('are irreducible, every set of them, for $of', async ({ instance, first, last }) => {
    const sizes = new Map<number, number>();
    const seen = new Map<ConstraintName, number>();
    let further = 0;
    for (const seed of seeds(first, last)) {
      const { request, locations } = instance(seed);
      const outcome = await optimize({ request, locations, settings: SETTINGS });
      if (outcome.status !== 'infeasible') continue;
      const { sets } = outcome;
      further += sets.length - 1;
      for (const { names, irreducible } of sets) {
        expect(irreducible, `seed ${seed}`).toBe(true);
        sizes.set(names.length, (sizes.get(names.length) ?? 0) + 1);
        expect(hasPlanWithOnly(request, locations, names), `seed ${seed} ${names}`).toBe(false);
        for (const name of names) {
          seen.set(name, (seen.get(name) ?? 0) + 1);
          const rest = names.filter((other) => other !== name);
          const without = hasPlanWithOnly(request, locations, rest);
          expect(without, `seed ${seed} ${names} without ${name}`).toBe(true);
        }
      }
    }
    if (isFullDepth) expect(seen.size).toBe(8);
    expect(Math.min(...seen.values())).toBeGreaterThan(enough(1));
    expect(Math.max(...sizes.keys())).toBeGreaterThan(enough(2));
    expect(further).toBeGreaterThan(enough(10));
  });

  const setsOf = async (request: OptimizeRequest, locations: Instance['locations'] = []) => {
    const outcome = await optimize({ request, locations, settings: SETTINGS });
    if (outcome.status !== 'infeasible') throw new Error(`is ${outcome.status}`);
    return outcome.sets;
  };
  const vehicles = ['a', 'b'].map((id) => ({ id, location: 1 }));

  test('are none that the request does not have, and none that is there for what vehicles more would need', async () => {
    const locations = [40, 40.4, 40.8].map((latitude, i) => ({ id: i + 1, latitude, longitude: -74 }));
    const sets = await setsOf(
      {
        demand_forecast: { 1: [0.1], 2: [0.1], 3: [0.1] },
        fleet_state: { vehicles },
        constraints: {
          min_service_level: 1,
          max_distance: 36,
          min_vehicles_per_location: 1,
          max_vehicles_per_location: 1,
        },
      },
      locations,
    );
    expect(sets).toEqual([
      { names: ['supply', 'min_service_level'], irreducible: true },
      { names: ['min_vehicles_per_location', 'supply'], irreducible: true },
    ]);
  });

  test('are bounds of different locations, without contradiction, that leave too few vehicles to serve', async () => {
    const ids = [1, 2, 3, 4];
    // Two serve at location 1, or one each at 1, 2 and 4; with both bounds, two are left to serve at 1, 2 or 4.
    const sets = await setsOf({
      demand_forecast: { 1: [4], 2: [1], 4: [1] },
      fleet_state: { vehicles: ['a', 'b', 'c', 'd'].map((id) => ({ id, location: 1, capacity: 2 })) },
      constraints: {
        min_service_level: 0.66,
        min_vehicles_per_location: { 3: 2 },
        max_vehicles_per_location: { 1: 1 },
      },
      network: { location_ids: ids, costs: ids.map(() => ids.map(() => 0)) },
    });
    const names = ['max_vehicles_per_location', 'min_vehicles_per_location', 'supply', 'min_service_level'];
    expect(sets).toEqual([{ names, irreducible: true }]);
  });

  test('are all that forbid a move, where more than one of them does', async () => {
    const sets = await setsOf({
      demand_forecast: { 1: [1], 2: [1] },
      fleet_state: { vehicles },
      constraints: { min_service_level: 1, max_distance: 30 },
      network: {
        location_ids: [1, 2],
        costs: [
          [0, null],
          [0, 0],
        ],
        distances_km: [
          [0, 40],
          [20, 0],
        ],
      },
    });
    expect(sets).toEqual([
      { names: ['max_distance', 'supply', 'min_service_level'], irreducible: true },
      { names: ['network', 'supply', 'min_service_level'], irreducible: true },
    ]);
  });
});
