import { describe, expect, test } from 'vitest';
import type { OptimizationResult, OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { verifyPlan } from '../../../../src/core/optimize/answer/verify.ts';
import { optimizeCached as optimize } from '../cached.ts';
import { SETTINGS } from '../instances.ts';

const locations = [
  { id: 1, name: 'One', latitude: 40.7, longitude: -74 },
  { id: 2, latitude: 40.75, longitude: -74 },
  { id: 3, latitude: 40.8, longitude: -74 },
];

const request: OptimizeRequest = {
  demand_forecast: { 2: [1, 2.5], 3: [2] },
  fleet_state: {
    vehicles: [
      { id: 'a', location: 1 },
      { id: 'b', location: 1, capacity: 2 },
      { id: 'c', location: 1, status: 'maintenance' },
      { vehicle_id: 'd', location_id: 1 },
      { id: 'e', location: 3, capacity: 2 },
      { id: 'f', location: 1 },
    ],
  },
  constraints: {
    max_distance: 8,
    min_service_level: 1,
    max_vehicles_per_location: 3,
    max_rebalancing_cost: 20,
  },
};

async function plan(): Promise<OptimizationResult> {
  const outcome = await optimize({ request, locations, settings: SETTINGS });
  if (outcome.status !== 'optimal') throw new Error(outcome.status);
  return outcome.result;
}

const verify = (result: OptimizationResult, over: Partial<OptimizeRequest> = {}, settings = SETTINGS) =>
  verifyPlan({ ...request, ...over }, locations, settings, result);

describe('verifyPlan', () => {
  test('finds nothing wrong with a right plan', async () => {
    const result = await plan();
    expect(result.kpis.rebalanced_count).toBe(2);
    expect(verify(result)).toEqual([]);
  });

  /** Each entry corrupts one thing in the right plan: vehicles a, b, d, e, f in this order. */
  const tampered: [string, (r: OptimizationResult) => void, RegExp][] = [
    ['a missing item', (r) => r.allocation_plan.pop(), /item 4 is for vehicle \(none\)/],
    ['an item too many', (r) => r.allocation_plan.push(r.allocation_plan[0]), /6 items for 5 operational/],
    ['items out of order', (r) => r.allocation_plan.reverse(), /item 0 is for vehicle f instead of a/],
    [
      'an item for a vehicle in maintenance',
      (r) => r.allocation_plan.splice(2, 0, { ...r.allocation_plan[2], vehicle_id: 'c' }),
      /item 2 is for vehicle c instead of d/,
    ],
    ['a wrong source', (r) => (r.allocation_plan[3].source_location = 1), /e is at 3, not at 1/],
    ['a foreign target', (r) => (r.allocation_plan[3].target_location = 99), /no location of the problem/],
    ['a wrong assignment', (r) => (r.allocation_plan[3].assignment = 'rebalance'), /assignment is rebalance/],
    ['a cost of staying', (r) => (r.allocation_plan[3].cost = 1), /e costs 1 instead of 0/],
    ['a cheaper move', (r) => (mover(r).cost -= 1e-4), /costs .* instead of/],
    ['a dearer move', (r) => (mover(r).cost += 1e-4), /costs .* instead of/],
    ['a cost between units', (r) => (mover(r).cost -= 3e-5), /no whole number/],
    ['another total', (r) => (r.total_cost += 1e-4), /total_cost is/],
    ['another total among the kpis', (r) => (r.kpis.total_cost += 1e-4), /kpis\.total_cost/],
    ['a better coverage', (r) => (r.kpis.demand_coverage = 0.99), /kpis\.demand_coverage is 0\.99/],
    ['another utilization', (r) => (r.kpis.utilization += 0.01), /kpis\.utilization/],
    ['another count', (r) => r.kpis.rebalanced_count++, /kpis\.rebalanced_count is 3 instead of 2/],
    ['another distance', (r) => (r.kpis.total_distance_km! += 0.001), /kpis\.total_distance_km/],
    ['no distance', (r) => (r.kpis.total_distance_km = null), /kpis\.total_distance_km is null/],
    ['another unmet demand', (r) => (r.kpis.unmet_demand = 1), /kpis\.unmet_demand is 1/],
    [
      'a cost of unmet demand that costs nothing',
      (r) => (r.kpis.unmet_demand_cost = 0),
      /unmet_demand_cost is 0/,
    ],
    ['no figures of locations', (r) => (r.locations = []), /figures of 0 locations instead of 3/],
    ['a missing location', (r) => r.locations!.pop(), /locations\[2\] is location \(none\) instead of 3/],
    ['locations out of order', (r) => r.locations!.reverse(), /locations\[0\] is location 3 instead of 1/],
    ['another name', (r) => (r.locations![0].name = 'Two'), /location 1 is named Two instead of One/],
    ['a name of none', (r) => (r.locations![1].name = 'Two'), /location 2 is named Two instead of null/],
    ['another demand', (r) => (r.locations![1].demand += 1e-6), /location 2 states demand/],
    ['a vehicle more before', (r) => r.locations![0].vehicles_before++, /vehicles_before 5 instead of 4/],
    ['a vehicle fewer after', (r) => r.locations![1].vehicles_after--, /location 2 states vehicles_after 1/],
    ['more capacity', (r) => (r.locations![2].capacity_after += 0.5), /capacity_after 2\.5 instead of 2/],
    ['more served', (r) => (r.locations![1].served += 0.1), /location 2 states served/],
    ['unmet demand at one location', (r) => (r.locations![1].unmet = 0.1), /location 2 states unmet 0\.1/],
    ['a figure that is none', (r) => (r.locations![1].unmet = Number.NaN), /location 2 states unmet NaN/],
    ['an unserved location', (r) => stay(r), /less than min_service_level 1/],
  ];
  const mover = (r: OptimizationResult) => r.allocation_plan.find((item) => item.assignment === 'rebalance')!;
  const stay = (r: OptimizationResult) => {
    const item = mover(r);
    item.target_location = item.source_location;
    item.assignment = 'stay';
    item.cost = 0;
  };
  for (const [name, spoil, message] of tampered) {
    test(`catches ${name}`, async () => {
      const result = structuredClone(await plan());
      spoil(result);
      expect(verify(result).join('\n')).toMatch(message);
    });
  }

  test('catches a pinned vehicle that moves', async () => {
    const result = await plan();
    const id = mover(result).vehicle_id;
    const vehicles = request.fleet_state.vehicles.map((v) => ({
      ...v,
      pinned: (v.id ?? v.vehicle_id) === id,
    }));
    expect(verify(result, { fleet_state: { vehicles } })).toEqual([
      `vehicle ${id} is pinned to 1, and moves`,
    ]);
  });

  const tightened: [string, NonNullable<OptimizeRequest['constraints']>, RegExp][] = [
    ['the distance limit', { max_distance: 5.5 }, /more than the limit 5\.5 km/],
    ['the distance limit under its other name', { max_rebalancing_distance_km: 5.5 }, /more than the limit/],
    ['the cost ceiling', { max_rebalancing_cost: 11 }, /more than max_rebalancing_cost 11/],
    ['the fewest vehicles per location', { min_vehicles_per_location: 2 }, /fewer than 2/],
    ['the most vehicles per location', { max_vehicles_per_location: 1 }, /more than 1/],
    [
      'the fewest vehicles at a location',
      { min_vehicles_per_location: { default: 1, 2: 3 } },
      /^location 2 has 2 vehicles, fewer than 3$/,
    ],
    [
      'the most vehicles at a location',
      { max_vehicles_per_location: { default: 9, 2: 1 } },
      /^location 2 has 2 vehicles, more than 1$/,
    ],
    [
      'the fewest vehicles where nothing else is',
      { min_vehicles_per_location: { 7: 1 } },
      /^location 7 has 0 vehicles, fewer than 1$/m,
    ],
    [
      'the fewest vehicles elsewhere',
      { min_vehicles_per_location: { default: 2, 1: 0, 2: 0 } },
      /^location 3 has 1 vehicles, fewer than 2$/,
    ],
    ['the fleet size', { min_service_level: 1, total_fleet_size: 2 }, /less than min_service_level 1/],
    [
      'the capacity of vehicles that do not state one',
      { min_demand_coverage: 1, capacity_per_vehicle: 0.1 },
      /less than/,
    ],
  ];
  for (const [name, constraints, message] of tightened) {
    test(`reads ${name} from the request`, async () => {
      expect(verify(await plan(), { constraints }).join('\n')).toMatch(message);
    });
  }

  const counted: [string, NonNullable<OptimizeRequest['options']>, RegExp][] = [
    ['the trips of a vehicle', { trips_per_vehicle_hour: 0.5 }, /less than min_service_level 1/],
    ['trips that serve more than it says', { trips_per_vehicle_hour: 2 }, /kpis\.utilization/],
    ['the hours of a step', { trips_per_vehicle_hour: 0.5, step_hours: 4 }, /kpis\.utilization/],
    ['the hours of all steps', { trips_per_vehicle_hour: 1, demand_aggregation: 'sum' }, /kpis\.utilization/],
    ['the step with the largest demand of all', { demand_aggregation: 'system_peak' }, /kpis\.utilization/],
    ['a quantile', { demand_aggregation: 'quantile:0.9' }, /kpis\.utilization/],
  ];
  for (const [name, options, message] of counted) {
    test(`reads ${name} from the request`, async () => {
      expect(verify(await plan(), { options }).join('\n')).toMatch(message);
    });
  }

  describe('of the cost of unmet demand', () => {
    // Vehicle b alone moves to location 2, whose demand is 2.5; location 3 is served.
    const priced = async (
      unmet_demand_cost: number | Record<string, number>,
      stated: number | undefined,
      over: NonNullable<OptimizeRequest['constraints']> = {},
    ) => {
      const result = structuredClone(await plan());
      const item = result.allocation_plan[1];
      const away = result.allocation_plan.filter(({ target_location }) => target_location === 2);
      expect([item.target_location, away.length]).toEqual([2, 2]);
      const kept = result.kpis;
      result.kpis = stated === undefined ? kept : { ...kept, unmet_demand_cost: stated };
      const constraints = { ...request.constraints, min_service_level: 0, ...over, unmet_demand_cost };
      return verify(result, { constraints }).join('\n');
    };

    test('recomputes it', async () => {
      expect(await priced(7, 0)).toBe('');
      expect(await priced(7, undefined)).toMatch(/unmet_demand_cost is undefined instead of 0/);
      expect(await priced(7, 1e-4)).toMatch(/is 0.0001 instead of 0 rounded up/);
      // Half of the capacity: 2.5 - 1.5 of location 2 and 2 - 1 of location 3 are not served.
      const halved = (price: Record<string, number>, stated: number) => async () => {
        const result = structuredClone(await plan());
        result.kpis.unmet_demand_cost = stated;
        const constraints = { ...request.constraints, min_service_level: 0, unmet_demand_cost: price };
        return verify(result, { constraints, options: { trips_per_vehicle_hour: 0.5 } }).join('\n');
      };
      expect(await halved({ 2: 3, default: 5 }, 8)()).not.toMatch(/unmet_demand_cost/);
      expect(await halved({ 2: 3, default: 5 }, 7.9999)()).toMatch(/is 7.9999 instead of 8 /);
      expect(await halved({ 2: 3, default: 5 }, 8.0001)()).toMatch(/is 8.0001 instead of 8 /);
      expect(await halved({ 2: 0.00001, 3: 0 }, 0.0001)()).not.toMatch(/unmet_demand_cost/);
      expect(await halved({ 2: 0.00001, 3: 0 }, 0)()).toMatch(/unmet_demand_cost is 0 /);
    });

    test('counts the dearest demand that the fleet size leaves', async () => {
      // Of the vehicles of 2 and 1 at location 2 and that of 2 at location 3, two serve.
      expect(await priced({ 2: 1, 3: 1 }, 0.5, { total_fleet_size: 2 })).toBe('');
      expect(await priced({ 2: 10, 3: 1 }, 2, { total_fleet_size: 2 })).toBe('');
      expect(await priced({ 2: 10, 3: 1 }, 5, { total_fleet_size: 2 })).toMatch(/is 5 instead of 2 /);
      // The dearest two serve 2.5, which is too little for the level.
      expect(await priced({ 2: 10, 3: 1 }, 5, { total_fleet_size: 2, min_service_level: 0.8 })).toBe('');
      expect(await priced({ 2: 10, 3: 1 }, 1.5, { total_fleet_size: 2, min_service_level: 0.8 })).toMatch(
        /is 1.5 instead of between/,
      );
    });
  });

  test('takes trips from the settings where the request does not say', async () => {
    const halved = { ...SETTINGS, tripsPerVehicleHour: 0.5 };
    expect(verify(await plan(), {}, halved).join('\n')).toMatch(/less than min_service_level 1/);
    expect(verify(await plan(), { options: { trips_per_vehicle_hour: null } }, halved)).toEqual([]);
    expect(verify(await plan(), { options: { step_hours: 2 } }, halved)).toEqual([]);
  });

  test('falls back on the settings', async () => {
    const result = await plan();
    const bare = { constraints: { min_service_level: 1 } };
    expect(verify(result, bare)).toEqual([]);
    expect(verify(result, bare, { ...SETTINGS, maxDistanceKm: 5 }).join()).toMatch(
      /more than the limit 5 km/,
    );
    expect(verify(result, bare, { ...SETTINGS, maxRebalancingCost: 11 }).join()).toMatch(
      /max_rebalancing_cost 11/,
    );
    expect(verify(result, bare, { ...SETTINGS, maxRebalancingCost: null })).toEqual([]);
    expect(verify(result, bare, { ...SETTINGS, costPerKm: 2 }).join()).toMatch(/instead of/);
    expect(
      verify(
        result,
        { constraints: {} },
        { ...SETTINGS, minServiceLevel: 1, capacityPerVehicle: 0.1 },
      ).join(),
    ).toMatch(/less than min_service_level 1/);
  });

  test('catches a forbidden move of the request network', async () => {
    const cost = mover(await plan()).cost;
    const network = (move: number | null) => ({
      location_ids: [1, 2, 3],
      costs: [
        [0, move, 1],
        [1, 0, 1],
        [1, 1, 0],
      ],
    });
    const result = structuredClone(await plan());
    result.kpis.total_distance_km = null;
    expect(verify(result, { network: network(cost) })).toEqual(['location 1 is named One instead of null']);
    result.locations![0].name = null;
    expect(verify(result, { network: network(cost) })).toEqual([]);
    expect(verify(result, { network: network(null) }).join('\n')).toMatch(/forbidden move 1 → 2/);
  });

  describe('rules about pairs of locations', () => {
    const ruled = (refine: NonNullable<OptimizeRequest['options']>['refine']) => ({ options: { refine } });
    const refined = async (refine: NonNullable<OptimizeRequest['options']>['refine']) => {
      const outcome = await optimize({
        request: { ...request, ...ruled(refine) },
        locations,
        settings: SETTINGS,
      });
      if (outcome.status !== 'optimal') throw new Error(outcome.status);
      return outcome.result;
    };

    test('are checked in a right plan', async () => {
      const rules = { cost_per_pair: 0.5, max_pairs: 2, max_moves_from: 2 };
      expect(verify(await refined(rules), ruled(rules))).toEqual([]);
    });

    const spoiled: [string, (r: NonNullable<OptimizationResult['refinement']>) => void, RegExp][] = [
      ['another number of pairs', (r) => r.pairs++, /refinement\.pairs is 2 instead of 1/],
      ['another cost per pair', (r) => (r.cost_per_pair += 1e-4), /refinement\.cost_per_pair is 0\.5001/],
      ['a lower cost per pair', (r) => (r.cost_per_pair -= 1e-4), /refinement\.cost_per_pair is 0\.4999/],
      [
        'another cost of pairs',
        (r) => (r.pair_cost += 1e-4),
        /refinement\.pair_cost is 0\.5001 instead of 0\.5/,
      ],
      ['a cost below 0', (r) => (r.cost_without = -1), /a figure below 0/],
      ['a figure that is none', (r) => (r.pairs_without = Number.NaN), /a figure below 0/],
    ];
    for (const [name, spoil, message] of spoiled) {
      test(`catch ${name}`, async () => {
        const result = structuredClone(await refined({ cost_per_pair: 0.5 }));
        spoil(result.refinement!);
        expect(verify(result, ruled({ cost_per_pair: 0.5 })).join('\n')).toMatch(message);
      });
    }

    test('are read from the request', async () => {
      const result = await refined({ cost_per_pair: 0.5 });
      const wrongs = (refine: Parameters<typeof ruled>[0]) => verify(result, ruled(refine)).join('\n');
      expect(wrongs({ cost_per_pair: 0.5, min_vehicles_per_move: 3 })).toMatch(
        /2 vehicles go from 1 to 2, fewer than 3/,
      );
      expect(wrongs({ cost_per_pair: 0.5, max_pairs: 0 })).toMatch(/uses 1 pairs, more than 0/);
      expect(wrongs({ cost_per_pair: 0.5, max_moves_from: 0 })).toMatch(
        /leave location 1 for 1 others, more than 0/,
      );
      expect(wrongs({})).toMatch(/a refinement that was not asked for/);
      const { refinement: _, ...without } = result;
      expect(verify(without, ruled({ max_pairs: 9 }))).toEqual(['the plan lacks its refinement']);
    });
  });
});
