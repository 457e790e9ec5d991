import { expect, test } from 'vitest';
import { claimJob } from '../../src/db/jobs/job-claims.ts';
import { insertJob } from '../../src/db/jobs/job-intake.ts';
import { readJob } from '../../src/db/jobs/jobs.ts';
import { readEventSecret } from '../../src/db/service/event-secret.ts';
import { createLogger } from '../../src/process/logger.ts';
import { openEventBus } from '../../src/queue/bus.ts';
import { openQueue } from '../../src/queue/queue.ts';
import { sweep } from '../../workers/duties/sweeper.ts';
import { createRunningJobs } from '../../workers/run/running-jobs.ts';
import { atEnd } from '../helpers/at-end.ts';
import { newJob } from '../helpers/jobs.ts';
import { createTestDatabase, openTestDatabase, testConfig } from '../helpers/services.ts';

test('a worker that was paused with all others takes the jobs of those that stay silent, and keeps its own', async () => {
  const DATABASE_URL = await createTestDatabase();
  const { db, pool } = openTestDatabase(DATABASE_URL);
  const config = testConfig({ DATABASE_URL });
  const fail = (error: Error) => {
    throw error;
  };
  const bus = openEventBus(config, await readEventSecret(db), fail);
  const queue = await openQueue(config, fail);
  atEnd(() => Promise.all([bus.close(), queue.close()]));
  const running = createRunningJobs();
  const logger = createLogger('worker', config);
  const claim = async (workerId: string) => {
    await insertJob(db, newJob());
    return (await claimJob(db, workerId))!;
  };
  const [own, other] = [await claim('own'), await claim('other')];
  running.add(own);
  await pool.query("update jobs set heartbeat_at = now() - interval '1 hour'");
  await sweep({ config, db, bus, queue, running, logger, workerId: 'own' });
  expect(await readJob(db, own.jobId)).toMatchObject({ status: 'running', attempts: 1 });
  expect(await readJob(db, other.jobId)).toMatchObject({ status: 'queued' });
});
