import { describe, expect, test } from 'vitest';
import { makeApiKey } from '../../../src/api-keys.ts';
import type { Tier } from '../../../src/contracts/access.ts';
import { openRequestCounter } from '../../../src/queue/request-counter.ts';
import { storeKey } from '../../helpers/keys.ts';
import { longRequest } from '../../helpers/long-request.ts';
import { send, simpleRequest, startTestService } from '../../helpers/service.ts';
import { describeOnBothBackends } from '../../helpers/services.ts';
import { openSocket, refusedHandshake } from '../../helpers/socket.ts';

describeOnBothBackends('with rate limits and two API processes', (redisUrl) => {
  const start = startTestService({
    redisUrl,
    apis: 2,
    workers: 0,
    overrides: { AUTH: 'keys', RATE_LIMITS: '4,6' },
  });

  test('a caller may send as many requests as its tier allows, whichever process gets them; then 429 says when to come back', async () => {
    const { urls, db } = await start;
    for (const [tier, limit] of [
      ['default', 4],
      ['premium', 6],
    ] as [Tier, number][]) {
      const { headers } = await storeKey(db, 'viewer', { tier });
      const ask = (i: number) => send(`${urls[i % 2]}/api/v1/config`, { headers });
      const remaining: number[] = [];
      for (let i = 0; i < limit; i++) {
        const answer = await ask(i);
        expect(answer.status).toBe(200);
        expect(answer.headers.get('ratelimit-policy')).toBe(`"${tier}";q=${limit};w=60`);
        remaining.push(Number(/;r=(\d+);t=\d+$/.exec(answer.headers.get('ratelimit') ?? '')?.[1]));
      }
      expect(remaining).toEqual(Array.from({ length: limit }, (_, i) => limit - 1 - i));
      for (let i = 0; i < 4; i++) {
        const over = await ask(i);
        expect(over.status).toBe(429);
        expect(over.body.errors[0].code).toBe('RATE_LIMITED');
        expect(over.headers.get('ratelimit')).toMatch(new RegExp(`^"${tier}";r=0;t=`));
        const seconds = Number(over.headers.get('retry-after'));
        expect(seconds).toBeGreaterThanOrEqual(1);
        expect(seconds).toBeLessThanOrEqual(60);
      }
      // Public operations are there for it, too.
      expect((await send(`${urls[0]}/health`, { headers })).status).toBe(200);
    }
  });

  test('another caller has a count of its own, and the tier enterprise has none', async () => {
    const { url, db } = await start;
    const { headers } = await storeKey(db, 'viewer', { tier: 'enterprise' });
    for (let i = 0; i < 8; i++) {
      const answer = await send(`${url}/api/v1/config`, { headers });
      expect([answer.status, answer.headers.get('ratelimit')]).toEqual([200, null]);
    }
    const other = await storeKey(db, 'viewer');
    expect((await send(`${url}/api/v1/config`, { headers: other.headers })).status).toBe(200);
  });
});

describe('with a limit of sockets per caller', () => {
  const start = startTestService({
    workers: 0,
    overrides: { AUTH: 'keys', WEBSOCKET_MAX_PER_CALLER: 2 },
  });

  test('a handshake beyond it gets 429, other callers are let in, and a socket that ends makes room', async () => {
    const { url, db } = await start;
    const [own, other] = [await storeKey(db, 'planner'), await storeKey(db, 'planner')];
    const sockets = [
      await openSocket(url, { headers: own.headers }),
      await openSocket(url, { headers: own.headers }),
    ];
    const refused = await refusedHandshake(url, { headers: own.headers });
    expect(refused.status).toBe(429);
    expect(refused.body.errors[0]).toMatchObject({
      code: 'RATE_LIMITED',
      message: expect.stringContaining('WEBSOCKET_MAX_PER_CALLER'),
    });
    // Neither a refused handshake nor a request that opens no socket counts.
    for (let i = 0; i < 3; i++)
      expect((await send(`${url}/ws/optimization`, { headers: other.headers })).status).toBe(404);
    sockets.push(await openSocket(url, { headers: other.headers }));
    sockets[0].socket.terminate();
    await expect
      .poll(() => openSocket(url, { headers: own.headers }).then((one) => sockets.push(one)))
      .toBe(4);
    expect((await refusedHandshake(url, { headers: own.headers })).status).toBe(429);
    for (const { close } of sockets) close();
  });
});

test('without authentication an address has the limit of the tier default', async () => {
  const { url } = await startTestService({
    workers: 0,
    overrides: { RATE_LIMITS: '2,300' },
  });
  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push((await send(`${url}/api/v1/config`)).status);
  expect(statuses).toEqual([200, 200, 429]);
});

test('without Redis, which counts, requests are neither refused nor unlimited', async () => {
  // Nothing listens there.
  const config = { QUEUE_PREFIX: 'away', REDIS_URL: 'redis://127.0.0.1:1' };
  const counter = openRequestCounter(config, null as never, () => {});
  await counter.connected;
  const counts = [];
  for (let i = 0; i < 3; i++) counts.push((await counter.count('somebody', 2)).isOver);
  counter.close();
  expect(counts).toEqual([false, false, true]);
});

test('a caller may have so many waiting jobs; a further one gets 429 and is not stored, those of others are', async () => {
  const { url, db, pool } = await startTestService({
    workers: 0,
    overrides: { AUTH: 'keys', JOBS_WAITING_PER_CALLER: 2 },
  });
  const post = ({ headers }: { headers: Record<string, string> }) =>
    send(`${url}/api/v1/optimize`, {
      body: simpleRequest(),
      headers: { ...headers, prefer: 'respond-async' },
    });
  const [one, other] = [await storeKey(db, 'planner'), await storeKey(db, 'planner')];
  expect([(await post(one)).status, (await post(one)).status]).toEqual([202, 202]);
  const over = await post(one);
  expect(over.status).toBe(429);
  expect(over.body.errors[0]).toMatchObject({
    code: 'RATE_LIMITED',
    message: expect.stringContaining('JOBS_WAITING_PER_CALLER'),
  });
  expect(over.headers.get('retry-after')).toBe('5');
  expect((await post(other)).status).toBe(202);
  const { rows } = await pool.query('select owner, count(*)::int as n from jobs group by owner order by n');
  expect(rows).toEqual([
    { owner: other.owner, n: 1 },
    { owner: one.owner, n: 2 },
  ]);
});

test('a caller may store so many bytes of bodies a day; a further one gets 429 until the next day, those of others are stored', async () => {
  // Small bodies count by chance.
  const body = simpleRequest(2000);
  const bytes = JSON.stringify(body).length;
  const { url, db, pool } = await startTestService({
    workers: 0,
    overrides: { AUTH: 'keys', JOBS_BYTES_PER_CALLER: 3 * bytes },
  });
  const post = ({ headers }: { headers: Record<string, string> }, more: Record<string, string> = {}) =>
    send(`${url}/api/v1/optimize`, { body, headers: { ...headers, prefer: 'respond-async', ...more } });
  const [one, other] = [await storeKey(db, 'planner'), await storeKey(db, 'planner')];
  const accepted = await post(one, { 'idempotency-key': 'k' });
  expect(accepted.status).toBe(202);
  // The same job again stores nothing.
  expect((await post(one, { 'idempotency-key': 'k' })).body.data).toEqual(accepted.body.data);
  // A day may end meanwhile: then there are as many again.
  let answer = accepted;
  while (answer.status === 202) answer = await post(one);
  expect(answer.status).toBe(429);
  expect(answer.body.errors[0]).toMatchObject({
    code: 'RATE_LIMITED',
    message: expect.stringMatching(
      `^this body has ${bytes} bytes and your bodies of today \\(UTC\\) ${3 * bytes}, together more than ${3 * bytes}, the limit per caller and day`,
    ),
  });
  const seconds = Number(answer.headers.get('retry-after'));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(86_400);
  const { rows } = await pool.query('select sum(bytes)::int as bytes from caller_bytes group by day');
  expect(rows.map((row) => row.bytes)).toContain(3 * bytes);
  expect((await post(other)).status).toBe(202);
});

test('pages of the named origins may call the service, and read its refusals; other origins are not named', async () => {
  const { url } = await startTestService({
    workers: 0,
    overrides: { AUTH: 'keys', CORS_ALLOWED_ORIGINS: 'https://console.example' },
  });
  const origin = 'https://console.example';
  const preflight = await send(`${url}/api/v1/optimize`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
  expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
  // OPTIONS that is no preflight asks for the methods of a path, as where no origin is named.
  const asked = await send(`${url}/api/v1/optimize`, { method: 'OPTIONS' });
  expect([asked.status, asked.headers.get('allow')]).toEqual([204, 'POST, OPTIONS']);
  expect((await send(`${url}/nowhere`, { method: 'OPTIONS', headers: { origin } })).status).toBe(404);
  const refused = await send(`${url}/api/v1/config`, { headers: { origin } });
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, origin]);
  const foreign = await send(`${url}/api/v1/config`, { headers: { origin: 'https://evil.example' } });
  expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
});

test('however many invented keys come from an address, they are looked up together, and a valid one that was never seen is answered', async () => {
  const { url, db, pool } = await startTestService({ workers: 0, overrides: { AUTH: 'keys' } });
  const newcomer = await storeKey(db, 'viewer');
  const ask = async (headers: Record<string, string>) =>
    (await send(`${url}/api/v1/config`, { headers })).status;
  const invented = () => ask({ authorization: `Bearer ${makeApiKey().key}` });
  const lock = await pool.connect();
  await lock.query('begin; lock table api_keys in access exclusive mode');
  const waiting = Array.from({ length: 300 }, invented);
  const countLookUps = async () => {
    const { rows } = await pool.query(
      "select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and query like '%api_keys%'",
    );
    return rows[0].n;
  };
  while ((await countLookUps()) === 0);
  const answer = ask(newcomer.headers);
  // The service has read those requests once it answers what came after them.
  const statuses: number[] = [];
  for (let i = 0; i < 10; i++) statuses.push((await send(`${url}/livez`)).status);
  const lookUps = await countLookUps();
  await lock.query('rollback');
  lock.release();
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(lookUps).toBe(1);
  expect(await answer).toBe(200);
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([401]));
  expect(await ask((await storeKey(db, 'viewer')).headers)).toBe(200);
});

test('a caller may have so many running jobs: its next one waits while a worker has room, and those of others pass it', async () => {
  const { url, db, pool } = await startTestService({
    overrides: { AUTH: 'keys', WORKER_CONCURRENCY: 3, JOBS_RUNNING_PER_CALLER: 1 },
  });
  const [one, other, third] = await Promise.all([1, 2, 3].map(() => storeKey(db, 'planner')));
  const jobs: { path: string; headers: Record<string, string> }[] = [];
  const post = async ({ headers }: typeof one) => {
    const sent = { body: longRequest(100), headers: { ...headers, prefer: 'respond-async' } };
    const { body } = await send(`${url}/api/v1/optimize`, sent);
    jobs.push({ path: `/api/v1/jobs/${body.data.job_id}`, headers });
  };
  const running = async () => {
    const { rows } = await pool.query("select owner from jobs where status = 'running' order by created_at");
    return rows.map(({ owner }) => owner);
  };
  await post(one);
  await post(one);
  await post(other);
  await expect.poll(running).toEqual([one.owner, other.owner]);
  // It comes last, and is the next to run. Without the setting two of three slots may be of one caller.
  await post(third);
  await expect.poll(running).toEqual([one.owner, other.owner, third.owner]);
  for (const { path, headers } of jobs) await send(`${url}${path}`, { method: 'DELETE', headers });
});
