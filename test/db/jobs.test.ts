import { beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/db/client.ts';
import {
  cancelQueuedJob,
  claimJob,
  type Ending,
  findStrandedJobs,
  finishJob,
  heartbeat,
  insertJob,
  readAnswer,
  readJob,
  readQueuePosition,
  releaseJob,
  requestCancel,
  storeProgress,
} from '../../src/db/jobs.ts';
import { createTestDatabase, openTestDatabase } from '../helpers/services.ts';

const OPTIONS = { lockSeconds: 30, maxAttempts: 3 };
const ENDING: Ending = {
  status: 'completed',
  solverStatus: 'optimal',
  answer: { httpStatus: 200, body: '{"a": 1}' },
};

describe('the record of a job', () => {
  let db: Database;
  let pool: ReturnType<typeof openTestDatabase>['pool'];
  let count = 0;
  beforeAll(async () => {
    ({ db, pool } = openTestDatabase(await createTestDatabase()));
  });
  const newJob = async (idempotencyKey: string | null = null) => {
    const jobId = `opt_${String(++count).padStart(4, '0')}`;
    const input = '{"b":  2}';
    await insertJob(db, { jobId, requestId: 'r', input, inputHash: Buffer.from('h'), idempotencyKey });
    return jobId;
  };
  const silence = (jobId: string) =>
    pool.query("update jobs set heartbeat_at = now() - interval '1 hour' where job_id = $1", [jobId]);

  test('is claimed by one of many workers that try at the same moment', async () => {
    const jobId = await newJob();
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, i) => claimJob(db, jobId, `w${i}`, OPTIONS)),
    );
    const won = claims.filter((claim) => claim.outcome === 'claimed');
    expect(won).toEqual([{ outcome: 'claimed', attempt: 1, input: '{"b":  2}', requestId: 'r' }]);
  });

  test('is taken over from a silent worker, whose later writes are void', async () => {
    const jobId = await newJob();
    await claimJob(db, jobId, 'first', OPTIONS);
    expect(await claimJob(db, jobId, 'second', OPTIONS)).toEqual({ outcome: 'lost' });
    await silence(jobId);
    expect(await claimJob(db, jobId, 'second', OPTIONS)).toMatchObject({ outcome: 'claimed', attempt: 2 });
    await storeProgress(db, jobId, 1, { progress: 0.9, stage: 'solve', incumbent: 1, bound: 1, gap: 0 });
    expect(await readJob(db, jobId)).toMatchObject({ progress: 0, stage: null });
    expect(await heartbeat(db, [{ jobId, attempt: 1 }])).toEqual({ cancelled: [], lost: [jobId] });
    expect(await finishJob(db, jobId, 1, ENDING)).toBe(false);
    await releaseJob(db, jobId, 1, true);
    expect(await readJob(db, jobId)).toMatchObject({ status: 'running', attempts: 2 });
    expect(await finishJob(db, jobId, 2, ENDING)).toBe(true);
    expect(await finishJob(db, jobId, 2, ENDING)).toBe(false);
    expect(await readAnswer(db, jobId)).toEqual({ httpStatus: 200, body: '{"a": 1}' });
  });

  test('is claimed as exhausted after its last attempt', async () => {
    const jobId = await newJob();
    for (let i = 1; i <= 3; i++) {
      expect(await claimJob(db, jobId, 'w', OPTIONS)).toMatchObject({ outcome: 'claimed', attempt: i });
      await silence(jobId);
    }
    expect(await claimJob(db, jobId, 'w', OPTIONS)).toMatchObject({ outcome: 'exhausted', attempt: 4 });
  });

  test('either ends or is cancelled, never both', async () => {
    for (let i = 0; i < 20; i++) {
      const jobId = await newJob();
      const cancelled = { httpStatus: 409, body: '{}' };
      const [wasCancelled, claim] = await Promise.all([
        cancelQueuedJob(db, jobId, cancelled),
        claimJob(db, jobId, 'w', OPTIONS),
      ]);
      expect(wasCancelled).toBe(claim.outcome === 'lost');
      if (!wasCancelled) {
        expect(await requestCancel(db, jobId)).toBe(true);
        expect(await heartbeat(db, [{ jobId, attempt: 1 }])).toEqual({ cancelled: [jobId], lost: [] });
        expect(await finishJob(db, jobId, 1, ENDING)).toBe(true);
      }
      expect(await requestCancel(db, jobId)).toBe(false);
      expect(await cancelQueuedJob(db, jobId, cancelled)).toBe(false);
    }
  });

  test('is stored once per idempotency key, also when many come at the same moment', async () => {
    const inserts = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        insertJob(db, {
          jobId: `opt_key${i}`,
          requestId: 'r',
          input: '{}',
          inputHash: Buffer.from('h'),
          idempotencyKey: 'k',
        }),
      ),
    );
    expect(inserts.filter((insert) => insert.created)).toHaveLength(1);
    expect(new Set(inserts.map((insert) => insert.jobId)).size).toBe(1);
  });

  test('keeps its progress from falling', async () => {
    const jobId = await newJob();
    await claimJob(db, jobId, 'w', OPTIONS);
    const at = (progress: number) => ({ progress, stage: 'solve', incumbent: null, bound: null, gap: null });
    await storeProgress(db, jobId, 1, at(0.5));
    await storeProgress(db, jobId, 1, at(0.2));
    expect(await readJob(db, jobId)).toMatchObject({ progress: 0.5 });
  });

  test('tells its place in the line, and is stranded once it waits too long or its worker is silent', async () => {
    await pool.query('delete from jobs');
    const [first, second, third] = [await newJob(), await newJob(), await newJob()];
    const position = async (jobId: string) => {
      const job = await readJob(db, jobId);
      return readQueuePosition(db, job!);
    };
    expect(await Promise.all([first, second, third].map(position))).toEqual([1, 2, 3]);
    const options = { graceSeconds: 60, lockSeconds: 30, limit: 10 };
    expect(await findStrandedJobs(db, options)).toEqual([]);
    await pool.query("update jobs set created_at = now() - interval '2 minutes' where job_id = $1", [second]);
    await claimJob(db, third, 'w', OPTIONS);
    await silence(third);
    expect((await findStrandedJobs(db, options)).map((job) => job.jobId)).toEqual([second, third]);
  });

  test('cannot be in a state that the contract does not know, or ended without an answer', async () => {
    const jobId = await newJob();
    await expect(pool.query("update jobs set status = 'paused' where job_id = $1", [jobId])).rejects.toThrow(
      /jobs_status/,
    );
    await expect(pool.query("update jobs set status = 'failed' where job_id = $1", [jobId])).rejects.toThrow(
      /jobs_ended/,
    );
  });
});
