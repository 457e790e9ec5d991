import { beforeAll, describe, expect, test } from 'vitest';
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
          message: /lower it to 0\.888888/,
        },
      ].map((error) => ({ ...error, message: expect.stringMatching(error.message) })),
    );
    const most = await ahead({ constraints: { min_service_level: 1, shortage: 'serve_most' } });
    expect(most.body.data.shortfall).toMatchObject({ requested: 1, reached: 8 / 9, unserved: 1 });
    const dear = await ahead({ constraints: { min_service_level: 0.8, max_rebalancing_cost: 0 } });
    expect([dear.status, dear.body.errors[0].field]).toEqual([400, 'constraints.max_rebalancing_cost']);
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
    [{ options: { explain: true } }, 'options.explain'],
    [{ options: { demand_aggregation: 'peak' } }, 'options.demand_aggregation'],
    [{ constraints: { total_fleet_size: 1 } }, 'constraints.total_fleet_size'],
  ])('names what does not go together: %j', async (more, field) => {
    const { status, body } = await decide(more);
    expect([status, body.errors.map((error: { field: string }) => error.field)]).toEqual([400, [field]]);
  });
});
