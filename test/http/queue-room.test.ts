import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createQueueRoom, storesAtOnce } from '../../src/http/jobs/queue-room.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';

test('while the queue is full calls are refused, and the process itself looks until there is room', async () => {
  const looks = Array.from({ length: 3 }, () => Promise.withResolvers<number>());
  const asked = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  let count = 0;
  const room = createQueueRoom({ QUEUE_MAX_WAITING: 7, DATABASE_POOL_SIZE: 10 }, () => {
    asked[count].resolve();
    return looks[count++].promise;
  });
  const refuses = () => expect(() => room.check()).toThrow(/^7 jobs are waiting.*QUEUE_MAX_WAITING/);
  room.check();
  for (let calls = 0; calls < 3; calls++) expect(room.noteFull().message).toMatch(/^7 jobs are waiting/);
  await asked[0].promise;
  refuses();
  looks[0].resolve(7);
  await asked[1].promise;
  refuses();
  looks[1].resolve(6);
  await turn();
  room.check();
  room.noteFull();
  await asked[2].promise;
  refuses();
  looks[2].reject(new Error('PostgreSQL is away'));
  await turn();
  room.check();
  expect(count).toBe(3);
});

test('a process stores a few jobs at a time, and callers take turns', async () => {
  const room = createQueueRoom({ QUEUE_MAX_WAITING: 7, DATABASE_POOL_SIZE: 3 }, async () => 0);
  const first = Promise.withResolvers<void>();
  const stored: string[] = [];
  const store = (caller: string) => room.store(caller, async () => void stored.push(caller));
  const stores = [room.store('a', () => first.promise), store('a'), store('a'), store('b')];
  first.resolve();
  await Promise.all(stores);
  expect(stored).toEqual(['b', 'a', 'a']);
});

test('calls to a full queue are refused; a known key still returns its job, and room is used', async () => {
  const service = await startTestService({ workers: 0, overrides: { QUEUE_MAX_WAITING: 1 } });
  const post = (key?: string) =>
    send(`${service.url}/api/v1/optimize`, {
      body: simpleRequest(),
      headers: { prefer: 'respond-async', ...(key !== undefined && { 'idempotency-key': key }) },
    });
  const first = await post('first');
  expect(first.status).toBe(202);
  for (const { status, headers, body } of await Promise.all(Array.from({ length: 50 }, () => post()))) {
    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
    expect(body.errors[0].message).toContain('QUEUE_MAX_WAITING');
  }
  const repeated = await post('first');
  expect([repeated.status, repeated.body.data.job_id]).toEqual([202, first.body.data.job_id]);
  await send(`${service.url}/api/v1/jobs/${first.body.data.job_id}`, { method: 'DELETE' });
  let next = await post();
  while (next.status === 503) next = await post();
  expect(next.status).toBe(202);
});

test('calls at the same moment fill the queue, and exceed it by less than the connections with which they store', async () => {
  const { urls, pool, config } = await startTestService({
    apis: 3,
    workers: 0,
    overrides: { QUEUE_MAX_WAITING: 7 },
  });
  const post = (_: unknown, i: number) =>
    send(`${urls[i % 3]}/api/v1/optimize`, { body: simpleRequest(), headers: { prefer: 'respond-async' } });
  await Promise.all(Array.from({ length: 90 }, post));
  const { rowCount } = await pool.query("select from jobs where status = 'queued'");
  expect(rowCount).toBeGreaterThanOrEqual(7);
  expect(rowCount).toBeLessThan(7 + 3 * storesAtOnce(config));
});

test('health and readiness answer while every connection of the pool is taken', async () => {
  const { url, pool, config } = await startTestService({ workers: 0, overrides: { DATABASE_POOL_SIZE: 2 } });
  const lock = await pool.connect();
  await lock.query('begin; lock table jobs in access exclusive mode');
  const calls = Array.from({ length: 10 }, () => send(`${url}/api/v1/jobs`));
  // Once both connections wait for the lock, nobody else gets one.
  const waiting = () =>
    pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
  for (let i = 0; i < 2000 && (await waiting()).rowCount !== config.DATABASE_POOL_SIZE; i++);
  for (const path of ['/health', '/readyz']) expect((await send(`${url}${path}`)).status).toBe(200);
  await lock.query('rollback');
  lock.release();
  for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
});
