import { strict as assert } from 'node:assert';
import net from 'node:net';
import { gzipSync } from 'node:zlib';
import { assertRefused, type Case, type CaseContext, type Reply, smallProblem } from './case.ts';

/** Longest turn of the event loop that any body may cause. */
const LOOP_LIMIT_MS = 300;
const HEALTH_LIMIT_MS = 200;

/** Sends something heavy and measures how others fare meanwhile. */
async function whileWatched(context: CaseContext, work: () => Promise<Reply>) {
  await context.probe.look();
  const reply = await work();
  const { loop, health } = await context.probe.look();
  const seen = `${reply.status} in ${Math.round(reply.ms)} ms, loop ${Math.round(loop.longest)} ms at most`;
  assert.ok(loop.longest <= LOOP_LIMIT_MS, `${seen}; ${LOOP_LIMIT_MS} are allowed`);
  assert.ok(
    health.p99 <= HEALTH_LIMIT_MS,
    `${seen}; /health took ${Math.round(health.p99)} ms (99th percentile)`,
  );
  return { reply, seen };
}

/** A heavy body that is refused with one of these statuses, while others are served in time. */
const heavy = (
  name: string,
  path: string,
  body: () => Buffer,
  headers: Record<string, string>,
  statuses: number[],
  method = 'POST',
): Case => ({
  name,
  seconds: 2,
  async run(context) {
    const bytes = body();
    const { reply, seen } = await whileWatched(context, () =>
      context.call(method, path, { body: bytes, headers }),
    );
    assert.ok(statuses.includes(reply.status), seen);
    return seen;
  },
});

const GZIP = { 'content-encoding': 'gzip' };
const zeros = (count: number) => `${'0,'.repeat(count - 1)}0`;
const demandOf = (values: string) => `{"demand_forecast":{"161":[${values}]},"fleet_state":{"vehicles":[]}}`;
const REFUSED = [400, 413];

export const bodyCases: Case[] = [
  {
    name: 'a forecast of more values than the limit is refused',
    async run({ call, locationIds }) {
      const ids = [
        ...locationIds,
        ...Array.from({ length: 5000 - locationIds.length }, (_, i) => 1_000_000 + i),
      ];
      const features = { step_hours: 1, include_intervals: true };
      const reply = await call('POST', '/api/v1/forecast', {
        body: { location_ids: ids, horizon_hours: 8784, features },
      });
      assertRefused(reply, 400, 'horizon_hours');
    },
  },
  {
    name: 'the longest hourly forecast of all locations does not hold up other requests',
    seconds: 10,
    async run(context) {
      const { locationIds, call } = context;
      const hours = Math.min(8784, Math.floor(1_000_000 / locationIds.length / 3));
      const body = {
        location_ids: locationIds,
        horizon_hours: hours,
        features: { step_hours: 1, include_intervals: true },
      };
      const { reply, seen } = await whileWatched(context, () => call('POST', '/api/v1/forecast', { body }));
      assert.equal(reply.status, 200, seen);
      return seen;
    },
  },
  heavy(
    '4 million zeros for one location in 8 kB of gzip',
    '/api/v1/optimize',
    () => gzipSync(demandOf(zeros(4e6))),
    GZIP,
    REFUSED,
  ),
  heavy(
    '16 million zeros in 33 kB of gzip',
    '/api/v1/optimize',
    () => gzipSync(demandOf(zeros(16e6))),
    GZIP,
    REFUSED,
  ),
  heavy(
    'a gigabyte of spaces in a megabyte of gzip',
    '/api/v1/optimize',
    () => gzipSync(Buffer.alloc(2 ** 30, 32)),
    GZIP,
    [413],
  ),
  heavy(
    'a gigabyte of travel in a megabyte of gzip',
    '/api/v1/data/travel',
    () => gzipSync(Buffer.alloc(2 ** 30, '1,2,3,4\n')),
    { ...GZIP, 'content-type': 'text/csv' },
    [413],
    'PUT',
  ),
  heavy(
    '60 MB of wrong items',
    '/api/v1/data/demand',
    () => Buffer.from(`{"observations":[${zeros(30e6)}]}`),
    {},
    REFUSED,
  ),
  heavy(
    '10 MB of wrong items',
    '/api/v1/data/demand',
    () => Buffer.from(`{"observations":[${zeros(5e6)}]}`),
    {},
    REFUSED,
  ),
  heavy(
    'a million wrong vehicles',
    '/api/v1/optimize',
    () => Buffer.from(`{"demand_forecast":{"161":[1]},"fleet_state":{"vehicles":[${'{},'.repeat(1e6)}{}]}}`),
    {},
    REFUSED,
  ),
  heavy(
    '400,000 unknown keys',
    '/api/v1/optimize',
    () => Buffer.from(`{${Array.from({ length: 4e5 }, (_, i) => `"k${i}":1`).join()}}`),
    {},
    REFUSED,
  ),
  heavy(
    '400,000 locations with wrong demand',
    '/api/v1/optimize',
    () =>
      Buffer.from(
        `{"demand_forecast":{${Array.from({ length: 4e5 }, (_, i) => `"k${i}":"x"`).join()}},"fleet_state":{"vehicles":[]}}`,
      ),
    {},
    REFUSED,
  ),
  heavy('5 million opening brackets', '/api/v1/optimize', () => Buffer.alloc(5e6, '['), {}, REFUSED),
  heavy(
    'a string of 20 MB',
    '/api/v1/risk/score',
    () => Buffer.from(`{"vehicles":[{"id":"${'x'.repeat(20e6)}"}]}`),
    {},
    REFUSED,
  ),
  heavy(
    '10 MB of CSV of one field',
    '/api/v1/data/demand',
    () => Buffer.alloc(10e6, 'x'),
    { 'content-type': 'text/csv' },
    REFUSED,
  ),
  heavy(
    '300,000 wrong CSV rows',
    '/api/v1/data/demand',
    () => Buffer.from(`location_id,hour,demand\n${'x,y,z\n'.repeat(3e5)}`),
    { 'content-type': 'text/csv' },
    REFUSED,
  ),
  {
    name: 'malformed JSON is reported with its line and column',
    async run({ call }) {
      const reply = await call('POST', '/api/v1/optimize', { body: '{\n  "demand_forecast": {,}\n}' });
      assertRefused(reply, 400);
      const [{ message, detail }] = reply.body.errors;
      assert.match(`${message} ${detail}`, /line 2/);
      assert.match(`${message} ${detail}`, /column \d+/);
      return `${message} ${detail}`;
    },
  },
  {
    name: 'a request that the HTTP parser refuses is answered with the envelope',
    async run({ baseUrl }) {
      const bad = await raw(baseUrl, 'GET / HTTP/1.1\r\nHost: localhost\r\nBad Header\r\n\r\n');
      assertRaw(bad, 400);
      assertRaw(
        await raw(baseUrl, `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`),
        431,
      );
    },
  },
  {
    name: '300 dripping sockets are closed in time, with 408',
    seconds: 150,
    async run(context) {
      const startedAt = performance.now();
      const answers = await Promise.all(Array.from({ length: 300 }, () => drip(context.baseUrl)));
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      for (const answer of answers) assertRaw(answer, 408);
      const after = await context.call('POST', '/api/v1/optimize', { body: smallProblem(context) });
      assert.equal(after.status, 200);
      return `300 × 408 within ${seconds} s`;
    },
  },
];

/** The answer that a socket gets before it is closed. */
function raw(baseUrl: string, text: string): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve) => {
    let heard = '';
    const socket = net.connect(Number(port), hostname, () => socket.write(text));
    socket.on('data', (chunk) => {
      heard += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(heard));
  });
}

/** Sends a byte of a body each second until the service gives up. */
function drip(baseUrl: string): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve) => {
    let heard = '';
    const socket = net.connect(Number(port), hostname, () => {
      socket.write(
        'POST /api/v1/optimize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{',
      );
    });
    const dripping = setInterval(() => socket.write(' '), 1000);
    socket.on('data', (chunk) => {
      heard += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(dripping);
      resolve(heard);
    });
  });
}

function assertRaw(heard: string, status: number): void {
  assert.match(heard, new RegExp(`^HTTP/1.1 ${status} `), heard.slice(0, 200));
  assert.match(heard, /x-request-id: \S+/i);
  const body = JSON.parse(heard.slice(heard.indexOf('\r\n\r\n') + 4));
  assert.equal(body.status, 'error');
  assert.ok(body.metadata.request_id);
}
