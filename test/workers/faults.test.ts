import { pino } from 'pino';
import { expect, test } from 'vitest';
import { AppError } from '../../src/answers/errors.ts';
import { readAttempts } from '../../src/db/jobs/jobs.ts';
import { planEnd } from '../../workers/kinds/optimize.ts';
import { startWorker } from '../../workers/main.ts';
import type { ClaimedJobState } from '../../workers/run/end-job.ts';
import { atEnd } from '../helpers/at-end.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';
import { openSocket } from '../helpers/socket.ts';

function collectErrors() {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { lines, logger };
}

/** A job whose request no caller could store: each attempt fails in the thread until `repair`. */
async function submitBroken(attempts: number) {
  const service = await startTestService({
    workers: 0,
    overrides: { JOB_MAX_ATTEMPTS: attempts, JOB_RETRY_DELAY_SECONDS: 0.1 },
  });
  const { url, pool } = service;
  const { body } = await send(`${url}/api/v1/optimize`, {
    body: simpleRequest(),
    headers: { prefer: 'respond-async' },
  });
  const { job_id: jobId } = body.data;
  const change = (from: string, to: string) =>
    pool.query(`update jobs set input = replace(input::text, $2, $3)::json where job_id = $1`, [
      jobId,
      from,
      to,
    ]);
  await change('"location":1', '"location":2000000000');
  const { lines, logger } = collectErrors();
  const worker = await startWorker(service.config, logger);
  atEnd(() => worker.close());
  const socket = await openSocket(url);
  socket.send({ type: 'subscribe', job_id: jobId });
  return {
    lines,
    jobId,
    readAttempts: () => readAttempts(service.db, jobId),
    repair: () => change('"location":2000000000', '"location":1'),
    async end() {
      const { result } = await socket.waitFor((m) => m.type === 'complete');
      socket.close();
      return result;
    },
  };
}

test('a fault of the service is tried again up to the limit; then the job says so, and the log where it was thrown', async () => {
  const { end, readAttempts, lines, jobId } = await submitBroken(2);
  expect((await end()).errors).toEqual([
    {
      code: 'INTERNAL_ERROR',
      message:
        'the job was started 2 times and crashed each time, most recently: the solve was aborted: unexpected error; ' +
        'the worker log has the details',
      field: null,
      detail: null,
    },
  ]);
  expect(await readAttempts()).toMatchObject([{ outcome: 'crashed' }, { outcome: 'crashed' }]);
  const line = expect.objectContaining({
    msg: 'solve aborted',
    job_id: jobId,
    err: expect.objectContaining({
      stack: expect.stringMatching(/no stored coordinates[\s\S]*request\/problem\.ts/),
    }),
  });
  expect(lines).toEqual([line, line]);
});

test('a job whose first attempts fail by a fault of the service completes once that has gone', async () => {
  const { end, readAttempts, repair } = await submitBroken(100);
  await expect.poll(async () => (await readAttempts())[0]?.outcome).toBe('crashed');
  await repair();
  expect((await end()).status).toBe('success');
  expect((await readAttempts()).at(-1)).toMatchObject({ outcome: 'completed' });
});

test('what the solver says of a problem is final, and no fault; what it throws is one', async () => {
  const end = (outcome: Parameters<typeof planEnd>[2]) =>
    planEnd({} as ClaimedJobState, { timeLimitSeconds: null }, outcome);
  const failed = { status: 'error', message: 'no plan was found' } as const;
  await expect(end(failed)).rejects.toMatchObject({ code: 'SOLVER_ERROR', message: failed.message });
  const stack = 'Error: no proof\n    at solveFlow';
  const thrown = await end({ ...failed, message: 'the solver failed: no proof', stack }).catch(
    (error) => error,
  );
  expect(thrown).toMatchObject({ message: 'the solver failed: no proof', stack });
  expect(thrown).not.toBeInstanceOf(AppError);
});
