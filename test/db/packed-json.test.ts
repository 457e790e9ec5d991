import { describe, expect, test } from 'vitest';
import { type AttemptEnd, claimJob, finishJob, readJobInput } from '../../src/db/jobs/job-claims.ts';
import { insertJob } from '../../src/db/jobs/job-intake.ts';
import { packAnswer, readAnswer, readJobRequest } from '../../src/db/jobs/jobs.ts';
import { assertUnpacksRows, type JsonColumns, packJson, readPackedText } from '../../src/db/packed-json.ts';
import { dropInputs } from '../../src/db/service/retention.ts';
import { newJob, wholeText } from '../helpers/jobs.ts';
import { createTestDatabase, openTestDatabase } from '../helpers/services.ts';

const { db, pool } = openTestDatabase(await createTestDatabase());

/** JSON with white space and characters of one to four bytes, of so many characters. */
const jsonOf = (length: number) => `{ "text":\n"${'aß…🚲'.repeat(length / 5)}" }`;
const LARGE = jsonOf(3_000_000);
const DONE: AttemptEnd = { outcome: 'completed', reason: null, phases: [] };

/** Stores a job with this request, ends it with this answer, and returns its columns. */
async function endWith(
  input: string | Uint8Array,
  answer: { httpStatus: number; body: string | Uint8Array },
  columns?: JsonColumns,
) {
  const { jobId } = await insertJob(db, newJob({ input, columns }));
  const job = (await claimJob(db, 'w'))!;
  expect(job.jobId).toBe(jobId);
  const read = job.input ?? (await readJobInput(db, jobId));
  const end = { status: 'completed', solverStatus: 'optimal', answer: await packAnswer(answer) } as const;
  expect(await finishJob(db, job, end, DONE)).not.toBeNull();
  const { rows } = await pool.query(
    `select input ->> 'text' as input, octet_length(packed_input) as packed_input, result ->> 'text' as result,
       octet_length(packed_result) as packed_result from jobs where job_id = $1`,
    [jobId],
  );
  return { jobId, job, request: readPackedText(read.request), columns: rows[0] };
}

/** The answer of a job, as text. */
async function readText(jobId: string) {
  const answer = await readAnswer(db, jobId);
  return answer && { ...answer, body: await wholeText(answer.body) };
}

describe('a request and an answer', () => {
  test('that are large are stored packed, in a fraction of their size, and read as they were', async () => {
    const bytes = new TextEncoder().encode(LARGE);
    const forms: [form: string | Uint8Array, ready?: JsonColumns][] = [
      [LARGE],
      [bytes],
      [bytes, await packJson(bytes)],
    ];
    for (const [form, ready] of forms) {
      const { jobId, job, request, columns } = await endWith(form, { httpStatus: 200, body: form }, ready);
      expect(job.input).toBeNull();
      expect(request).toBe(LARGE);
      expect(await wholeText((await readJobRequest(db, jobId))!)).toBe(LARGE);
      expect(await readText(jobId)).toEqual({ httpStatus: 200, body: LARGE });
      expect(columns).toMatchObject({ input: null, result: null });
      expect(columns.packed_input).toBeLessThan(LARGE.length / 100);
      expect(columns.packed_result).toBeLessThan(LARGE.length / 100);
    }
  });

  test('that are small stay JSON that SQL reads', async () => {
    const small = '{"text": "ß"}';
    const { jobId, job, columns } = await endWith(small, { httpStatus: 200, body: small });
    expect(job.input?.request).toBe(small);
    expect(await readAnswer(db, jobId)).toEqual({ httpStatus: 200, body: small });
    expect(columns).toEqual({ input: 'ß', packed_input: null, result: 'ß', packed_result: null });
  });

  test('that is an error stays JSON whatever its size: lists show what it says', async () => {
    const { jobId, columns } = await endWith('{}', { httpStatus: 422, body: LARGE });
    expect(columns.result).toBe(JSON.parse(LARGE).text);
    expect(columns.packed_result).toBeNull();
    expect(await readAnswer(db, jobId)).toEqual({ httpStatus: 422, body: LARGE });
  });

  test('is removed with its packed text when its retention ends', async () => {
    const { jobId } = await endWith(LARGE, { httpStatus: 200, body: LARGE });
    await pool.query("update jobs set finished_at = now() - interval '31 days' where job_id = $1", [jobId]);
    expect(await db.transaction((tx) => dropInputs(30)(tx, 100))).toBe(1);
    const { rows } = await pool.query('select input, packed_input from jobs where job_id = $1', [jobId]);
    expect(rows).toEqual([{ input: null, packed_input: null }]);
    expect(await readJobRequest(db, jobId)).toBeUndefined();
    expect(await readText(jobId)).toEqual({ httpStatus: 200, body: LARGE });
  });
});

test('a large request that is stored while a claim waits for its turn is read whole', async () => {
  const holder = await pool.connect();
  try {
    const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
    // The lock under which claims come one after the other (`claim_job` in the migration `queue`).
    await holder.query("begin; select from service_locks where name = 'claims' for update");
    const claiming = claimJob(db, 'w');
    const isWaiting = 'select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))';
    await expect.poll(async () => (await pool.query(isWaiting, [rows[0].pid])).rowCount).toBe(1);
    const { jobId } = await insertJob(db, newJob({ input: LARGE }));
    await holder.query('commit');
    const job = (await claiming)!;
    const { request } = job.input ?? (await readJobInput(db, jobId));
    expect([job.jobId, readPackedText(request)]).toEqual([jobId, LARGE]);
  } finally {
    holder.release();
  }
});

test('a Node that would cut answers short is refused before it connects', () => {
  expect(() => assertUnpacksRows()).not.toThrow();
  // Node 26.9 gives the first text of a row only.
  expect(() => assertUnpacksRows(() => Buffer.from('whole '))).toThrow(/use Node 26\.10 or newer/);
});
