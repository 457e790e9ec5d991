import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { importFiles } from '../../src/commands/import/import-files.ts';
import { newTemporaryFolder } from '../helpers/folders.ts';
import { send, startTestService } from '../helpers/service.ts';

const service = await startTestService({ workers: 0 });
const url = `${service.url}/api/v1`;
const csv = { 'content-type': 'text/csv' };

async function stored(): Promise<unknown> {
  const { rows } = await service.pool.query(
    `select (select count(*)::int from vehicles) as vehicles, (select count(*)::int from demand_observations) as demand,
      (select count(*)::int from jobs) as jobs, (select count(*)::int from locations) as locations`,
  );
  return rows[0];
}

/** Number as text, so that the very digits are sent. */
const vehicle = (capacity: string) => `{"fleet":[{"vehicle_id":"V","location_id":1,"capacity":${capacity}}]}`;
const observation = (hour: string, demand = '1', location = '1') =>
  `{"observations":[{"location_id":${location},"hour":"${hour}","demand":${demand}}]}`;
const place = (id: string, latitude = '1') =>
  `{"locations":[{"id":${id},"name":"x","latitude":${latitude},"longitude":1}]}`;
const problem = (demand: string, capacity = '1', key = '1', constraints = '{}') =>
  `{"demand_forecast":{"${key}":[${demand}]},"fleet_state":{"vehicles":[{"id":"V","location":1,"capacity":${capacity}}]},"constraints":${constraints}}`;
const decision = (more: string) =>
  `{"fleet_state":{"vehicles":[{"id":"V","location":1}]},"location_ids":[1]${more}}`;
const risk = (age: string) =>
  `{"vehicles":[{"id":"V","age_days":${age},"utilization_rate":0.5,"days_since_maintenance":1}]}`;

describe('a value that cannot be planned with is refused with its field, value and limit, and never stored', () => {
  test.each([
    [
      'PUT',
      'data/fleet',
      vehicle('5e-324'),
      'fleet[0].capacity',
      /5e-324 is below .*0\.000001; give a finite number from 0\.000001 to 1000000000/,
    ],
    ['PUT', 'data/fleet', vehicle('0'), 'fleet[0].capacity', /0 is below/],
    ['PUT', 'data/fleet', vehicle('1e308'), 'fleet[0].capacity', /1e\+308 is above .*1000000000/],
    ['PUT', 'data/fleet', vehicle('1e999'), 'fleet[0].capacity', /Infinity is not a finite number/],
    ['PATCH', 'data/fleet/V', '{"capacity":5e-324}', 'capacity', /5e-324 is below/],
    [
      'PATCH',
      'data/fleet/V',
      '{"location_id":2147483648}',
      'location_id',
      /2147483648 is above .*2147483647/,
    ],
    [
      'POST',
      'data/demand',
      observation('2026-03-01T00:00:00Z', '1e308'),
      'observations[0].demand',
      /1e\+308 is above .*1000000/,
    ],
    [
      'POST',
      'data/demand',
      observation('2026-03-01T00:00:00Z', '-1'),
      'observations[0].demand',
      /-1 is below/,
    ],
    [
      'POST',
      'data/demand',
      observation('2026-03-01T00:00:00Z', '1', '99999999999'),
      'observations[0].location_id',
      /99999999999 is above/,
    ],
    ['POST', 'data/demand', observation('2026-03-01T16:00:00+16:00'), 'observations[0].hour', /15:59/],
    ['POST', 'data/demand', observation('0000-03-01T00:00:00Z'), 'observations[0].hour', /time/],
    ['POST', 'data/demand', observation('2026-02-30T00:00:00Z'), 'observations[0].hour', /time/],
    ['POST', 'data/demand', observation('2200-01-01T00:00:00Z'), 'observations[0].hour', /1970 to 2199/],
    ['PUT', 'data/locations', place('2147483648'), 'locations[0].id', /above .*2147483647/],
    ['PUT', 'data/locations', place('1', '1e308'), 'locations[0].latitude', /above .*90/],
    ['POST', 'optimize', problem('1e308'), 'demand_forecast.1[0]', /1e\+308 is above .*1000000000/],
    ['POST', 'optimize', problem('1', '5e-324'), 'fleet_state.vehicles[0].capacity', /5e-324 is below/],
    [
      'POST',
      'optimize',
      problem('1', '1', '9999999999'),
      'demand_forecast.9999999999',
      /-2147483648 to 2147483647/,
    ],
    [
      'POST',
      'optimize',
      problem('1', '1', '1', '{"max_distance":1e308}'),
      'constraints.max_distance',
      /above .*1000000/,
    ],
    [
      'POST',
      'optimize',
      problem('1', '1', '1', '{"max_rebalancing_cost":1e308}'),
      'constraints.max_rebalancing_cost',
      /above .*100000000000/,
    ],
    [
      'POST',
      'optimize',
      problem('1', '1', '1', '{"capacity_per_vehicle":1e-300}'),
      'constraints.capacity_per_vehicle',
      /below .*0\.000001/,
    ],
    ['POST', 'decisions', decision(',"start_date":"0000-01-01"'), 'start_date', /1970 to 2199/],
    [
      'POST',
      'decisions',
      decision(',"location_ids":[99999999999]').replace(',"location_ids":[1]', ''),
      'location_ids[0]',
      /above/,
    ],
    ['POST', 'forecast', '{"location_ids":[99999999999]}', 'location_ids[0]', /above/],
    [
      'POST',
      'forecast',
      '{"location_ids":[1],"features":{"start_date":"9999-12-31"}}',
      'features.start_date',
      /1970 to 2199/,
    ],
    ['POST', 'forecast/backtest', '{"location_ids":[-2147483649]}', 'location_ids[0]', /below/],
    ['POST', 'risk/score', risk('1e308'), 'vehicles[0].age_days', /above/],
  ])('%s %s %s', async (method, operation, body, field, message) => {
    const before = await stored();
    const answer = await send(`${url}/${operation}`, { method, body });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([
      { code: 'VALIDATION_ERROR', field, message: expect.stringMatching(message), detail: null },
    ]);
    expect(await stored()).toEqual(before);
  });

  const rows = [
    ['fleet', 'vehicle_id,location_id,capacity\nV,1,5e-324\n', /5e-324 is below/],
    ['fleet', 'vehicle_id,location_id,capacity\nV,1,1e308\n', /1e308 is above/],
    ['fleet', 'vehicle_id,location_id\nV,2147483648\n', /2147483648 is above/],
    ['fleet', 'vehicle_id,location_id,acquired_on\nV,1,0000-01-01\n', /1900 to 2199/],
    ['demand', 'location_id,hour,demand\n1,2026-03-01T00:00:00Z,1e308\n', /1e308 is above/],
    ['demand', 'location_id,hour,demand\n1,2026-03-01T16:00:00+16:00,1\n', /15:59/],
    ['demand', 'location_id,hour,demand\n1,0000-03-01T00:00:00Z,1\n', /does not exist/],
    ['demand', 'location_id,hour,demand\n1,2026-02-30T00:00:00Z,1\n', /does not exist/],
    ['locations', 'id,name,latitude,longitude\n2147483648,x,1,1\n', /2147483648 is above/],
    ['locations', 'id,name,latitude,longitude\n1,x,1e308,1\n', /1e308 is above/],
  ] as const;

  test.each(rows)('CSV of %s over HTTP: %j', async (table, body, message) => {
    const before = await stored();
    const method = table === 'demand' ? 'POST' : 'PUT';
    const answer = await send(`${url}/data/${table}`, { method, body, headers: csv });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ field: 'line 2', message: expect.stringMatching(message) }]);
    expect(await stored()).toEqual(before);
  });

  test.each(rows)('CSV of %s by import: %j', async (table, text, message) => {
    const before = await stored();
    const file = path.join(await newTemporaryFolder('bounds'), 'rows.csv');
    await writeFile(file, text);
    await expect(importFiles(service.pool, { [table]: file })).rejects.toThrow(message);
    expect(await stored()).toEqual(before);
  });
});

describe('the bounds themselves are allowed', () => {
  test('in what is stored', async () => {
    const fleet = ['1e-6', '1e9'].map(
      (capacity, i) => `{"vehicle_id":"B${i}","location_id":1,"capacity":${capacity}}`,
    );
    expect((await send(`${url}/data/fleet`, { method: 'PUT', body: `{"fleet":[${fleet}]}` })).status).toBe(
      201,
    );
    for (const hour of ['1970-01-01T00:00:00Z', '2026-03-01T15:00:00+15:00']) {
      expect((await send(`${url}/data/demand`, { body: observation(hour, '1e6') })).status).toBe(201);
    }
    for (const id of ['-2147483648', '2147483647']) {
      expect((await send(`${url}/data/locations`, { method: 'PUT', body: place(id, '90') })).status).toBe(
        201,
      );
    }
  });
});

describe('text of a query is checked, not coerced', () => {
  const cursor = (key: unknown) => Buffer.from(JSON.stringify(key)).toString('base64url');
  const createdAfter = (time: string) => `plans?created_after=${encodeURIComponent(time)}`;

  test.each([
    ['jobs?limit=1.9', 'limit', /"1\.9" is not a whole number from 1 to 1000/],
    ['jobs?limit=true', 'limit', /"true" is not a whole number/],
    ['jobs?limit=0x1', 'limit', /"0x1" is not a whole number/],
    ['jobs?limit=%205', 'limit', /" 5" is not a whole number/],
    ['jobs?limit=+5', 'limit', /" 5" is not a whole number/],
    ['jobs?limit=1e2', 'limit', /"1e2" is not a whole number/],
    ['jobs?limit=', 'limit', /"" is not a whole number/],
    ['jobs?limit=5&limit=6', 'limit', /given 2 times; give it once/],
    ['jobs?limit[]=5', 'limit[]', /unknown key/],
    ['plans?max_cost=', 'max_cost', /"" is not a finite number of at least 0/],
    ['plans?max_cost=1e999', 'max_cost', /"1e999" is not a finite number/],
    ['plans?max_cost=Infinity', 'max_cost', /"Infinity" is not a finite number/],
    ['plans?min_coverage=false', 'min_coverage', /"false" is not a finite number from 0 to 1/],
    ['plans?location_id=1.0', 'location_id', /"1\.0" is not a whole number/],
    ['plans?location_id=2147483648', 'location_id', /2147483648 is above/],
    ['jobs?status=', 'status', /"" is not one of/],
    ['jobs?kind=optimize&kind=decision', 'kind', /given 2 times/],
    [createdAfter('2026-03-01T00:00:00+16:00'), 'created_after', /15:59/],
    [createdAfter('0000-01-01T00:00:00Z'), 'created_after', /does not exist/],
    [createdAfter('2026-02-30T00:00:00Z'), 'created_after', /is a time that does not exist/],
    [`plans?cursor=${cursor(['2026-02-30T00:00:00.000Z', 'plan_1'])}`, 'cursor', /not a cursor of this list/],
    [`jobs?cursor=${cursor(['0000-02-01T00:00:00.000Z', 'opt_1'])}`, 'cursor', /not a cursor of this list/],
    [
      `decisions?cursor=${cursor(['2026-02-30T00:00:00.000Z', 'dec_1'])}`,
      'cursor',
      /not a cursor of this list/,
    ],
    [`data/locations?cursor=${cursor(99999999999)}`, 'cursor', /not a cursor of this list/],
    ['data/fleet?location_id=', 'location_id', /"" is not a whole number/],
  ])('%s', async (query, field, message) => {
    const answer = await send(`${url}/${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ field, message: expect.stringMatching(message) }]);
  });

  test.each([
    'plans?max_cost=1e3',
    'plans?max_cost=12.5',
    'jobs?limit=5',
    createdAfter('2026-03-01T00:00:00+15:59'),
    createdAfter('0001-01-01T00:00:00Z'),
    createdAfter('9999-12-31T23:59:59Z'),
    'plans?location_id=-2147483648',
  ])('%s is fine', async (query) => expect((await send(`${url}/${query}`)).status).toBe(200));
});
