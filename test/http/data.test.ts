import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { send, startTestService, TEST_LOCATIONS } from '../helpers/service.ts';
import type { openTestDatabase } from '../helpers/services.ts';

type Row = Record<string, unknown>;

describe('data in and out', () => {
  let base: string;
  let pool: ReturnType<typeof openTestDatabase>['pool'];

  beforeAll(async () => {
    const service = await startTestService({ workers: 0 });
    pool = service.pool;
    base = `${service.url}/api/v1/data`;
  });
  beforeEach(async () => {
    await pool.query('truncate locations, vehicles, demand_observations, demand_events');
    await put('locations', { locations: TEST_LOCATIONS });
  });

  const get = (path: string) => send(`${base}/${path}`);
  const put = (path: string, body: unknown) => send(`${base}/${path}`, { method: 'PUT', body });
  const post = (observations: unknown[]) => send(`${base}/demand`, { body: { observations } });
  const count = async (table: string) =>
    (await pool.query(`select count(*)::int as n from ${table}`)).rows[0].n;
  const vehicle = (id: string, change: Row = {}) => ({ vehicle_id: id, location_id: 1, ...change });
  const observation = (change: Row = {}) => ({
    location_id: 1,
    hour: '2026-03-01T05:00:00Z',
    demand: 7,
    ...change,
  });
  const revision = async () => (await pool.query('select revision from demand_revision')).rows[0].revision;

  describe('reading', () => {
    test('locations have exactly id, name, latitude and longitude, by id', async () => {
      const { status, body, headers } = await get('locations');
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(body).toEqual({
        status: 'success',
        data: { locations: TEST_LOCATIONS },
        metadata: { timestamp: expect.any(String), version: '0.1.0', request_id: expect.any(String) },
      });
    });

    test('an empty list is an empty array and a summary of zeros', async () => {
      await pool.query('truncate locations, vehicles, demand_observations, demand_events');
      expect((await get('locations')).body.data).toEqual({ locations: [] });
      expect((await get('fleet')).body.data).toEqual({
        fleet: [],
        summary: { total_vehicles: 0, operational: 0, maintenance: 0, downtime: 0 },
      });
      expect((await get('fleet?limit=5')).body.data).toMatchObject({ fleet: [], next_cursor: null });
    });

    test('the fleet is filtered by state and place; the summary counts all of it', async () => {
      await put('fleet', {
        fleet: [
          vehicle('a', { status: 'maintenance', capacity: 2.5 }),
          vehicle('b', { location_id: 2 }),
          vehicle('c', { location_id: 2, status: 'downtime' }),
        ],
      });
      const summary = { total_vehicles: 3, operational: 1, maintenance: 1, downtime: 1 };
      const a = { vehicle_id: 'a', location_id: 1, status: 'maintenance', capacity: 2.5 };
      const b = { vehicle_id: 'b', location_id: 2, status: 'operational', capacity: 1 };
      const c = { vehicle_id: 'c', location_id: 2, status: 'downtime', capacity: 1 };
      expect((await get('fleet')).body.data).toEqual({ fleet: [a, b, c], summary });
      expect((await get('fleet?status=maintenance')).body.data).toEqual({ fleet: [a], summary });
      expect((await get('fleet?location_id=2')).body.data).toEqual({ fleet: [b, c], summary });
      expect((await get('fleet?location_id=2&status=downtime&limit=9')).body.data).toEqual({
        fleet: [c],
        summary,
        next_cursor: null,
      });
      expect((await get('fleet?location_id=99')).body.data).toEqual({ fleet: [], summary });
    });

    test('pages give every row once, in order, while vehicles are added and moved', async () => {
      const ids = Array.from({ length: 25 }, (_, i) => `v${String(i).padStart(2, '0')}`);
      await put('fleet', { fleet: ids.map((id) => vehicle(id)) });
      const seen: string[] = [];
      for (let path = 'fleet?limit=10'; ; ) {
        const { data } = (await get(path)).body;
        seen.push(...data.fleet.map((v: { vehicle_id: string }) => v.vehicle_id));
        if (data.next_cursor === null) break;
        await put('fleet', { fleet: [vehicle('a-first'), vehicle('v03', { location_id: 3 })] });
        path = `fleet?limit=10&cursor=${encodeURIComponent(data.next_cursor)}`;
      }
      expect(seen).toEqual(ids);
      const first = (await get('locations?limit=3')).body.data;
      expect(first.locations.map((l: { id: number }) => l.id)).toEqual([1, 2, 3]);
      expect((await get(`locations?cursor=${first.next_cursor}`)).body.data).toEqual({
        locations: [TEST_LOCATIONS[3]],
        next_cursor: null,
      });
    });

    test.each([
      ['locations?cursor=nonsense', 'cursor', /not a cursor of this list.*next_cursor/],
      [`fleet?cursor=${Buffer.from('7').toString('base64url')}`, 'cursor', /not a cursor/],
      [`fleet?cursor=${Buffer.from('"\\u0000"').toString('base64url')}`, 'cursor', /not a cursor/],
      [`locations?cursor=${Buffer.from('99999999999').toString('base64url')}`, 'cursor', /not a cursor/],
      ['fleet?cursor=', 'cursor', /not a cursor/],
      ['fleet?limit=0', 'limit', /0 is below.*1/],
      ['fleet?limit=1001', 'limit', /1001 is above.*1000/],
      ['fleet?limit=ten', 'limit', /"ten".*whole number/],
      ['fleet?status=parked', 'status', /"parked".*operational/],
      ['fleet?location_id=here', 'location_id', /"here".*whole number/],
      ['locations?status=operational', 'status', /unknown key/],
    ])('GET %s is answered with 400 and names the parameter', async (path, field, message) => {
      const { status, body } = await get(path);
      expect(status).toBe(400);
      expect(body.errors).toEqual([
        { code: 'VALIDATION_ERROR', field, message: expect.stringMatching(message), detail: null },
      ]);
    });

    test('a fleet of 100,000 comes whole as one valid JSON answer whose summary agrees with its rows', async () => {
      await pool.query(
        `insert into vehicles select 'v' || i, 1 + i % 4, (array['operational','maintenance','downtime'])[1 + i % 3], 1
         from generate_series(1, 100000) i`,
      );
      const { body } = await get('fleet');
      expect(body.data.fleet).toHaveLength(100_000);
      expect(new Set(body.data.fleet.map((v: { vehicle_id: string }) => v.vehicle_id)).size).toBe(100_000);
      const statusCount = (status: string) =>
        body.data.fleet.filter((v: { status: string }) => v.status === status).length;
      expect(body.data.summary).toEqual({
        total_vehicles: 100_000,
        operational: statusCount('operational'),
        maintenance: statusCount('maintenance'),
        downtime: statusCount('downtime'),
      });
    });
  });

  describe('writing', () => {
    test('created rows are answered with 201, replaced ones with 200, each counted', async () => {
      const first = await put('fleet', { fleet: [vehicle('a'), vehicle('b')] });
      expect([first.status, first.body.data]).toEqual([201, { created: 2, updated: 0 }]);
      const mixed = await put('fleet', { fleet: [vehicle('b', { status: 'downtime' }), vehicle('c')] });
      expect([mixed.status, mixed.body.data]).toEqual([201, { created: 1, updated: 1 }]);
      const again = await put('fleet', { fleet: [vehicle('b', { status: 'downtime' }), vehicle('c')] });
      expect([again.status, again.body.data]).toEqual([200, { created: 0, updated: 2 }]);
      expect((await get('fleet?status=downtime')).body.data.fleet).toHaveLength(1);
    });

    test('a location without time zone keeps the one it has', async () => {
      const zone = async () => (await get('locations?limit=1')).body.data.locations[0].time_zone;
      const [location] = TEST_LOCATIONS;
      expect(await zone()).toBeUndefined();
      await put('locations', { locations: [{ ...location, time_zone: 'Europe/Berlin' }] });
      const moved = await put('locations', { locations: [{ ...location, name: 'Moved' }] });
      expect([moved.status, moved.body.data]).toEqual([200, { created: 0, updated: 1 }]);
      expect(await zone()).toBe('Europe/Berlin');
      expect((await get('locations?limit=1')).body.data.locations[0].name).toBe('Moved');
    });

    test('an hour may be given with any offset and is one and the same hour', async () => {
      const before = await revision();
      const first = await post([observation(), observation({ hour: '2026-03-01T06:00:00.000Z' })]);
      expect([first.status, first.body.data]).toEqual([201, { created: 2, updated: 0 }]);
      const same = await post([observation({ hour: '2026-03-01T00:00:00-05:00', demand: 8 })]);
      expect([same.status, same.body.data]).toEqual([200, { created: 0, updated: 1 }]);
      const { rows } = await pool.query('select hour, demand from demand_observations order by hour');
      expect(rows).toEqual([
        { hour: new Date('2026-03-01T05:00:00Z'), demand: 8 },
        { hour: new Date('2026-03-01T06:00:00Z'), demand: 7 },
      ]);
      expect(await revision()).toBe(before + 2);
    });

    test('a fault in the last row leaves nothing of the others, and no change is announced', async () => {
      const before = await revision();
      const answers = [
        await put('fleet', { fleet: [vehicle('a'), vehicle('b', { location_id: 99 })] }),
        await post([observation(), observation({ location_id: 99 })]),
        await put('locations', {
          locations: [
            { ...TEST_LOCATIONS[0], id: 8 },
            { ...TEST_LOCATIONS[0], id: 8 },
          ],
        }),
      ];
      expect(answers.map((answer) => answer.status)).toEqual([400, 400, 400]);
      expect([await count('vehicles'), await count('demand_observations'), await count('locations')]).toEqual(
        [0, 0, 4],
      );
      expect(await revision()).toBe(before);
    });

    const [place] = TEST_LOCATIONS;
    test.each<[string, string, string, Row[], string, RegExp]>([
      [
        'an unknown location',
        'PUT',
        'fleet',
        [vehicle('a'), vehicle('b', { location_id: 77 })],
        'fleet[1].location_id',
        /location 77 is not stored/,
      ],
      [
        'a vehicle that comes twice',
        'PUT',
        'fleet',
        [vehicle('a'), vehicle('b'), vehicle('a')],
        'fleet[2].vehicle_id',
        /vehicle "a" is a duplicate of fleet\[0\]\.vehicle_id/,
      ],
      ['a NUL', 'PUT', 'fleet', [vehicle('a\0')], 'fleet[0].vehicle_id', /U\+0000/],
      ['a line feed', 'PUT', 'fleet', [vehicle('a\n')], 'fleet[0].vehicle_id', /U\+000A/],
      ['half a character', 'PUT', 'fleet', [vehicle('\ud800')], 'fleet[0].vehicle_id', /surrogate/],
      [
        'an unknown state',
        'PUT',
        'fleet',
        [vehicle('a', { status: 'parked' })],
        'fleet[0].status',
        /"parked"/,
      ],
      [
        'capacity 0',
        'PUT',
        'fleet',
        [vehicle('a', { capacity: 0 })],
        'fleet[0].capacity',
        /below.*0\.000001/,
      ],
      ['an empty id', 'PUT', 'fleet', [vehicle('')], 'fleet[0].vehicle_id', /at least 1/],
      [
        'an unknown key',
        'PUT',
        'fleet',
        [vehicle('a', { capcity: 2 })],
        'fleet[0].capcity',
        /did you mean "capacity"/,
      ],
      ['no rows', 'PUT', 'fleet', [], 'fleet', /at least 1/],
      [
        'a location that comes twice',
        'PUT',
        'locations',
        [place, { ...place }],
        'locations[1].id',
        /location 1 is a duplicate of locations\[0\]\.id/,
      ],
      [
        'a latitude beyond the pole',
        'PUT',
        'locations',
        [{ ...place, latitude: 91 }],
        'locations[0].latitude',
        /91.*90/,
      ],
      [
        'an unknown time zone',
        'PUT',
        'locations',
        [{ ...place, time_zone: 'Mars/Base' }],
        'locations[0].time_zone',
        /"Mars\/Base".*IANA/,
      ],
      ['a NUL in a name', 'PUT', 'locations', [{ ...place, name: 'a\0b' }], 'locations[0].name', /U\+0000/],
      [
        'an unknown location of demand',
        'POST',
        'demand',
        [observation({ location_id: 77 })],
        'observations[0].location_id',
        /77/,
      ],
      [
        'half past',
        'POST',
        'demand',
        [observation({ hour: '2026-03-01T05:30:00Z' })],
        'observations[0].hour',
        /05:30:00Z.*full UTC hour/,
      ],
      [
        'a split second',
        'POST',
        'demand',
        [observation({ hour: '2026-03-01T05:00:00.001Z' })],
        'observations[0].hour',
        /full UTC hour/,
      ],
      [
        'an hour without offset',
        'POST',
        'demand',
        [observation({ hour: '2026-03-01T05:00:00' })],
        'observations[0].hour',
        /offset/,
      ],
      [
        'a day that does not exist',
        'POST',
        'demand',
        [observation({ hour: '2026-02-30T05:00:00Z' })],
        'observations[0].hour',
        /2026-02-30/,
      ],
      [
        'a year out of range',
        'POST',
        'demand',
        [observation({ hour: '0026-03-01T05:00:00Z' })],
        'observations[0].hour',
        /1970 to 2199/,
      ],
      [
        'the same hour twice',
        'POST',
        'demand',
        [observation(), observation({ hour: '2026-03-01T06:00:00+01:00' })],
        'observations[1].hour',
        /location 1 at "2026-03-01T06:00:00\+01:00" is a duplicate of observations\[0\]\.hour/,
      ],
      ['negative demand', 'POST', 'demand', [observation({ demand: -1 })], 'observations[0].demand', /-1/],
    ])(
      '%s is answered with 400 and named with its row',
      async (_what, method, path, rows, field, message) => {
        const body = { [path === 'demand' ? 'observations' : path]: rows };
        const answer = await send(`${base}/${path}`, { method, body });
        expect(answer.status, answer.text).toBe(400);
        expect(answer.body.errors).toEqual([
          { code: 'VALIDATION_ERROR', field, message: expect.stringMatching(message), detail: null },
        ]);
      },
    );

    test('at most 100 faults are reported', async () => {
      const rows = Array.from({ length: 300 }, () => vehicle('same', { location_id: 77 }));
      expect((await put('fleet', { fleet: rows })).body.errors).toHaveLength(100);
    });

    test('requests that write the same rows in another order at the same time wait for each other', async () => {
      const ids = Array.from({ length: 3000 }, (_, i) => `v${i}`);
      const requests = Array.from({ length: 10 }, (_, n) => {
        const status = ['operational', 'maintenance', 'downtime'][n % 3];
        const order = n % 2 ? ids : ids.toReversed();
        return put('fleet', { fleet: order.map((id) => vehicle(id, { status })) });
      });
      const demands = Array.from({ length: 6 }, (_, n) => {
        const hours = Array.from({ length: 500 }, (_, h) =>
          observation({ hour: new Date(Date.UTC(2026, 0, 1, h)).toISOString(), demand: n }),
        );
        return post(n % 2 ? hours : hours.toReversed());
      });
      const answers = await Promise.all([...requests, ...demands]);
      expect(answers.filter((answer) => answer.status > 201).map((answer) => answer.text)).toEqual([]);
      const created = (list: typeof answers) =>
        list.reduce((sum, answer) => sum + answer.body.data.created, 0);
      expect(created(answers.slice(0, 10))).toBe(3000);
      expect(created(answers.slice(10))).toBe(500);
    });

    test('the rows of the largest request are all stored', async () => {
      const fleet = Array.from({ length: 200_000 }, (_, i) => vehicle(`v${i}`));
      const answer = await put('fleet', { fleet });
      expect([answer.status, answer.body.data]).toEqual([201, { created: 200_000, updated: 0 }]);
      const more = await put('fleet', { fleet: [...fleet, vehicle('one more')] });
      expect(more.body.errors[0]).toMatchObject({
        field: 'fleet',
        message: expect.stringMatching(/200001.*200000/),
      });
    });
  });
});
