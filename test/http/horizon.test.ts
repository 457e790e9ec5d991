import { beforeAll, describe, expect, test } from 'vitest';
import { likelyDemand, planRequest } from '../../src/core/decision.ts';
import { optimizeCached } from '../core/optimize/cached.ts';
import { SETTINGS } from '../core/optimize/instances.ts';
import { START_DATE, storeDemand } from '../helpers/decisions.ts';
import { send, startTestService, TEST_LOCATIONS } from '../helpers/service.ts';

const service = await startTestService({ overrides: { FORECASTING_TIME_ZONE: 'America/New_York' } });
const call = (path: string, options: Parameters<typeof send>[1] = {}) =>
  send(`${service.url}/api/v1/${path}`, options);
const [a, b] = TEST_LOCATIONS.map(({ id }) => id);
const vehicles = ['v1', 'v2', 'v3', 'v4'].map((id) => ({ id, location: a }));
const fleet_state = { vehicles };

/** By step: what the outlook says. */
type Outlook = {
  starts_at: string | null;
  demand: number;
  served: number;
  unmet: number;
  vehicles: number;
}[];

type Move = { target_location: number };

describe('a plan that looks ahead', () => {
  const ahead = (more: object = {}, options: object = {}) =>
    call('optimize', {
      body: {
        demand_forecast: { [a]: [0, 3, 0], [b]: [2, 2, 2] },
        fleet_state,
        constraints: { min_service_level: 0, unmet_demand_cost: 1000 },
        options: { horizon: { starts_at: '2026-02-09T08:00Z', ...options } },
        ...more,
      },
    });

  test('answers an ordinary plan, what every step would bring, and a bound for all steps, and is stored with them', async () => {
    const { status, body } = await ahead();
    expect(status).toBe(200);
    const { data, metadata } = body;
    expect(data).toMatchObject({
      solver_status: 'optimal',
      kpis: { rebalanced_count: 2, demand_coverage: 1 },
      rounding_cost: 0,
      outlook: [
        { starts_at: '2026-02-09T08:00:00.000Z', demand: 2, served: 2, unmet: 0, vehicles: 4, moves: [] },
        { starts_at: '2026-02-09T09:00:00.000Z', demand: 5, served: 4, unmet: 1, vehicles: 4, moves: [] },
        { starts_at: '2026-02-09T10:00:00.000Z', demand: 2, served: 2, unmet: 0, vehicles: 4, moves: [] },
      ],
    });
    expect(data.outlook[1]).toMatchObject({
      demand_by_location: [3, 2],
      unmet_by_location: expect.toSatisfy((unmet: number[]) => unmet[0] + unmet[1] === 1),
      vehicles_by_location: [2, 2],
    });
    const short = await ahead({ options: { locations: false, horizon: {} } });
    expect(Object.keys(short.body.data.outlook[1])).toEqual(Object.keys(data.outlook[1]).slice(0, 7));
    expect(data.horizon_cost).toBe(data.horizon_bound);
    expect(data.horizon_cost).toBeCloseTo(data.total_cost + 1000, 6);
    const stored = (await call(`plans/${metadata.plan_id}`)).body.data;
    const { insights: _, ...shown } = stored;
    expect(shown).toMatchObject({ outlook: data.outlook, horizon_bound: data.horizon_bound });
    expect(stored.certificate).toMatchObject({ objective: data.horizon_cost, bound: data.horizon_bound });
    expect(stored.certificate.checks).toContain('service level of all steps');
  });

  test('counts vehicles on the way from the step in which they arrive, and plans only the others', async () => {
    const late = { id: 'late', location: b, available_at: '2026-02-09T08:10Z' };
    const { body } = await ahead({ fleet_state: { vehicles: [...vehicles.slice(0, 3), late] } });
    const { allocation_plan, outlook } = body.data;
    expect(allocation_plan.map((item: { vehicle_id: string }) => item.vehicle_id)).toEqual([
      'v1',
      'v2',
      'v3',
    ]);
    expect(outlook.map((step: { on_the_way: number }) => step.on_the_way)).toEqual([1, 0, 0]);
  });

  test('follows stored trips to where they end, by the hour of the week, unless it is asked not to', async () => {
    // On Mondays at 8 all trips end at the first location, at all other hours where they began.
    const rows = [
      { from_location_id: b, to_location_id: a, trips: 5, hour_of_week: 8 },
      { from_location_id: b, to_location_id: b, trips: 5 },
      { from_location_id: a, to_location_id: a, trips: 5 },
    ];
    await call('data/trip-flows', { method: 'PUT', body: { trip_flows: rows } });
    const served = async (options: object) =>
      (await ahead({ demand_forecast: { [a]: [0, 0], [b]: [4, 4] } }, options)).body.data.outlook.map(
        (step: { served: number }) => step.served,
      );
    // The vehicles that served the second location are back at the first one.
    expect(await served({})).toEqual([4, 0]);
    expect(await served({ trip_flows: 'none' })).toEqual([4, 4]);
    expect(await served({ starts_at: '2026-02-10T08:00Z' })).toEqual([4, 4]);
    expect(await served({ starts_at: '2026-02-09T08:00-05:00' })).toEqual([4, 0]);
    await service.pool.query('delete from trip_flows');
  });

  test('is refused, or names what is out of reach, as any other plan', async () => {
    const short = { constraints: { min_service_level: 1 } };
    const { status, body } = await ahead(short);
    expect(status).toBe(422);
    expect(body.errors).toMatchObject(
      [
        {
          code: 'INFEASIBLE_PROBLEM',
          field: 'constraints.min_service_level',
          message: /lower it to at most 0\.8888 /,
          relaxation: { constraint: 'min_service_level', value: 1, relaxation: 0.888888 },
        },
        {
          code: 'INFEASIBLE_PROBLEM',
          field: 'fleet_state.vehicles',
          message:
            /4 operational vehicles cannot serve the required 9 \(100 % of the demand 9\) in 3 steps; add 1 vehicle/,
          relaxation: { constraint: 'supply', proved: true },
        },
      ].map((error) => ({ ...error, message: expect.stringMatching(error.message) })),
    );
    const most = await ahead({ constraints: { min_service_level: 1, shortage: 'serve_most' } });
    expect(most.body.data.shortfall).toMatchObject({
      requested: 1,
      reached: 8 / 9,
      unserved: 1,
      missing_vehicles: 1,
    });
    const dear = await ahead({ constraints: { min_service_level: 0.8, max_rebalancing_cost: 0 } });
    expect([dear.status, dear.body.errors[0].field]).toEqual([422, 'constraints.min_service_level']);
  });
});

describe('a decision that looks ahead', () => {
  beforeAll(async () => {
    await storeDemand(service.pool, a, '0');
    await storeDemand(service.pool, b, '2');
  });

  const decide = (more: object = {}) =>
    call('decisions', {
      body: {
        fleet_state,
        location_ids: [a, b],
        start_date: START_DATE,
        mode: 'horizon',
        horizon_hours: 4,
        ...more,
      },
    });

  test('has the plan of the first moves, and beside it every step from local midnight on', async () => {
    const { status, body } = await decide({ step_hours: 2, constraints: { min_service_level: 1 } });
    expect(status).toBe(200);
    const { plan, outlook, horizon_cost, horizon_bound, rounding_cost } = body.data;
    expect(plan.kpis).toMatchObject({ rebalanced_count: 4, demand_coverage: 1 });
    expect(plan).not.toHaveProperty('outlook');
    expect((outlook as Outlook).map(({ starts_at, demand, served }) => [starts_at, demand, served])).toEqual([
      ['2026-02-09T05:00:00.000Z', 4, 4],
      ['2026-02-09T07:00:00.000Z', 4, 4],
    ]);
    expect([horizon_bound, rounding_cost]).toEqual([horizon_cost, 0]);
    const stored = (await call(`plans/${body.metadata.plan_id}`)).body.data;
    expect(stored).toMatchObject({ outlook, kpis: plan.kpis });
    const decision = (await call(`decisions/${body.data.decision_id}`)).body.data;
    expect(decision.result).toEqual(body);
  });

  test('with `demand` `spread` is the plan of the core for the outcomes of the stored forecast', async () => {
    const c = TEST_LOCATIONS[2].id;
    await storeDemand(service.pool, c, '(h * h % 1009 * 37) % 11');
    const constraints = { min_service_level: 0, unmet_demand_cost: 1000, max_rebalancing_cost: 1e6 };
    const ask = { location_ids: [a, c], constraints, options: { optimality_gap: 0 } };
    const { status, body } = await decide({ ...ask, demand: 'spread' });
    expect([status, body.data.demand]).toEqual([200, 'spread']);
    const { inputs } = (await call(`decisions/${body.data.decision_id}`)).body.data;
    expect(inputs.request).toMatchObject({ mode: 'horizon', demand: 'spread' });
    const { request, fleet, risk, forecast } = inputs;
    const outcome = await optimizeCached({
      request: planRequest(request, fleet, risk, forecast, 'America/New_York'),
      locations: TEST_LOCATIONS,
      settings: SETTINGS,
      outcomes: likelyDemand(request, forecast),
    });
    if (!('result' in outcome)) throw new Error(JSON.stringify(outcome));
    const { outlook, horizon_cost, horizon_bound } = outcome.result;
    expect(body.data).toMatchObject({ outlook, horizon_cost, horizon_bound });
    // Four vehicles serve less on average than of the mean.
    const mean = (await decide(ask)).body.data;
    expect(horizon_cost).toBeGreaterThan(mean.horizon_cost);
    const critical = { ...constraints, priorities: { default: 1 } };
    const levels = await decide({ ...ask, demand: 'spread', constraints: critical });
    expect(levels.body.data.plan.priorities).toMatchObject([{ level: 1 }]);
  });

  test('of one step has the plan of `static`, to the last digit', async () => {
    const one = { horizon_hours: 1, constraints: { min_service_level: 0.9, unmet_demand_cost: 3 } };
    const [ahead, still] = [
      (await decide(one)).body.data,
      (await decide({ ...one, mode: 'static' })).body.data,
    ];
    expect(ahead.plan).toEqual(still.plan);
    expect(ahead.outlook).toHaveLength(1);
    expect(ahead.plan.kpis.rebalanced_count).toBeGreaterThan(0);
  });

  test('keeps the rules of every plan in every step: docks, critical demand, a fleet size, a previous plan', async () => {
    const c = TEST_LOCATIONS[3].id;
    await storeDemand(service.pool, c, '1');
    const all = { location_ids: [a, b, c], horizon_hours: 3 };
    const rules = (constraints: object, options: object = {}) =>
      decide({
        ...all,
        constraints: { min_service_level: 0, ...constraints },
        options: { horizon: { speed_kmh: 100 }, ...options },
      });
    const served = ({ outlook }: { outlook: Outlook }) => outlook.map((step) => step.served);
    const free = (await rules({ min_service_level: 1 })).body;
    expect(served(free.data)).toEqual([3, 3, 3]);
    const docks = (await rules({ max_vehicles_per_location: { [b]: 1 }, unmet_demand_cost: 99 })).body.data;
    expect(served(docks)).toEqual([2, 2, 2]);
    const critical = (await rules({ priorities: { [c]: 5 } })).body.data.plan;
    expect(critical.priorities).toEqual([{ level: 5, demand: 3, served: 3, served_at_most: 3 }]);
    expect(critical.allocation_plan.filter((one: Move) => one.target_location === c)).toHaveLength(1);
    const few = (await rules({ total_fleet_size: 2, unmet_demand_cost: 99 })).body.data;
    expect(served(few)).toEqual([2, 2, 2]);
    expect(few.plan.kpis.demand_coverage).toBeCloseTo(2 / 3, 9);
    const before = { previous_plan_id: free.metadata.plan_id, change_cost: 99 };
    const again = (await rules({ unmet_demand_cost: 9 }, before)).body.data;
    expect(again.plan.stability).toMatchObject({ changed_vehicles: 0, compared_vehicles: 4 });
    expect(again.plan.allocation_plan).toEqual(free.data.plan.allocation_plan);
    // Nobody would go as far for so little otherwise.
    expect((await rules({ unmet_demand_cost: 9 })).body.data.plan.kpis.rebalanced_count).toBeLessThan(3);
  });

  test('without `mode` is the same as before', async () => {
    const { body } = await decide({ mode: 'static' });
    expect(body.data).not.toHaveProperty('outlook');
    const plain = await call('decisions', {
      body: { fleet_state, location_ids: [a, b], start_date: START_DATE, horizon_hours: 4 },
    });
    expect(plain.body.data.plan).toEqual(body.data.plan);
  });

  test.each([
    [{ mode: 'static', options: { horizon: {} } }, 'options.horizon'],
    [{ options: { horizon: { step_hours: 1 } } }, 'options.horizon.step_hours'],
    [{ options: { horizon: { starts_at: '2026-02-09T08:00Z' } } }, 'options.horizon.starts_at'],
    [{ mode: 'static', demand: 'spread' }, 'demand'],
    [{ options: { explain: true } }, 'options.explain'],
    [{ options: { demand_aggregation: 'peak' } }, 'options.demand_aggregation'],
  ])('names what does not go together: %j', async (more, field) => {
    const { status, body } = await decide(more);
    expect([status, body.errors.map((error: { field: string }) => error.field)]).toEqual([400, [field]]);
    if (!JSON.stringify(more).includes('"horizon":'))
      expect(body.errors[0].message).not.toMatch(/options.horizon/);
  });
});
