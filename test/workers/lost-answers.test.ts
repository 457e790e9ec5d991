import { expect, test } from 'vitest';
import { insertJob } from '../../src/db/jobs/job-intake.ts';
import { readAttempts, readJob } from '../../src/db/jobs/jobs.ts';
import { createLogger } from '../../src/process/logger.ts';
import { openMetrics } from '../../src/process/metrics.ts';
import { addWorkerMetrics } from '../../workers/metrics.ts';
import { runJob } from '../../workers/run/run-job.ts';
import { createRunningJobs } from '../../workers/run/running-jobs.ts';
import type { Threads } from '../../workers/run/threads.ts';
import { createTravelCache } from '../../workers/run/travel-cache.ts';
import { openProxy } from '../chaos/proxy.ts';
import { atEnd } from '../helpers/at-end.ts';
import { newJob } from '../helpers/jobs.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';
import { openTestDatabase } from '../helpers/services.ts';
import { openWorkerParts } from '../helpers/worker-parts.ts';

const service = await startTestService({ workers: 0 });
const { pool, config } = service;
const { bus, queue, threads } = await openWorkerParts(config);
const url = new URL(config.DATABASE_URL ?? '');
const wire = await openProxy(Number(url.port));
url.hostname = '127.0.0.1';
url.port = String(wire.port);
/** The database as the worker reaches it. */
const { db } = openTestDatabase(url.href);
atEnd(() => wire.close());

test('a worker whose connection is lost after its commit announces and counts the end of the job, once', async () => {
  const heard: string[] = [];
  const { promise: isOver, resolve: over } = Promise.withResolvers<void>();
  const onEnd = ({ job_id }: { job_id: string }) => (job_id === 'over' ? over() : heard.push(job_id));
  await bus.subscribe(['ended'], onEnd, () => {});
  const request = { body: simpleRequest(), headers: { prefer: 'respond-async' } };
  const jobId: string = (await send(`${service.url}/api/v1/optimize`, request)).body.data.job_id;

  const running = createRunningJobs();
  const metrics = await openMetrics(pool);
  // From the end of the job on, PostgreSQL gets what the worker sends, and its answers do not arrive.
  const start: Threads['start'] = (...work) => {
    wire.muteAfter('finish_job');
    return threads.start(...work);
  };
  const working = runJob({
    ...{ config, db, bus, queue, running, workerId: 'w', levelOrder: () => null },
    ...{ logger: createLogger('worker', config), calendar: null, travel: createTravelCache() },
    threads: { ...threads, start },
    metrics: addWorkerMetrics(metrics, config, running),
  });
  await expect.poll(async () => (await readJob(service.db, jobId))?.status).toBe('completed');
  wire.resume();
  expect(wire.cut()).toBeGreaterThan(0);
  await working;
  await bus.publish({ type: 'ended', job_id: 'over' });
  await isOver;

  expect(heard).toEqual([jobId]);
  expect(await readJob(service.db, jobId)).toMatchObject({ status: 'completed', attempts: 1 });
  expect(await readAttempts(service.db, jobId)).toMatchObject([{ outcome: 'completed', reason: null }]);
  const exposed = await metrics.registry.metrics();
  expect(exposed).toContain('fleet_optimization_requests_total{status="optimal"} 1\n');
  expect(exposed).toContain('fleet_job_attempts_total{kind="optimize",outcome="completed"} 1\n');
});

test('a worker whose connection is lost after it has given a job back announces it, once, and no sweep has to', async () => {
  const network = { location_ids: [1], costs: [[0]] };
  const job = newJob({ input: JSON.stringify({ network }) });
  await insertJob(service.db, job);
  const tokens = await queue.countWaiting();
  const running = createRunningJobs();
  const metrics = await openMetrics(pool);
  // The solver runs out of memory. PostgreSQL gets what the worker sends of it, and its answers do not arrive.
  const start = () => {
    wire.muteAfter('out of memory');
    return { outcome: Promise.reject(new Error('out of memory')), readPausedMs: () => 0, stop() {} };
  };
  const working = runJob({
    ...{ db, bus, queue, running, workerId: 'w', levelOrder: () => null },
    ...{ logger: createLogger('worker', config), calendar: null, travel: createTravelCache() },
    // Without a limit that holds it back: else the end of the attempt announces it, too.
    config: { ...config, JOB_RETRY_DELAY_SECONDS: 0, JOBS_RUNNING_PER_CALLER: 1000 },
    threads: { ...threads, start },
    metrics: addWorkerMetrics(metrics, config, running),
  });
  const attempts = () => readAttempts(service.db, job.jobId);
  await expect.poll(async () => (await attempts())[0]?.outcome).toBe('crashed');
  wire.resume();
  expect(wire.cut()).toBeGreaterThan(0);
  await working;

  expect(await queue.countWaiting()).toBe(tokens + 1);
  expect(await readJob(service.db, job.jobId)).toMatchObject({ status: 'queued', attempts: 1 });
  expect(await attempts()).toMatchObject([{ reason: 'the solve was aborted: out of memory' }]);
  const exposed = await metrics.registry.metrics();
  expect(exposed).toContain('fleet_job_attempts_total{kind="optimize",outcome="crashed"} 1\n');
});
