import { beforeAll, describe, expect, test } from 'vitest';
import { importSample } from '../../src/commands/import/sample.ts';
import { type Answer, send, startTestService } from '../helpers/service.ts';
import { openSocket } from '../helpers/socket.ts';

/** The examples and field tables of the interface specification, endpoint by endpoint, on the sample data. */
describe('the interface specification', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  let base: string;
  beforeAll(async () => {
    service = await startTestService({});
    await importSample(service.pool);
    base = service.url;
  });

  const general = {
    timestamp: expect.stringMatching(/Z$/),
    version: '0.1.0',
    request_id: expect.any(String),
  };
  const success = (data: unknown) => ({ status: 'success', data, metadata: general });
  const post = (path: string, body: unknown): Promise<Answer> => send(`${base}${path}`, { body });

  test('GET /health and GET / answer with the envelope', async () => {
    expect((await send(`${base}/health`)).body).toEqual(
      success({
        health: 'healthy',
        checks: { database: 'up', queue: 'up' },
        uptime_seconds: expect.any(Number),
      }),
    );
    expect((await send(`${base}/`)).body).toEqual(
      success(expect.objectContaining({ name: 'Fleet Decision Service', version: '0.1.0' })),
    );
  });

  test('GET /api/v1/config shows exactly the non-sensitive configuration', async () => {
    expect((await send(`${base}/api/v1/config`)).body).toEqual(
      success({
        forecasting: { model: expect.any(String), horizon_days: 7 },
        optimization: {
          solver: 'highs',
          stages: ['min_cost_flow'],
          available_stages: ['critical_demand', 'min_cost_flow', 'milp_refinement'],
        },
        features: { enable_caching: true, enable_risk_scoring: true },
      }),
    );
  });

  test('GET /api/v1/data/locations gives every location with the fields of the specification', async () => {
    const { body } = await send(`${base}/api/v1/data/locations`);
    expect(body).toEqual(success({ locations: expect.any(Array) }));
    expect(body.data.locations).toContainEqual({
      id: 4,
      name: 'Alphabet City',
      latitude: 40.723752,
      longitude: -73.976968,
      // Beside the specification; only where it is stored.
      time_zone: 'America/New_York',
    });
  });

  test('GET /api/v1/data/fleet gives vehicles and a summary that counts them', async () => {
    const { body } = await send(`${base}/api/v1/data/fleet`);
    const { fleet, summary } = body.data;
    expect(Object.keys(fleet[0]).sort()).toEqual(['capacity', 'location_id', 'status', 'vehicle_id']);
    const count = (status: string) => fleet.filter((v: { status: string }) => v.status === status).length;
    expect(summary).toEqual({
      total_vehicles: fleet.length,
      operational: count('operational'),
      maintenance: count('maintenance'),
      downtime: count('downtime'),
    });
  });

  describe('POST /api/v1/forecast', () => {
    const request = {
      location_ids: [4, 12],
      horizon_hours: 168,
      features: { start_date: '2017-04-24', include_intervals: false },
    };

    test('gives seven values for 168 hours', async () => {
      const { status, body } = await post('/api/v1/forecast', request);
      expect(status).toBe(200);
      expect(body).toEqual(
        success({
          forecasts: { '4': expect.any(Array), '12': expect.any(Array) },
          metadata: expect.objectContaining({
            model: expect.any(String),
            horizon_hours: 168,
            generated_at: expect.stringMatching(/Z$/),
            start_date: '2017-04-24',
            step_hours: 24,
            methods: { '4': 'combination', '12': 'combination' },
            backtest_wape: { '4': expect.any(Number), '12': expect.any(Number) },
          }),
        }),
      );
      for (const values of Object.values<number[]>(body.data.forecasts)) {
        expect(values).toHaveLength(7);
        for (const value of values) expect(value).toBeGreaterThanOrEqual(0);
      }
    });

    test.each([
      [25, 24, 2],
      [168, 1, 168],
      [10, 3, 4],
      [1, 24, 1],
    ])(
      'gives one value per step: %i hours in steps of %i are %i values',
      async (horizon_hours, step_hours, count) => {
        const { body } = await post('/api/v1/forecast', {
          location_ids: [4],
          horizon_hours,
          features: { step_hours },
        });
        expect(body.data.forecasts['4']).toHaveLength(count);
      },
    );

    test('starts the day after the newest observation, plans 168 hours and gives no intervals by default', async () => {
      const { body } = await post('/api/v1/forecast', { location_ids: [4] });
      expect(body.data.metadata).toMatchObject({ horizon_hours: 168, start_date: '2017-05-04' });
      expect(body.data.intervals).toBeUndefined();
    });

    test('starts the day after the newest observation of all locations, each day on its own clock', async () => {
      const location = { id: 7001, name: 'Far', latitude: 0, longitude: 0, time_zone: 'Pacific/Auckland' };
      await send(`${base}/api/v1/data/locations`, { method: 'PUT', body: { locations: [location] } });
      const last = Date.UTC(2017, 4, 4, 3);
      const observations = Array.from({ length: 48 }, (_, i) => {
        return { location_id: 7001, hour: new Date(last - i * 3_600_000).toISOString(), demand: 2 };
      });
      expect((await post('/api/v1/data/demand', { observations })).status).toBe(201);
      // 03:00 UTC is the evening of 3 May in New York and the afternoon of 4 May in Auckland.
      const startOf = async (ids: number[]) =>
        (await post('/api/v1/forecast', { location_ids: ids })).body.data.metadata.start_date;
      expect(await startOf([12])).toBe('2017-05-04');
      expect(await startOf([7001])).toBe('2017-05-05');
      expect(await startOf([12, 7001])).toBe('2017-05-05');
    });

    test('puts the forecast between the bounds of its interval, which a higher confidence widens', async () => {
      const ask = async (confidence_level: number) => {
        const features = { ...request.features, include_intervals: true, confidence_level };
        return (await post('/api/v1/forecast', { ...request, features })).body.data;
      };
      const [narrow, wide] = [await ask(0.5), await ask(0.95)];
      for (const id of ['4', '12']) {
        wide.forecasts[id].forEach((value: number, i: number) => {
          expect(wide.intervals[id].lower[i]).toBeLessThanOrEqual(value);
          expect(wide.intervals[id].upper[i]).toBeGreaterThanOrEqual(value);
          expect(wide.intervals[id].upper[i]).toBeGreaterThan(narrow.intervals[id].upper[i]);
        });
      }
    });

    test('uses only observations before start_date', async () => {
      const before = await post('/api/v1/forecast', request);
      await service.pool.query(
        "update demand_observations set demand = demand + 1000 where location_id in (4, 12) and hour >= '2017-04-24T04:00Z'",
      );
      await service.pool.query('update demand_revision set revision = revision + 1');
      const after = await post('/api/v1/forecast', request);
      expect(after.body.data.forecasts).toEqual(before.body.data.forecasts);
      expect(after.body.data.metadata.generated_at).not.toBe(before.body.data.metadata.generated_at);
    });

    test('sees new observations although forecasts are cached', async () => {
      const ask = { location_ids: [13], horizon_hours: 24, features: { start_date: '2017-04-01' } };
      const first = await post('/api/v1/forecast', ask);
      const hours = Array.from({ length: 24 }, (_, h) =>
        new Date(Date.UTC(2017, 2, 31, 4 + h)).toISOString(),
      );
      const observations = hours.map((hour) => ({ location_id: 13, hour, demand: 5000 }));
      expect((await post('/api/v1/data/demand', { observations })).status).toBe(200);
      const second = await post('/api/v1/forecast', ask);
      expect(second.body.data.forecasts['13'][0]).toBeGreaterThan(first.body.data.forecasts['13'][0]);
    });

    test('answers 404 naming unknown locations, 503 naming those without observations', async () => {
      const unknown = await post('/api/v1/forecast', { location_ids: [4, 9999] });
      expect(unknown.status).toBe(404);
      expect(unknown.body.errors).toEqual([
        {
          code: 'RESOURCE_NOT_FOUND',
          field: 'location_ids[1]',
          message: expect.stringMatching(/9999/),
          detail: null,
        },
      ]);
      // Place 1 to 3 of the test service have no history.
      const empty = await post('/api/v1/forecast', { location_ids: [1, 4] });
      expect(empty.status).toBe(503);
      expect(empty.body.errors).toEqual([
        {
          code: 'MODEL_NOT_LOADED',
          field: 'location_ids[0]',
          message: expect.stringMatching(/location 1 /),
          detail: null,
        },
      ]);
    });

    const faults: [string, object, string][] = [
      ['no locations', { location_ids: [] }, 'location_ids'],
      ['a location twice', { location_ids: [4, 4] }, 'location_ids[1]'],
      ['a location as text', { location_ids: ['4'] }, 'location_ids[0]'],
      ['a horizon of 0', { location_ids: [4], horizon_hours: 0 }, 'horizon_hours'],
      ['a horizon that is too long', { location_ids: [4], horizon_hours: 8785 }, 'horizon_hours'],
      ['a fraction as horizon', { location_ids: [4], horizon_hours: 1.5 }, 'horizon_hours'],
      [
        'a date that does not exist',
        { location_ids: [4], features: { start_date: '2017-02-30' } },
        'features.start_date',
      ],
      [
        'a time as date',
        { location_ids: [4], features: { start_date: '2017-04-24T00:00:00Z' } },
        'features.start_date',
      ],
      [
        'a date far in the future',
        { location_ids: [4], features: { start_date: '2050-01-01' } },
        'features.start_date',
      ],
      ['a step of 5 hours', { location_ids: [4], features: { step_hours: 5 } }, 'features.step_hours'],
      [
        'full confidence',
        { location_ids: [4], features: { confidence_level: 1 } },
        'features.confidence_level',
      ],
      [
        'text for a flag',
        { location_ids: [4], features: { include_intervals: 'yes' } },
        'features.include_intervals',
      ],
      ['an unknown feature', { location_ids: [4], features: { weather: true } }, 'features.weather'],
    ];
    test.each(faults)('refuses %s with 400 and names the field', async (_what, body, field) => {
      const answer = await post('/api/v1/forecast', body);
      expect(answer.status).toBe(400);
      expect(answer.body.errors[0]).toMatchObject({ code: 'VALIDATION_ERROR', field });
    });
  });

  describe('POST /api/v1/risk/score', () => {
    const vehicle = { id: 'V1', age_days: 365, utilization_rate: 0.75, days_since_maintenance: 14 };

    test('scores the published example exactly', async () => {
      const { status, body } = await post('/api/v1/risk/score', { vehicles: [vehicle] });
      expect(status).toBe(200);
      expect(body).toEqual(
        success({
          risk_scores: [
            {
              vehicle_id: 'V1',
              risk_score: 0.45,
              risk_category: 'medium',
              factors: {
                age_contribution: 0.15,
                utilization_contribution: 0.2,
                maintenance_contribution: 0.1,
              },
            },
          ],
        }),
      );
    });

    test('gives one score per vehicle in the order of the request, 100,000 of them too', async () => {
      const vehicles = Array.from({ length: 100_000 }, (_, i) => ({
        ...vehicle,
        id: `V${i}`,
        age_days: i % 900,
      }));
      const { body } = await post('/api/v1/risk/score', { vehicles });
      expect(body.data.risk_scores).toHaveLength(100_000);
      expect(body.data.risk_scores[777]).toMatchObject({ vehicle_id: 'V777', risk_category: 'medium' });
    });

    test.each([
      ['nothing', {}, 'vehicles'],
      ['no vehicle', { vehicles: [] }, 'vehicles'],
      ['a missing age', { vehicles: [{ ...vehicle, age_days: undefined }] }, 'vehicles[0].age_days'],
      ['a negative age', { vehicles: [{ ...vehicle, age_days: -1 }] }, 'vehicles[0].age_days'],
      [
        'a utilization above 1',
        { vehicles: [{ ...vehicle, utilization_rate: 1.1 }] },
        'vehicles[0].utilization_rate',
      ],
      [
        'text',
        { vehicles: [{ ...vehicle, days_since_maintenance: '14' }] },
        'vehicles[0].days_since_maintenance',
      ],
    ])('refuses %s with 400 and names the field', async (_what, body, field) => {
      const answer = await post('/api/v1/risk/score', body);
      expect(answer.status).toBe(400);
      expect(answer.body.errors[0]).toMatchObject({ code: 'VALIDATION_ERROR', field });
    });
  });

  describe('POST /api/v1/optimize', () => {
    const request = {
      demand_forecast: { '4': [2, 1], '12': [1, 3], '13': [0, 0] },
      fleet_state: {
        vehicles: [
          { id: 'V001', location: 4, capacity: 1, status: 'operational' },
          { id: 'V002', location: 4, capacity: 1 },
          { id: 'V003', location: 13, capacity: 1 },
          { id: 'V004', location: 13, capacity: 1 },
          { id: 'V005', location: 13, capacity: 1 },
        ],
      },
      constraints: { max_distance: 100, min_service_level: 0.95 },
    };

    test('200: the plan, in the order of the request, with stay and rebalance', async () => {
      const { status, body } = await post('/api/v1/optimize', request);
      expect(status).toBe(200);
      expect(body.data.solver_status).toBe('optimal');
      expect(body.data.allocation_plan.map((item: { assignment: string }) => item.assignment)).toEqual([
        'stay',
        'stay',
        'rebalance',
        'rebalance',
        'rebalance',
      ]);
      expect(body.data.allocation_plan[0]).toEqual({
        vehicle_id: 'V001',
        source_location: 4,
        target_location: 4,
        cost: 0,
        assignment: 'stay',
      });
      expect(body.data.kpis).toMatchObject({ demand_coverage: 1, utilization: 1, rebalanced_count: 3 });
      expect(body.metadata).toMatchObject({ ...general, solve_time_ms: expect.any(Number) });
    });

    test('400: invalid input', async () => {
      const { status, body } = await post('/api/v1/optimize', {
        ...request,
        fleet_state: { vehicles: [{}] },
      });
      expect([status, body.errors[0].code]).toEqual([400, 'VALIDATION_ERROR']);
    });

    test('422: infeasible constraints', async () => {
      const { status, body } = await post('/api/v1/optimize', {
        ...request,
        demand_forecast: { '4': [10], '12': [10] },
      });
      expect([status, body.errors[0].code]).toEqual([422, 'INFEASIBLE_PROBLEM']);
      expect(body.metadata).toMatchObject(general);
    });

    test('400: a problem larger than memory holds; 500: SOLVER_ERROR without a plan in time, and INTERNAL_ERROR without internals', async () => {
      await service.pool.query(
        `insert into locations (id, name, latitude, longitude)
        select i, 'grid', 40 + (i % 70) * 0.05, -74 + (i / 70) * 0.05 from generate_series(10001, 15001) i`,
      );
      const ids = Array.from({ length: 5001 }, (_, i) => 10_001 + i);
      const demandAt = (places: number[]) => Object.fromEntries(places.map((id) => [id, [1.5]]));
      const { status, body } = await post('/api/v1/optimize', {
        demand_forecast: demandAt(ids),
        fleet_state: { vehicles: [{ id: 'V1', location: 10_001 }] },
        constraints: { max_vehicles_per_location: 5 },
      });
      expect([status, body.errors[0].code]).toEqual([400, 'VALIDATION_ERROR']);
      expect(body.errors[0].message).toMatch(
        /at most 5000 locations, and the request has 5001; .*split the request/,
      );

      // Every second place has vehicles of three capacities, and too few come to those between: a proof takes seconds.
      const places = ids.slice(0, 1500);
      const late = await post('/api/v1/optimize', {
        demand_forecast: demandAt(places),
        fleet_state: {
          vehicles: places.flatMap((location, i) =>
            i % 2 === 0 ? [1, 2, 4].map((capacity) => ({ id: `v${i} ${capacity}`, location, capacity })) : [],
          ),
        },
        constraints: { min_service_level: 1, max_distance: 5, max_vehicles_per_location: 1 },
        options: { time_limit_seconds: 0.1 },
      });
      expect([late.status, late.body.errors[0].code]).toEqual([500, 'SOLVER_ERROR']);
      expect(late.body.errors[0].message).toMatch(/no plan was found within the time limit of 0.1 s/);

      await service.pool.query('alter table vehicles rename to away');
      const broken = await send(`${base}/api/v1/data/fleet`);
      await service.pool.query('alter table away rename to vehicles');
      expect([broken.status, broken.body.errors[0].code]).toEqual([500, 'INTERNAL_ERROR']);
      expect(broken.text).not.toMatch(/vehicles|select|relation|\/src\//i);
    });
  });

  test('WS /ws/optimization: subscribe, progress, complete', async () => {
    const accepted = await send(`${base}/api/v1/optimize`, {
      body: {
        demand_forecast: { '4': [1] },
        fleet_state: { vehicles: [{ id: 'V1', location: 12, capacity: 1 }] },
      },
      headers: { prefer: 'respond-async' },
    });
    const { job_id } = accepted.body.data;
    const socket = await openSocket(base);
    socket.send({ type: 'subscribe', job_id });
    const complete = await socket.waitFor((message) => message.type === 'complete');
    expect(complete).toMatchObject({
      job_id,
      result: { status: 'success', data: { solver_status: 'optimal' } },
    });
    for (const message of socket.messages.slice(0, -1)) {
      expect(message).toMatchObject({ type: 'progress', job_id });
      expect(message.progress).toBeGreaterThanOrEqual(0);
      expect(message.progress).toBeLessThanOrEqual(1);
    }
    socket.close();
  });
});
