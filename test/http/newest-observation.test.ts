import { beforeAll, describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../src/contracts/time.ts';
import { START_DATE, storeDemand } from '../helpers/decisions.ts';
import { send, startTestService } from '../helpers/service.ts';

const service = await startTestService({});
const { pool } = service;
const call = (path: string, options: Parameters<typeof send>[1] = {}) =>
  send(`${service.url}/api/v1/${path}`, options);
const decide = (body: object = {}) => call('decisions', { body });

/** The start of the hour that is so many hours after the current one. */
const ahead = (hours: number) => new Date((Math.floor(Date.now() / HOUR_MS) + hours) * HOUR_MS).toISOString();
const store = (location_id: number, hour: string) =>
  call('data/demand', { body: { observations: [{ location_id, hour, demand: 300 }] } });

beforeAll(async () => {
  for (const id of [1, 2, 3, 4]) await storeDemand(pool, id, '2');
  const fleet = Array.from({ length: 12 }, (_, i) => ({ vehicle_id: `V${i}`, location_id: 1 + (i % 4) }));
  expect((await call('data/fleet', { method: 'PUT', body: { fleet } })).status).toBe(201);
});

describe('an observation of hours to come', () => {
  const late = ahead(26);
  const message = /is later than .*Z, a day after the current hour; check its year and its offset/;

  test('is refused as JSON and as CSV, each with its row, and nothing is stored', async () => {
    const json = await store(1, late);
    expect([json.status, json.body.errors]).toMatchObject([
      400,
      [{ code: 'VALIDATION_ERROR', field: 'observations[0].hour', message: expect.stringMatching(message) }],
    ]);
    const csv = await call('data/demand', {
      method: 'POST',
      body: `location_id,hour,demand\n1,2026-01-05T00:00:00Z,3\n1,${late},300\n`,
      headers: { 'content-type': 'text/csv' },
    });
    expect([csv.status, csv.body.errors]).toMatchObject([
      400,
      [{ field: 'line 3', message: expect.stringMatching(message) }],
    ]);
    const { rows } = await pool.query('select from demand_observations where demand = 300');
    expect(rows).toEqual([]);
  });

  test('is taken up to a day after the current hour: clocks differ', async () => {
    const last = ahead(25);
    expect((await store(1, last)).status).toBe(201);
    expect((await call(`data/demand?location_id=1&from=${last}`, { method: 'DELETE' })).status).toBe(200);
  });

  test('is no fault of an event: it is known before', async () => {
    const events = [{ event_id: 'e', location_id: 1, from: ahead(200), to: ahead(202), kind: 'fair' }];
    expect((await call('data/events', { method: 'PUT', body: { events } })).status).toBe(201);
    expect((await call('data/events/e', { method: 'DELETE' })).status).toBe(200);
  });
});

describe('one location that was observed long after all others', () => {
  beforeAll(async () => {
    expect((await store(3, ahead(0))).status).toBe(201);
  });

  test('does not move the day that a plan is made for by default', async () => {
    const { status, body } = await decide();
    expect([status, body.data.start_date]).toEqual([200, START_DATE]);
    const { inputs } = (await call(`decisions/${body.data.decision_id}`)).body.data;
    for (const values of Object.values<number[]>(inputs.forecast.forecasts)) {
      expect(values.every((value) => Math.abs(value - 2) < 0.1)).toBe(true);
    }
    const forecast = await call('forecast', { body: { location_ids: [1, 2, 3, 4] } });
    expect(forecast.body.data.metadata.start_date).toBe(START_DATE);
  });

  test('is put right by deleting what was wrong', async () => {
    const removed = await call(`data/demand?location_id=3&from=${ahead(0)}`, { method: 'DELETE' });
    expect([removed.status, removed.body.data.removed.observations]).toEqual([200, 1]);
    expect((await decide()).body.data.start_date).toBe(START_DATE);
  });
});

test('locations that lag behind the others are named, with the day of their newest observation', async () => {
  await pool.query("delete from demand_observations where location_id = 2 and hour >= '2026-01-30Z'");
  const { data } = (await decide()).body;
  expect(data.start_date).toBe(START_DATE);
  const { inputs } = (await call(`decisions/${data.decision_id}`)).body.data;
  expect(inputs.forecast.metadata.notes).toMatchObject({ 2: { newest_observation: '2026-01-29' } });
  expect(Object.keys(inputs.forecast.metadata.notes)).toEqual(['2']);
});

describe('DELETE /api/v1/data/demand', () => {
  const remove = (query: string) => call(`data/demand${query}`, { method: 'DELETE' });
  const count = async (id: number) =>
    (await pool.query('select from demand_observations where location_id = $1', [id])).rowCount;

  test('deletes the observations of a location within a range, and forecasts forget them at once', async () => {
    const forecast = async () =>
      (await call('forecast', { body: { location_ids: [4], horizon_hours: 24 } })).body.data.metadata
        .start_date;
    expect(await forecast()).toBe(START_DATE);
    const before = await count(4);
    const answer = await remove('?location_id=4&from=2026-02-08T00:00:00Z&to=2026-02-09T00:00:00Z');
    expect([answer.status, answer.body.data.removed]).toEqual([
      200,
      { locations: 0, vehicles: 0, observations: 24, events: 0, travel: 0, trip_flows: 0 },
    ]);
    expect(await count(4)).toBe(before! - 24);
    expect(await forecast()).toBe('2026-02-08');
  });

  test('says 0 if nothing was there', async () => {
    const { status, body } = await remove('?location_id=4&from=2026-02-08T00:00:00Z&to=2026-02-09T00:00:00Z');
    expect([status, body.data.removed.observations]).toEqual([200, 0]);
  });

  test.each([
    ['', null, /^name what to delete: location_id, from or to/],
    ['?location_id=x', 'location_id', /"x" is not a whole number/],
    ['?from=2026-02-08', 'from', /is not a time/],
    ['?from=2026-02-09T00:00:00Z&to=2026-02-08T00:00:00Z', 'to', /./],
    ['?location=4', 'location', /./],
  ])('refuses %j', async (query, field, message) => {
    const { status, body } = await remove(query);
    expect([status, body.errors]).toMatchObject([400, [{ field, message: expect.stringMatching(message) }]]);
  });

  test('deletes of all locations if none is named', async () => {
    expect((await remove('?to=2026-01-06T00:00:00Z')).body.data.removed.observations).toBe(4 * 24);
  });
});

test('a plan of locations most of which were last observed long before is refused, and says what to do', async () => {
  for (const [id, days] of [
    [2, 100],
    [3, 200],
    [4, 300],
  ]) {
    await pool.query('delete from demand_observations where location_id = $1', [id]);
    await storeDemand(pool, id, '2');
    await pool.query(
      "update demand_observations set hour = hour - $2 * interval '1 day' where location_id = $1",
      [id, days],
    );
  }
  const { status, body } = await decide();
  expect([status, body.errors]).toEqual([
    503,
    [
      {
        code: 'MODEL_NOT_LOADED',
        field: null,
        message:
          `3 of 4 locations (2, 3, 4) have no observations in the 13 weeks before ${START_DATE}, and would be planned ` +
          'without demand; add newer observations (POST /api/v1/data/demand), delete those of a wrong time (DELETE ' +
          '/api/v1/data/demand), retire locations that are closed (active false), or name an earlier start_date',
        detail: null,
      },
    ],
  ]);
  // An expected demand is demand.
  for (const id of [2, 3]) {
    await call(`data/locations/${id}`, { method: 'PATCH', body: { expected_daily_demand: 24 } });
  }
  expect((await decide()).body.data.start_date).toBe(START_DATE);
});
