import { gzipSync } from 'node:zlib';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { send, startTestService, TEST_LOCATIONS } from '../helpers/service.ts';

const LIMIT = 4_000_000;
const DEMAND = 'location_id,hour,demand\n1,2026-03-01T05:00:00Z,7\n2,2026-03-01T05:00:00Z,0\n';
const FLEET = 'vehicle_id,location_id,status,capacity\na,1,maintenance,2.5\nb,2,,\n';
const EVENTS =
  'event_id,location_id,from,to,kind,factor\na,1,2026-03-01T05:00:00Z,2026-03-02T05:00:00Z,closed,0\nb,,2026-03-01T05:00:00Z,2026-03-01T07:00:00Z,strike,\n';
const LOCATIONS = 'id,name,latitude,longitude,time_zone\n8,"Eight, east",41,-74,Europe/Berlin\n';

describe('bulk data', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  let base: string;
  beforeAll(async () => {
    service = await startTestService({ workers: 0, overrides: { HTTP_BODY_LIMIT_BYTES: LIMIT } });
    base = `${service.url}/api/v1/data`;
  });
  beforeEach(async () => {
    await service.pool.query('truncate locations, vehicles, demand_observations, demand_events');
    expect(
      (await send(`${base}/locations`, { method: 'PUT', body: { locations: TEST_LOCATIONS } })).status,
    ).toBe(201);
  });

  const METHODS = { locations: 'PUT', fleet: 'PUT', demand: 'POST', events: 'PUT' } as const;
  type Table = keyof typeof METHODS;
  const TABLES = Object.keys(METHODS) as Table[];
  const TEXTS: Record<Table, string> = { locations: LOCATIONS, fleet: FLEET, demand: DEMAND, events: EVENTS };
  const csv = (table: Table, body: string | Uint8Array, headers: Record<string, string> = {}) =>
    send(`${base}/${table}`, {
      method: METHODS[table],
      body,
      headers: { 'content-type': 'text/csv', ...headers },
    });
  const json = (table: Table, rows: unknown[], headers: Record<string, string> = {}) =>
    send(`${base}/${table}`, {
      method: METHODS[table],
      body: { [table === 'demand' ? 'observations' : table]: rows },
      headers,
    });
  const rows = async (table: string) =>
    (await service.pool.query(`select * from ${table} order by 1, 2`)).rows;
  const stored = async () => [
    await rows('locations'),
    await rows('vehicles'),
    await rows('demand_observations'),
    await rows('demand_events'),
    await rows('demand_revision'),
  ];

  describe('as CSV', () => {
    test('is stored as by an import, counted, and answered with 201, or with 200 if every row was there', async () => {
      const [{ revision }] = await rows('demand_revision');
      for (const [table, created] of [
        ['locations', 1],
        ['fleet', 2],
        ['demand', 2],
        ['events', 2],
      ] as const) {
        const first = await csv(table, TEXTS[table]);
        expect([first.status, first.body.data]).toEqual([201, { created, updated: 0 }]);
        expect(first.body.status).toBe('success');
        const again = await csv(table, TEXTS[table]);
        expect([again.status, again.body.data]).toEqual([200, { created: 0, updated: created }]);
      }
      expect((await rows('locations')).at(-1)).toMatchObject({
        id: 8,
        name: 'Eight, east',
        time_zone: 'Europe/Berlin',
      });
      expect(await rows('vehicles')).toMatchObject([
        { vehicle_id: 'a', location_id: 1, status: 'maintenance', capacity: 2.5 },
        { vehicle_id: 'b', location_id: 2, status: 'operational', capacity: 1 },
      ]);
      expect(await rows('demand_observations')).toEqual([
        { location_id: 1, hour: new Date('2026-03-01T05:00:00Z'), demand: 7 },
        { location_id: 2, hour: new Date('2026-03-01T05:00:00Z'), demand: 0 },
      ]);
      expect((await rows('demand_revision'))[0].revision).toBe(revision + 6);
    });

    test('may hold more rows than a JSON request, in any order of columns, with a byte order mark', async () => {
      const lines = Array.from({ length: 90_000 }, (_, i) => {
        const hour = new Date(Date.UTC(2000, 0, 1, Math.floor(i / 3))).toISOString();
        return `${i % 97},${1 + (i % 3)},${hour}\r\n`;
      });
      const answer = await csv('demand', `\uFEFFpickups,location_id,hour_utc_iso\r\n${lines.join('')}`, {
        'content-type': 'Text/CSV; charset=utf-8',
      });
      expect([answer.status, answer.body?.data], answer.text).toEqual([201, { created: 90_000, updated: 0 }]);
    });

    test('with only a header stores nothing and is valid', async () => {
      const answer = await csv('fleet', 'vehicle_id,location_id\n');
      expect([answer.status, answer.body.data]).toEqual([200, { created: 0, updated: 0 }]);
    });

    const badRow: [Table, string, string, RegExp][] = [
      [
        'locations',
        '9,Nine,91,-74,',
        'line 3',
        /^latitude 91 is above the maximum 90; give one from -90 to 90$/,
      ],
      ['locations', '9,Nine,north,-74,', 'line 3', /^latitude "north" is not a number/],
      ['locations', '8,Again,1,1,', 'line 3', /^location 8 is a duplicate of line 2; send each once$/],
      ['locations', '9,Nine,1,1,Mars/Base', 'line 3', /^time_zone "Mars\/Base" is not an IANA time zone/],
      [
        'fleet',
        'c,99,,',
        'line 4',
        /^location_id 99 is not a stored location \(1 row names it\); PUT \/api\/v1\/data\/locations/,
      ],
      ['fleet', 'a,1,,', 'line 4', /^vehicle "a" is a duplicate of line 2/],
      [
        'fleet',
        'c,1,parked,',
        'line 4',
        /^status "parked" is not one of operational, maintenance, downtime$/,
      ],
      ['fleet', 'c,1', 'line 4', /^has 2 values; the header has 4 columns$/],
      [
        'demand',
        '1,2026-03-01T05:30:00Z,1',
        'line 4',
        /^hour "2026-03-01T05:30:00Z" is not the start of a full UTC hour/,
      ],
      ['demand', '1,2026-03-01T06:00:00Z,', 'line 4', /^demand is empty; a value is required$/],
      [
        'demand',
        '1,2026-03-01T00:00:00-05:00,1',
        'line 4',
        /^location 1 at 2026-03-01T05:00:00.000Z is a duplicate of line 2/,
      ],
      [
        'demand',
        '1,2026-03-01T06:00:00Z,-1',
        'line 4',
        /^demand -1 is below the minimum 0; give one from 0 to 1000000$/,
      ],
    ];
    test.each(badRow)(
      '%s: the row %s in the middle is named, and nothing is stored',
      async (table, row, field, message) => {
        const before = await stored();
        const answer = await csv(table, `${TEXTS[table]}${row}\n${lastRow(table)}\n`);
        expect(answer.status, answer.text).toBe(400);
        expect(answer.body.errors).toEqual([
          { code: 'VALIDATION_ERROR', field, message: expect.stringMatching(message), detail: null },
        ]);
        expect(await stored()).toEqual(before);
      },
    );

    test.each<[string, Table, string, string | null, RegExp]>([
      [
        'nothing at all',
        'demand',
        '',
        null,
        /^the body is empty; the columns are location_id,hour_utc_iso\|hour,/,
      ],
      [
        'no such columns',
        'fleet',
        'vehicle;location\n',
        'line 1',
        /^columns vehicle_id, location_id missing; the header is/,
      ],
      [
        'a misspelt column',
        'fleet',
        'vehicle_id,location_id,capcity\n',
        'line 1',
        /^unknown or repeated: "capcity"/,
      ],
      ['a quote that stays open', 'locations', `${LOCATIONS}9,"Nine`, 'line 3', /[Qq]uote/],
    ])('with %s is answered with 400', async (_what, table, body, field, message) => {
      const answer = await csv(table, body);
      expect(answer.status, answer.text).toBe(400);
      expect(answer.body.errors).toEqual([
        { code: 'VALIDATION_ERROR', field, message: expect.stringMatching(message), detail: null },
      ]);
    });

    test.each(TABLES)('%s: at most 100 faults are reported, in the order of the lines', async (table) => {
      const header = TEXTS[table].slice(0, TEXTS[table].indexOf('\n') + 1);
      const { status, body } = await csv(table, header + 'x,y,z\n'.repeat(50_000));
      expect(status).toBe(400);
      expect(body.errors).toHaveLength(100);
      const lines = body.errors.map((error: { field: string }) => Number(error.field.slice(5)));
      expect(lines).toEqual(lines.toSorted((a: number, b: number) => a - b));
    });

    test('does not hold up other requests: an upload that never ends leaves every database connection free', async () => {
      const uploads = Array.from({ length: 15 }, () => {
        const abort = new AbortController();
        const stream = new ReadableStream({ start: (c) => c.enqueue(new TextEncoder().encode(DEMAND)) });
        const answer = fetch(`${base}/demand`, {
          method: 'POST',
          body: stream,
          duplex: 'half',
          headers: { 'content-type': 'text/csv' },
          signal: abort.signal,
        } as RequestInit);
        return { abort, answer: answer.catch(() => 'aborted') };
      });
      const answers = await Promise.all(Array.from({ length: 15 }, () => csv('demand', DEMAND)));
      expect(answers.map((answer) => answer.status).toSorted()).toEqual([...Array(14).fill(200), 201]);
      for (const { abort } of uploads) abort.abort();
      expect(await Promise.all(uploads.map(({ answer }) => answer))).toEqual(Array(15).fill('aborted'));
    });
  });

  describe('dates and utilization of a vehicle', () => {
    const known = { acquired_on: '2024-02-29', last_maintenance_on: '2026-01-31', utilization_rate: 0.5 };
    const fleet = async () => (await send(`${base}/fleet`)).body.data.fleet;

    test('are shown if they are known, and stay if a request does not give them', async () => {
      await csv(
        'fleet',
        'vehicle_id,location_id,acquired_on,utilization_rate,last_maintenance_on\na,1,2024-02-29,0.5,2026-01-31\nb,1,,,\n',
      );
      const a = { vehicle_id: 'a', location_id: 1, status: 'operational', capacity: 1, ...known };
      const b = { vehicle_id: 'b', location_id: 1, status: 'operational', capacity: 1 };
      expect(await fleet()).toEqual([a, b]);
      await csv('fleet', 'vehicle_id,location_id\na,2\n');
      await json('fleet', [{ vehicle_id: 'b', location_id: 3, utilization_rate: 1 }]);
      expect(await fleet()).toEqual([
        { ...a, location_id: 2 },
        { ...b, location_id: 3, utilization_rate: 1 },
      ]);
      const change = { last_maintenance_on: '2026-02-28', utilization_rate: 0 };
      const patched = await send(`${base}/fleet/a`, { method: 'PATCH', body: change });
      expect(patched.body.data).toEqual({ ...a, location_id: 2, ...change });
    });

    test('may be sent on to an optimization, as the list shows them', async () => {
      await json('fleet', [{ vehicle_id: 'a', location_id: 1, ...known }]);
      const answer = await send(`${service.url}/api/v1/optimize`, {
        body: { demand_forecast: { '1': [1] }, fleet_state: { vehicles: await fleet() } },
        headers: { prefer: 'respond-async' },
      });
      expect(answer.status, answer.text).toBe(202);
    });

    test.each<[string, string, RegExp]>([
      ['acquired_on', '2026-02-29', /"2026-02-29" is not a day of the calendar$/],
      ['acquired_on', '0000-01-01', /"0000-01-01" (is not a day|is outside the years 1900 to 2199)/],
      ['last_maintenance_on', '2500-01-01', /"2500-01-01" is outside the years 1900 to 2199/],
      ['last_maintenance_on', '2026-03-01T00:00:00Z', /is not a date/],
      ['utilization_rate', '1.01', /1\.01 is above the maximum 1/],
      ['utilization_rate', '-0.1', /-0\.1 is below the minimum 0/],
    ])('%s %s is answered with 400, in CSV and in JSON', async (name, value, message) => {
      const answers = [
        await csv('fleet', `vehicle_id,location_id,${name}\na,1,${value}\n`),
        await json('fleet', [
          { vehicle_id: 'a', location_id: 1, [name]: name === 'utilization_rate' ? Number(value) : value },
        ]),
      ];
      expect(answers.map(({ status }) => status)).toEqual([400, 400]);
      expect(answers.map(({ body }) => body.errors[0].field)).toEqual(['line 2', `fleet[0].${name}`]);
      for (const { body } of answers) expect(body.errors[0].message).toMatch(message);
      expect(await rows('vehicles')).toEqual([]);
    });
  });

  describe('packed with gzip', () => {
    const gzip = { 'content-encoding': 'gzip' };

    test('is taken as CSV and as JSON', async () => {
      const answers = [
        await csv('demand', gzipSync(DEMAND), gzip),
        await send(`${base}/fleet`, {
          method: 'PUT',
          body: gzipSync(JSON.stringify({ fleet: [{ vehicle_id: 'a', location_id: 1 }] })),
          headers: gzip,
        }),
      ];
      expect(answers.map(({ status, body }) => [status, body.data.created])).toEqual([
        [201, 2],
        [201, 1],
      ]);
    });

    test.each(['text/csv', 'application/json'])('that is damaged is answered with 400 (%s)', async (type) => {
      const packed = gzipSync(DEMAND.repeat(1000));
      for (const body of [packed.subarray(0, packed.length - 20), Buffer.from(DEMAND)]) {
        const answer = await csv('demand', body, { ...gzip, 'content-type': type });
        expect(answer.status, answer.text).toBe(400);
        expect(answer.body.errors[0].message).toMatch(/gzip data of the body is damaged or truncated/);
      }
    });

    test.each(['text/csv', 'application/json'])(
      'that unpacks beyond the limit is answered with 413 (%s)',
      async (type) => {
        const bomb = gzipSync(Buffer.alloc(50 * LIMIT, ' '));
        expect(bomb.length).toBeLessThan(LIMIT);
        const answer = await csv('demand', bomb, { ...gzip, 'content-type': type });
        expect([answer.status, answer.body.errors[0].code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
      },
    );

    test('any other encoding is answered with 415 naming gzip', async () => {
      const answer = await csv('demand', DEMAND, { 'content-encoding': 'br' });
      expect(answer.status).toBe(415);
      expect(answer.body.errors[0].message).toMatch(/"br" is not supported.*gzip/);
    });
  });

  describe('in any shape', () => {
    test.each(TABLES)('%s: a body above the limit is answered with 413 naming the setting', async (table) => {
      for (const type of ['text/csv', 'application/json']) {
        const answer = await csv(table, ' '.repeat(LIMIT + 1), { 'content-type': type });
        expect(answer.status).toBe(413);
        expect(answer.body.errors[0]).toMatchObject({
          code: 'PAYLOAD_TOO_LARGE',
          message: expect.stringMatching(/HTTP_BODY_LIMIT_BYTES/),
        });
      }
    });

    test.each(TABLES)(
      '%s: another media type is answered with 415 naming those that are taken',
      async (table) => {
        for (const type of [
          'text/plain',
          'application/xml',
          'application/merge-patch+json',
          'nonsense',
          '',
        ]) {
          const answer = await csv(table, DEMAND, { 'content-type': type });
          expect([type, answer.status], answer.text).toEqual([type, 415]);
          expect(answer.body.errors[0]).toMatchObject({
            code: 'UNSUPPORTED_MEDIA_TYPE',
            message: expect.stringMatching(/application\/json or text\/csv/),
          });
        }
      },
    );

    test.each<[string, Record<string, string>, string | Buffer, number, string]>([
      [
        'JSON sent as CSV',
        { 'content-type': 'text/csv' },
        JSON.stringify({ fleet: FLEET }),
        400,
        'the body is JSON, not CSV; send it with Content-Type: application/json',
      ],
      [
        'CSV sent as JSON',
        { 'content-type': 'application/json' },
        'vehicle_id,location_id\na,1\n',
        400,
        `the body is not valid JSON: Unexpected token 'v', "vehicle_id"...; if it is CSV, send it with Content-Type: text/csv`,
      ],
      [
        'what curl sends where no type is stated',
        { 'content-type': 'application/x-www-form-urlencoded' },
        'vehicle_id,location_id\na,1\n',
        415,
        'Content-Type "application/x-www-form-urlencoded" is not accepted; send the body as application/json or text/csv, with that Content-Type',
      ],
      [
        'packed CSV that does not say so',
        { 'content-type': 'text/csv' },
        gzipSync('vehicle_id,location_id\na,1\n'),
        400,
        'the body is packed with gzip; send it with Content-Encoding: gzip',
      ],
      [
        'packed JSON that does not say so',
        { 'content-type': 'application/json' },
        gzipSync(JSON.stringify({ fleet: FLEET })),
        400,
        'the body is packed with gzip; send it with Content-Encoding: gzip',
      ],
      [
        'JSON as UTF-16',
        { 'content-type': 'application/json' },
        Buffer.from(`\uFEFF${JSON.stringify({ fleet: FLEET })}`, 'utf16le'),
        400,
        'the body is not UTF-8 text; send it as UTF-8',
      ],
    ])('%s is refused with what to do', async (_what, headers, body, status, message) => {
      const answer = await fetch(`${base}/fleet`, { method: 'PUT', headers, body });
      const { errors } = (await answer.json()) as { errors: { message: string }[] };
      expect([answer.status, errors.map((error) => error.message)]).toEqual([status, [message]]);
    });

    test('a route that takes no CSV says so', async () => {
      const answer = await send(`${service.url}/api/v1/risk/score`, {
        body: 'id,age_days\n',
        headers: { 'content-type': 'text/csv' },
      });
      expect(answer.status).toBe(415);
      expect(answer.body.errors[0].message).toBe(
        'Content-Type "text/csv" is not accepted; send the body as application/json, with that Content-Type',
      );
    });

    const [place] = TEST_LOCATIONS;
    const good: Record<Table, object[]> = {
      locations: [
        { ...place, id: 8 },
        { ...place, id: 9 },
      ],
      fleet: [
        { vehicle_id: 'a', location_id: 1 },
        { vehicle_id: 'b', location_id: 2 },
      ],
      demand: [
        { location_id: 1, hour: '2026-03-01T05:00:00Z', demand: 1 },
        { location_id: 1, hour: '2026-03-01T06:00:00Z', demand: 1 },
      ],
      events: ['a', 'b'].map((event_id) => ({
        ...{ event_id, location_id: 1, kind: 'strike' },
        ...{ from: '2026-03-01T05:00:00Z', to: '2026-03-01T06:00:00Z' },
      })),
    };
    const name = (table: Table) => (table === 'demand' ? 'observations' : table);
    test.each(TABLES)('%s: a bad row in the middle of JSON leaves nothing of the others', async (table) => {
      const before = await stored();
      const [first, last] = good[table];
      const answer = await json(table, [first, { ...first, nonsense: 1 }, last]);
      expect(answer.status).toBe(400);
      expect(answer.body.errors[0].field).toBe(`${name(table)}[1].nonsense`);
      expect(await stored()).toEqual(before);
    });

    test.each(TABLES)('%s: a key that comes twice in JSON is named with both rows', async (table) => {
      const before = await stored();
      const [first, last] = good[table];
      const { status, body } = await json(table, [first, last, first]);
      expect(status).toBe(400);
      expect(body.errors).toHaveLength(1);
      expect(body.errors[0].field).toMatch(`${name(table)}[2].`);
      expect(body.errors[0].message).toMatch(`${name(table)}[0].`);
      expect(await stored()).toEqual(before);
    });

    test.each(TABLES)('%s: at most 100 faults of JSON are reported', async (table) => {
      const { status, body } = await json(table, Array(5000).fill({ ...good[table][0], nonsense: 1 }));
      expect([status, body.errors.length]).toEqual([400, 100]);
    });
  });

  describe('PATCH /data/fleet/{vehicle_id}', () => {
    const patch = (id: string, body: unknown, type = 'application/json') =>
      send(`${base}/fleet/${encodeURIComponent(id)}`, {
        method: 'PATCH',
        body,
        headers: { 'content-type': type },
      });
    beforeEach(() => csv('fleet', FLEET));

    test('changes the given fields, leaves the rest, and answers the vehicle as the list shows it', async () => {
      const first = await patch('a', { location_id: 3 });
      expect([first.status, first.body.data]).toEqual([
        200,
        { vehicle_id: 'a', location_id: 3, status: 'maintenance', capacity: 2.5 },
      ]);
      const second = await patch('a', { status: 'operational', capacity: 4 }, 'application/merge-patch+json');
      expect(second.body.data).toEqual({
        vehicle_id: 'a',
        location_id: 3,
        status: 'operational',
        capacity: 4,
      });
      const list = await send(`${base}/fleet`);
      expect(list.body.data.fleet).toEqual([second.body.data, expect.objectContaining({ vehicle_id: 'b' })]);
    });

    test.each(['x/y z', 'ü€😀', '%2F', 'ä'.repeat(128), '€'.repeat(128)])(
      'finds the vehicle %s',
      async (id) => {
        await json('fleet', [{ vehicle_id: id, location_id: 1 }]);
        const answer = await patch(id, { capacity: 3 });
        expect([answer.status, answer.body.data?.vehicle_id], answer.text).toEqual([200, id]);
      },
    );

    test('a vehicle that is not there is answered with 404 naming it', async () => {
      const answer = await patch('nobody', { capacity: 2 });
      expect(answer.status).toBe(404);
      expect(answer.body.errors).toEqual([
        {
          code: 'RESOURCE_NOT_FOUND',
          field: 'vehicle_id',
          message: 'vehicle "nobody" not found; PUT /api/v1/data/fleet creates it',
          detail: null,
        },
      ]);
    });

    test.each<[string, unknown, string | null, RegExp]>([
      ['nothing', {}, null, /nothing to change; give at least one of location_id, status, capacity/],
      ['an unknown key', { statsu: 'downtime' }, 'statsu', /did you mean "status"/],
      ['the key itself', { vehicle_id: 'z' }, 'vehicle_id', /unknown key/],
      ['an unknown location', { location_id: 99 }, 'location_id', /location 99 is not stored/],
      ['an unknown state', { status: 'parked' }, 'status', /"parked" is not one of/],
      ['null', { capacity: null }, 'capacity', /null is not a finite number/],
      ['capacity 0', { capacity: 0 }, 'capacity', /below.*0\.000001/],
      ['an array', [{ capacity: 2 }], null, /an array is not an object/],
    ])('%s is answered with 400 and changes nothing', async (_what, body, field, message) => {
      const before = await stored();
      for (const type of ['application/json', 'application/merge-patch+json']) {
        const answer = await patch('a', body, type);
        expect(answer.status, answer.text).toBe(400);
        expect(answer.body.errors).toEqual([
          { code: 'VALIDATION_ERROR', field, message: expect.stringMatching(message), detail: null },
        ]);
      }
      expect(await stored()).toEqual(before);
    });

    test('an id with NUL is answered with 400, another media type with 415, no body with 415', async () => {
      expect((await patch('a\0', { capacity: 2 })).status).toBe(400);
      const answer = await patch('a', FLEET, 'text/csv');
      expect([answer.status, answer.body.errors[0].message]).toEqual([
        415,
        'Content-Type "text/csv" is not accepted; send the body as application/json or application/merge-patch+json, with that Content-Type',
      ]);
      const empty = await fetch(`${base}/fleet/a`, { method: 'PATCH' });
      expect(empty.status).toBe(415);
      expect((await patch('a', '')).status).toBe(400);
    });
  });

  function lastRow(table: Table): string {
    return {
      locations: '10,Ten,1,1,',
      fleet: 'z,1,,',
      demand: '3,2026-03-01T05:00:00Z,1',
      events: 'z,,2026-03-01T05:00:00Z,2026-03-01T06:00:00Z,strike,2',
    }[table];
  }
});
