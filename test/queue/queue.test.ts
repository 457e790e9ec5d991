import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/commands/start/embedded-postgres.ts';
import type { Config } from '../../src/config.ts';
import type { JobEvent } from '../../src/contracts/events.ts';
import { openEventBus } from '../../src/queue/bus.ts';
import { openConsumer, openQueue, QUEUE_NAME } from '../../src/queue/queue.ts';
import { atEnd } from '../helpers/at-end.ts';
import { newTemporaryFolder, removeFolder } from '../helpers/folders.ts';
import { redisCommand, startRedisServer, stopProcess } from '../helpers/global-setup.ts';
import { createTestDatabase, describeOnBothBackends, testConfig } from '../helpers/services.ts';

/** Signs the events of these tests. */
const SECRET = randomBytes(32);

/** BullMQ's own events that are kept. */
async function countEvents({ DATABASE_URL, REDIS_URL, QUEUE_PREFIX }: Config): Promise<number> {
  if (REDIS_URL) {
    const redis = new Redis(REDIS_URL);
    const count = await redis.xlen(`${QUEUE_PREFIX}:${QUEUE_NAME}:events`);
    await redis.quit();
    return count;
  }
  const client = new pg.Client({ connectionString: DATABASE_URL });
  await client.connect();
  const { rows } = await client.query(`select count(*)::int as count from ${QUEUE_PREFIX}_queue.event`);
  await client.end();
  return rows[0].count;
}

describeOnBothBackends('the queue', (redisUrl) => {
  let config: Config;
  const closing: (() => Promise<void>)[] = [];
  const fail = (error: Error) => {
    throw error;
  };
  beforeAll(async () => {
    config = testConfig({ DATABASE_URL: await createTestDatabase(), REDIS_URL: redisUrl });
    atEnd(async () => {
      for (const close of closing.reverse()) await close();
    });
  });

  /** Counts tokens as they come. */
  const openCounter = async () => {
    let count = 0;
    let wanted = Number.POSITIVE_INFINITY;
    let reached = Promise.withResolvers<void>();
    const consumer = await openConsumer(
      config,
      async () => {
        if (++count >= wanted) reached.resolve();
      },
      fail,
    );
    closing.push(consumer.close);
    return async (n: number) => {
      reached = Promise.withResolvers();
      wanted = n;
      if (count < wanted) await reached.promise;
      return count;
    };
  };

  test('counts the tokens that wait, and hands out each one, one at a time or many at once', async () => {
    const queue = await openQueue(config, fail);
    closing.push(queue.close);
    expect(await queue.countWaiting()).toBe(0);
    await queue.enqueue();
    await queue.enqueueMany(1000);
    await queue.enqueue();
    expect(await queue.countWaiting()).toBe(1002);
    const received = await openCounter();
    expect(await received(1002)).toBe(1002);
    expect(await queue.countWaiting()).toBe(0);
    // A token for later does not wait for a worker yet, and comes by itself.
    await queue.enqueue(0.5);
    expect(await queue.countWaiting()).toBe(0);
    expect(await received(1003)).toBe(1003);
    // BullMQ trims its events in whole nodes of 100.
    expect(await countEvents(config)).toBeLessThanOrEqual(300);
  });

  test('reports whether it is ready', async () => {
    const queue = await openQueue(config, fail);
    expect(await queue.isReady()).toBe(true);
    await queue.close();
    if (redisUrl) {
      const away = await openQueue({ ...config, REDIS_URL: 'redis://127.0.0.1:1' }, () => {});
      expect(await away.isReady()).toBe(false);
      await expect(away.enqueue()).rejects.toThrow('Redis cannot be reached');
      await expect(away.enqueueMany(2)).rejects.toThrow('Redis cannot be reached');
      await expect(away.countWaiting()).rejects.toThrow('Redis cannot be reached');
      await away.close();
    }
  });
});

describeOnBothBackends('the event bus', (redisUrl) => {
  test('carries an event to everybody who listens to its type and reports each connection', async () => {
    const config = testConfig({ DATABASE_URL: await createTestDatabase(), REDIS_URL: redisUrl });
    const event: JobEvent = { type: 'ended', job_id: 'opt_1' };
    const buses = [0, 1, 2].map(() => openEventBus(config, SECRET, () => {}));
    let connects = 0;
    const received: Promise<JobEvent>[] = [];
    for (const bus of buses.slice(0, 2)) {
      const { promise, resolve } = Promise.withResolvers<JobEvent>();
      await bus.subscribe(['progress', 'ended'], resolve, () => connects++);
      received.push(promise);
    }
    await buses[2].publish({ type: 'cancel', job_id: 'opt_0' });
    await buses[2].publish(event);
    expect(await Promise.all(received)).toEqual([event, event]);
    expect(connects).toBe(2);
    for (const bus of buses) await bus.close();
  });

  test('gives nobody the events of a stranger, and makes nobody look for what they say', async () => {
    const config = testConfig({ DATABASE_URL: await createTestDatabase(), REDIS_URL: redisUrl });
    const [sender, receiver] = [0, 1].map(() => openEventBus(config, SECRET, () => {}));
    const stranger = openEventBus(config, randomBytes(32), () => {});
    const heard: JobEvent[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    let looks = 0;
    const listen = (event: JobEvent) => heard.push(event) === 1 && resolve();
    await receiver.subscribe(['progress', 'ended'], listen, () => looks++);
    const answer = { httpStatus: 200, body: '{"data":"made up"}' };
    await stranger.publish({ type: 'ended', job_id: 'opt_1', answer });
    await stranger.publish({ type: 'ended', job_id: 'opt_2' });
    await sender.publish({ type: 'ended', job_id: 'opt_3' });
    await promise;
    expect(heard).toEqual([{ type: 'ended', job_id: 'opt_3' }]);
    // Because it connected.
    expect(looks).toBe(1);
    for (const bus of [sender, receiver, stranger]) await bus.close();
  });

  test('brings all progress of a job before its end, in order, and a small answer as it is', async () => {
    const config = testConfig({ DATABASE_URL: await createTestDatabase(), REDIS_URL: redisUrl });
    const [sender, receiver] = [0, 1].map(() => openEventBus(config, SECRET, () => {}));
    const received: JobEvent[] = [];
    const { promise: allEnded, resolve } = Promise.withResolvers<void>();
    const listen = (event: JobEvent) => {
      received.push(event);
      if (event.type === 'ended' && event.job_id === 'opt_2') resolve();
    };
    await receiver.subscribe(['progress', 'ended'], listen, () => {});
    const figures = { attempt: 1, incumbent: null, bound: null, gap: null, iterations: null };
    const reports = ['build', 'solve', 'verify'].map(
      (stage, s) => ({ type: 'progress', job_id: 'opt_1', stage, progress: s / 4, ...figures }) as const,
    );
    const small = { httpStatus: 200, body: '{"data":  "Ö€𝄞\\n"}' };
    const large = { httpStatus: 200, body: 'ö'.repeat(4000) };
    const ends = [
      { type: 'ended', job_id: 'opt_1', answer: small },
      { type: 'ended', job_id: 'opt_2', answer: large },
    ] as const;
    await Promise.all([...reports, ...ends].map(sender.publish));
    await allEnded;
    // NOTIFY would refuse the large one: whoever waits reads it.
    const last = redisUrl ? ends[1] : { type: 'ended', job_id: 'opt_2' };
    expect(received).toEqual([...reports, ends[0], last]);
    for (const bus of [sender, receiver]) await bus.close();
  });

  test('sends progress that no other event follows', async () => {
    const config = testConfig({ DATABASE_URL: await createTestDatabase(), REDIS_URL: redisUrl });
    const [sender, receiver] = [0, 1].map(() => openEventBus(config, SECRET, () => {}));
    const heard: JobEvent[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const listen = (event: JobEvent) => heard.push(event) === 2 && resolve();
    await receiver.subscribe(['progress'], listen, () => {});
    const figures = { stage: 'solve', incumbent: null, bound: null, gap: null, iterations: null };
    const report = { type: 'progress', job_id: 'opt_1', attempt: 1, progress: 0.5, ...figures } as const;
    await sender.publish(report);
    const atClose = sender.publish({ ...report, progress: 0.6 });
    await sender.close();
    await atClose;
    await promise;
    expect(heard).toEqual([report, { ...report, progress: 0.6 }]);
    await receiver.close();
  });
});

test.skipIf(!redisCommand())(
  'an event bus that was first used while Redis was down works once Redis is up',
  async () => {
    const folder = await newTemporaryFolder('bus');
    const port = await freePort();
    const config = testConfig({ DATABASE_URL: '', REDIS_URL: `redis://127.0.0.1:${port}` });
    const bus = openEventBus(config, SECRET, () => {});
    const event: JobEvent = { type: 'ended', job_id: 'opt_a' };
    await expect(bus.publish(event)).rejects.toThrow();
    const redis = await startRedisServer(port, folder);
    const heard = Promise.withResolvers<JobEvent>();
    await bus.subscribe(['ended'], heard.resolve, () => {});
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
