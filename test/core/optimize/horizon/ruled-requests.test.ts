/** @module-tag slow */
import { describe, expect, it } from 'vitest';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { partsFromOutcomes } from '../../../../src/core/optimize/horizon/demand-parts.ts';
import type { RuledHorizon } from '../../../../src/core/optimize/horizon/rules.ts';
import type { OptimizeInput } from '../../../../src/core/optimize/problem/model.ts';
import { checkRequest } from '../../../../src/core/optimize/request/check.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { optimizeCached } from '../cached.ts';
import { createRandom, type Random, SETTINGS } from '../instances.ts';
import { formulateRuled } from './ruled-formulation.ts';

const settings = { ...SETTINGS, maxRebalancingCost: null, optimalityGap: 0 };
const STARTS_AT = '2026-02-09T08:00:00-05:00';
const IDS = [4, 7, 9];
const n = IDS.length;

const plan = (request: OptimizeRequest, rest: Partial<OptimizeInput> = {}) => {
  expect(checkRequest(request, new Set(IDS), settings)).toEqual([]);
  return optimizeCached({ request, locations: [], settings, ...rest });
};

type Rule = 'capacities' | 'priorities' | 'ceiling' | 'previous' | 'fleet' | 'spread';
type Tiny = {
  request: OptimizeRequest;
  problem: RuledHorizon;
  previous: Map<string, number>;
  outcomes?: Record<string, number[]>[];
};

/** Three locations with costs of their own and some rules, and the same problem written down step by step. */
function tinyRequest(seed: number, rules: ReadonlySet<Rule>): Tiny {
  const random = createRandom(seed);
  const steps = random.integer(2, 3);
  const costs = IDS.map((_, i) => IDS.map((__, j) => (i === j ? 0 : random.integer(1, 9))));
  const series = IDS.map(() => Array.from({ length: steps }, () => random.integer(0, 4)));
  const level = random.pick([0, 0.5, 0.8, 1]);
  const price = random.chance(0.5) ? random.integer(1, 12) : null;
  const capacities = rules.has('capacities') ? [1, 3] : [1];
  const vehicles = Array.from({ length: random.integer(2, 6) }, (_, v) =>
    vehicle(random, v, steps, capacities),
  );
  const size = (steps + 1) * n;
  const supply = new Int32Array(capacities.length * size);
  for (const { at, j, k } of vehicles) if (at <= steps) supply[k * size + at * n + j]++;
  const rowsOf = (values: number[][]) =>
    Float64Array.from({ length: size }, (_, u) => (u < n ? 0 : values[u % n][Math.floor(u / n) - 1]));
  // Half of the demand, all of it, and half more: the mean is all of it.
  const outcomes = [0.5, 1, 1.5].map((share) => series.map((row) => row.map((value) => share * value)));
  const demand = rowsOf(series);
  const arcs = IDS.flatMap((_, i) => IDS.flatMap((__, j) => (i === j ? [] : [{ i, j }])));
  const critical = IDS.map(() => (rules.has('priorities') ? random.pick([0, 0, 1, 7]) : 0));
  const ceiling = rules.has('ceiling') ? random.integer(0, 12) : null;
  const changeCost = random.integer(1, 9);
  const most = rules.has('fleet') ? random.integer(1, vehicles.length) : null;
  const groups = new Map<string, RuledHorizon['capacities'][number]>();
  const previous = new Map<string, number>();
  for (const { sent, at, j, k } of vehicles) {
    if (!rules.has('previous') || at > 0 || random.chance(0.3)) continue;
    const target = random.integer(0, n - 1);
    previous.set(sent.id, IDS[target]);
    const key = `${k} ${j} ${target}`;
    groups.set(key, (groups.get(key) ?? 0) + 1);
  }
  return {
    previous,
    ...(rules.has('spread') && {
      outcomes: outcomes.map((rows) => Object.fromEntries(IDS.map((id, j) => [id, rows[j]]))),
    }),
    request: {
      demand_forecast: Object.fromEntries(IDS.map((id, j) => [id, series[j]])),
      fleet_state: { vehicles: vehicles.map(({ sent }) => sent) },
      network: { location_ids: IDS, costs },
      constraints: {
        min_service_level: level,
        shortage: 'serve_most',
        ...(price && { unmet_demand_cost: price }),
        ...(rules.has('priorities') && {
          priorities: Object.fromEntries(IDS.map((id, j) => [id, critical[j]])),
        }),
        ...(ceiling !== null && { max_rebalancing_cost: ceiling }),
        ...(most !== null && { total_fleet_size: most }),
      },
      options: {
        horizon: { starts_at: STARTS_AT },
        ...(rules.has('previous') && { previous_plan_id: 'plan_0', change_cost: changeCost }),
      },
    },
    problem: {
      base: {
        n,
        steps: steps + 1,
        supply: new Int32Array(size),
        demand,
        capacity: 1,
        pairs: {
          starts: Int32Array.of(0, 2, 4, 6),
          targets: Int32Array.from(arcs, ({ j }) => j),
          units: Float64Array.from(arcs, ({ i, j }) => costs[i][j] * 1e4),
          delay: new Uint8Array(6).fill(1),
        },
        required: level * demand.reduce((a, b) => a + b, 0),
        ...(price && { unmetUnits: demand.map(() => price * 1e4) }),
        ...(rules.has('spread') && { parts: partsFromOutcomes(outcomes.map(rowsOf)) }),
      },
      capacities: Float64Array.from(capacities),
      supply,
      levels: Uint8Array.from(critical),
      ...(ceiling !== null && { ceilingUnits: ceiling * 1e4 }),
      ...(most !== null && { fleetSize: most }),
      previous: {
        changeUnits: changeCost * 1e4,
        groups: [...groups].map(([key, count]) => {
          const [capacityClass, location, target] = key.split(' ').map(Number);
          return { capacityClass, location, target, count };
        }),
      },
    },
  };
}

/** A vehicle, its class, the row of the problem in which it becomes free, and where. */
function vehicle(random: Random, v: number, steps: number, capacities: readonly number[]) {
  const j = random.integer(0, n - 1);
  const k = v % capacities.length;
  const isLate = random.chance(0.2);
  const hours = isLate ? random.integer(0, steps) : -1;
  const available_at = new Date(Date.parse(STARTS_AT) + (hours + 0.25) * 3_600_000).toISOString();
  const sent = { id: `${v}`, location: IDS[j], capacity: capacities[k], ...(isLate && { available_at }) };
  return { sent, j, k, at: isLate ? hours + 2 : 0 };
}

describe('a request that looks ahead, with rules', () => {
  it.each<[string, Rule[]]>([
    ['several capacities', ['capacities']],
    ['priorities', ['priorities']],
    ['a ceiling', ['ceiling']],
    ['a change cost', ['previous']],
    ['a fleet size', ['fleet']],
    ['demand that may turn out in several ways, several capacities', ['spread', 'capacities']],
    [
      'demand that may turn out in several ways, all but those',
      ['spread', 'priorities', 'ceiling', 'previous'],
    ],
    ['all of them', ['capacities', 'priorities', 'ceiling', 'previous', 'fleet', 'spread']],
  ])(
    'keeps them, and has a bound that is the best of all plans but for whole vehicles: %s',
    async (_, rules) => {
      let compared = 0;
      for (const seed of seeds(1, 24)) {
        const where = `seed ${seed}`;
        const { request, problem, previous, outcomes = null } = tinyRequest(seed, new Set(rules));
        const outcome = await plan(request, { previous, outcomes });
        if (!('result' in outcome)) throw new Error(`${where}: ${JSON.stringify(outcome)}`);
        const { result, certificate } = outcome;
        const expected = formulateRuled(problem)!;
        const best = expected.objectiveUnits / 1e4;
        const critical = result.priorities ?? [];
        const isShort = expected.served.at(-1)! < problem.base.required - 1e-6;
        // The network alone answers with whole vehicles, which may cost more than fractional ones.
        if (certificate.method === 'linear') {
          expect(result.horizon_bound!, where).toBeLessThanOrEqual(best + 1e-3);
          if (!isShort && !result.shortfall && critical.length === 0)
            expect(result.horizon_bound!, where).toBeGreaterThan(best - 1e-3);
          compared++;
        }
        // What whole moves of the first step serve less, they may cost less.
        if (!isShort && !result.shortfall && critical.length === 0)
          expect(result.horizon_cost!, where).toBeGreaterThan(best - 1e-3);
        const served = result.outlook!.reduce((sum, step) => sum + step.served, 0);
        if (critical.length === 0) expect(served, where).toBeLessThanOrEqual(expected.served[0] + 1e-4);
        const ceiling = request.constraints?.max_rebalancing_cost ?? Number.POSITIVE_INFINITY;
        expect(result.total_cost, where).toBeLessThanOrEqual(ceiling);
        let higher = 0;
        for (const [l, { served: own, served_at_most }] of critical.entries()) {
          expect(own, where).toBeLessThanOrEqual(served_at_most + 1e-9);
          higher += own;
          // A level that only whole vehicles miss is dropped, and critical demand gets more.
          if (isShort || !result.shortfall)
            expect(higher, where).toBeLessThanOrEqual(expected.served[l] + 1e-4);
        }
        expect(critical.length, where).toBe(expected.served.length - 1);
        const changed = result.allocation_plan.filter(
          ({ vehicle_id, target_location }) =>
            previous.has(vehicle_id) && previous.get(vehicle_id) !== target_location,
        );
        expect(result.stability?.changed_vehicles ?? 0, where).toBe(
          rules.includes('previous') ? changed.length : 0,
        );
      }
      expect(compared).toBeGreaterThan(enough(5));
    },
  );

  it('says in its certificate that no other plan costs less, and that critical demand came first', async () => {
    const request: OptimizeRequest = {
      demand_forecast: { '4': [0, 2], '7': [3, 0], '9': [1, 1] },
      fleet_state: {
        vehicles: [
          { id: 'van', location: 4, capacity: 3 },
          { id: 'car', location: 4, capacity: 1 },
        ],
      },
      network: {
        location_ids: IDS,
        costs: [
          [0, 5, 1],
          [5, 0, 5],
          [1, 5, 0],
        ],
      },
      constraints: { min_service_level: 0, priorities: { '7': 3 } },
      options: { horizon: {} },
    };
    const outcome = await plan(request);
    if (!('result' in outcome)) throw new Error(JSON.stringify(outcome));
    // Only the van serves all of the critical demand.
    expect(outcome.result.allocation_plan.map(({ target_location }) => target_location)).toEqual([7, 4]);
    expect(outcome.result.priorities).toEqual([{ level: 3, demand: 3, served: 3, served_at_most: 3 }]);
    expect(outcome.result.stages).toEqual(['critical_demand', 'min_cost_flow']);
    expect(outcome.result).toMatchObject({ solver_status: 'optimal', horizon_cost: 5, horizon_bound: 5 });
    expect(outcome.certificate).toMatchObject({ objective: 5, bound: 5, method: 'linear' });
  });

  it('names a ceiling that is in the way, and one that is sufficient', async () => {
    const request: OptimizeRequest = {
      demand_forecast: { '4': [0, 0], '7': [2, 2] },
      fleet_state: {
        vehicles: [
          { id: 'a', location: 4 },
          { id: 'b', location: 4 },
        ],
      },
      network: {
        location_ids: [4, 7],
        costs: [
          [0, 3],
          [3, 0],
        ],
      },
      constraints: { min_service_level: 1, max_rebalancing_cost: 4 },
      options: { horizon: {} },
    };
    const outcome = await plan(request);
    expect(outcome).toMatchObject({
      status: 'infeasible',
      errors: [
        { field: 'constraints.min_service_level' },
        {
          field: 'constraints.max_rebalancing_cost',
          message: expect.stringMatching(/raise it to at least 6$/),
        },
        {
          field: 'fleet_state.vehicles',
          message: expect.stringMatching(/add 1 vehicle.* \(for example 1 at location 7\)/),
        },
      ],
      conflicts: [
        { constraint: 'min_service_level', value: 1, relaxation: 0.75 },
        { constraint: 'max_rebalancing_cost', value: 4, relaxation: 6, proved: true },
        { constraint: 'supply', value: 2, relaxation: 3, proved: true },
      ],
    });
    const constraints = { ...request.constraints, max_rebalancing_cost: 6 };
    expect(await plan({ ...request, constraints })).toMatchObject({ status: 'optimal' });
    const most = await plan({ ...request, constraints: { ...request.constraints, shortage: 'serve_most' } });
    if (!('result' in most)) throw new Error(JSON.stringify(most));
    expect(most.result.total_cost).toBe(3);
    // A vehicle serves in both steps, the other one in the second.
    expect(most.result.shortfall?.reached).toBeCloseTo(0.75, 6);
    expect(most.result.shortfall).toMatchObject({
      missing_vehicles: 1,
      relaxations: [
        { constraint: 'min_service_level', relaxation: 0.75 },
        { constraint: 'max_rebalancing_cost', value: 4, relaxation: 6, proved: true },
        { constraint: 'supply', value: 2, relaxation: 3, proved: true },
      ],
    });
  });

  it('names docks, and a fleet size, that keep the level out of reach, with the nearest that do not', async () => {
    const request: OptimizeRequest = {
      demand_forecast: { '4': [1, 1], '7': [2, 2] },
      fleet_state: { vehicles: [0, 1, 2].map((v) => ({ id: `${v}`, location: 4, capacity: v < 2 ? 1 : 2 })) },
      network: {
        location_ids: [4, 7],
        costs: [
          [0, 3],
          [3, 0],
        ],
      },
      constraints: { min_service_level: 1, priorities: { '7': 1 } },
      options: { horizon: {} },
    };
    const reasonsOf = async (more: object) => {
      const constraints = { ...request.constraints, ...more };
      const outcome = await plan({ ...request, constraints });
      if (outcome.status !== 'infeasible') throw new Error(outcome.status);
      expect(outcome.errors.map(({ field }) => field)).toEqual([
        'constraints.min_service_level',
        ...outcome.conflicts
          .slice(1)
          .map(({ constraint }) =>
            constraint === 'supply' ? 'fleet_state.vehicles' : `constraints.${constraint}`,
          ),
      ]);
      const most = await plan({ ...request, constraints: { ...constraints, shortage: 'serve_most' } });
      if (!('result' in most)) throw new Error(JSON.stringify(most));
      expect(most.result.shortfall!.relaxations).toEqual(
        outcome.errors.map(({ message, relaxation }) => ({ ...relaxation, message })),
      );
      return outcome;
    };
    const docks = await reasonsOf({ max_vehicles_per_location: { '7': 0 } });
    expect(docks.conflicts).toMatchObject([
      { constraint: 'min_service_level' },
      {
        constraint: 'max_vehicles_per_location',
        changes: [{ location_id: 7, from: 0, to: 1 }],
        proved: true,
      },
      { constraint: 'supply', relaxation: null, proved: true },
    ]);
    const few = await reasonsOf({ total_fleet_size: 1 });
    expect(few.conflicts).toMatchObject([
      { constraint: 'min_service_level' },
      { constraint: 'total_fleet_size', value: 1, relaxation: 2, proved: true },
      { constraint: 'supply', relaxation: null },
    ]);
    // With one more vehicle at the second location, two of them serve it; critical demand comes first.
    const away = { ...request, fleet_state: { vehicles: request.fleet_state.vehicles.slice(0, 2) } };
    const outcome = await plan(away);
    if (outcome.status !== 'infeasible') throw new Error(outcome.status);
    expect(outcome.conflicts).toMatchObject([
      { constraint: 'min_service_level', value: 1 },
      { constraint: 'supply', value: 2, relaxation: 3, proved: true },
    ]);
  });

  it('states critical demand that pinned vehicles serve alone, too', async () => {
    const request: OptimizeRequest = {
      demand_forecast: { '4': [1, 1], '7': [1, 1], '9': [1, 1] },
      fleet_state: {
        vehicles: [
          { id: 'a', location: 4 },
          { id: 'b', location: 7, pinned: true },
        ],
      },
      network: { location_ids: IDS, costs: IDS.map((_, i) => IDS.map((__, j) => (i === j ? 0 : 1))) },
      constraints: { min_service_level: 0, priorities: { '7': 7, '9': 1 } },
      options: { horizon: {} },
    };
    const prioritiesOf = async (priorities: Record<string, number>) => {
      const outcome = await plan({ ...request, constraints: { ...request.constraints, priorities } });
      if (!('result' in outcome)) throw new Error(JSON.stringify(outcome));
      return outcome.result.priorities;
    };
    const pinned = { level: 7, demand: 2, served: 2, served_at_most: 2 };
    expect(await prioritiesOf({ '7': 7, '9': 1 })).toEqual([pinned, { ...pinned, level: 1 }]);
    expect(await prioritiesOf({ '7': 7 })).toEqual([pinned]);
  });

  describe('if vehicles are too few', () => {
    const locations = IDS.map((id, j) => ({ id, latitude: 40 + j, longitude: 0 }));
    const few: OptimizeRequest = {
      demand_forecast: { '4': [3, 3] },
      fleet_state: { vehicles: [0, 1].map((v) => ({ id: `${v}`, location: 4 })) },
      constraints: { min_service_level: 1 },
      options: { horizon: {} },
    };
    const supplyOf = async (request: OptimizeRequest, rest: Partial<OptimizeInput> = {}) => {
      const outcome = await plan(request, { locations, ...rest });
      if (outcome.status !== 'infeasible') throw new Error(outcome.status);
      return outcome.conflicts.find(({ constraint }) => constraint === 'supply');
    };

    it('states the capacity of further ones as the request does', async () => {
      const options = { horizon: {}, trips_per_vehicle_hour: 2 };
      const request = { ...few, demand_forecast: { '4': [6, 6] }, options };
      expect(await supplyOf(request)).toMatchObject({
        relaxation: 3,
        additions: [{ location_id: 4, vehicles: 1, capacity: 1 }],
      });
    });

    it('asks for no more of them than total_fleet_size lets serve', async () => {
      expect(await supplyOf(few)).toMatchObject({ relaxation: 3, proved: true });
      for (const pinned of [false, true]) {
        const vehicles = few.fleet_state.vehicles.map((one, v) => ({ ...one, pinned: pinned && v === 0 }));
        const sized = (total_fleet_size: number): OptimizeRequest => {
          const constraints = { ...few.constraints, total_fleet_size };
          return { ...few, fleet_state: { vehicles }, constraints };
        };
        expect(await supplyOf(sized(2))).toMatchObject({ relaxation: null, proved: true });
        expect(await supplyOf(sized(3))).toMatchObject({ relaxation: 3, proved: true });
      }
    });

    it('names total_fleet_size beside them where it is the size of the fleet, and both are sufficient', async () => {
      const constraints = { ...few.constraints, total_fleet_size: 2 };
      const outcome = await plan({ ...few, constraints }, { locations });
      if (outcome.status !== 'infeasible') throw new Error(outcome.status);
      expect(outcome.together).toMatchObject([
        { constraint: 'supply', value: 2, relaxation: 3, additions: [{ vehicles: 1 }] },
        { constraint: 'total_fleet_size', value: 2, relaxation: 3 },
      ]);
      const { message } = outcome.errors.at(-1)!;
      expect(message).toMatch(
        /sufficient together: add 1 vehicle .*, then total_fleet_size: raise it to at least 3/,
      );
      const [{ location_id: location }] = outcome.together![0].additions!;
      const vehicles = [...few.fleet_state.vehicles, { id: 'one more', location }];
      const both = {
        ...few,
        fleet_state: { vehicles },
        constraints: { ...constraints, total_fleet_size: 3 },
      };
      expect((await plan(both, { locations })).status).not.toBe('infeasible');
    });

    it('asks for others in every step where trips take them away for good', async () => {
      const tripCounts = {
        from: Int32Array.of(4),
        to: Int32Array.of(7),
        hour: Int16Array.of(-1),
        trips: Float64Array.of(1),
      };
      const request = {
        ...few,
        demand_forecast: { '4': [2, 2, 2], '7': [0, 0, 0] },
        constraints: { ...few.constraints, max_distance: 1 },
      };
      expect(await supplyOf(request, { tripCounts })).toMatchObject({
        relaxation: 6,
        proved: true,
        additions: [{ location_id: 4, vehicles: 4 }],
      });
    });
  });

  it('names changes that are sufficient together where none is alone', async () => {
    const request: OptimizeRequest = {
      demand_forecast: { '4': [5, 5], '7': [0, 0] },
      fleet_state: {
        vehicles: [
          { id: 'a', location: 4 },
          { id: 'b', location: 4 },
        ],
      },
      network: {
        location_ids: [4, 7],
        costs: [
          [0, 3],
          [null, 0],
        ],
      },
      constraints: {
        min_service_level: 1,
        max_vehicles_per_location: { '4': 1, '7': 0 },
      },
      options: { horizon: {} },
    };
    const outcome = await plan(request);
    expect(outcome).toMatchObject({
      status: 'infeasible',
      conflicts: [
        { constraint: 'max_vehicles_per_location', relaxation: null },
        { constraint: 'supply', relaxation: null },
      ],
      together: [
        { constraint: 'max_vehicles_per_location', relaxation: 2, proved: true },
        { constraint: 'min_service_level', value: 1, relaxation: 0.4 },
      ],
    });
    const { errors } = outcome as Extract<typeof outcome, { status: 'infeasible' }>;
    expect(errors.at(-1)!.message).toMatch(
      /these changes are sufficient together: .*then min_service_level: lower it/,
    );
  });

  it('plans docks and a fleet size of a whole city, where the solver gives up its first way', {
    tags: ['slow'],
  }, async () => {
    const random = createRandom(5);
    const [steps, fleet] = [8, 300];
    const ids = Array.from({ length: 60 }, (_, j) => j + 1);
    const place = () => 0.2 * random.next();
    const locations = ids.map((id) => ({ id, latitude: 40 + place(), longitude: place() }));
    const weights = ids.map(() => Math.exp(2 * random.next()));
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    const trips = ids.flatMap((from) => ids.map((to) => ({ from, to })));
    const tripCounts = {
      from: Int32Array.from(trips, ({ from }) => from),
      to: Int32Array.from(trips, ({ to }) => to),
      hour: new Int16Array(trips.length).fill(-1),
      trips: Float64Array.from(trips, ({ from, to }) =>
        Math.ceil((100 * weights[from - 1] * weights[to - 1]) / all),
      ),
    };
    const demandAt = (j: number) => Math.round((100 * fleet * 1.6 * weights[j % ids.length]) / all) / 100;
    const request: OptimizeRequest = {
      demand_forecast: Object.fromEntries(
        ids.map((id, j) => [id, Array.from({ length: steps }, (_, t) => demandAt(j + t))]),
      ),
      fleet_state: {
        vehicles: Array.from({ length: fleet }, (_, v) => {
          return { id: `${v}`, location: random.pick(ids) };
        }),
      },
      constraints: {
        ...{ min_service_level: 0.95, shortage: 'serve_most', total_fleet_size: fleet - 5 },
        ...{ min_vehicles_per_location: 1, max_vehicles_per_location: 40 },
      },
      options: { horizon: {} },
    };
    const ofService = { ...settings, optimalityGap: SETTINGS.optimalityGap };
    const outcome = await optimizeCached({ request, locations, tripCounts, settings: ofService });
    if (!('result' in outcome)) throw new Error(JSON.stringify(outcome));
    const { reached, reached_at_most } = outcome.result.shortfall!;
    expect(reached / reached_at_most).toBeGreaterThan(0.99);
  });

  it('keeps docks where trips end: vehicles that have no room leave, or do not serve', async () => {
    const locations = IDS.map((id, j) => ({ id, latitude: 40 + j / 1000, longitude: 0 }));
    const tripCounts = {
      from: Int32Array.of(4, 7, 9),
      to: Int32Array.of(7, 9, 4),
      hour: Int16Array.of(-1, -1, -1),
      trips: Float64Array.of(1, 1, 1),
    };
    const request: OptimizeRequest = {
      demand_forecast: { '4': [4, 4, 0], '7': [0, 0, 4], '9': [0, 0, 0] },
      fleet_state: { vehicles: Array.from({ length: 4 }, (_, v) => ({ id: `${v}`, location: 4 })) },
      constraints: { min_service_level: 0, unmet_demand_cost: 1 },
      options: { horizon: {} },
    };
    const servedOf = async (most: number) => {
      const constraints = { ...request.constraints, max_vehicles_per_location: { '7': most } };
      const outcome = await plan({ ...request, constraints }, { locations, tripCounts });
      if (!('result' in outcome)) throw new Error(JSON.stringify(outcome));
      return outcome.result.outlook!.map(({ served }) => served);
    };
    expect(await servedOf(4)).toEqual([4, 0, 4]);
    const fewer = await servedOf(1);
    expect(fewer[2]).toBe(1);
  });
});
