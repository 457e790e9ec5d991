import { describe, expect, test } from 'vitest';
import type { OptimizeRequest } from '../../../src/contracts/optimize.ts';
import { optimizeCached as optimize } from './cached.ts';
import { SETTINGS } from './instances.ts';

/**
 * Three locations in a row, one money a step; all vehicles start at location 1. Each constraint of the model is tested
 * once where it does not bind, and once where it changes the plan.
 */
const NETWORK = {
  location_ids: [1, 2, 3],
  costs: [
    [0, 1, 2],
    [1, 0, 1],
    [2, 1, 0],
  ],
  distances_km: [
    [0, 10, 20],
    [10, 0, 10],
    [20, 10, 0],
  ],
};

type Given = {
  demand: OptimizeRequest['demand_forecast'];
  capacities?: number[];
  constraints?: OptimizeRequest['constraints'];
  options?: OptimizeRequest['options'];
  network?: OptimizeRequest['network'];
};

/** Cost and the number of vehicles at each location afterwards, or the reason why there is no plan. */
async function solve({ demand, capacities = [1, 1, 1, 1], constraints, options, network = NETWORK }: Given) {
  const request: OptimizeRequest = {
    demand_forecast: demand,
    fleet_state: { vehicles: capacities.map((capacity, v) => ({ id: `v${v}`, location: 1, capacity })) },
    constraints: { min_service_level: 1, ...constraints },
    options: { optimality_gap: 0, ...options },
    network,
  };
  const outcome = await optimize({ request, locations: [], settings: SETTINGS });
  if (outcome.status !== 'optimal') return outcome.status;
  const at = [1, 2, 3].map(
    (id) => outcome.result.allocation_plan.filter((p) => p.target_location === id).length,
  );
  return { cost: outcome.result.total_cost, at };
}

describe('supply', () => {
  test('lets every vehicle stay where nothing is missing', async () => {
    expect(await solve({ demand: { 1: [4] } })).toEqual({ cost: 0, at: [4, 0, 0] });
  });
  test('lets no vehicle serve twice', async () => {
    expect(await solve({ demand: { 2: [2], 3: [2] } })).toEqual({ cost: 6, at: [0, 2, 2] });
    expect(await solve({ demand: { 2: [2], 3: [3] } })).toBe('infeasible');
  });
});

describe('demand served by the capacity present', () => {
  test('takes one vehicle for each started capacity, and no more', async () => {
    expect(await solve({ demand: { 2: [1.5] } })).toEqual({ cost: 2, at: [2, 2, 0] });
    expect(await solve({ demand: { 2: [1.5] }, capacities: [2, 2] })).toEqual({ cost: 1, at: [1, 1, 0] });
  });
  test('chooses the classes that fit together', async () => {
    // 5 = 3 + 2 with two moves; 3 + 3 is also enough, 2 + 2 is not.
    expect(await solve({ demand: { 3: [5] }, capacities: [2, 2, 3] })).toEqual({ cost: 4, at: [1, 0, 2] });
    expect(await solve({ demand: { 3: [4] }, capacities: [2, 2, 3] })).toEqual({ cost: 4, at: [1, 0, 2] });
    expect(await solve({ demand: { 3: [3] }, capacities: [2, 2, 3] })).toEqual({ cost: 2, at: [2, 0, 1] });
  });
});

describe('service level', () => {
  test('leaves out the dearest demand it may', async () => {
    expect(await solve({ demand: { 2: [2], 3: [2] }, constraints: { min_service_level: 0.75 } })).toEqual({
      cost: 4,
      at: [1, 2, 1],
    });
    expect(await solve({ demand: { 2: [2], 3: [2] }, constraints: { min_service_level: 0.76 } })).toEqual({
      cost: 6,
      at: [0, 2, 2],
    });
    expect(await solve({ demand: { 2: [2], 3: [2] }, constraints: { min_service_level: 0 } })).toEqual({
      cost: 0,
      at: [4, 0, 0],
    });
  });
  test('is not missed by the representation of decimals', async () => {
    // In binary 0.1 + 0.2 > 0.3 and 0.07 · 100 > 7.
    expect(
      await solve({
        demand: { 1: [0.1], 2: [0.2] },
        constraints: { min_service_level: 1 },
        capacities: [0.1, 0.2],
      }),
    ).toEqual({ cost: 1, at: [1, 1, 0] });
    expect(
      await solve({
        demand: { 1: [100] },
        capacities: Array.from({ length: 7 }, () => 1),
        constraints: { min_service_level: 0.07 },
      }),
    ).toEqual({ cost: 0, at: [7, 0, 0] });
    expect(
      await solve({
        demand: { 1: [99.5], 2: [0.5] },
        capacities: Array.from({ length: 7 }, () => 1),
        constraints: { min_service_level: 0.07 },
      }),
    ).toEqual({ cost: 0, at: [7, 0, 0] });
  });
});

describe('max_distance', () => {
  const demand = { 2: [1], 3: [1] };
  test('allows moves up to the limit itself', async () => {
    expect(await solve({ demand, constraints: { max_distance: 20 } })).toEqual({ cost: 3, at: [2, 1, 1] });
  });
  test('forbids longer ones', async () => {
    expect(await solve({ demand, constraints: { max_distance: 19.9, min_service_level: 0.5 } })).toEqual({
      cost: 1,
      at: [3, 1, 0],
    });
    expect(await solve({ demand, constraints: { max_distance: 19.9 } })).toBe('infeasible');
  });
  test('does not apply to a network without distances', async () => {
    const { distances_km: _, ...network } = NETWORK;
    expect(await solve({ demand, network, constraints: { max_distance: 1 } })).toEqual({
      cost: 3,
      at: [2, 1, 1],
    });
  });
});

describe('a forbidden move', () => {
  test('is not made, even where it would be the only one', async () => {
    const network = { ...NETWORK, costs: NETWORK.costs.map((row, i) => (i === 0 ? [0, 1, null] : row)) };
    expect(await solve({ demand: { 2: [1] }, network })).toEqual({ cost: 1, at: [3, 1, 0] });
    expect(await solve({ demand: { 3: [1] }, network })).toBe('infeasible');
  });
});

describe('vehicles per location', () => {
  test('at least so many are at every location, with or without demand', async () => {
    expect(await solve({ demand: { 2: [2] }, constraints: { min_vehicles_per_location: 0 } })).toEqual({
      cost: 2,
      at: [2, 2, 0],
    });
    expect(await solve({ demand: { 2: [2] }, constraints: { min_vehicles_per_location: 1 } })).toEqual({
      cost: 4,
      at: [1, 2, 1],
    });
    expect(await solve({ demand: { 2: [1] }, constraints: { min_vehicles_per_location: 2 } })).toBe(
      'infeasible',
    );
  });
  test('are bounded where a map names the location, else by its default, else not at all', async () => {
    const demand = { 2: [1] };
    const at = async (constraints: NonNullable<OptimizeRequest['constraints']>) => {
      const solved = await solve({ demand, constraints });
      return solved === 'infeasible' ? solved : solved.at;
    };
    expect(await at({ min_vehicles_per_location: { 3: 1 } })).toEqual([2, 1, 1]);
    expect(await at({ min_vehicles_per_location: { default: 1, 3: 2 } })).toEqual([1, 1, 2]);
    expect(await at({ min_vehicles_per_location: { default: 2, 3: 0 } })).toEqual([2, 2, 0]);
    expect(await at({ min_vehicles_per_location: { 3: 4 } })).toBe('infeasible');
    expect(await at({ max_vehicles_per_location: { 1: 0 } })).toEqual([0, 4, 0]);
    expect(await at({ max_vehicles_per_location: { default: 1, 1: 2 } })).toEqual([2, 1, 1]);
    expect(await at({ max_vehicles_per_location: { default: 1 } })).toBe('infeasible');
    expect(await at({ min_vehicles_per_location: 1, max_vehicles_per_location: { 1: 1, 2: 1 } })).toEqual([
      1, 1, 2,
    ]);
    expect(await at({ min_vehicles_per_location: {}, max_vehicles_per_location: {} })).toEqual([3, 1, 0]);
  });
  test('at most so many are, idle ones included', async () => {
    expect(await solve({ demand: { 2: [1] }, constraints: { max_vehicles_per_location: 3 } })).toEqual({
      cost: 1,
      at: [3, 1, 0],
    });
    expect(await solve({ demand: { 2: [1] }, constraints: { max_vehicles_per_location: 2 } })).toEqual({
      cost: 2,
      at: [2, 2, 0],
    });
    expect(await solve({ demand: { 2: [1] }, constraints: { max_vehicles_per_location: 1 } })).toBe(
      'infeasible',
    );
  });
});

describe('total_fleet_size', () => {
  test('counts the vehicles that serve, not those that stand idle', async () => {
    expect(await solve({ demand: { 2: [2] }, constraints: { total_fleet_size: 2 } })).toEqual({
      cost: 2,
      at: [2, 2, 0],
    });
    expect(await solve({ demand: { 2: [2] }, constraints: { total_fleet_size: 1 } })).toBe('infeasible');
  });
  test('calls for the larger vehicles', async () => {
    const given = { demand: { 2: [4] }, capacities: [2, 2, 4] };
    expect(await solve({ ...given, constraints: { total_fleet_size: 2 } })).toEqual({
      cost: 1,
      at: [2, 1, 0],
    });
    expect(await solve({ ...given, capacities: [1, 1, 2, 4], demand: { 1: [4], 2: [4] } })).toEqual({
      cost: 1,
      at: [3, 1, 0],
    });
    expect(
      await solve({
        ...given,
        capacities: [1, 1, 2, 4],
        demand: { 1: [4], 2: [4] },
        constraints: { total_fleet_size: 3 },
      }),
    ).toBe('infeasible');
  });
});

describe('max_rebalancing_cost', () => {
  test('is kept to the last unit', async () => {
    const network = { ...NETWORK, costs: NETWORK.costs.map((row) => row.map((cost) => cost * 0.1)) };
    const demand = { 2: [1], 3: [1] };
    expect(await solve({ demand, network, constraints: { max_rebalancing_cost: 0.3 } })).toEqual({
      cost: 0.3,
      at: [2, 1, 1],
    });
    expect(await solve({ demand, network, constraints: { max_rebalancing_cost: 0.2999 } })).toBe(
      'infeasible',
    );
  });
  test('of null lifts the default', async () => {
    const network = { ...NETWORK, costs: NETWORK.costs.map((row) => row.map((cost) => cost * 1e6)) };
    expect(await solve({ demand: { 2: [1] }, network })).toBe('infeasible');
    expect(await solve({ demand: { 2: [1] }, network, constraints: { max_rebalancing_cost: null } })).toEqual(
      {
        cost: 1e6,
        at: [3, 1, 0],
      },
    );
  });
  test('is met even where the first plan within the gap is dearer', async () => {
    // Any plan is within a gap of 1, but only the cheapest is within the ceiling.
    const given = { demand: { 2: [2.5], 3: [1.7] }, capacities: [1, 1, 1.5, 2, 2.5, 3] };
    const best = await solve(given);
    if (typeof best === 'string') throw new Error(best);
    const options = { optimality_gap: 1 };
    const kept = await solve({ ...given, options, constraints: { max_rebalancing_cost: best.cost } });
    expect(kept).toMatchObject({ cost: best.cost });
    expect(await solve({ ...given, options, constraints: { max_rebalancing_cost: best.cost - 1e-4 } })).toBe(
      'infeasible',
    );
  });
});

describe('demand_aggregation', () => {
  const demand = { 2: [1, 3, 2] };
  test.each([
    ['peak', 3],
    ['mean', 2],
    ['first', 1],
    ['sum', 6],
  ] as const)('%s plans for %d vehicles', async (demand_aggregation, vehicles) => {
    const given = { demand, capacities: Array.from({ length: 8 }, () => 1), options: { demand_aggregation } };
    expect(await solve(given)).toEqual({ cost: vehicles, at: [8 - vehicles, vehicles, 0] });
  });
  test('is peak by default', async () => {
    expect(await solve({ demand })).toMatchObject({ cost: 3 });
  });
  test('of system_peak does not add up peaks of different hours', async () => {
    const apart = { 2: [3, 0], 3: [0, 2] };
    expect(await solve({ demand: apart, capacities: [1, 1, 1, 1, 1] })).toEqual({ cost: 7, at: [0, 3, 2] });
    const options = { demand_aggregation: 'system_peak' } as const;
    expect(await solve({ demand: apart, options })).toEqual({ cost: 3, at: [1, 3, 0] });
  });
  test('of a quantile leaves out the highest steps', async () => {
    const rare = { 2: [1, 1, 1, 1, 4] };
    expect(await solve({ demand: rare, options: { demand_aggregation: 'quantile:0.75' } })).toMatchObject({
      cost: 1,
    });
  });
});
