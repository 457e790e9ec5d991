import { beforeAll, describe, expect, test } from 'vitest';
import { FLEET, START_DATE, storeDemand } from '../helpers/decisions.ts';
import { type Answer, send, startTestService } from '../helpers/service.ts';

describe('POST /api/v1/decisions', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  const call = (path: string, options: Parameters<typeof send>[1] = {}) =>
    send(`${service.url}/api/v1/${path}`, options);
  const decide = (body: unknown, headers: Record<string, string> = {}) =>
    call('decisions', { body, headers });
  const countJobs = async () => Number((await service.pool.query('select count(*) from jobs')).rows[0].count);
  const hourly = { horizon_hours: 24, step_hours: 1 };
  const targets = (plan: { vehicle_id: string; target_location: number }[]) =>
    Object.fromEntries(plan.map((item) => [item.vehicle_id, item.target_location]));

  beforeAll(async () => {
    service = await startTestService({ overrides: { FORECASTING_HOLIDAYS: 'US' } });
    await storeDemand(service.pool, 1, '0');
    await storeDemand(service.pool, 2, '2');
    await storeDemand(service.pool, 3, '0');
    // Of no pattern that could be foreseen: its interval is wide.
    await storeDemand(service.pool, 4, '(h * 7919) % 11 / 10.0');
    expect((await call('data/fleet', { method: 'PUT', body: { fleet: FLEET } })).status).toBe(201);
  });

  test('plans with the stored fleet without exactly the vehicles at or above the threshold, against the forecast, and keeps it all', async () => {
    const answer = await decide({
      ...hourly,
      location_ids: [1, 2, 3],
      risk: { threshold: 0.45 },
    });
    expect(answer.status).toBe(200);
    const { data, metadata } = answer.body;
    expect(data).toMatchObject({
      decision_id: expect.stringMatching(/^dec_/),
      start_date: START_DATE,
      demand: 'mean',
      left_out: ['edge', 'worn'],
      unscored: 2,
    });
    expect(metadata).toMatchObject({ job_id: data.decision_id, plan_id: expect.stringMatching(/^plan_/) });
    const { plan } = data;
    expect(Object.keys(targets(plan.allocation_plan))).toEqual(['fresh', 'late', 'unknown']);
    expect(plan.kpis).toMatchObject({ demand_coverage: 1, rebalanced_count: 2 });

    const decision = (await call(`decisions/${data.decision_id}`)).body.data;
    expect(decision).toMatchObject({
      status: 'completed',
      solver_status: 'optimal',
      plan_id: metadata.plan_id,
    });
    const { inputs, result } = decision;
    expect(result).toEqual(answer.body);
    expect(inputs.fleet).toEqual(FLEET);
    expect(inputs.risk).toMatchObject({
      day: START_DATE,
      threshold: 0.45,
      left_out: ['edge', 'worn'],
      unscored: 2,
    });
    const scores = inputs.risk.scores.map((one: { vehicle_id: string; risk_score: number }) => [
      one.vehicle_id,
      one.risk_score,
    ]);
    expect(scores).toEqual([
      ['edge', 0.45],
      ['fresh', 0],
      ['late', 0.15],
      ['worn', 1],
    ]);
    expect(inputs.risk.scores[0].factors).toEqual({
      age_contribution: 0.15,
      utilization_contribution: 0.2,
      maintenance_contribution: 0.1,
    });
    expect(inputs.forecast.forecasts['2']).toHaveLength(24);
    expect(Math.max(...inputs.forecast.forecasts['2'])).toBeCloseTo(2, 3);
    expect(inputs.request).toEqual({ ...hourly, location_ids: [1, 2, 3], risk: { threshold: 0.45 } });
    expect(inputs.locations.map(({ id }: { id: number }) => id)).toEqual([1, 2, 3]);
    // Whoever optimizes with these inputs comes to the same plan.
    const again = await call('optimize', {
      body: {
        demand_forecast: inputs.forecast.forecasts,
        fleet_state: {
          vehicles: inputs.fleet.filter(
            (v: { vehicle_id: string }) => !['edge', 'worn'].includes(v.vehicle_id),
          ),
        },
      },
    });
    expect(again.body.data).toEqual(plan);
    const stored = (await call(`plans/${metadata.plan_id}`)).body.data;
    expect(stored).toMatchObject({ job_id: data.decision_id, allocation_plan: plan.allocation_plan });
    const view = await service.pool.query('select * from reports.plan_summary where job_id = $1', [
      data.decision_id,
    ]);
    expect(view.rows).toHaveLength(1);
  });

  test('a separate forecast gives the same demand, and without a threshold no vehicle is left out', async () => {
    const { body } = await decide({
      ...hourly,
      location_ids: [1, 4],
      demand_scale: 0.5,
      confidence_level: 0.8,
    });
    expect(body.data.left_out).toEqual([]);
    expect(Object.keys(targets(body.data.plan.allocation_plan))).toHaveLength(5);
    const { inputs } = (await call(`decisions/${body.data.decision_id}`)).body.data;
    expect(inputs.risk.threshold).toBeNull();
    const features = { step_hours: 1, include_intervals: true, confidence_level: 0.8 };
    const forecast = await call('forecast', { body: { location_ids: [1, 4], horizon_hours: 24, features } });
    const { generated_at: _, ...known } = forecast.body.data.metadata;
    expect(inputs.forecast).toEqual({
      ...forecast.body.data,
      metadata: { ...known, generated_at: expect.any(String) },
    });
  });

  test('the upper end of the interval needs more vehicles than the mean, and exactly its own demand', async () => {
    const ask = { ...hourly, location_ids: [1, 4], constraints: { min_service_level: 1 } };
    const mean = (await decide({ ...ask, demand: 'mean' })).body.data;
    const upper = (await decide({ ...ask, demand: 'upper' })).body.data;
    const served = ({ plan }: typeof mean) =>
      Object.values(targets(plan.allocation_plan)).filter((target) => target === 4).length;
    const { inputs } = (await call(`decisions/${upper.decision_id}`)).body.data;
    const peak = Math.max(...inputs.forecast.intervals['4'].upper);
    expect(peak).toBeGreaterThan(Math.max(...inputs.forecast.forecasts['4']));
    expect(upper).toMatchObject({ demand: 'upper' });
    expect(served(upper)).toBe(Math.ceil(peak));
    expect(served(upper)).toBeGreaterThan(served(mean));
    expect(upper.plan.kpis.demand_coverage).toBeGreaterThanOrEqual(mean.plan.kpis.demand_coverage);
  });

  test('takes a given fleet with its figures, with either names of fields, and a network', async () => {
    const vehicles = [
      { id: 'a', location: 1 },
      {
        vehicle_id: 'b',
        location_id: 1,
        acquired_on: '2020-01-01',
        last_maintenance_on: '2025-01-01',
        utilization_rate: 1,
      },
      { id: 'c', location: 1, capacity: 2 },
    ];
    const network = {
      location_ids: [1, 2],
      costs: [
        [0, 5],
        [5, 0],
      ],
    };
    const { status, body } = await decide({
      ...hourly,
      fleet_state: { vehicles },
      network,
      risk: { threshold: 0.9 },
    });
    expect(status).toBe(200);
    expect(targets(body.data.plan.allocation_plan)).toEqual({ a: 1, c: 2 });
    expect(body.data).toMatchObject({ left_out: ['b'], unscored: 2, plan: { total_cost: 5 } });
    const { inputs } = (await call(`decisions/${body.data.decision_id}`)).body.data;
    expect(inputs.locations).toBeNull();
    expect(inputs.fleet[0]).toEqual({ vehicle_id: 'a', location_id: 1, status: 'operational' });
    expect(Object.keys(inputs.forecast.forecasts)).toEqual(['1', '2']);
  });

  test('a fleet that is too small serves the most it can, and the answer says what is missing', async () => {
    const { status, body } = await decide({ ...hourly, location_ids: [2], demand_scale: 100 });
    expect(status).toBe(200);
    const { plan } = body.data;
    expect(plan.solver_status).toBe('optimal');
    expect(plan.shortfall.requested).toBe(0.95);
    expect(plan.shortfall.reached).toBeCloseTo(plan.kpis.demand_coverage, 9);
    expect(plan.shortfall.unserved).toBeCloseTo(plan.kpis.unmet_demand, 6);
    expect(plan.shortfall.missing_vehicles).toBeGreaterThan(0);
    expect(plan.shortfall.relaxations.map((one: { constraint: string }) => one.constraint)).toEqual([
      'supply',
      'min_service_level',
    ]);
  });

  test('an infeasible problem is 422 with what would help, and still a decision with its inputs', async () => {
    const constraints = { shortage: 'fail' };
    const answer = await decide({ ...hourly, location_ids: [2], demand_scale: 100, constraints });
    expect(answer.status).toBe(422);
    expect(answer.body.errors[0]).toMatchObject({
      code: 'INFEASIBLE_PROBLEM',
      field: 'fleet_state.vehicles',
    });
    const decision = (await call(`decisions/${answer.body.metadata.job_id}`)).body.data;
    expect(decision).toMatchObject({ status: 'completed', solver_status: 'infeasible', plan_id: null });
    expect(decision.inputs.fleet).toHaveLength(6);
    expect(decision.result).toEqual(answer.body);
  });

  test('an Idempotency-Key leads to the same decision, and not to one of another operation', async () => {
    const headers = { 'idempotency-key': 'dec-1' };
    const both = await Promise.all([1, 2].map(() => decide({ location_ids: [3] }, headers)));
    expect(both[0].status).toBe(200);
    expect(both[1].body).toEqual(both[0].body);
    const other = await call('forecast/backtest', { body: { location_ids: [3] }, headers });
    expect(other.body.errors[0].code).toBe('IDEMPOTENCY_CONFLICT');
  });

  test('the list shows decisions in pages, newest first, and jobs can be searched by their kind', async () => {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { data }: Answer['body'] = (await call(`decisions?limit=2${cursor && `&cursor=${cursor}`}`)).body;
      expect(data.decisions.length).toBeLessThanOrEqual(2);
      seen.push(...data.decisions.map((one: { decision_id: string }) => one.decision_id));
      cursor = data.next_cursor;
    }
    const { jobs } = (await call('jobs?kind=decision&limit=1000')).body.data;
    expect(seen).toEqual(jobs.map((job: { job_id: string }) => job.job_id));
    const { decisions } = (await call('decisions')).body.data;
    expect(decisions.find((one: { left_out: number }) => one.left_out === 2)).toMatchObject({
      status: 'completed',
      solver_status: 'optimal',
      start_date: START_DATE,
      vehicles: 6,
      demand_coverage: 1,
    });
  });

  test('an unknown decision is 404, and so is a job of another kind', async () => {
    const optimized = await call('optimize', {
      body: { demand_forecast: { '1': [0] }, fleet_state: { vehicles: [] } },
    });
    for (const id of ['dec_none', optimized.body.metadata.job_id]) {
      const { status, body } = await call(`decisions/${id}`);
      expect(status).toBe(404);
      expect(body.errors[0]).toMatchObject({ code: 'RESOURCE_NOT_FOUND', field: 'decision_id' });
    }
  });

  test('demand that only the forecast shows to be too large for the optimizer is 400, with a field that was sent', async () => {
    const big = { fleet_state: { vehicles: [{ id: 'a', location: 1, capacity: 1e9 }] }, location_ids: [6] };
    const cases: [Record<string, unknown>, string | null, RegExp][] = [
      [
        { ...big, demand_scale: 1e-3 },
        'demand_scale',
        /times demand_scale 0.001: the planning demand adds up to/,
      ],
      [{ ...big, demand_scale: 1e-3, demand: 'upper' }, 'demand_scale', /upper ends of the forecast times/],
      [
        big,
        'location_ids',
        /^the forecast: the planning demand adds up to 0\.0\d+, less than 1e-10 of the 1000000000 that a vehicle serves/,
      ],
      [{ location_ids: [5], demand_scale: 1e6 }, 'demand_scale', /is above the maximum demand 1000000000/],
    ];
    await service.pool.query("insert into locations values (5, 'busy', 0, 0), (6, 'quiet', 0, 0)");
    await storeDemand(service.pool, 5, '5000');
    await storeDemand(service.pool, 6, '0.01');
    for (const [body, field, message] of cases) {
      const { status, body: answer } = await decide({ ...hourly, ...body });
      expect({ status, errors: answer.errors }).toEqual({
        status: 400,
        errors: [{ code: 'VALIDATION_ERROR', field, message: expect.stringMatching(message), detail: null }],
      });
      const job = (await call(`jobs/${answer.metadata.job_id}`)).body.data;
      expect(job).toMatchObject({ status: 'failed', result: answer });
    }
    for (const table of ['demand_observations where location_id', 'locations where id']) {
      await service.pool.query(`delete from ${table} in (5, 6)`);
    }
  });

  const network = { location_ids: [2, 3], costs: [[0, 1], [1, 0]] }; // biome-ignore format: a matrix
  const fleet_state = { vehicles: [{ id: 'a', location: 1 }] };
  test.each([
    [{ risk: { threshold: 1.1 } }, 400, 'risk.threshold', /1.1 is above the maximum 1/],
    [{ risk: { treshold: 0.5 } }, 400, 'risk.treshold', /did you mean "threshold"/],
    [{ demand: 'lower' }, 400, 'demand', /not one of "mean", "upper", "spread"/],
    [{ demand: 'spread' }, 400, 'demand', /"mode": "horizon"; set that/],
    [{ demand_scale: 0 }, 400, 'demand_scale', /0 is below the minimum 0.000001/],
    [{ demand_scale: 1e-320 }, 400, 'demand_scale', /1e-320 is below the minimum 0.000001/],
    [{ step_hours: 5 }, 400, 'step_hours', /is not one of/],
    [{ start_date: '2026-02-30' }, 400, 'start_date', /is not a day of the calendar/],
    [{ start_date: '2030-01-01' }, 400, 'start_date', /more than 366 days after the newest observation/],
    [{ confidence_level: 1 - 1e-16 }, 400, 'confidence_level', /above the maximum 0.999/],
    [{ confidence_level: 0.4 }, 400, 'confidence_level', /0.4 is below the minimum 0.5/],
    [{ location_ids: [1, 77] }, 404, 'location_ids[1]', /77 is not stored/],
    [{ location_ids: [1, 1] }, 400, 'location_ids[1]', /name each once/],
    [{ demand_forecast: { '1': [2] } }, 400, 'demand_forecast', /unknown key/],
    [{ constraints: { max_distence: 1 } }, 400, 'constraints.max_distence', /did you mean "max_distance"/],
    [
      { constraints: { min_vehicles_per_location: 2, max_vehicles_per_location: 1 } },
      400,
      'constraints.min_vehicles_per_location',
      /above/,
    ],
    [
      { constraints: { max_vehicles_per_location: { 1: 2, 77: 3 } } },
      400,
      'constraints.max_vehicles_per_location.77',
      /^location 77 is not a stored location/,
    ],
    [
      { fleet_state: { vehicles: [] }, network, constraints: { min_vehicles_per_location: { 1: 3 } } },
      400,
      'constraints.min_vehicles_per_location.1',
      /^location 1 is not in network.location_ids/,
    ],
    [
      { fleet_state: { vehicles: [{ id: 'a', location: 77 }] } },
      400,
      'fleet_state.vehicles[0].location',
      /not a stored location/,
    ],
    [{ fleet_state, network }, 400, 'fleet_state.vehicles[0].location', /not in network.location_ids/],
    [{ network }, 400, 'network.location_ids', /^location 1 has vehicles of the stored fleet/],
    [
      { fleet_state: { vehicles: [] }, network, location_ids: [2, 1] },
      400,
      'location_ids[1]',
      /not in network.location_ids/,
    ],
  ])('refuses %j and stores nothing', async (ask, status, field, message) => {
    // biome-ignore format: a table
    const before = await countJobs();
    const answer = await decide(ask);
    expect(answer.body.errors?.[0]).toMatchObject({ field, message: expect.stringMatching(message) });
    expect(answer.status).toBe(status);
    expect(await countJobs()).toBe(before);
  });

  test.each([
    ['of the stored fleet', {}],
    [
      'of the request',
      { fleet_state: { vehicles: [1, 1, 2].map((location, v) => ({ id: `v${v}`, location })) } },
    ],
  ])(
    'bounds by location hold with vehicles %s, and may name a location that nothing else names',
    async (_, own) => {
      const constraints = {
        min_vehicles_per_location: { 3: 1 },
        max_vehicles_per_location: { default: 9, 4: 0 },
      };
      const { status, body } = await decide({
        ...hourly,
        ...own,
        location_ids: [1, 2],
        constraints,
        demand_scale: 0.5,
      });
      expect([status, body.errors]).toEqual([200, undefined]);
      const at = Object.values(targets(body.data.plan.allocation_plan));
      expect(at.filter((location) => location === 3)).toHaveLength(1);
      expect(at).not.toContain(4);
      const { inputs } = (await call(`decisions/${body.data.decision_id}`)).body.data;
      expect(inputs.locations.map(({ id }: { id: number }) => id)).toEqual([1, 2, 3, 4]);
    },
  );

  test('too many values are refused with what to do', async () => {
    await service.pool.query(
      "insert into locations select i, 'L' || i, 0, 0 from generate_series(1000, 1200) i",
    );
    const location_ids = Array.from({ length: 200 }, (_, i) => 1000 + i);
    const answer = await decide({ location_ids, horizon_hours: 8784, step_hours: 1 });
    expect(answer.body.errors[0]).toMatchObject({
      field: 'horizon_hours',
      message: expect.stringMatching(/^8784 hours in steps of 1 are 1756800 values for 200 locations/),
    });
    await service.pool.query('delete from locations where id >= 1000');
  });

  test('a location without observations is 503 before anything is stored, if the request asks for that', async () => {
    await service.pool.query("insert into locations values (9, 'new', 40, -74)");
    const before = await countJobs();
    const { status, body } = await decide({ on_missing_history: 'fail' });
    expect(status).toBe(503);
    expect(body.errors).toMatchObject([
      {
        code: 'MODEL_NOT_LOADED',
        field: null,
        message: expect.stringMatching(/^location 9 has no/),
      },
    ]);
    expect(await countJobs()).toBe(before);
    await service.pool.query('delete from locations where id = 9');
  });
});
