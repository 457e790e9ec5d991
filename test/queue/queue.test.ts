import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Config } from '../../src/config.ts';
import type { JobEvent } from '../../src/contracts/events.ts';
import { openEventBus } from '../../src/queue/bus.ts';
import { openConsumer, openQueue } from '../../src/queue/queue.ts';
import { freePort } from '../../src/start/embedded-postgres.ts';
import { newTemporaryFolder, removeFolder } from '../helpers/folders.ts';
import { redisCommand, startRedisServer, stopProcess } from '../helpers/global-setup.ts';
import { createTestDatabase, describeOnBothBackends, testConfig } from '../helpers/services.ts';

describeOnBothBackends('the queue', (redisUrl) => {
  let config: Config;
  const closing: (() => Promise<void>)[] = [];
  const fail = (error: Error) => {
    throw error;
  };
  beforeAll(async () => {
    config = testConfig({ DATABASE_URL: await createTestDatabase(), REDIS_URL: redisUrl });
    afterAll(async () => {
      for (const close of closing.reverse()) await close();
    });
  });

  test('delivers identifiers only, in order, and a job that is in it already once', async () => {
    const queue = await openQueue(config, fail);
    closing.push(queue.close);
    const ids = ['opt_a', 'opt_b', 'opt_c'];
    for (const jobId of [...ids, ...ids]) await queue.enqueue({ jobId, requestId: `r-${jobId}` });
    const got: unknown[] = [];
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const consumer = await openConsumer(
      config,
      async (delivery) => {
        got.push(delivery);
        if (delivery.jobId === 'opt_c') resolve();
      },
      fail,
    );
    await done;
    await consumer.close();
    expect(got).toEqual(ids.map((jobId) => ({ v: 1, jobId, requestId: `r-${jobId}` })));
  });

  test('delivers a job again that was enqueued again after it was handled', async () => {
    const queue = await openQueue(config, fail);
    closing.push(queue.close);
    let next = Promise.withResolvers<string>();
    const consumer = await openConsumer(config, async ({ jobId }) => next.resolve(jobId), fail);
    closing.push(consumer.close);
    for (let i = 0; i < 2; i++) {
      next = Promise.withResolvers();
      // Enqueuing while the first delivery is still being put away has no effect: repeat, as the sweeper does.
      let delivered = false;
      next.promise.then(() => {
        delivered = true;
      });
      while (!delivered) await queue.enqueue({ jobId: 'opt_again', requestId: 'r' });
      expect(await next.promise).toBe('opt_again');
    }
  });

  test('says whether it is ready', async () => {
    const queue = await openQueue(config, fail);
    await queue.enqueue({ jobId: 'opt_ready', requestId: 'r' }).catch(() => {});
    expect(await queue.isReady()).toBe(true);
    await queue.close();
    if (redisUrl) {
      const away = await openQueue({ ...config, REDIS_URL: 'redis://127.0.0.1:1' }, () => {});
      expect(await away.isReady()).toBe(false);
      await expect(away.enqueue({ jobId: 'opt_x', requestId: 'r' })).rejects.toThrow();
      await away.close();
    }
  });
});

describeOnBothBackends('the event bus', (redisUrl) => {
  test('carries an event to every subscriber and reports each connection', async () => {
    const config = testConfig({ DATABASE_URL: await createTestDatabase(), REDIS_URL: redisUrl });
    const event: JobEvent = { type: 'ended', job_id: 'opt_1' };
    const buses = [0, 1, 2].map(() => openEventBus(config, () => {}));
    let connects = 0;
    const received: Promise<JobEvent>[] = [];
    for (const bus of buses.slice(0, 2)) {
      const { promise, resolve } = Promise.withResolvers<JobEvent>();
      await bus.subscribe(resolve, () => connects++);
      received.push(promise);
    }
    await buses[2].publish(event);
    expect(await Promise.all(received)).toEqual([event, event]);
    expect(connects).toBe(2);
    for (const bus of buses) await bus.close();
  });
});

test.skipIf(!redisCommand())(
  'the event bus that was first used while Redis was away works once it is there',
  async () => {
    const folder = await newTemporaryFolder('bus');
    const port = await freePort();
    const config = testConfig({ DATABASE_URL: '', REDIS_URL: `redis://127.0.0.1:${port}` });
    const bus = openEventBus(config, () => {});
    const event: JobEvent = { type: 'ended', job_id: 'opt_a' };
    await expect(bus.publish(event)).rejects.toThrow();
    const redis = await startRedisServer(port, folder);
    const heard = Promise.withResolvers<JobEvent>();
    await bus.subscribe(heard.resolve, () => {});
    const isPublished = () =>
      bus.publish(event).then(
        () => true,
        () => false,
      );
    while (!(await isPublished())) await setImmediate();
    expect(await heard.promise).toEqual(event);
    await bus.close();
    await stopProcess(redis);
    await removeFolder(folder);
  },
);
