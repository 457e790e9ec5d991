import { expect, test } from 'vitest';
import { insertJob } from '../../src/db/jobs/job-intake.ts';
import { readAttempts, readJob } from '../../src/db/jobs/jobs.ts';
import { readEventSecret } from '../../src/db/service/event-secret.ts';
import { createLogger } from '../../src/process/logger.ts';
import { openEventBus } from '../../src/queue/bus.ts';
import { openConsumer, openQueue } from '../../src/queue/queue.ts';
import { createLevelOrder } from '../../workers/run/level-order.ts';
import { runJob } from '../../workers/run/run-job.ts';
import { createRunningJobs } from '../../workers/run/running-jobs.ts';
import { createTravelCache } from '../../workers/run/travel-cache.ts';
import { newJob } from '../helpers/jobs.ts';
import {
  createTestDatabase,
  describeOnBothBackends,
  openTestDatabase,
  testConfig,
} from '../helpers/services.ts';

describeOnBothBackends('a job whose solver thread dies', (redisUrl) => {
  test('is tried again after delays that double, and fails with the reason at the limit', async () => {
    const DATABASE_URL = await createTestDatabase();
    const { db } = openTestDatabase(DATABASE_URL);
    const config = testConfig(
      { DATABASE_URL, REDIS_URL: redisUrl },
      { JOB_MAX_ATTEMPTS: 3, JOB_RETRY_DELAY_SECONDS: 0.2 },
    );
    const fail = (error: Error) => {
      throw error;
    };
    const bus = openEventBus(config, await readEventSecret(db), fail);
    const queue = await openQueue(config, fail);
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    await bus.subscribe(
      ['ended'],
      () => resolve(),
      () => {},
    );
    const deps = {
      config,
      db,
      bus,
      queue,
      workerId: 'w',
      running: createRunningJobs(),
      logger: createLogger('worker', config),
      levelOrder: createLevelOrder(),
      // A thread that runs out of memory rejects in just this way.
      calendar: null,
      travel: createTravelCache(),
      threads: {
        start: () => ({
          outcome: Promise.reject(new Error('out of memory')),
          readPausedMs: () => 0,
          stop() {},
        }),
        close: async () => {},
      },
    };
    const network = { location_ids: [1], costs: [[0]] };
    const job = newJob({ input: JSON.stringify({ network }) });
    await insertJob(db, job);
    const consumer = await openConsumer(config, () => runJob(deps), fail);
    await queue.enqueue();
    await ended;
    expect(await readJob(db, job.jobId)).toMatchObject({
      status: 'failed',
      solverStatus: 'error',
      attempts: 3,
    });
    const attempts = await readAttempts(db, job.jobId);
    expect(attempts).toMatchObject(
      [1, 2, 3].map((attempt) => ({
        attempt,
        outcome: 'crashed',
        reason: 'the solve was aborted: out of memory',
      })),
    );
    const waits = [1, 2].map(
      (i) => attempts[i].startedAt.getTime() - (attempts[i - 1].endedAt?.getTime() ?? 0),
    );
    expect(waits[0]).toBeGreaterThanOrEqual(200);
    expect(waits[1]).toBeGreaterThanOrEqual(400);
    await consumer.close();
    await queue.close();
    await bus.close();
  });
});

test('of sixteen claims one goes to low priority first and three to normal', () => {
  const next = createLevelOrder();
  const order = Array.from({ length: 16 }, next);
  expect(order.filter((first) => first === 'normal')).toHaveLength(3);
  expect(order.filter((first) => first === 'low')).toHaveLength(1);
});
