import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Config } from '../../src/config.ts';
import { isCutShort, watchPauses } from '../../workers/duties/pauses.ts';
import { longRequest } from '../helpers/long-request.ts';
import { send, startTestService } from '../helpers/service.ts';
import { openSocket } from '../helpers/socket.ts';
import { spawnWorkerProcess } from '../helpers/worker-process.ts';

/** Time limit of the solves, what they get beside it, and a pause that is longer than both; the lock is far away. */
const LIMIT_SECONDS = 5;
const OVERRUN_SECONDS = 0.5;
const PAUSE_MS = 7000;

describe('a worker process that was frozen for longer than its job may take', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  beforeAll(async () => {
    service = await startTestService({
      workers: 0,
      overrides: {
        JOB_OVERRUN_SECONDS: OVERRUN_SECONDS,
        JOB_RETRY_DELAY_SECONDS: 0.1,
        JOB_LOCK_SECONDS: 3600,
        SWEEP_INTERVAL_SECONDS: 3600,
      },
    });
  });

  /** Freezes a worker in the middle of a solve. @returns the ended job */
  async function pauseInSolve(overrides: Partial<Config>) {
    const worker: ChildProcess = await spawnWorkerProcess({ ...service.config, ...overrides });
    const headers = { prefer: 'respond-async' };
    const accepted = await send(`${service.url}/api/v1/optimize`, {
      body: longRequest(LIMIT_SECONDS),
      headers,
    });
    const { job_id } = accepted.body.data;
    const socket = await openSocket(service.url);
    socket.send({ type: 'subscribe', job_id });
    await socket.waitFor((m) => m.type === 'progress' && m.stage === 'solve');
    worker.kill('SIGSTOP');
    await delay(PAUSE_MS); // this is the fault, no wait for something
    worker.kill('SIGCONT');
    await socket.waitFor((m) => m.type === 'complete');
    socket.close();
    worker.kill('SIGTERM');
    await once(worker, 'exit');
    return (await send(`${service.url}/api/v1/jobs/${job_id}`)).body.data;
  }

  test('tries the job again, with all of its time limit', async () => {
    const job = await pauseInSolve({});
    expect(job).toMatchObject({
      status: 'completed',
      attempts: 2,
      attempt_history: [
        {
          outcome: 'crashed',
          reason: expect.stringMatching(/did not run for \d+\.\d s .* time limit of 5 s passed/),
        },
        { outcome: 'completed', reason: null },
      ],
    });
    expect(job.result.metadata.solve_time_ms).toBeGreaterThan(0.9 * LIMIT_SECONDS * 1000);
  });

  test('keeps its plan if the job may not be tried again', async () => {
    expect(await pauseInSolve({ JOB_MAX_ATTEMPTS: 1 })).toMatchObject({
      status: 'completed',
      attempts: 1,
      solver_status: 'feasible',
    });
  });
});

describe('the watch over pauses', () => {
  test('counts time in which the process did not run, but not a long task', () => {
    const watch = watchPauses();
    const startedAt = performance.now();
    const cpu = process.cpuUsage();
    const workedMs = () => {
      const { user, system } = process.cpuUsage(cpu);
      return (user + system) / 1000;
    };
    while (workedMs() < 1100);
    // On a machine that has much else to do, what the process did not get of a processor is a pause.
    expect(watch.readPausedMs()).toBeLessThan(performance.now() - startedAt - workedMs() + 100);
    const before = watch.readPausedMs();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
    expect(watch.readPausedMs() - before).toBeGreaterThan(1000);
    watch.close();
  });
});

describe('a pause', () => {
  test('has cut work short if the time limit passed and the work had less than nine tenths of it', () => {
    expect(isCutShort(11_000, 7000, 5000)).toBe(true);
    expect(isCutShort(5000, 600, 5000)).toBe(true);
    expect(isCutShort(5000, 400, 5000)).toBe(false);
    expect(isCutShort(12_000, 0, 5000)).toBe(false);
  });

  test('has not cut work short that ended well before its time limit, as plans do that are good enough', () => {
    expect(isCutShort(3000, 1500, 30_000)).toBe(false);
  });
});
