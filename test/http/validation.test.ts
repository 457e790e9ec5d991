import { beforeAll, describe, expect, test } from 'vitest';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';

describe('bad input', () => {
  let base: string;
  let service: Awaited<ReturnType<typeof startTestService>>;
  beforeAll(async () => {
    service = await startTestService({
      workers: 0,
      overrides: { HTTP_BODY_LIMIT_BYTES: 300_000, QUEUE_MAX_WAITING: 1 },
    });
    base = service.url;
  });
  const optimize = (body: unknown, headers: Record<string, string> = {}) =>
    send(`${base}/api/v1/optimize`, { body, headers });
  const vehicle = (change: object) => {
    const request = simpleRequest(4);
    Object.assign(request.fleet_state.vehicles[3], change);
    return request;
  };
  const withConstraints = (constraints: object) => ({ ...simpleRequest(), constraints });

  // [what, request, field, part of the message]
  const faults: [string, unknown, string | null, RegExp][] = [
    ['no demand_forecast', { fleet_state: { vehicles: [] } }, 'demand_forecast', /missing/],
    ['no fleet_state', { demand_forecast: { '1': [1] } }, 'fleet_state', /missing/],
    ['an array as body', [], null, /not an object/],
    ['null as body', 'null', null, /body is empty; send a JSON object/],
    ['a number as body', '7', null, /not an object/],
    [
      'an empty demand_forecast',
      { ...simpleRequest(), demand_forecast: {} },
      'demand_forecast',
      /at least 1/,
    ],
    [
      'an empty series',
      { ...simpleRequest(), demand_forecast: { '2': [] } },
      'demand_forecast.2',
      /at least 1/,
    ],
    [
      'a series that is too long',
      { ...simpleRequest(), demand_forecast: { '2': Array(8785).fill(1) } },
      'demand_forecast.2',
      /8785.*8784/,
    ],
    [
      'negative demand',
      { ...simpleRequest(), demand_forecast: { '2': [-1] } },
      'demand_forecast.2[0]',
      /-1.*0/,
    ],
    [
      'demand as text',
      { ...simpleRequest(), demand_forecast: { '2': ['NaN'] } },
      'demand_forecast.2[0]',
      /"NaN".*number/,
    ],
    [
      'demand null',
      { ...simpleRequest(), demand_forecast: { '2': [null] } },
      'demand_forecast.2[0]',
      /null.*number/,
    ],
    [
      'a number beyond all numbers',
      JSON.stringify(simpleRequest()).replace('[2]', '[1e999]'),
      'demand_forecast.2[0]',
      /Infinity.*finite/,
    ],
    [
      'a location that is no number',
      { ...simpleRequest(), demand_forecast: { abc: [1] } },
      'demand_forecast.abc',
      /"abc"/,
    ],
    [
      'an unknown location in the demand',
      { ...simpleRequest(), demand_forecast: { '99': [1] } },
      'demand_forecast.99',
      /99/,
    ],
    ['an unknown location of a vehicle', vehicle({ location: 77 }), 'fleet_state.vehicles[3].location', /77/],
    [
      'a location that is a fraction',
      vehicle({ location: 1.5 }),
      'fleet_state.vehicles[3].location',
      /1.5.*whole/,
    ],
    ['a vehicle without id', vehicle({ id: undefined }), 'fleet_state.vehicles[3].id', /id/],
    ['an empty id', vehicle({ id: '' }), 'fleet_state.vehicles[3].id', /at least 1/],
    ['an id that is too long', vehicle({ id: 'x'.repeat(129) }), 'fleet_state.vehicles[3].id', /129.*128/],
    ['a NUL in an id', vehicle({ id: 'a\0b' }), 'fleet_state.vehicles[3].id', /U\+0000/],
    ['a tab in an id', vehicle({ id: 'a\tb' }), 'fleet_state.vehicles[3].id', /control character U\+0009/],
    ['a next line in an id', vehicle({ id: 'a\u0085b' }), 'fleet_state.vehicles[3].id', /U\+0085/],
    ['half a character in an id', vehicle({ id: '\ud800' }), 'fleet_state.vehicles[3].id', /surrogate/],
    ['a duplicate id', vehicle({ id: 'V1' }), 'fleet_state.vehicles[3].id', /V1/],
    ['capacity 0', vehicle({ capacity: 0 }), 'fleet_state.vehicles[3].capacity', /0.*below.*0\.000001/],
    ['capacity as text', vehicle({ capacity: '1' }), 'fleet_state.vehicles[3].capacity', /"1".*number/],
    [
      'an unknown status',
      vehicle({ status: 'parked' }),
      'fleet_state.vehicles[3].status',
      /"parked".*operational/,
    ],
    ['an unknown key of a vehicle', vehicle({ colour: 'red' }), 'fleet_state.vehicles[3].colour', /colour/],
    [
      'a misspelt constraint',
      withConstraints({ max_distence: 5 }),
      'constraints.max_distence',
      /did you mean "max_distance"/,
    ],
    ['an unknown key at the top', { ...simpleRequest(), extra: 1 }, 'extra', /known keys are/],
    [
      'a service level above 1',
      withConstraints({ min_service_level: 1.2 }),
      'constraints.min_service_level',
      /1.2.*1/,
    ],
    ['a negative distance', withConstraints({ max_distance: -1 }), 'constraints.max_distance', /-1.*0/],
    [
      'a cost limit as text',
      withConstraints({ max_rebalancing_cost: 'x' }),
      'constraints.max_rebalancing_cost',
      /"x"/,
    ],
    [
      'a negative cost limit',
      withConstraints({ max_rebalancing_cost: -5 }),
      'constraints.max_rebalancing_cost',
      /-5.*0/,
    ],
    [
      'a constraint and its alias',
      withConstraints({ max_distance: 5, max_rebalancing_distance_km: 6 }),
      'constraints.max_rebalancing_distance_km',
      /max_distance/,
    ],
    [
      'a constraint this service cannot honour',
      withConstraints({ max_wait_time_minutes: 5 }),
      'constraints.max_wait_time_minutes',
      /trip durations/,
    ],
    [
      'more vehicles at least than at most',
      withConstraints({ min_vehicles_per_location: 3, max_vehicles_per_location: 2 }),
      'constraints.min_vehicles_per_location',
      /3.*2/,
    ],
    [
      'bounds per location that are neither a number nor a map',
      withConstraints({ min_vehicles_per_location: [1] }),
      'constraints.min_vehicles_per_location',
      /^an array is neither a whole number nor an object$/,
    ],
    [
      'a bound per location that is a fraction',
      withConstraints({ max_vehicles_per_location: 1.5 }),
      'constraints.max_vehicles_per_location',
      /^1.5 is not a whole number from 0 to 2147483647$/,
    ],
    [
      'a negative bound at a location',
      withConstraints({ max_vehicles_per_location: { 1: -2 } }),
      'constraints.max_vehicles_per_location.1',
      /^-2 is below the minimum 0; give a whole number from 0 to 2147483647$/,
    ],
    [
      'a bound at a location as text',
      withConstraints({ min_vehicles_per_location: { default: '4' } }),
      'constraints.min_vehicles_per_location.default',
      /^"4" is not a whole number from 0 to 2147483647; write the number itself: 4$/,
    ],
    [
      'a bound at a location that is no number',
      withConstraints({ max_vehicles_per_location: { depot: 2 } }),
      'constraints.max_vehicles_per_location.depot',
      /^"depot" is not a location id; keys are whole numbers from .* as text, for example "12", and "default" for all/,
    ],
    [
      'a bound at an unknown location',
      withConstraints({ max_vehicles_per_location: { default: 3, 99: 2 } }),
      'constraints.max_vehicles_per_location.99',
      /^location 99 is not a stored location/,
    ],
    [
      'more vehicles at least than at most at a location',
      withConstraints({
        min_vehicles_per_location: { 2: 3 },
        max_vehicles_per_location: { default: 9, 2: 1 },
      }),
      'constraints.min_vehicles_per_location.2',
      /^location 2: 3 is above max_vehicles_per_location 1/,
    ],
    [
      'more bounds than a request has locations',
      withConstraints({
        max_vehicles_per_location: Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [i, 1])),
      }),
      'constraints.max_vehicles_per_location',
      /^has 20001 entries; at most 20000 are allowed$/,
    ],
    [
      'a cost matrix that is not square',
      { ...simpleRequest(), network: { location_ids: [1, 2], costs: [[0, 1]] } },
      'network.costs',
      /2/,
    ],
    [
      'an option that does not exist',
      { ...simpleRequest(), options: { demand_aggregation: 'median' } },
      'options.demand_aggregation',
      /"median" is not one of "peak", "mean", "first", "sum", "system_peak", or "quantile:q" with q from 0 to 1/,
    ],
    [
      'a quantile above 1',
      { ...simpleRequest(), options: { demand_aggregation: 'quantile:90' } },
      'options.demand_aggregation',
      /"quantile:90" is not one of .* for example "quantile:0\.9"/,
    ],
    [
      'an aggregation that is no text',
      { ...simpleRequest(), options: { demand_aggregation: 0.9 } },
      'options.demand_aggregation',
      /0\.9 is not a string/,
    ],
    [
      'no trips in an hour',
      { ...simpleRequest(), options: { trips_per_vehicle_hour: 0 } },
      'options.trips_per_vehicle_hour',
      /0 is below the minimum 0\.001; give a finite number from 0\.001 to 1000/,
    ],
    [
      'more trips in an hour than any vehicle makes',
      { ...simpleRequest(), options: { trips_per_vehicle_hour: 3600 } },
      'options.trips_per_vehicle_hour',
      /3600 is above the maximum 1000/,
    ],
    [
      'trips in an hour as text',
      { ...simpleRequest(), options: { trips_per_vehicle_hour: '2' } },
      'options.trips_per_vehicle_hour',
      /"2" is neither a finite number nor null/,
    ],
    [
      'a source of travel that does not exist',
      { ...simpleRequest(), options: { travel: 'roads' } },
      'options.travel',
      /^"roads" is not one of "great_circle", "stored"$/,
    ],
    [
      'a source of travel that is neither a name nor an object',
      { ...simpleRequest(), options: { travel: 5 } },
      'options.travel',
      /^5 is neither one of "great_circle", "stored" nor an object$/,
    ],
    [
      'a step that is no part of a day',
      { ...simpleRequest(), options: { trips_per_vehicle_hour: 2, step_hours: 5 } },
      'options.step_hours',
      /5 is not one of 1, 2, 3, 4, 6, 8, 12, 24/,
    ],
    [
      'trips that make more of a vehicle than can be counted',
      {
        ...vehicle({ capacity: 1e9 }),
        options: { trips_per_vehicle_hour: 2, step_hours: 6 },
      },
      'options.trips_per_vehicle_hour',
      /a vehicle of capacity 1000000000 serves 12000000000, above the maximum 1000000000; change the trips per hour/,
    ],
    [
      'a time limit of 0',
      { ...simpleRequest(), options: { time_limit_seconds: 0 } },
      'options.time_limit_seconds',
      /0/,
    ],
  ];
  test.each(faults)(
    '%s is answered with 400 and named, and stores nothing',
    async (_what, body, field, message) => {
      const answer = await optimize(body);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ status: 'error', data: null, metadata: { version: '0.1.0' } });
      const fault = answer.body.errors.find((e: { field: string | null }) => e.field === field);
      expect(fault, JSON.stringify(answer.body.errors)).toBeDefined();
      expect(Object.keys(fault).sort()).toEqual(['code', 'detail', 'field', 'message']);
      expect(fault.code).toBe('VALIDATION_ERROR');
      expect(fault.message).toMatch(message);
      expect((await service.pool.query('select count(*)::int as n from jobs')).rows[0].n).toBe(0);
    },
  );

  test('several faults are reported at once, at most 100', async () => {
    const vehicles = Array.from({ length: 300 }, (_, i) => ({ id: `V${i}`, location: 'x', capacity: -1 }));
    const { body } = await optimize({ ...simpleRequest(), fleet_state: { vehicles } });
    expect(body.errors).toHaveLength(100);
    const two = await optimize({ ...simpleRequest(), extra: 1, constraints: { max_distance: -1 } });
    expect(two.body.errors.map((e: { field: string }) => e.field).sort()).toEqual([
      'constraints.max_distance',
      'extra',
    ]);
  });

  test.each([
    ['malformed JSON', '{"demand_forecast": x', /not valid JSON.*; correct it there$/],
    [
      'JSON that is cut off',
      '{"demand_forecast": {',
      /not valid JSON: Expected property name .*line 1 column 22\); send all of it$/,
    ],
    ['an empty body', '', /empty/],
    ['a forbidden key', '{"__proto__": {"x": 1}}', /not allowed; rename or remove/],
  ])('%s is answered with 400', async (_what, body, message) => {
    const answer = await optimize(body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0]).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(message),
    });
  });

  test('a body of another type is answered with 415, a body that is too large with 413', async () => {
    const xml = await optimize('<x/>', { 'content-type': 'text/xml' });
    expect([xml.status, xml.body.errors[0].code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    const huge = await optimize(JSON.stringify({ x: 'y'.repeat(400_000) }));
    expect([huge.status, huge.body.errors[0].code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  test.each([
    ['GET', '/nowhere'],
    ['GET', '/api/v1/jobs/opt_0'],
    ['DELETE', '/api/v1/jobs/opt_0'],
    ['GET', '/api/v1/plans/none'],
    ['GET', '/ws/optimization'],
  ])('%s %s does not exist and is answered with the 404 envelope', async (method, path) => {
    const answer = await send(`${base}${path}`, { method });
    expect(answer.status).toBe(404);
    expect(answer.body.errors[0]).toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    expect(answer.body.metadata.request_id).toBe(answer.headers.get('x-request-id'));
  });

  test.each([
    ['POST', '/api/v1/optimise', 'did you mean /api/v1/optimize?'],
    ['GET', '/api/v1/decision', 'did you mean /api/v1/decisions?'],
    ['GET', '/plans', '/docs lists every operation'],
  ])('%s %s is answered with the path that was meant, if one is near', async (method, path, advice) => {
    const { status, body } = await send(`${base}${path}`, { method });
    expect([status, body.errors[0].message]).toEqual([404, `${method} ${path} does not exist; ${advice}`]);
  });

  test('a request id that is not 1 to 128 visible ASCII characters is replaced by a UUIDv7', async () => {
    for (const given of ['with space', 'x'.repeat(129)]) {
      const answer = await send(`${base}/health`, { headers: { 'x-request-id': given } });
      expect(answer.body.metadata.request_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    }
  });

  test('a full queue is answered with 503 and Retry-After, and nothing is stored', async () => {
    const first = await optimize(simpleRequest(), { prefer: 'respond-async' });
    expect(first.status).toBe(202);
    expect(first.body.data).toMatchObject({ status: 'queued' });
    const second = await optimize(simpleRequest(), { prefer: 'respond-async' });
    expect([second.status, second.body.errors[0].code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);
    // A queued job says where it stands and is cancelled at once.
    const { job_id } = first.body.data;
    const queued = await send(`${base}/api/v1/jobs/${job_id}`);
    expect(queued.body.data).toMatchObject({ status: 'queued', queue_position: 1, attempts: 0, progress: 0 });
    const cancelled = await send(`${base}/api/v1/jobs/${job_id}`, { method: 'DELETE' });
    expect(cancelled.status).toBe(200);
    expect(cancelled.body.data).toMatchObject({
      status: 'cancelled',
      result: { status: 'error', errors: [{ code: 'JOB_CANCELLED' }] },
    });
  });
});
