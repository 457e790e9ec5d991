import { describe, expect, test } from 'vitest';
import type { OptimizeRequest, VehicleInput } from '../../../src/contracts/optimize.ts';
import { checkRequest } from '../../../src/core/optimize/request/check.ts';
import { enough, seeds } from '../../helpers/depth.ts';
import { optimizeCached as optimize } from './cached.ts';
import { cheapestByTryingAll } from './exhaustive.ts';
import { createRandom, SETTINGS } from './instances.ts';
import { tinyInstance } from './tiny-instances.ts';

/** Two locations, one money apart. */
const NETWORK = {
  location_ids: [1, 2],
  costs: [
    [0, 1],
    [1, 0],
  ],
};

const vehicle = (id: string, location: number, over: Partial<VehicleInput> = {}): VehicleInput => ({
  id,
  location,
  ...over,
});

function solve(
  vehicles: VehicleInput[],
  demand: OptimizeRequest['demand_forecast'],
  constraints: OptimizeRequest['constraints'] = {},
  options: OptimizeRequest['options'] = {},
) {
  const request: OptimizeRequest = {
    demand_forecast: demand,
    fleet_state: { vehicles },
    constraints: { min_service_level: 1, ...constraints },
    options: { optimality_gap: 0, ...options },
    network: NETWORK,
  };
  return optimize({ request, locations: [], settings: SETTINGS });
}

async function planned(...given: Parameters<typeof solve>) {
  const outcome = await solve(...given);
  if (outcome.status !== 'optimal') throw new Error(`${outcome.status}: ${JSON.stringify(outcome)}`);
  return outcome.result;
}

async function refused(...given: Parameters<typeof solve>) {
  const outcome = await solve(...given);
  if (outcome.status !== 'infeasible') throw new Error(outcome.status);
  return outcome.errors.map(({ field, message }) => `${field}: ${message}`);
}

const targets = ({ allocation_plan }: Awaited<ReturnType<typeof planned>>) =>
  Object.fromEntries(allocation_plan.map((item) => [item.vehicle_id, item.target_location]));

describe('a pinned vehicle', () => {
  test('stays, and the one after it moves', async () => {
    const vehicles = [vehicle('a', 1, { pinned: true }), vehicle('b', 1), vehicle('c', 1, { pinned: false })];
    expect(targets(await planned(vehicles, { 2: [1] }))).toEqual({ a: 1, b: 2, c: 1 });
  });

  test('serves where it stands, and the figures of the plan count it', async () => {
    const vehicles = [vehicle('a', 1, { pinned: true, capacity: 3 }), vehicle('b', 1)];
    const { kpis, locations } = await planned(vehicles, { 1: [2], 2: [1] });
    expect(kpis).toMatchObject({
      demand_coverage: 1,
      utilization: 0.75,
      rebalanced_count: 1,
      unmet_demand: 0,
    });
    expect(locations![0]).toMatchObject({
      demand: 2,
      vehicles_before: 2,
      vehicles_after: 1,
      capacity_after: 3,
      served: 2,
      unmet: 0,
    });
  });

  test('is in the plan even if it is not needed, and if no vehicle may move', async () => {
    const vehicles = [vehicle('a', 1, { pinned: true }), vehicle('b', 2, { pinned: true, capacity: 2 })];
    expect(targets(await planned(vehicles, { 2: [2] }))).toEqual({ a: 1, b: 2 });
  });

  test('competes with the others for the fleet size, and may be one that does not count', async () => {
    const vehicles = [vehicle('a', 1, { pinned: true }), vehicle('b', 1, { capacity: 3 })];
    const one = { total_fleet_size: 1, min_service_level: 0.75 };
    expect(targets(await planned(vehicles, { 1: [1], 2: [3] }, one))).toEqual({ a: 1, b: 2 });
    const both = await planned(vehicles, { 1: [1], 2: [3] }, { total_fleet_size: 2 });
    expect(targets(both)).toEqual({ a: 1, b: 2 });
    expect(both.locations![0]).toMatchObject({ vehicles_before: 2, vehicles_after: 1, capacity_after: 1 });
    const errors = await refused(vehicles, { 1: [1], 2: [3] }, { total_fleet_size: 1 });
    expect(errors.join()).toMatch(/constraints\.total_fleet_size.*raise it to at least 2/);
  });

  test('is no move between two locations, and no target of vehicles that could be added', async () => {
    const vehicles = ['a', 'b'].map((id) => vehicle(id, 1, { pinned: true }));
    const { refinement } = await planned(
      [...vehicles, vehicle('c', 1)],
      { 1: [1], 2: [1] },
      { total_fleet_size: 2 },
      { refine: { max_pairs: 1 } },
    );
    expect(refinement!.pairs).toBe(1);
    const errors = await refused(vehicles, { 1: [2], 2: [1] }, { total_fleet_size: 3 });
    expect(errors.join()).toMatch(/add 1 vehicle of capacity 1 \(for example 1 at location 2\)/);
  });

  test('that is not operational neither serves nor is in the plan', async () => {
    const vehicles = [vehicle('a', 2, { pinned: true, status: 'downtime' }), vehicle('b', 1)];
    expect(targets(await planned(vehicles, { 2: [1] }))).toEqual({ b: 2 });
  });

  test('takes a dock, and counts for a least presence', async () => {
    const vehicles = [vehicle('a', 1, { pinned: true }), vehicle('b', 1), vehicle('c', 1)];
    const crowded = await planned(vehicles, {}, { max_vehicles_per_location: { '1': 1 } });
    expect(targets(crowded)).toEqual({ a: 1, b: 2, c: 2 });
    const present = await planned(vehicles, { 2: [2] }, { min_vehicles_per_location: { '1': 1 } });
    expect(targets(present)).toEqual({ a: 1, b: 2, c: 2 });
  });

  test('is counted among the operational vehicles of a request without a plan', async () => {
    const vehicles = [vehicle('a', 1, { pinned: true }), vehicle('b', 1)];
    const [error] = await refused(vehicles, { 2: [2] });
    expect(error).toMatch(/2 operational vehicles with a total capacity of 2/);
    const docks = await refused(
      [vehicle('a', 1, { pinned: true }), vehicle('b', 1, { pinned: true })],
      {},
      { max_vehicles_per_location: 1 },
    );
    expect(docks.join()).toMatch(/max_vehicles_per_location.*raise it to at least 2/);
  });

  test('is part of the level that is reached when the fleet is short', async () => {
    const vehicles = [vehicle('a', 1, { pinned: true }), vehicle('b', 1)];
    const { shortfall } = await planned(vehicles, { 1: [1], 2: [3] }, { shortage: 'serve_most' });
    expect(shortfall).toMatchObject({ requested: 1, reached: 0.5, unserved: 2, missing_vehicles: 2 });
  });

  test('serves more demand at its location for nothing, if it has capacity to spare', async () => {
    const vehicles = [
      vehicle('a', 2, { pinned: true, capacity: 2 }),
      ...'bc'.split('').map((id) => vehicle(id, 1)),
    ];
    const { insights } = await planned(
      vehicles,
      { 1: [1], 2: [1] },
      { capacity_per_vehicle: 1 },
      { explain: true },
    );
    expect(insights!.locations.map((l) => [l.location_id, l.one_fewer_costs, l.more_demand_costs])).toEqual([
      [1, 0, 0],
      [2, null, 0],
    ]);
  });
});

/** The same vehicle as one that is not where it stays yet. */
const onTheWay = ({ pinned, ...vehicle }: VehicleInput): VehicleInput => {
  return { ...vehicle, ...(pinned && { available_at: '2026-02-09T08:00Z' }) };
};

test('plans with vehicles that are pinned or on the way are the cheapest of all that keep these in place, on tiny requests', {
  tags: 'slow',
}, async () => {
  let moved = 0;
  let limited = 0;
  for (const seed of seeds(1, 1500)) {
    const { request, locations } = tinyInstance(seed);
    const random = createRandom(seed);
    const vehicles = request.fleet_state.vehicles.map((v) => ({ ...v, pinned: random.chance(0.4) }));
    const pinned: OptimizeRequest = { ...request, fleet_state: { vehicles } };
    const expected = cheapestByTryingAll(pinned, locations)?.costUnits ?? null;
    if (expected === null) continue;
    const sent = seed % 2 ? pinned : { ...pinned, fleet_state: { vehicles: vehicles.map(onTheWay) } };
    expect(checkRequest(sent, new Set(locations.map(({ id }) => id)), SETTINGS)).toEqual([]);
    const outcome = await optimize({ request: sent, locations, settings: SETTINGS });
    if (outcome.status !== 'optimal') throw new Error(`seed ${seed}: ${JSON.stringify(outcome)}`);
    expect(Math.round(outcome.result.total_cost * 1e4), `seed ${seed}`).toBe(expected);
    if (outcome.result.kpis.rebalanced_count === 0) continue;
    moved++;
    if (request.constraints!.total_fleet_size !== undefined && vehicles.some(({ pinned }) => pinned))
      limited++;
  }
  expect(moved).toBeGreaterThan(enough(250));
  expect(limited).toBeGreaterThan(enough(30));
});
