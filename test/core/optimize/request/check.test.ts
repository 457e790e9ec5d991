import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { checkRequest, namedLocationIds } from '../../../../src/core/optimize/request/check.ts';
import { SETTINGS } from '../instances.ts';

const STORED = new Set([1, 2, 3]);

function request(over: Partial<OptimizeRequest> = {}): OptimizeRequest {
  return {
    demand_forecast: { 1: [1, 2] },
    fleet_state: { vehicles: [{ id: 'a', location: 2 }] },
    ...over,
  };
}

const fleet = (...vehicles: OptimizeRequest['fleet_state']['vehicles']) => ({ fleet_state: { vehicles } });

const network = {
  location_ids: [1, 2],
  costs: [
    [0, 1],
    [2, null],
  ],
};

const demandAt = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [i + 1, [1]]));
const capacities = (count: number) =>
  Array.from({ length: count }, (_, k) => ({ id: `v${k}`, location: 1, capacity: k + 1 }));
/** Matrices of many locations share their rows. */
const lineOf = (count: number) => {
  const row = new Array<number>(count).fill(1);
  return { location_ids: row.map((_, i) => i + 1), costs: row.map(() => row) };
};

describe('checkRequest', () => {
  test('finds nothing wrong with a right request, in either vehicle shape', () => {
    expect(checkRequest(request(), STORED, SETTINGS)).toEqual([]);
    expect(checkRequest(request(fleet({ vehicle_id: 'a', location_id: 3 })), STORED, SETTINGS)).toEqual([]);
    expect(checkRequest(request({ network }), new Set(), SETTINGS)).toEqual([]);
    // Kilometres of a map, two of them of stations side by side, and the noise of its arithmetic.
    const costs = [
      [1e-13, 1.2345678, 0.00121],
      [1.2345679, 3e-13, 0.0057],
      [0.00121, 0.00573, 0],
    ];
    expect(
      checkRequest(request({ network: { location_ids: [1, 2, 3], costs } }), new Set(), SETTINGS),
    ).toEqual([]);
    expect(checkRequest(request({ options: { cost: { per_km: 0.001 } } }), STORED, SETTINGS)).toEqual([]);
    expect(checkRequest(request(fleet()), STORED, SETTINGS)).toEqual([]);
  });

  const cases: [string, Partial<OptimizeRequest>, string, RegExp][] = [
    [
      'a vehicle without id',
      fleet({ location: 1 }),
      'fleet_state.vehicles[0].id',
      /id is required but missing/,
    ],
    [
      'a vehicle with both names of its id',
      fleet({ id: 'a', vehicle_id: 'a', location: 1 }),
      'fleet_state.vehicles[0].vehicle_id',
      /vehicle_id means the same as id; give only one/,
    ],
    [
      'a vehicle without location',
      fleet({ id: 'a' }),
      'fleet_state.vehicles[0].location',
      /location is required but missing/,
    ],
    [
      'a vehicle with both names of its location',
      fleet({ id: 'a', location: 1, location_id: 2 }),
      'fleet_state.vehicles[0].location_id',
      /give only one/,
    ],
    [
      'an id that is used again, naming its first place',
      fleet({ id: 'a', location: 1 }, { id: 'b', location: 1 }, { vehicle_id: 'a', location_id: 1 }),
      'fleet_state.vehicles[2].vehicle_id',
      /"a" is a duplicate of fleet_state\.vehicles\[0\]/,
    ],
    [
      'a vehicle at an unknown location',
      fleet({ id: 'a', location: 9 }),
      'fleet_state.vehicles[0].location',
      /location 9 is not a stored location/,
    ],
    [
      'demand of an unknown location',
      { demand_forecast: { 9: [1] } },
      'demand_forecast.9',
      /location 9 is not a stored location/,
    ],
    [
      'a location that the network does not have',
      { network, ...fleet({ id: 'a', location: 3 }) },
      'fleet_state.vehicles[0].location',
      /location 3 is not in network\.location_ids/,
    ],
    [
      'costs that rounding makes one',
      {
        network: {
          location_ids: [1, 2, 3],
          costs: [
            [0, 1, 0.00009],
            [1, 0, 0.000001],
            [1, 1, 0],
          ],
        },
      },
      'network.costs[0][2]',
      /^0\.00009 and network\.costs\[1\]\[2\], 0\.000001, would be one cost, .* in a smaller unit/,
    ],
    [
      'a cost per km that makes all moves cost the same',
      { options: { cost: { per_km: 1e-6 } } },
      'options.cost.per_km',
      /^0\.000001 is below 0\.001, .* in a smaller unit/,
    ],
    [
      'a location that the network names twice',
      { network: { location_ids: [1, 2, 1], costs: [[], [], []].map(() => [0, 0, 0]) } },
      'network.location_ids[2]',
      /location 1 is a duplicate of network\.location_ids\[0\]/,
    ],
    [
      'too few rows of costs',
      { network: { ...network, costs: [[0, 1]] } },
      'network.costs',
      /has 1 rows; give one row for each of the 2/,
    ],
    [
      'a short row of costs',
      { network: { ...network, costs: [[0, 1], [2]] } },
      'network.costs[1]',
      /has 1 values; give one value for each of the 2/,
    ],
    [
      'distances that are not square',
      { network: { ...network, distances_km: [[0, 1], [2]] } },
      'network.distances_km[1]',
      /has 1 values/,
    ],
    [
      'an allowed move of unknown distance',
      {
        network: {
          ...network,
          distances_km: [
            [0, null],
            [2, 0],
          ],
        },
      },
      'network.distances_km[0][1]',
      /is null although network\.costs allows the move/,
    ],
    [
      'a cost that no total could hold exactly',
      {
        network: {
          ...network,
          costs: [
            [0, 1e12],
            [1, 0],
          ],
        },
      },
      'network.costs[0][1]',
      /1000000000000 is above the maximum/,
    ],
    [
      'a constraint beside its alias',
      { constraints: { max_distance: 5, max_rebalancing_distance_km: 6 } },
      'constraints.max_rebalancing_distance_km',
      /\(6\) means the same as max_distance \(5\)/,
    ],
    [
      'a service level beside its alias',
      { constraints: { min_service_level: 0.5, min_demand_coverage: 0.5 } },
      'constraints.min_demand_coverage',
      /means the same as min_service_level/,
    ],
    [
      'a minimum above its maximum',
      { constraints: { min_vehicles_per_location: 3, max_vehicles_per_location: 2 } },
      'constraints.min_vehicles_per_location',
      /3 is above max_vehicles_per_location 2/,
    ],
    [
      'a priority of a location that is not stored',
      { constraints: { priorities: { default: 1, 99: 2 } } },
      'constraints.priorities.99',
      /^location 99 is not a stored location/,
    ],
    [
      'a bound of a location that is not stored',
      { constraints: { min_vehicles_per_location: { default: 1, 99: 2 } } },
      'constraints.min_vehicles_per_location.99',
      /^location 99 is not a stored location; store it first/,
    ],
    [
      'a bound of a location that is not in the network',
      { network, constraints: { max_vehicles_per_location: { 3: 2 } } },
      'constraints.max_vehicles_per_location.3',
      /^location 3 is not in network\.location_ids/,
    ],
    [
      'a minimum above the maximum of its location',
      {
        constraints: {
          min_vehicles_per_location: { default: 1, 2: 5 },
          max_vehicles_per_location: { default: 9, 2: 4 },
        },
      },
      'constraints.min_vehicles_per_location.2',
      /^location 2: 5 is above max_vehicles_per_location 4; lower it to at most 4 or raise the maximum$/,
    ],
    [
      'a minimum for all above the maximum of a location',
      { constraints: { min_vehicles_per_location: 3, max_vehicles_per_location: { 2: 1 } } },
      'constraints.max_vehicles_per_location.2',
      /^location 2: 3 is above max_vehicles_per_location 1/,
    ],
    [
      'a default minimum above the default maximum',
      {
        constraints: {
          min_vehicles_per_location: { default: 3 },
          max_vehicles_per_location: { default: 2, 1: 4 },
        },
      },
      'constraints.min_vehicles_per_location.default',
      /^3 is above max_vehicles_per_location 2/,
    ],
    [
      'demand that is next to nothing beside one capacity',
      { demand_forecast: { 1: [0, 1e-11], 2: [2e-11] } },
      'demand_forecast',
      /adds up to 3e-11, less than 1e-10 of the 1 that a vehicle serves; state demand and capacity in the same unit/,
    ],
    [
      'the same of the capacity that the request states for all',
      {
        demand_forecast: { 1: [0.01, 0] },
        constraints: { capacity_per_vehicle: 1e8 },
        options: { demand_aggregation: 'mean' },
      },
      'demand_forecast',
      /adds up to 0.005, less than 1e-10 of the 100000000 that a vehicle serves/,
    ],
    [
      'demand that is next to nothing beside what the trips of a vehicle serve',
      { demand_forecast: { 1: [1e-7] }, options: { trips_per_vehicle_hour: 100, step_hours: 24 } },
      'demand_forecast',
      /adds up to 1e-7, less than 1e-10 of the 2400 that a vehicle serves/,
    ],
    [
      'trips that make more of a vehicle than the arithmetic carries, over all steps of a sum',
      {
        demand_forecast: { 1: [1], 2: [1, 1, 1, 1] },
        constraints: { capacity_per_vehicle: 1e5 },
        options: { trips_per_vehicle_hour: 1000, step_hours: 3, demand_aggregation: 'sum' },
      },
      'options.trips_per_vehicle_hour',
      /with 12000 trips per unit of capacity, a vehicle of capacity 100000 serves 1200000000, above the maximum 1000000000;/,
    ],
    [
      'trips that make less of a vehicle than the solver can tell from nothing',
      { ...fleet({ id: 'a', location: 2, capacity: 2e-6 }), options: { trips_per_vehicle_hour: 0.25 } },
      'options.trips_per_vehicle_hour',
      /a vehicle of capacity 0.000002 serves 5e-7, below the minimum 0.000001; change the trips/,
    ],
    [
      'an explanation of more locations than fit',
      { demand_forecast: demandAt(5001), network: lineOf(5001), options: { explain: true } },
      'options.explain',
      /at most 5000 locations, and the request has 5001; leave it out/,
    ],
    [
      'more capacities than the solver has memory for',
      { ...fleet(...capacities(400)), network: lineOf(500) },
      'fleet_state.vehicles',
      /400 distinct capacities at 500 locations make a model of 600501 columns, more than the 500000/,
    ],
    [
      'a demand past what can be summed',
      { demand_forecast: { 1: [1, 2e9] } },
      'demand_forecast.1[1]',
      /above the maximum demand/,
    ],
  ];
  for (const [name, over, field, message] of cases) {
    test(`finds ${name}`, () => {
      const faults = checkRequest(request(over), STORED, SETTINGS);
      expect(faults.map((f) => f.field)).toEqual([field]);
      expect(faults[0].message).toMatch(message);
      expect(faults[0].detail).toBeNull();
    });
  }

  test.each([
    ['options.travel', { travel: 'stored' as const }],
    ['options.cost.per_move', { cost: { per_move: 1 } }],
  ])('takes %s with as many locations as fit in memory, and no more', (field, options) => {
    const faultsAt = (count: number) => {
      const ids = new Set(Array.from({ length: count }, (_, i) => i + 1));
      return checkRequest(request({ demand_forecast: demandAt(count), options }), ids, SETTINGS);
    };
    expect(faultsAt(5000)).toEqual([]);
    const message = expect.stringMatching(/supports at most 5000 locations, and the request has 5001; split/);
    expect(faultsAt(5001)).toEqual([{ field, message, detail: null }]);
  });

  test('passes bounds by location that do not contradict each other', () => {
    const bounds: Record<string, number>[] = [{}, { default: 2 }, { 3: 0 }, { default: 4, 1: 2 }];
    for (const max_vehicles_per_location of bounds) {
      const constraints = { min_vehicles_per_location: { 1: 2, 2: 2, 3: 0 }, max_vehicles_per_location };
      expect(checkRequest(request({ constraints }), STORED, SETTINGS)).toEqual([]);
    }
  });

  test('reports several faults at once, and at most 100', () => {
    const vehicles = Array.from({ length: 300 }, (_, v) => ({ id: `${v}`, location: 9 }));
    const faults = checkRequest(
      request({ ...fleet(...vehicles), demand_forecast: { 8: [1] } }),
      STORED,
      SETTINGS,
    );
    expect(faults).toHaveLength(100);
    expect(faults.map((f) => f.field).slice(0, 2)).toEqual([
      'demand_forecast.8',
      'fleet_state.vehicles[0].location',
    ]);
  });

  test('passes 200,000 vehicles', () => {
    const vehicles = Array.from({ length: 200_000 }, (_, v) => ({ id: `${v}`, location: 1 + (v % 3) }));
    expect(checkRequest(request({ fleet_state: { vehicles } }), STORED, SETTINGS)).toEqual([]);
  });
});

describe('namedLocationIds', () => {
  test('is every location of demand, vehicles, network and constraints, ascending, once', () => {
    expect(
      namedLocationIds(
        request({
          demand_forecast: { 7: [1], '-3': [1] },
          ...fleet({ id: 'a', location: 2, status: 'downtime' }, { vehicle_id: 'b', location_id: 7 }),
          network: { location_ids: [5], costs: [[0]] },
          constraints: {
            min_vehicles_per_location: { default: 0, 9: 1, 2: 1 },
            max_vehicles_per_location: { '-8': 1 },
            priorities: { default: 1, 11: 2 },
          },
        }),
      ),
    ).toEqual([-8, -3, 2, 5, 7, 9, 11]);
  });
});
