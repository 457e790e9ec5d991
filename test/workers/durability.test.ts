import { beforeAll, expect, test } from 'vitest';
import { openQueue } from '../../src/queue/queue.ts';
import { longRequest } from '../helpers/long-request.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';
import { describeOnBothBackends } from '../helpers/services.ts';
import { openSocket } from '../helpers/socket.ts';
import { killWorker, passAnHourSince, spawnWorkerProcess } from '../helpers/worker-process.ts';

describeOnBothBackends('an accepted job', (redisUrl) => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  beforeAll(async () => {
    service = await startTestService({
      redisUrl,
      workers: 0,
      overrides: {
        SWEEP_INTERVAL_SECONDS: 0.3,
        JOB_MAX_ATTEMPTS: 2,
        JOB_RETRY_DELAY_SECONDS: 0.1,
        SHUTDOWN_TIMEOUT_SECONDS: 0.2,
      },
    });
  });
  const spawnWorker = () => spawnWorkerProcess(service.config);
  const submit = async (body: unknown): Promise<string> => {
    const answer = await send(`${service.url}/api/v1/optimize`, {
      body,
      headers: { prefer: 'respond-async' },
    });
    expect(answer.status).toBe(202);
    return answer.body.data.job_id;
  };
  /** Follows a job over a socket until something fits. */
  const follow = async (jobId: string) => {
    const socket = await openSocket(service.url);
    socket.send({ type: 'subscribe', job_id: jobId });
    return socket;
  };
  const ended = async (jobId: string) => {
    const socket = await follow(jobId);
    const { result } = await socket.waitFor((m) => m.type === 'complete');
    socket.close();
    return result;
  };
  const started = async (jobId: string) => {
    const socket = await follow(jobId);
    await socket.waitFor((m) => m.type === 'progress' && m.stage !== null);
    socket.close();
  };
  const job = async (jobId: string) => (await send(`${service.url}/api/v1/jobs/${jobId}`)).body.data;
  const countPlans = async (jobId: string) =>
    Number((await service.pool.query('select count(*) from plans where job_id = $1', [jobId])).rows[0].count);

  test('is done by another worker when its worker is killed in the middle of a solve', async () => {
    const victim = await spawnWorker();
    const jobId = await submit(longRequest(3));
    await started(jobId);
    await killWorker(victim);
    await passAnHourSince(victim, service.pool);
    const worker = await service.startWorker();
    expect((await ended(jobId)).status).toBe('success');
    expect(await job(jobId)).toMatchObject({
      status: 'completed',
      attempts: 2,
      attempt_history: [
        { outcome: 'crashed', reason: expect.stringMatching(/^worker .*:.* was silent for \d+ s/) },
        { outcome: 'completed', reason: null },
      ],
    });
    expect(await countPlans(jobId)).toBe(1);
    await service.close(worker);
  });

  test('ends as failed with the reason when it kills every worker that takes it', async () => {
    const jobId = await submit(longRequest(30));
    for (let i = 0; i < 2; i++) {
      const victim = await spawnWorker();
      await started(jobId);
      const { attempts } = await job(jobId);
      expect(attempts).toBe(i + 1);
      await killWorker(victim);
      await passAnHourSince(victim, service.pool);
      await service.pool.query('update jobs set stage = null where job_id = $1', [jobId]);
    }
    const worker = await service.startWorker();
    const result = await ended(jobId);
    expect(result.errors[0]).toMatchObject({
      code: 'INTERNAL_ERROR',
      message: expect.stringMatching(/2 times/),
    });
    expect(await job(jobId)).toMatchObject({ status: 'failed', solver_status: 'error' });
    await service.close(worker);
  });

  test('is solved once when it is delivered many times to two workers', async () => {
    const jobId = await submit(simpleRequest());
    const queue = await openQueue(service.config, () => {});
    const workers = [await service.startWorker(), await service.startWorker()];
    await queue.enqueueMany(20);
    expect((await ended(jobId)).status).toBe('success');
    expect(await job(jobId)).toMatchObject({ attempts: 1 });
    expect(await countPlans(jobId)).toBe(1);
    await queue.close();
    for (const worker of workers) await service.close(worker);
  });

  test('is cancelled while it runs, and its worker continues with the next one', async () => {
    const worker = await service.startWorker();
    const jobId = await submit(longRequest(60));
    await started(jobId);
    const cancelled = await send(`${service.url}/api/v1/jobs/${jobId}`, { method: 'DELETE' });
    expect(cancelled.status).toBe(200);
    expect(cancelled.body.data).toMatchObject({
      status: 'cancelled',
      result: { errors: [{ code: 'JOB_CANCELLED' }] },
    });
    const next = await send(`${service.url}/api/v1/optimize`, { body: simpleRequest() });
    expect(next.status).toBe(200);
    await service.close(worker);
  });
});
