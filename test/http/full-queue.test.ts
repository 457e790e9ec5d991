import { beforeAll, expect, test } from 'vitest';
import { createFullQueue } from '../../src/http/full-queue.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';

test('a full queue is taken to be full for a moment, then one call at a time looks, until one is stored', () => {
  let ms = 0;
  const queue = createFullQueue(() => ms);
  expect([queue.isFull(), queue.isFull()]).toEqual([false, false]);
  queue.refused();
  expect([queue.isFull(), queue.isFull()]).toEqual([true, true]);
  ms = 100;
  expect([queue.isFull(), queue.isFull()]).toEqual([false, true]);
  queue.refused();
  ms = 200;
  expect(queue.isFull()).toBe(false);
  queue.stored();
  expect([queue.isFull(), queue.isFull()]).toEqual([false, false]);
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
