import { describe, expect, test } from 'vitest';
import { STEP_HOURS } from '../../../src/contracts/bounds.ts';
import { DEMAND_AGGREGATIONS, type OptimizeRequest } from '../../../src/contracts/optimize.ts';
import { verifyPlan } from '../../../src/core/optimize/answer/verify.ts';
import type { OptimizeOutcome } from '../../../src/core/optimize/problem/model.ts';
import { checkRequest } from '../../../src/core/optimize/request/check.ts';
import { enough, seeds } from '../../helpers/depth.ts';
import { optimizeCached as optimize } from './cached.ts';
import { cheapestByTryingAll, readFacts } from './exhaustive.ts';
import { createRandom, SETTINGS } from './instances.ts';
import { tinyInstance } from './tiny-instances.ts';

const INSTANCES = 1200;
const TRIPS = [0.1, 0.5, 1, 2, 2.5, 3];

/** A small request whose demand is trips, in series of several lengths; now and then the setting says how many. */
function tripsInstance(seed: number) {
  const random = createRandom(1e6 + seed);
  const { request, locations } = tinyInstance(seed);
  const trips = random.pick(TRIPS);
  const step_hours = random.pick(STEP_HOURS);
  const isSetting = random.chance(0.3);
  const demand_aggregation = random.pick([...DEMAND_AGGREGATIONS, 'quantile:0.9', 'quantile:0.25'] as const);
  const load = trips * step_hours;
  const more = random.integer(0, 3);
  const series = ([first]: number[]) =>
    Array.from({ length: 1 + random.integer(0, more) }, () =>
      Number((first * load * random.pick([0, 0.5, 1, 1, 1.3])).toFixed(3)),
    );
  const asked: OptimizeRequest = {
    ...request,
    demand_forecast: Object.fromEntries(
      Object.entries(request.demand_forecast).map(([id, steps]) => [id, series(steps)]),
    ),
    options: {
      ...request.options,
      demand_aggregation,
      step_hours,
      ...(!isSetting && { trips_per_vehicle_hour: trips }),
    },
  };
  return {
    request: asked,
    locations,
    settings: { ...SETTINGS, tripsPerVehicleHour: isSetting ? trips : null },
  };
}

const costOf = (outcome: OptimizeOutcome) =>
  outcome.status === 'optimal' ? Math.round(outcome.certificate.objective * 1e4) : outcome.status;

/** The same without trips: each vehicle states what it serves. */
function withStatedLoads(request: OptimizeRequest, settings = SETTINGS): OptimizeRequest {
  const { usualCapacity, vehicles } = readFacts(request, [], settings);
  const loads = vehicles.values();
  return {
    ...request,
    fleet_state: {
      vehicles: request.fleet_state.vehicles.map((vehicle) => ({
        ...vehicle,
        ...((vehicle.status ?? 'operational') === 'operational' && {
          capacity: loads.next().value!.capacity,
        }),
      })),
    },
    constraints: { ...request.constraints, capacity_per_vehicle: usualCapacity },
    options: { ...request.options, trips_per_vehicle_hour: null },
  };
}

/** With the vehicles that the answer says are missing; null where it names none, or too many to try every plan. */
function withAdditions(
  request: OptimizeRequest,
  { conflicts }: Extract<OptimizeOutcome, { status: 'infeasible' }>,
): OptimizeRequest | null {
  const additions = conflicts.find(({ constraint }) => constraint === 'supply')?.additions ?? [];
  const added = additions.flatMap(({ location_id: location, vehicles, capacity }) =>
    Array.from({ length: vehicles }, (_, v) => ({ id: `${location} ${v}`, location, capacity })),
  );
  const vehicles = [...request.fleet_state.vehicles, ...added];
  return added.length === 0 || vehicles.length > 7 ? null : { ...request, fleet_state: { vehicles } };
}

describe('where demand is trips', () => {
  test('plans agree with trying every plan, on random requests of every aggregation', {
    tags: 'slow',
  }, async () => {
    const seen = new Map<string, number>();
    const see = (kind: string) => seen.set(kind, (seen.get(kind) ?? 0) + 1);
    const wrong: unknown[] = [];
    for (const seed of seeds(1, INSTANCES)) {
      const asked = tripsInstance(seed);
      const { request, locations, settings } = asked;
      const faults = checkRequest(request, new Set(locations.map(({ id }) => id)), settings);
      expect(faults).toEqual([]);
      const outcome = await optimize(asked);
      const expected = cheapestByTryingAll(request, locations, settings)?.costUnits ?? 'infeasible';
      if (costOf(outcome) !== expected) wrong.push({ seed, cost: costOf(outcome), expected });
      const stated = await optimize({ ...asked, request: withStatedLoads(request, settings) });
      if (costOf(stated) !== expected) wrong.push({ seed, stated: costOf(stated), expected });
      see(outcome.status);
      if (outcome.status === 'infeasible') {
        const enlarged = withAdditions(request, outcome);
        if (enlarged === null) continue;
        see('additions');
        if (cheapestByTryingAll(enlarged, locations, settings) === null) wrong.push({ seed, enlarged });
      }
      if (outcome.status !== 'optimal') continue;
      see(request.options!.demand_aggregation!);
      if (outcome.result.kpis.rebalanced_count > 0) see('moves');
      if (settings.tripsPerVehicleHour !== null) see('setting');
      const { demand_coverage: coverage, utilization } = outcome.result.kpis;
      // Twice or half the trips change the share of demand that is served, or what the fleet is used.
      const withTrips = (factor: number) => {
        const { trips_per_vehicle_hour: own, ...options } = request.options!;
        const trips = factor * (own ?? settings.tripsPerVehicleHour!);
        const changed = { ...request, options: { ...options, trips_per_vehicle_hour: trips } };
        return verifyPlan(changed, locations, settings, outcome.result).join('; ');
      };
      if (withTrips(1) !== '') wrong.push({ seed, verified: withTrips(1) });
      if (coverage * utilization === 0) continue;
      see('rejected');
      for (const factor of [2, 0.5]) if (!/kpis\./.test(withTrips(factor))) wrong.push({ seed, factor });
    }
    expect(wrong).toEqual([]);
    const kinds = [
      'optimal',
      'infeasible',
      'moves',
      'setting',
      'rejected',
      'additions',
      ...DEMAND_AGGREGATIONS,
    ];
    for (const kind of [...kinds, 'quantile:0.9', 'quantile:0.25'])
      expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(enough(INSTANCES / 40));
  });

  const locations = [1, 2].map((id) => ({ id, latitude: 40 + id / 10, longitude: -74 }));
  const fleet = (count: number, capacity?: number) => ({
    vehicles: Array.from({ length: count }, (_, v) => ({
      id: `v${v}`,
      location: 1,
      ...(capacity && { capacity }),
    })),
  });
  const solve = (request: OptimizeRequest, settings = SETTINGS) => optimize({ request, locations, settings });
  const plan = async (request: OptimizeRequest, settings = SETTINGS) => {
    const outcome = await solve({ ...request, constraints: { min_service_level: 1 } }, settings);
    if (outcome.status !== 'optimal') throw new Error(outcome.status);
    return outcome.result;
  };

  test('a vehicle serves its capacity, times trips an hour, times hours of a step', async () => {
    const demand_forecast = { 2: [5, 36] };
    const options = { trips_per_vehicle_hour: 2, step_hours: 3 } as const;
    // 36 trips in three hours are 12 an hour: three vehicles that carry two parties each, twice an hour.
    const { kpis } = await plan({ demand_forecast, fleet_state: fleet(4, 2), options });
    expect(kpis).toMatchObject({ rebalanced_count: 3, demand_coverage: 1, unmet_demand: 0 });
    expect(kpis.utilization).toBe(36 / (4 * 2 * 2 * 3));
  });

  test('without trips the hours of a step change nothing, and null lifts the setting', async () => {
    const request = { demand_forecast: { 2: [3] }, fleet_state: fleet(4) };
    const bare = await plan(request);
    expect(bare.kpis).toMatchObject({ rebalanced_count: 3, utilization: 0.75 });
    expect(await plan({ ...request, options: { step_hours: 24 } })).toEqual(bare);
    const settings = { ...SETTINGS, tripsPerVehicleHour: 3 };
    expect((await plan(request, settings)).kpis).toMatchObject({ rebalanced_count: 1, utilization: 0.25 });
    expect(await plan({ ...request, options: { trips_per_vehicle_hour: null } }, settings)).toEqual(bare);
  });

  test('the sum of all steps is served in the hours of all steps, so it plans as the mean does', async () => {
    const request = { demand_forecast: { 2: [1, 7, 4] }, fleet_state: fleet(4) };
    const options = { trips_per_vehicle_hour: 2, step_hours: 1 } as const;
    const [sum, mean] = await Promise.all(
      (['sum', 'mean'] as const).map((demand_aggregation) =>
        plan({ ...request, options: { ...options, demand_aggregation } }),
      ),
    );
    expect(sum.allocation_plan).toEqual(mean.allocation_plan);
    expect(sum.kpis).toMatchObject({ rebalanced_count: 2, utilization: 0.5, demand_coverage: 1 });
    expect(mean.kpis).toMatchObject({ rebalanced_count: 2, utilization: 0.5, demand_coverage: 1 });
  });

  test('messages name the capacity of a vehicle as it was stated, and what the fleet serves', async () => {
    const outcome = await solve({
      demand_forecast: { 2: [5.9] },
      fleet_state: fleet(3, 0.3),
      constraints: { min_service_level: 1 },
      options: { trips_per_vehicle_hour: 3 },
    });
    if (outcome.status !== 'infeasible') throw new Error(outcome.status);
    const [supply] = outcome.conflicts;
    expect(supply).toMatchObject({ constraint: 'supply', value: 3, relaxation: 7 });
    expect(supply.additions).toEqual([{ location_id: 2, vehicles: 4, capacity: 0.3 }]);
    expect(outcome.errors[0].message).toBe(
      '3 operational vehicles with a total capacity of 0.9, which serves 2.7, cannot serve the required 5.9 ' +
        '(100 % of the demand 5.9); add 4 vehicles of capacity 0.3 (for example 4 at location 2)',
    );
  });

  test('insights step by the demand that a vehicle serves', async () => {
    const result = await plan({
      demand_forecast: { 2: [6] },
      fleet_state: fleet(4),
      options: { trips_per_vehicle_hour: 2, step_hours: 2, explain: true },
    });
    expect(result.kpis.rebalanced_count).toBe(2);
    expect(result.insights).toMatchObject({ demand_step: 4 });
    // The second vehicle has two trips to spare, so four more ask for a third one.
    const [, second] = result.insights!.locations;
    expect(second).toMatchObject({ location_id: 2, more_demand_costs: result.total_cost / 2 });
  });
});
