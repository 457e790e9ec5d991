import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { readJobRequest } from '../../src/db/jobs/jobs.ts';
import { MAX_LOOP_BODY_BYTES } from '../../src/http/bodies/intake.ts';
import { wholeText } from '../helpers/jobs.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';

describe('bodies', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  let url: string;
  beforeAll(async () => {
    service = await startTestService({
      workers: 0,
      overrides: { HTTP_JSON_LIMIT_BYTES: 8_000_000, HTTP_BODY_LIMIT_BYTES: 10_000_000 },
    });
    url = `${service.url}/api/v1/optimize`;
  });
  const storedInput = async (jobId: string) => {
    const { rows } = await service.pool.query('select input_hash from jobs where job_id = $1', [jobId]);
    return {
      input: await wholeText((await readJobRequest(service.db, jobId))!),
      input_hash: rows[0].input_hash,
    };
  };
  /** White space that makes a body large enough for a thread. */
  const padding = ' '.repeat(MAX_LOOP_BODY_BYTES);
  const SIZES = [
    ['small', ''],
    ['large', padding],
  ];

  describe.each(SIZES)('that are %s', (_size, pad) => {
    test.each([
      [
        '{"demand_forecast": {',
        'send all of it',
        /Expected property name or '}' at .* \(line 1 column \d+\)/,
      ],
      [
        '{\n  "demand_forecast": {"1": [1]},\n  "fleet_state": {} 1\n}',
        'correct it there',
        /Expected ',' or '}' .* \(line 3 column 21\)/,
      ],
      [
        '{\n  "demand_forecast": {"1": [1]},\n  "fleet_state": nothing\n}',
        ': nothing',
        /Unexpected token 'o'/,
      ],
      ['{"__proto__": {"x": 1}}', 'rename or remove it', /"__proto__"/],
    ])('malformed JSON is told with its place: %j', async (text, place, what) => {
      const answer = await send(url, { body: text + pad });
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toHaveLength(1);
      expect(answer.body.errors[0]).toMatchObject({ code: 'VALIDATION_ERROR', field: null });
      expect(answer.body.errors[0].message).toMatch(what);
      expect(answer.body.errors[0].message).toContain(place);
    });

    test('a body is stored as compact JSON, however it was written, and its key leads to it', async () => {
      const body = JSON.stringify(simpleRequest(3), null, 2);
      const headers = { prefer: 'respond-async', 'idempotency-key': `k${pad.length}` };
      const first = await send(url, { body: body + pad, headers });
      expect(first.status).toBe(202);
      const { input } = await storedInput(first.body.data.job_id);
      expect(input).toBe(JSON.stringify(simpleRequest(3)));
      const again = await send(url, { body: JSON.stringify(simpleRequest(3)), headers });
      expect(again.body.data.job_id).toBe(first.body.data.job_id);
      const other = await send(url, { body: JSON.stringify(simpleRequest(4)) + pad, headers });
      expect(other.status).toBe(422);
    });

    test.each([
      ['byte by byte, if it is compact', '', ''],
      ['without its white space', ' ', ''],
      ['without its byte order mark', '', '\ufeff'],
    ])(
      'a body without a key is stored %s, and its numbers are those that were sent',
      async (_how, space, mark) => {
        const name = pad ? 'ü'.repeat(120) : 'a';
        const vehicles = Array.from(
          { length: pad ? 2000 : 1 },
          (_, i) => `{"id":"${name}${i}","location":1}`,
        );
        const sent =
          `{"demand_forecast":{"2":[1.50,${space}25e-1],"1":[0]},` +
          `"fleet_state":{"vehicles":[${vehicles}]},"constraints":{"min_service_level":0}}`;
        const answer = await send(url, { body: mark + sent, headers: { prefer: 'respond-async' } });
        expect(answer.status).toBe(202);
        const { input, input_hash } = await storedInput(answer.body.data.job_id);
        expect(JSON.parse(input)).toEqual(JSON.parse(sent));
        expect(input).toBe(space || mark ? JSON.stringify(JSON.parse(sent)) : sent);
        expect(input_hash).toHaveLength(space || mark ? 32 : 0);
      },
    );

    test.each([
      [
        'once more',
        '{"constraints":{"max_distance":5,"max_distance":50},',
        'line 1, column 34',
        'max_distance',
      ],
      ['however it is written', '{"constr\\u0061ints":{},', 'line 1, column', 'constraints'],
      [
        'deeper than PostgreSQL reads',
        `{"demand_forecast":${'['.repeat(10_000)}${']'.repeat(10_000)},`,
        'line 1, column',
        'demand_forecast',
      ],
    ])(
      'a key that comes twice is refused, as one of its values would not count: %s',
      async (_how, start, place, key) => {
        const request = JSON.stringify({
          ...simpleRequest(3),
          ...(key === 'max_distance' && { constraints: undefined }),
        });
        const answer = await send(url, { body: request.replace('{', start) + pad });
        expect(answer.status).toBe(400);
        expect(answer.body.errors).toMatchObject([{ code: 'VALIDATION_ERROR', field: null }]);
        expect(answer.body.errors[0].message).toContain(place);
        expect(answer.body.errors[0].message).toContain(
          `the key "${key}" is a duplicate; send each key of an object once`,
        );
      },
    );

    test.each([
      '{"constructor":{"prototype":{}}}',
      '{"construct\\u006fr":{"prototype":{}}}',
      '{"a":[{"__proto__":1}]}',
      '{"a":[{"_\\u005fproto__":1}]}',
    ])(
      'a key that would change the prototype of an object is refused, however it is written: %s',
      async (body) => {
        const answer = await send(url, { body: body + pad });
        expect(answer.status).toBe(400);
        expect(answer.body.errors[0].message).toMatch(/rename or remove it/);
      },
    );

    test.each([
      ['a body', 'POST', '/api/v1/optimize', { ...simpleRequest(), options: undefined }],
      ['one that patches', 'PATCH', '/api/v1/data/locations/1', { name: 'V1' }],
      [
        'one that only computes',
        'POST',
        '/api/v1/risk/score',
        { vehicles: [{ vehicle_id: 'V1', age_years: 1 }] },
      ],
    ])(
      '%s that is not UTF-8 is refused, packed or not: two names must not become one',
      async (_what, method, path, body) => {
        const latin1 = Buffer.from(JSON.stringify(body).replace('V1', 'Zürich') + pad, 'latin1');
        for (const [sent, headers] of [
          [latin1, {}],
          [gzipSync(latin1), { 'content-encoding': 'gzip' }],
        ] as const) {
          const answer = await send(`${service.url}${path}`, { method, body: sent, headers });
          expect([answer.status, answer.body.errors.length]).toEqual([400, 1]);
          expect(answer.body.errors[0].message).toMatch(
            /^the body is not UTF-8 text: line 1, column \d+; send it as UTF-8$/,
          );
        }
      },
    );

    test('faults of the schema, then those between fields and with what is stored, are named', async () => {
      const schema = await send(url, { body: `{"fleet_state":{"vehicles":[]}}${pad}` });
      expect(schema.body.errors.map((e: { field: string }) => e.field)).toEqual(['demand_forecast']);
      const vehicles = [
        { id: 'a', location: 1 },
        { id: 'a', location: 99 },
      ];
      const request = { demand_forecast: { '1': [1], '98': [1] }, fleet_state: { vehicles } };
      const fields = await send(url, { body: JSON.stringify(request) + pad });
      expect(fields.status).toBe(400);
      expect(fields.body.errors.map((e: { field: string }) => e.field)).toEqual([
        'demand_forecast.98',
        'fleet_state.vehicles[1].id',
        'fleet_state.vehicles[1].location',
      ]);
    });

    test('rows are stored in one transaction; a location that is not stored is named', async () => {
      const row = (i: number, id = 1 + (i % 4)) => ({
        vehicle_id: `${pad.length} "v\\${i}"`,
        location_id: id,
      });
      const fleet = Array.from({ length: 12_000 }, (_, i) => row(i));
      const put = (rows: object[]) =>
        send(`${service.url}/api/v1/data/fleet`, {
          method: 'PUT',
          body: JSON.stringify({ fleet: rows }) + pad,
        });
      expect((await put(fleet)).body.data).toEqual({ created: 12_000, updated: 0 });
      expect((await put(fleet)).body.data).toEqual({ created: 0, updated: 12_000 });
      const { rows } = await service.pool.query(
        'select count(*)::int as n from vehicles where vehicle_id = $1',
        [row(7).vehicle_id],
      );
      expect(rows[0].n).toBe(1);
      const refused = await put([...fleet, row(12_000, 77)]);
      expect(refused.status).toBe(400);
      expect(refused.body.errors).toMatchObject([{ field: 'fleet[12000].location_id' }]);
    });
  });

  test('JSON has a limit of its own, below that of CSV', async () => {
    const json = await send(url, { body: ' '.repeat(8_000_001) });
    expect([json.status, json.body.errors[0].code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(json.body.errors[0].message).toMatch(/larger than 8000000 bytes; send it in parts/);
    const csv = await send(`${service.url}/api/v1/data/demand`, {
      body: `location_id,hour,demand\n${'\n'.repeat(9_000_000)}`,
      headers: { 'content-type': 'text/csv' },
    });
    expect(csv.status).not.toBe(413);
  });

  test('a body that unpacks to more than the limit, or to 200 times its size, is refused with 413', async () => {
    const packed = (text: string) =>
      send(url, { body: gzipSync(text), headers: { 'content-encoding': 'gzip' } });
    const bomb = await packed(`{"demand_forecast":{"1":[${'0,'.repeat(2_000_000)}0]}}`);
    expect([bomb.status, bomb.body.errors[0].code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(bomb.body.errors[0].message).toMatch(/200 times/);
    const digits = Array.from({ length: 5_000_000 }, (_, i) => (i * 7919) % 10);
    const large = await packed(`{"demand_forecast":{"1":[${digits.join(',')}]}}`);
    expect(large.status).toBe(413);
    // Up to a mebibyte anything may grow as it likes.
    const zeros = await packed(`{"demand_forecast":{"1":[${'0,'.repeat(400_000)}0]}}`);
    expect(zeros.status).toBe(400);
    expect(zeros.body.errors.map((e: { message: string }) => e.message).join()).toMatch(/at most 8784/);
  });

  test('more objects than a request needs, or keys of an object, are refused before they are made', async () => {
    const tooMany = async (body: string) => {
      const answer = await send(url, { body });
      return [answer.status, answer.body.errors[0].message];
    };
    expect(await tooMany(`[${'[],'.repeat(1_200_000)}[]]`)).toEqual([
      413,
      expect.stringMatching(/more than 1200000 objects and arrays/),
    ]);
    expect(await tooMany('['.repeat(1_200_001))).toEqual([413, expect.stringMatching(/more than 1200000/)]);
    const keys = Array.from({ length: 100_001 }, (_, i) => `"${i}":1`).join();
    expect(await tooMany(`{${keys}}`)).toEqual([
      413,
      expect.stringMatching(/object of more than 100000 keys/),
    ]);
    // Neither in texts.
    const text = await send(url, { body: JSON.stringify({ x: '[{:'.repeat(600_000) }) });
    expect(text.status).toBe(400);
  });

  test.each([
    ['application/json; charset=utf-8', 202],
    ['application/json;CHARSET="UTF-8"', 202],
    ['application/json; charset=iso-8859-1', 415],
    ['application/json; x=y; charset="utf-16"', 415],
  ])('a body whose Content-Type is %s is answered with %i', async (type, status) => {
    const headers = { 'content-type': type, prefer: 'respond-async' };
    const answer = await send(url, { body: JSON.stringify(simpleRequest()), headers });
    expect(answer.status).toBe(status);
    if (status === 415)
      expect(answer.body.errors[0].message).toMatch(/charset "(iso-8859-1|utf-16)".*send it as UTF-8/);
    const csv = await send(`${service.url}/api/v1/data/fleet`, {
      method: 'PUT',
      body: 'vehicle_id,location_id\nV1,1\n',
      headers: { 'content-type': type.replace('application/json', 'text/csv') },
    });
    expect(csv.status === 415).toBe(status === 415);
  });

  test('a request without a body needs no type and no encoding, whatever its headers say', async () => {
    const given: Record<string, string>[] = [{ 'content-encoding': 'br' }, { 'content-type': 'text/plain' }];
    for (const headers of given) {
      for (const [method, path, status] of [
        ['GET', '/health', 200],
        ['DELETE', '/api/v1/jobs/opt_0', 404],
      ] as const) {
        const answer = await send(`${service.url}${path}`, {
          method,
          headers,
        });
        expect([method, headers, answer.status]).toEqual([method, headers, status]);
      }
    }
  });
});
