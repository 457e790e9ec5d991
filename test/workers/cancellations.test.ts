import { beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../src/answers/errors.ts';
import { claimJob, findSilentJobs } from '../../src/db/jobs/job-claims.ts';
import { cancelJob } from '../../src/db/jobs/jobs.ts';
import { readEventSecret } from '../../src/db/service/event-secret.ts';
import { createLogger } from '../../src/process/logger.ts';
import { openEventBus } from '../../src/queue/bus.ts';
import { openQueue } from '../../src/queue/queue.ts';
import { sweep } from '../../workers/duties/sweeper.ts';
import { type ClaimedJobState, finish, type WorkerDeps } from '../../workers/run/end-job.ts';
import { createRunningJobs } from '../../workers/run/running-jobs.ts';
import { longRequest } from '../helpers/long-request.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';
import { openSocket } from '../helpers/socket.ts';

describe('a cancellation that was answered 202', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  let deps: WorkerDeps;
  beforeAll(async () => {
    service = await startTestService({
      workers: 0,
      overrides: { JOB_LOCK_SECONDS: 3600, SWEEP_INTERVAL_SECONDS: 3600, JOB_MAX_ATTEMPTS: 2 },
    });
    const { config, db } = service;
    deps = {
      config: { ...config, JOB_LOCK_SECONDS: 1 },
      db,
      workerId: 'dead',
      bus: openEventBus(config, await readEventSecret(db), () => {}),
      queue: await openQueue(config, () => {}),
      running: createRunningJobs(),
      logger: createLogger('worker', config),
    };
    return async () => {
      await deps.bus.close();
      await deps.queue.close();
    };
  });
  const submit = async (body: unknown): Promise<string> => {
    const headers = { prefer: 'respond-async' };
    return (await send(`${service.url}/api/v1/optimize`, { body, headers })).body.data.job_id;
  };
  const job = async (jobId: string) => (await send(`${service.url}/api/v1/jobs/${jobId}`)).body.data;
  const cancel = (jobId: string) => send(`${service.url}/api/v1/jobs/${jobId}`, { method: 'DELETE' });
  /** A job in the hands of a worker that does nothing for it, with a cancellation that was answered 202. */
  const newMarkedJob = async () => {
    const jobId = await submit(simpleRequest());
    const claimed = await claimJob(service.db, 'dead');
    expect(claimed?.jobId).toBe(jobId);
    const { status, body } = await cancel(jobId);
    expect([status, body.data.status]).toEqual([202, 'running']);
    const socket = await openSocket(service.url);
    socket.send({ type: 'subscribe', job_id: jobId });
    const told = socket.waitFor((m) => m.type === 'complete').finally(socket.close);
    const held: ClaimedJobState = { ...claimed!, solveTimeMs: 0, phases: [], logger: deps.logger };
    return { jobId, held, told };
  };
  /** Everybody is told the same: the job was cancelled. */
  const expectCancelled = async (
    { jobId, told }: Awaited<ReturnType<typeof newMarkedJob>>,
    attempt: object,
  ) => {
    const { result } = await told;
    expect(result.errors).toMatchObject([{ code: 'JOB_CANCELLED' }]);
    expect(await job(jobId)).toMatchObject({ status: 'cancelled', result, attempt_history: [attempt] });
  };
  const silence = () => service.pool.query("update jobs set heartbeat_at = now() - interval '1 minute'");

  test('outlives the worker: the job that is taken from it ends as cancelled, and is not tried again', async () => {
    const marked = await newMarkedJob();
    await silence();
    await sweep(deps);
    await expectCancelled(marked, { outcome: 'crashed', reason: expect.stringContaining('silent') });
    expect(await findSilentJobs(service.db, 0)).toEqual([]);
  });

  test('outlives the last attempt that a job has', async () => {
    const marked = await newMarkedJob();
    await finish(deps, { ...marked.held, crashes: 1 }, { outcome: 'crashed', reason: 'out of memory' });
    await expectCancelled(marked, { outcome: 'crashed', reason: 'out of memory' });
  });

  test('outlives a worker that stops', async () => {
    const marked = await newMarkedJob();
    await finish(deps, marked.held, { outcome: 'released', reason: 'worker was stopped' });
    await expectCancelled(marked, { outcome: 'released', reason: 'worker was stopped' });
  });

  test('takes precedence over an error of the work', async () => {
    const marked = await newMarkedJob();
    await finish(deps, marked.held, { outcome: 'failed', error: new AppError('SOLVER_ERROR', 'no plan') });
    await expectCancelled(marked, { outcome: 'cancelled', reason: 'no plan' });
  });

  test('is kept when its worker is stopped and the solve takes longer than the shutdown', async () => {
    const worker = await service.startWorker({ SHUTDOWN_TIMEOUT_SECONDS: 0 });
    const jobId = await submit(longRequest(60));
    const socket = await openSocket(service.url);
    socket.send({ type: 'subscribe', job_id: jobId });
    await socket.waitFor((m) => m.type === 'progress' && m.stage === 'solve');
    // The mark is set, and the worker hears of its end first.
    const closing = service.close(worker);
    expect(await cancelJob(service.db, jobId, { httpStatus: 409, body: '{}' })).toMatch(/marked|cancelled/);
    await closing;
    expect(await job(jobId)).toMatchObject({ status: 'cancelled' });
    socket.close();
  });
});
