import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { ClaimedJobState } from '../../workers/end-job.ts';
import { planEnd } from '../../workers/kinds/optimize.ts';
import { startWorker } from '../../workers/main.ts';
import { atEnd } from '../helpers/at-end.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';
import { openSocket } from '../helpers/socket.ts';

function collectErrors() {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { lines, logger };
}

test('a job that a fault of the service ends says so, and the log of its worker where it was thrown', async () => {
  const service = await startTestService({ workers: 0 });
  const { body } = await send(`${service.url}/api/v1/optimize`, {
    body: simpleRequest(),
    headers: { prefer: 'respond-async' },
  });
  const { job_id: jobId } = body.data;
  // No request can do this: the fleet is checked before it is stored.
  await service.pool.query(
    `update jobs set input = replace(input::text, '"location":1', '"location":2000000000')::json where job_id = $1`,
    [jobId],
  );
  const { lines, logger } = collectErrors();
  const worker = await startWorker(service.config, logger);
  atEnd(() => worker.close());
  const socket = await openSocket(service.url);
  socket.send({ type: 'subscribe', job_id: jobId });
  const { result } = await socket.waitFor((m) => m.type === 'complete');
  socket.close();

  expect(result.errors).toEqual([
    {
      code: 'INTERNAL_ERROR',
      message: 'unexpected error; the worker log has the details under this job_id',
      field: null,
      detail: null,
    },
  ]);
  expect(lines).toEqual([
    expect.objectContaining({
      msg: 'the work in the thread failed',
      job_id: jobId,
      stack: expect.stringMatching(/no stored coordinates[\s\S]*request\/problem\.ts/),
    }),
  ]);
});

test('a solve that failed is SOLVER_ERROR with the reason, and the log has where; one out of time is no fault', async () => {
  const { lines, logger } = collectErrors();
  const end = (outcome: Parameters<typeof planEnd>[2]) =>
    planEnd({ logger } as ClaimedJobState, { timeLimitSeconds: null }, outcome);
  const failed = { status: 'error', message: 'the solver failed: no proof' } as const;
  const ended = { code: 'SOLVER_ERROR', message: failed.message };
  await expect(end({ ...failed, stack: 'Error: no proof\n    at solveFlow' })).rejects.toMatchObject(ended);
  expect(lines).toEqual([
    expect.objectContaining({ msg: 'the solver failed', stack: expect.stringContaining('at solveFlow') }),
  ]);
  await expect(end(failed)).rejects.toMatchObject(ended);
  expect(lines).toHaveLength(1);
});
