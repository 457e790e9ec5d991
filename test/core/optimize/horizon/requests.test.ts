import { describe, expect, it } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import type { HorizonProblem } from '../../../../src/core/optimize/horizon/types.ts';
import type { OptimizeInput, TripCounts } from '../../../../src/core/optimize/problem/model.ts';
import { checkRequest } from '../../../../src/core/optimize/request/check.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { optimizeCached } from '../cached.ts';
import { createRandom, type Random, SETTINGS } from '../instances.ts';
import { tinyInstance } from '../tiny-instances.ts';
import { travelTable } from '../travel-table.ts';
import { everyOutcome } from './every-plan.ts';
import { formulateHorizon } from './horizon-formulation.ts';

const settings = { ...SETTINGS, maxRebalancingCost: null, optimalityGap: 0 };
const STARTS_AT = '2026-02-09T08:00:00-05:00';
const IDS = [4, 7, 9];

type Tiny = { request: OptimizeRequest; problem: HorizonProblem; operational: number };

/** Three locations with costs of their own, and the same problem written down step by step. */
function tinyRequest(seed: number, more: Partial<Record<'isPinned' | 'hasPrice', boolean>> = {}): Tiny {
  const random = createRandom(seed);
  const steps = random.integer(2, 3);
  const costs = IDS.map((_, i) => IDS.map((__, j) => (i === j ? 0 : random.integer(1, 9))));
  const series = IDS.map(() => Array.from({ length: steps }, () => random.integer(0, 3)));
  const level = random.pick([0, 0.5, 0.8, 1]);
  const price = more.hasPrice || random.chance(0.5) ? random.integer(1, 12) : null;
  const vehicles = Array.from({ length: random.integer(1, 4) }, (_, v) => vehicle(random, v, steps));
  const n = IDS.length;
  const supply = new Int32Array((steps + 1) * n);
  for (const { at, j } of vehicles) if (at <= steps) supply[at * n + j]++;
  const demand = new Float64Array((steps + 1) * n);
  for (let u = n; u < demand.length; u++) demand[u] = series[u % n][Math.floor(u / n) - 1];
  const pairs = IDS.flatMap((_, i) =>
    IDS.flatMap((__, j) => (i === j ? [] : [{ j, units: costs[i][j] * 1e4 }])),
  );
  return {
    operational: vehicles.length,
    request: {
      demand_forecast: Object.fromEntries(IDS.map((id, j) => [id, series[j]])),
      fleet_state: { vehicles: vehicles.map(({ sent }) => sent) },
      network: { location_ids: IDS, costs },
      constraints: { min_service_level: level, ...(price && { unmet_demand_cost: price }) },
      options: { horizon: { starts_at: STARTS_AT } },
    },
    problem: {
      n,
      steps: steps + 1,
      supply,
      demand,
      capacity: 1,
      pairs: {
        starts: Int32Array.of(0, 2, 4, 6),
        targets: Int32Array.from(pairs, ({ j }) => j),
        units: Float64Array.from(pairs, ({ units }) => units),
        delay: new Uint8Array(6).fill(1),
      },
      required: level * demand.reduce((a, b) => a + b, 0),
      ...(price && { unmetUnits: demand.map(() => price * 1e4) }),
    },
  };
}

/** A vehicle, the row of the problem in which it becomes free, and where. */
function vehicle(random: Random, v: number, steps: number) {
  const j = random.integer(0, IDS.length - 1);
  const isLate = random.chance(0.3);
  // In the first hour: free from the second step on.
  const hours = isLate ? random.integer(0, steps) : -1;
  const available_at = new Date(Date.parse(STARTS_AT) + (hours + 0.25) * 3_600_000).toISOString();
  const sent = { id: `${v}`, location: IDS[j], ...(isLate && { available_at }) };
  return { sent, j, at: isLate ? hours + 2 : 0 };
}

/** The supply with so many further vehicles before the first step, in every way to place them. */
function* supplies({ n, supply }: HorizonProblem, count: number, from = 0): Generator<Int32Array> {
  if (count <= 0) yield supply.slice();
  for (let j = from; count > 0 && j < n; j++) {
    for (const more of supplies({ n, supply } as HorizonProblem, count - 1, j)) {
      more[j]++;
      yield more;
    }
  }
}

const plan = (request: OptimizeRequest, rest: Partial<OptimizeInput> = {}) => {
  expect(checkRequest(request, new Set(IDS), settings)).toEqual([]);
  return optimizeCached({ request, locations: [], settings, ...rest });
};

describe('a request that looks ahead', () => {
  it('is answered with the best of all plans of all steps, found by trying them all', async () => {
    const kinds = { solved: 0, infeasible: 0 };
    for (const seed of seeds(1, 120)) {
      const { request, problem, operational } = tinyRequest(seed);
      const outcome = await plan(request);
      const total = problem.demand.reduce((a, b) => a + b, 0);
      const enough = everyOutcome(problem).filter(({ served }) => served >= problem.required - 1e-9 * total);
      if (enough.length === 0) {
        expect(outcome, `seed ${seed}`).toMatchObject({
          status: 'infeasible',
          errors: expect.arrayContaining([
            expect.objectContaining({ field: 'constraints.min_service_level' }),
          ]),
        });
        kinds.infeasible++;
        continue;
      }
      if (!('result' in outcome)) throw new Error(`seed ${seed}: ${JSON.stringify(outcome)}`);
      const { result, certificate } = outcome;
      const best = Math.min(...enough.map(({ cost }) => cost)) / 1e4;
      // A service level is one of whole cycles of vehicles; two of 6,000 plans serve a cycle too much.
      expect(result.horizon_cost, `seed ${seed}`).toBeCloseTo(best, 3);
      expect(result.horizon_bound, `seed ${seed}`).toBeLessThanOrEqual(best + 1e-4);
      expect(certificate).toMatchObject({ objective: result.horizon_cost, bound: result.horizon_bound });
      expect(result.rounding_cost).toBe(0);
      const leaving = request.fleet_state.vehicles.filter(({ available_at }) => !available_at);
      expect(result.allocation_plan.map(({ vehicle_id }) => vehicle_id)).toEqual(leaving.map(({ id }) => id));
      for (const [t, step] of result.outlook!.entries()) {
        expect(step.vehicles + step.on_the_way, `seed ${seed}`).toBe(operational);
        expect(Date.parse(step.starts_at!)).toBe(Date.parse(STARTS_AT) + t * 3_600_000);
      }
      kinds.solved++;
    }
    expect(Math.min(kinds.solved, kinds.infeasible)).toBeGreaterThan(enough(12));
  });

  it('is answered with the plan that serves the most, if it asks for that, and with what is missing', async () => {
    let short = 0;
    let named = 0;
    for (const seed of seeds(1, 120)) {
      const { request, problem } = tinyRequest(seed);
      const constraints = { ...request.constraints, shortage: 'serve_most' as const };
      const outcome = await plan({ ...request, constraints });
      if (!('result' in outcome)) throw new Error(`seed ${seed}: ${JSON.stringify(outcome)}`);
      const { shortfall } = outcome.result;
      const total = problem.demand.reduce((a, b) => a + b, 0);
      const most = everyOutcome(problem).at(-1)!.served;
      expect(shortfall === undefined, `seed ${seed}`).toBe(most >= problem.required - 1e-9 * total);
      if (!shortfall) continue;
      expect(shortfall.reached, `seed ${seed}`).toBeCloseTo(most / total, 9);
      expect(shortfall.reached_at_most, `seed ${seed}`).toBeCloseTo(most / total, 4);
      expect(shortfall.unserved, `seed ${seed}`).toBeCloseTo(total - most, 9);
      const { missing_vehicles: missing } = shortfall;
      if (missing === null) continue;
      const isEnough = (count: number) =>
        [...supplies(problem, count)].some((supply) => {
          return everyOutcome({ ...problem, supply }).at(-1)!.served >= problem.required - 1e-9 * total;
        });
      if (missing < 4)
        expect([isEnough(missing), isEnough(missing - 1)], `seed ${seed}`).toEqual([true, false]);
      named++;
      short++;
    }
    expect(short).toBeGreaterThan(enough(12));
    expect(named).toBeGreaterThan(enough(12));
  });

  it('with one step is answered as the same request that does not look ahead, to the last digit', {
    tags: ['slow'],
  }, async () => {
    let compared = 0;
    for (const seed of seeds(1, 300)) {
      const { request, locations } = tinyInstance(seed);
      const { demand_aggregation: _, explain: __, ...options } = request.options ?? {};
      const one = Object.fromEntries(Object.entries(request.demand_forecast).map(([id, [d]]) => [id, [d]]));
      const still = { ...request, demand_forecast: one, options };
      const ahead = { ...still, options: { ...options, horizon: {} } };
      const known = new Set(locations.map(({ id }) => id));
      if (checkRequest(ahead, known, SETTINGS).length > 0) continue;
      const outcome = await optimizeCached({ request: ahead, locations, settings: SETTINGS });
      const expected = await optimizeCached({ request: still, locations, settings: SETTINGS });
      if (!('result' in outcome) || !('result' in expected)) {
        expect(outcome.status, `seed ${seed}`).toBe(expected.status);
        continue;
      }
      const { outlook, horizon_cost, horizon_bound, rounding_cost, ...result } = outcome.result;
      expect(result, `seed ${seed}`).toEqual(expected.result);
      expect(outcome.certificate, `seed ${seed}`).toEqual(expected.certificate);
      const { objective, bound } = expected.certificate;
      expect([horizon_cost, horizon_bound, rounding_cost]).toEqual([objective, bound, 0]);
      expect(outlook).toHaveLength(1);
      compared++;
    }
    expect(compared).toBeGreaterThan(enough(25));
  });

  it('reaches the level with trip flows, where whole moves do but those by rounding do not', async () => {
    const locations = IDS.map((id, j) => ({ id, latitude: 40 + j / 100, longitude: 0 }));
    const counts = [3, 9, 6, 1, 1, 2, 3, 9, 4];
    const tripCounts: TripCounts = {
      from: Int32Array.from(counts, (_, a) => IDS[Math.floor(a / 3)]),
      to: Int32Array.from(counts, (_, a) => IDS[a % 3]),
      hour: new Int16Array(9).fill(-1),
      trips: Float64Array.from(counts),
    };
    const request: OptimizeRequest = {
      demand_forecast: { '4': [3.5, 2.9, 3.4, 1.4], '7': [2.1, 3, 0.7, 3.9], '9': [2.5, 0.2, 2.7, 3.7] },
      fleet_state: { vehicles: [9, 9, 4, 9, 4].map((location, v) => ({ id: `${v}`, location })) },
      constraints: { min_service_level: 0.6, unmet_demand_cost: 1 },
      options: { horizon: {} },
    };
    const outcome = await plan(request, { locations, tripCounts });
    if (!('result' in outcome)) throw new Error(JSON.stringify(outcome));
    const served = outcome.result.outlook!.reduce((sum, step) => sum + step.served, 0);
    expect(served).toBeGreaterThan(0.6 * 30 - 1e-5);
  });

  it('follows trips to where they end, and states what whole vehicles cost', async () => {
    let rounded = 0;
    for (const seed of seeds(1, 120)) {
      const { request: asked, problem } = tinyRequest(seed, { hasPrice: true });
      const { network, ...request } = asked;
      const locations = IDS.map((id, j) => ({ id, latitude: 40 + j / 1000, longitude: 0 }));
      const random = createRandom(seed);
      const trips = IDS.flatMap((from) => IDS.map((to) => ({ from, to, count: random.integer(0, 9) })));
      const tripCounts: TripCounts = {
        from: Int32Array.from(trips, ({ from }) => from),
        to: Int32Array.from(trips, ({ to }) => to),
        hour: new Int16Array(trips.length).fill(-1),
        trips: Float64Array.from(trips, ({ count }) => count),
      };
      const constraints = { ...request.constraints, min_service_level: 0 };
      const outcome = await plan({ ...request, constraints }, { locations, tripCounts });
      if (!('result' in outcome)) throw new Error(`seed ${seed}: ${JSON.stringify(outcome)}`);
      const { result } = outcome;
      // 0.111… km from one location to the next, rounded up.
      const units = [1112, 2224, 1112, 1112, 2224, 1112];
      const rows = IDS.map((_, i) => trips.slice(3 * i, 3 * i + 3).map(({ count }) => count));
      const shares = rows.map((row, i) => {
        const all = row.reduce((a, b) => a + b, 0);
        return row.map((count, j) => (all === 0 ? Number(i === j) : count / all));
      });
      const flow = {
        starts: Int32Array.of(0, 3, 6, 9),
        targets: Int32Array.of(0, 1, 2, 0, 1, 2, 0, 1, 2),
        shares: Float64Array.from(shares.flat()),
      };
      const free = {
        ...problem,
        required: 0,
        pairs: { ...problem.pairs, units: Float64Array.from(units) },
        flows: Array.from({ length: problem.steps }, () => flow),
      };
      const expected = formulateHorizon(free)!.objectiveUnits / 1e4;
      expect(result.horizon_bound!, `seed ${seed}`).toBeGreaterThan(expected - 0.005);
      expect(result.horizon_bound, `seed ${seed}`).toBeCloseTo(result.horizon_cost!, 2);
      expect(result.horizon_cost! - result.rounding_cost!, `seed ${seed}`).toBeCloseTo(expected, 2);
      if (result.rounding_cost! > 0) rounded++;
      const none = { ...request.options, horizon: { starts_at: STARTS_AT, trip_flows: 'none' as const } };
      const without = await plan({ ...request, constraints, options: none }, { locations, tripCounts });
      if (!('result' in without)) throw new Error(`seed ${seed}`);
      expect(without.result.rounding_cost).toBe(0);
    }
    expect(rounded).toBeGreaterThan(enough(1));
  });

  it('keeps pinned vehicles and bounds per location in every step', async () => {
    const request: OptimizeRequest = {
      demand_forecast: { '4': [1, 0, 0], '7': [0, 2, 2] },
      fleet_state: {
        vehicles: [
          { id: 'a', location: 4, pinned: true },
          { id: 'b', location: 4 },
          { id: 'c', location: 4 },
        ],
      },
      network: {
        location_ids: [4, 7],
        costs: [
          [0, 1],
          [1, 0],
        ],
      },
      constraints: { min_service_level: 0, unmet_demand_cost: 10, max_vehicles_per_location: { '7': 1 } },
      options: { horizon: {} },
    };
    const outcome = await plan(request);
    if (!('result' in outcome)) throw new Error(JSON.stringify(outcome));
    const { outlook } = outcome.result;
    // What holds for all steps is not checked for the first moves alone.
    expect(outcome.certificate.checks).not.toContain('vehicles per location');
    expect(outlook!.map(({ served }) => served)).toEqual([1, 1, 1]);
    expect(outlook!.map(({ vehicles }) => vehicles)).toEqual([3, 3, 3]);
    expect(outcome.result.horizon_cost).toBe(21);
    // A size of the whole fleet is no limit.
    const all = { ...request.constraints, total_fleet_size: 3 };
    expect(await plan({ ...request, constraints: all })).toEqual(outcome);
    const most = { ...request.constraints, max_vehicles_per_location: 1 };
    expect(await plan({ ...request, constraints: most })).toMatchObject({
      status: 'infeasible',
      errors: [
        {
          field: 'constraints.max_vehicles_per_location',
          message:
            'max_vehicles_per_location 1 cannot be satisfied at every location; raise it to at least 2',
          relaxation: { relaxation: 2, proved: true },
        },
        {
          field: 'fleet_state.vehicles',
          message: expect.stringMatching(/adding vehicles of the most common capacity alone does not help/),
        },
      ],
      conflicts: [
        { constraint: 'max_vehicles_per_location', value: 1, relaxation: 2 },
        { constraint: 'supply' },
      ],
    });
    const looser = { ...request.constraints, max_vehicles_per_location: 2 };
    expect(await plan({ ...request, constraints: looser })).toMatchObject({ status: 'optimal' });
    const both = { ...most, min_vehicles_per_location: { '7': 1 } };
    expect(await plan({ ...request, constraints: both })).toMatchObject({
      status: 'infeasible',
      errors: [
        {
          field: 'constraints.min_vehicles_per_location',
          message: expect.stringMatching(/changing it alone does not help$/),
        },
        { field: 'constraints.max_vehicles_per_location', relaxation: { relaxation: 2 } },
        { field: 'fleet_state.vehicles' },
      ],
    });
  });

  it('names the ceiling on the cost of moving if that keeps vehicles from where bounds want them', async () => {
    const request: OptimizeRequest = {
      demand_forecast: { '4': [0, 0], '7': [0, 0] },
      fleet_state: { vehicles: [{ id: 'a', location: 4 }] },
      network: {
        location_ids: [4, 7],
        costs: [
          [0, 3],
          [3, 0],
        ],
      },
      constraints: { min_service_level: 0, min_vehicles_per_location: { '7': 1 }, max_rebalancing_cost: 2 },
      options: { horizon: {} },
    };
    expect(await plan(request)).toMatchObject({
      status: 'infeasible',
      errors: [
        {
          field: 'constraints.min_vehicles_per_location',
          relaxation: { relaxation: 0, by_location: { '7': 0 }, proved: true },
        },
        {
          field: 'constraints.max_rebalancing_cost',
          message: 'max_rebalancing_cost 2 is less than the cheapest plan costs; raise it to at least 3',
          detail: 'in conflict with min_vehicles_per_location, supply',
        },
        {
          field: 'fleet_state.vehicles',
          message: expect.stringMatching(/add 1 vehicle.*1 at location 7\)$/),
        },
      ],
    });
    const enough = { ...request.constraints, max_rebalancing_cost: 3 };
    expect(await plan({ ...request, constraints: enough })).toMatchObject({ status: 'optimal' });
  });

  it('keeps prices by location, distances, trips an hour and minutes of travel in every step', async () => {
    /** One vehicle at 4, and demand at 7 and 9. @returns where it goes, and what is served in each step */
    const ask = async (more: Partial<OptimizeRequest>, rest: Partial<OptimizeInput> = {}) => {
      const request: OptimizeRequest = {
        demand_forecast: { '4': [0, 0], '7': [8, 8], '9': [8, 8] },
        fleet_state: { vehicles: [{ id: 'a', location: 4 }] },
        constraints: { min_service_level: 0, unmet_demand_cost: 9 },
        options: { horizon: {} },
        ...more,
      };
      const outcome = await plan(request, rest);
      if (!('result' in outcome)) throw new Error(JSON.stringify(outcome));
      const { allocation_plan, outlook } = outcome.result;
      return [allocation_plan[0].target_location, ...outlook!.map(({ served }) => served)];
    };
    const network = {
      location_ids: IDS,
      costs: IDS.map((_, i) => IDS.map((__, j) => Number(i !== j))),
    };
    for (const [id, other] of [
      [7, 9],
      [9, 7],
    ]) {
      const unmet_demand_cost = { default: 0, [`${id}`]: 9 };
      expect(await ask({ network, constraints: { min_service_level: 0, unmet_demand_cost } })).toEqual([
        id,
        1,
        1,
      ]);
      const distances_km = IDS.map(() => IDS.map((to) => (to === id ? 10 : 1)));
      const near = { min_service_level: 0, unmet_demand_cost: 9, max_distance: 5 };
      expect(await ask({ network: { ...network, distances_km }, constraints: near })).toEqual([other, 1, 1]);
    }
    const often = { horizon: { step_hours: 2 as const }, trips_per_vehicle_hour: 1.5 };
    expect((await ask({ network, options: often })).slice(1)).toEqual([3, 3]);
    const locations = IDS.map((id, j) => ({ id, latitude: 40 + j / 1000, longitude: 0 }));
    const within = (minutes: number) =>
      ask(
        { options: { horizon: {}, travel: 'stored' } },
        { locations, travel: travelTable([[4, 7, 2, minutes]]) },
      );
    expect([await within(60), await within(61)]).toEqual([
      [7, 1, 1],
      [7, 0, 1],
    ]);
  });

  it('is refused by name with rules that it does not know', async () => {
    const request: OptimizeRequest = {
      demand_forecast: { '4': [0, 0], '7': [2, 2] },
      fleet_state: { vehicles: [{ id: 'a', location: 4 }] },
      network: {
        location_ids: [4, 7],
        costs: [
          [0, 3],
          [3, 0],
        ],
      },
      constraints: { min_service_level: 0, unmet_demand_cost: 10 },
      options: { horizon: {} },
    };
    const faultOf = async (more: Partial<OptimizeRequest>) => {
      const asked = { ...request, ...more };
      const faults = checkRequest(asked, new Set([4, 7]), settings);
      if (faults.length > 0) return faults.map(({ field }) => field);
      const outcome = await optimizeCached({ request: asked, locations: [], settings });
      return outcome.status === 'refused' ? outcome.faults.map(({ field }) => field) : outcome.status;
    };
    const options = (more: object) => ({ options: { horizon: {}, ...more } });
    const constraints = (more: object) => ({ constraints: { ...request.constraints, ...more } });
    expect(await faultOf({})).toBe('optimal');
    expect(await faultOf(options({ explain: true }))).toEqual(['options.explain']);
    expect(await faultOf(options({ demand_aggregation: 'peak' }))).toEqual(['options.demand_aggregation']);
    expect(await faultOf(options({ refine: { max_pairs: 1 } }))).toBe('optimal');
    expect(await faultOf(options({ step_hours: 2, horizon: { step_hours: 1 } }))).toEqual([
      'options.step_hours',
    ]);
    const pinned = { fleet_state: { vehicles: [{ id: 'a', location: 4, pinned: true }] } };
    expect(await faultOf({ ...constraints({ total_fleet_size: 0 }), ...pinned })).toEqual([
      'constraints.total_fleet_size',
    ]);
    expect(await faultOf(constraints({ total_fleet_size: 0 }))).toBe('optimal');
    const late = [{ id: 'a', location: 4, available_at: '2026-02-09T08:00Z' }];
    expect(await faultOf({ fleet_state: { vehicles: late } })).toEqual([
      'fleet_state.vehicles[0].available_at',
    ]);
    expect(await faultOf({ fleet_state: { vehicles: late }, options: {} })).toBe('optimal');
  });
});
