import { beforeAll, expect, test } from 'vitest';
import { createFullQueue, type FullQueue, storesAtOnce } from '../../src/http/jobs/full-queue.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';

/** A place of a queue that has one. */
async function enter(queue: FullQueue) {
  const place = await queue.enter();
  if (typeof place === 'string') throw new Error(place);
  return place;
}

/** A look that nobody needs. */
const noLook = () => new Promise<number>(() => {});

test('a full queue is taken to be full for a moment; then the next call looks, one at a time, until there is room', async () => {
  let ms = 0;
  const queue = createFullQueue(10, 5, noLook, () => ms);
  expect([queue.refuses(), queue.refuses()]).toEqual([undefined, undefined]);
  queue.seen(10);
  expect(await queue.enter()).toBe('full');
  ms = 100;
  expect(queue.refuses()).toBeUndefined();
  const look = await enter(queue);
  expect([queue.refuses(), await queue.enter()]).toEqual(['full', 'full']);
  queue.seen(10);
  look.leave();
  ms = 200;
  expect(queue.refuses()).toBeUndefined();
  const next = await enter(queue);
  next.stored(7);
  next.leave();
  expect([queue.refuses(), queue.refuses()]).toEqual([undefined, undefined]);
});

test('while calls are refused the process itself looks: no call waits for that, and the first one after it has room', async () => {
  let ms = 0;
  const looks: PromiseWithResolvers<number>[] = [];
  const looking = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  const look = () => {
    const one = Promise.withResolvers<number>();
    looking[looks.push(one) - 1]!.resolve();
    return one.promise;
  };
  const queue = createFullQueue(10, 5, look, () => ms);
  queue.seen(10);
  expect(queue.refuses()).toBe('full');
  await looking[0]!.promise;
  // PostgreSQL is slow to answer.
  ms = 10_000;
  expect([queue.refuses(), queue.refuses(), await queue.enter()]).toEqual(['full', 'full', 'full']);
  looks[0]!.resolve(10);
  await expect.poll(() => queue.refuses() === 'full' && looks.length).toBe(2);
  looks[1]!.resolve(9);
  await expect.poll(() => queue.refuses()).toBeUndefined();
  expect(looks).toHaveLength(2);
  // If it fails, nothing is known any more, and the next call looks.
  queue.seen(10);
  expect(queue.refuses()).toBe('full');
  await looking[2]!.promise;
  looks[2]!.reject(new Error('away'));
  ms = 20_000;
  await expect.poll(() => queue.refuses()).toBeUndefined();
});

test('the calls of a process take no more places than there are, and store a few at a time', async () => {
  const queue = createFullQueue(4, 2, noLook, () => 0);
  const [first, second] = [await enter(queue), await enter(queue)];
  const turns: string[] = [];
  const inLine = ['third', 'fourth'].map(async (name) => {
    const place = await queue.enter();
    turns.push(typeof place === 'string' ? place : name);
    return place;
  });
  expect(await queue.enter()).toBe('full');
  expect(turns).toEqual([]);
  first.stored(0);
  first.leave();
  await inLine[0];
  expect(turns).toEqual(['third']);
  // Another process has filled the queue: whoever is in line is refused at once.
  queue.seen(4);
  await inLine[1];
  expect(turns).toEqual(['third', 'full']);
  second.leave();
  expect(queue.refuses()).toBe('full');
});

test('calls are refused while those in line would take more than three seconds to be stored', async () => {
  let ms = 0;
  const queue = createFullQueue(10_000, 1, noLook, () => ms);
  const first = await enter(queue);
  const inLine = Array.from({ length: 100 }, () => enter(queue));
  expect(queue.refuses()).toBeUndefined();
  // The first one takes two seconds: so would the others, as far as is known.
  ms = 2000;
  first.stored(0);
  first.leave();
  inLine.push(enter(queue));
  expect(queue.refuses()).toBe('busy');
  expect(await queue.enter()).toBe('busy');
  for (const one of inLine.slice(0, 2)) (await one).leave();
  expect(queue.refuses()).toBeUndefined();
});

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  service = await startTestService({ workers: 0, overrides: { QUEUE_MAX_WAITING: 1 } });
});

test('calls to a full queue are refused without a connection to PostgreSQL; a known key still returns its job, and room is used', async () => {
  const post = (key?: string) =>
    send(`${service.url}/api/v1/optimize`, {
      body: simpleRequest(),
      headers: { prefer: 'respond-async', ...(key !== undefined && { 'idempotency-key': key }) },
    });
  const first = await post('first');
  expect(first.status).toBe(202);
  expect((await post()).status).toBe(503);
  // Whoever asks PostgreSQL now waits: of those, there is one at a time.
  const lock = await service.pool.connect();
  await lock.query('begin; lock table jobs in access exclusive mode');
  let answered = 0;
  const half = Promise.withResolvers<void>();
  const calls = Array.from({ length: 50 }, async () => {
    const answer = await post();
    if (++answered === 25) half.resolve();
    return answer;
  });
  await half.promise;
  await lock.query('rollback');
  lock.release();
  for (const { status, headers, body } of await Promise.all(calls)) {
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

test('calls at the same moment never exceed the limit of waiting jobs, and together they fill it', async () => {
  const { url, pool } = await startTestService({ workers: 0, overrides: { QUEUE_MAX_WAITING: 7 } });
  const post = () =>
    send(`${url}/api/v1/optimize`, { body: simpleRequest(), headers: { prefer: 'respond-async' } });
  const statuses = (await Promise.all(Array.from({ length: 60 }, post))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 202)).toHaveLength(7);
  expect(statuses.filter((status) => status === 503)).toHaveLength(53);
  expect((await pool.query("select from jobs where status = 'queued'")).rowCount).toBe(7);
});

test('several processes exceed it by less than the connections with which they store', async () => {
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
