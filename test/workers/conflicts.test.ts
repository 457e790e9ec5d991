import { expect, test } from 'vitest';
import { readAttempts, readJob } from '../../src/db/jobs/jobs.ts';
import { createLogger } from '../../src/process/logger.ts';
import { runJob } from '../../workers/run/run-job.ts';
import { createRunningJobs } from '../../workers/run/running-jobs.ts';
import type { Threads } from '../../workers/run/threads.ts';
import { createTravelCache } from '../../workers/run/travel-cache.ts';
import { atEnd } from '../helpers/at-end.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';
import { openTestDatabase } from '../helpers/services.ts';
import { openWorkerParts } from '../helpers/worker-parts.ts';

const service = await startTestService({ workers: 0 });
const { pool, config } = service;
const { bus, queue, threads } = await openWorkerParts(config);
/** The database, with settings of PostgreSQL for the connections of the worker. */
const openWith = (options: string) => {
  const url = new URL(config.DATABASE_URL ?? '');
  url.searchParams.set('options', options);
  return openTestDatabase(url.href).db;
};

/** Another transaction, which meets the statement that ends the job. */
const other = await pool.connect();
atEnd(async () => other.release());
const touchJob = 'update jobs set request_id = request_id where job_id = $1';
const touchAttempt = 'update job_attempts set reason = reason where job_id = $1';

/**
 * Posts a job and runs it once.
 * @param beforePlan what the other transaction does before the job is planned
 * @param atEnding what it does when the statement that ends the job waits for it
 */
async function runAgainst(
  db: typeof service.db,
  beforePlan: (jobId: string) => Promise<unknown>,
  atEnding: (jobId: string) => Promise<unknown>,
): Promise<string> {
  const request = { body: simpleRequest(), headers: { prefer: 'respond-async' } };
  const jobId: string = (await send(`${service.url}/api/v1/optimize`, request)).body.data.job_id;
  await other.query('begin');
  const start: Threads['start'] = (...work) => {
    const started = beforePlan(jobId).then(() => threads.start(...work));
    return { outcome: started.then(({ outcome }) => outcome), readPausedMs: () => 0, stop() {} };
  };
  const running = runJob({
    ...{ config, db, bus, queue, workerId: 'w', running: createRunningJobs(), levelOrder: () => null },
    ...{ logger: createLogger('worker', config), calendar: null, travel: createTravelCache() },
    threads: { ...threads, start },
  });
  const waiting = async () => {
    const { rowCount } = await pool.query(`select from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock' and query ~ 'held as materialized'`);
    return rowCount;
  };
  const meeting = expect
    .poll(waiting)
    .toBe(1)
    .then(() => atEnding(jobId));
  await Promise.all([running, meeting]);
  return jobId;
}

async function expectOneAttempt(jobId: string) {
  expect(await readJob(service.db, jobId)).toMatchObject({ status: 'completed', attempts: 1 });
  expect(await readAttempts(service.db, jobId)).toMatchObject([{ outcome: 'completed', reason: null }]);
  const { rows } = await pool.query('select crashes from jobs where job_id = $1', [jobId]);
  expect(rows).toEqual([{ crashes: 0 }]);
}

test('a job whose end PostgreSQL undoes to break a deadlock keeps its result, and no attempt is counted', async () => {
  const jobId = await runAgainst(
    service.db,
    async (jobId) => {
      // The statement of the worker looks for the deadlock first, so it is the one that is undone.
      await other.query("set local deadlock_timeout = '10min'");
      await other.query(touchAttempt, [jobId]);
    },
    async (jobId) => {
      await other.query(touchJob, [jobId]);
      await other.query('commit');
    },
  );
  await expectOneAttempt(jobId);
  const deadlocks = 'select deadlocks::int from pg_stat_database where datname = current_database()';
  await expect.poll(async () => (await pool.query(deadlocks)).rows).toEqual([{ deadlocks: 1 }]);
});

test('neither is one whose end cannot be serialized, where the isolation of the database is stricter than usual', async () => {
  const jobId = await runAgainst(
    openWith('-c default_transaction_isolation=repeatable\\ read'),
    (jobId) => other.query(touchJob, [jobId]),
    () => other.query('commit'),
  );
  await expectOneAttempt(jobId);
});
