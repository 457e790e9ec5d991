import { and, asc, desc, eq, inArray, isNull, sql } from 'drizzle-orm';
import { ENDED_JOB_STATUSES, type JobStatus } from '../contracts/jobs.ts';
import type { SolverStatus } from '../contracts/optimize.ts';
import type { Queryable } from './client.ts';
import { jobs, plans } from './schema.ts';

/** The answer of an ended job: HTTP status and the envelope as JSON text. */
export type JobAnswer = { httpStatus: number; body: string };

export type NewJob = {
  jobId: string;
  requestId: string;
  /** the request body as JSON text */
  input: string;
  /** fingerprint of the body, compared where an idempotency key comes again */
  inputHash: Buffer;
  idempotencyKey: string | null;
};

/**
 * Stores a job. Where the idempotency key is known already, nothing is stored and the earlier job is returned.
 * One statement decides, so that two API processes with the same key make one job.
 */
export async function insertJob(
  db: Queryable,
  job: NewJob,
): Promise<{ created: boolean; jobId: string; inputHash: Buffer }> {
  const inserted = await db
    .insert(jobs)
    .values({
      ...job,
      status: 'queued',
      idempotencyExpiresAt: job.idempotencyKey === null ? null : sql`now() + interval '24 hours'`,
    })
    .onConflictDoNothing({ target: jobs.idempotencyKey, where: sql`${jobs.idempotencyKey} is not null` })
    .returning({ jobId: jobs.jobId });
  if (inserted.length > 0) return { created: true, jobId: job.jobId, inputHash: job.inputHash };
  const earlier = await findJobByIdempotencyKey(db, job.idempotencyKey ?? '');
  // Gone between the two statements: only retention deletes jobs, so the key is free again.
  if (!earlier) return insertJob(db, job);
  return { created: false, ...earlier };
}

/** The job that was stored under an idempotency key, or undefined. */
export async function findJobByIdempotencyKey(db: Queryable, key: string) {
  const [row] = await db
    .select({ jobId: jobs.jobId, inputHash: jobs.inputHash })
    .from(jobs)
    .where(eq(jobs.idempotencyKey, key));
  return row;
}

/** Number of jobs that wait, counted up to `limit`. */
export async function countQueued(db: Queryable, limit: number): Promise<number> {
  const { rows } = await db.execute<{ n: number }>(
    sql`select count(*)::int as n from (select 1 from ${jobs} where ${jobs.status} = 'queued' and ${jobs.finishedAt} is null limit ${limit}) q`,
  );
  return rows[0].n;
}

export type Claim =
  | { outcome: 'claimed'; attempt: number; input: string; requestId: string }
  | { outcome: 'exhausted'; attempt: number; requestId: string }
  | { outcome: 'lost' };

/**
 * Claims a job for a worker: compare-and-set, so that of two workers one wins. A running job may be claimed
 * only where its worker has been silent for `lockSeconds`. The attempt number makes every later write of an
 * earlier claimant void. `exhausted`: claimed, but it has been started `maxAttempts` times before.
 */
export async function claimJob(
  db: Queryable,
  jobId: string,
  workerId: string,
  options: { lockSeconds: number; maxAttempts: number },
): Promise<Claim> {
  const [row] = await db
    .update(jobs)
    .set({
      status: 'running',
      workerId,
      attempts: sql`${jobs.attempts} + 1`,
      heartbeatAt: sql`now()`,
      startedAt: sql`coalesce(${jobs.startedAt}, now())`,
    })
    .where(
      and(
        eq(jobs.jobId, jobId),
        isNull(jobs.finishedAt),
        sql`(${jobs.status} = 'queued' or ${jobs.heartbeatAt} < now() - make_interval(secs => ${options.lockSeconds}))`,
      ),
    )
    .returning({
      attempt: jobs.attempts,
      input: sql<string>`${jobs.input}::text`,
      requestId: jobs.requestId,
    });
  if (!row) return { outcome: 'lost' };
  return { outcome: row.attempt > options.maxAttempts ? 'exhausted' : 'claimed', ...row };
}

/** Tells that a worker still runs these jobs; returns those whose caller wants them cancelled or that are no longer its own. */
export async function heartbeat(
  db: Queryable,
  running: readonly { jobId: string; attempt: number }[],
): Promise<{ cancelled: string[]; lost: string[] }> {
  if (running.length === 0) return { cancelled: [], lost: [] };
  const rows = await db
    .update(jobs)
    .set({ heartbeatAt: sql`now()` })
    .where(
      and(
        eq(jobs.status, 'running'),
        sql`(${jobs.jobId}, ${jobs.attempts}) in (select * from unnest(${sql.param(running.map((r) => r.jobId))}::text[], ${sql.param(running.map((r) => r.attempt))}::int[]))`,
      ),
    )
    .returning({ jobId: jobs.jobId, cancelRequested: jobs.cancelRequested });
  const ours = new Set(rows.map((row) => row.jobId));
  return {
    cancelled: rows.filter((row) => row.cancelRequested).map((row) => row.jobId),
    lost: running.map((r) => r.jobId).filter((jobId) => !ours.has(jobId)),
  };
}

export type Progress = {
  progress: number;
  stage: string | null;
  incumbent: number | null;
  bound: number | null;
  gap: number | null;
};

/** Stores the progress of a running job; void where the attempt is no longer ours, and never lowers it. */
export async function storeProgress(db: Queryable, jobId: string, attempt: number, progress: Progress) {
  await db
    .update(jobs)
    .set({ ...progress, progress: sql`greatest(${jobs.progress}, ${progress.progress})` })
    .where(and(eq(jobs.jobId, jobId), eq(jobs.attempts, attempt), eq(jobs.status, 'running')));
}

export type Ending = {
  status: Extract<JobStatus, 'completed' | 'failed' | 'cancelled'>;
  solverStatus: SolverStatus | null;
  answer: JobAnswer;
};

/**
 * Ends a running job with its answer, where the attempt is still ours.
 * @returns false where it is not: whatever was computed is to be thrown away
 */
export async function finishJob(
  db: Queryable,
  jobId: string,
  attempt: number,
  ending: Ending,
): Promise<boolean> {
  const rows = await db
    .update(jobs)
    .set({
      status: ending.status,
      solverStatus: ending.solverStatus,
      httpStatus: ending.answer.httpStatus,
      result: ending.answer.body,
      finishedAt: sql`now()`,
      progress: ending.status === 'completed' ? 1 : sql`${jobs.progress}`,
    })
    .where(and(eq(jobs.jobId, jobId), eq(jobs.attempts, attempt), eq(jobs.status, 'running')))
    .returning({ jobId: jobs.jobId });
  return rows.length > 0;
}

/**
 * Gives a running job back to the queue, where the attempt is still ours. A sweeper enqueues it again.
 * @param countsAsAttempt false where the worker stopped for its own reasons (shutdown)
 */
export async function releaseJob(db: Queryable, jobId: string, attempt: number, countsAsAttempt: boolean) {
  await db
    .update(jobs)
    .set({
      status: 'queued',
      workerId: null,
      heartbeatAt: null,
      attempts: countsAsAttempt ? attempt : attempt - 1,
    })
    .where(and(eq(jobs.jobId, jobId), eq(jobs.attempts, attempt), eq(jobs.status, 'running')));
}

/**
 * Jobs that ought to be in the queue: queued for longer than `graceSeconds`, or running on a worker that has
 * been silent for `lockSeconds`. Enqueuing one that is there already is harmless, so this may err on the safe side.
 */
export async function findStrandedJobs(
  db: Queryable,
  options: { graceSeconds: number; lockSeconds: number; limit: number },
) {
  return db
    .select({ jobId: jobs.jobId, requestId: jobs.requestId })
    .from(jobs)
    .where(
      and(
        isNull(jobs.finishedAt),
        sql`(${jobs.status} = 'queued' and ${jobs.createdAt} < now() - make_interval(secs => ${options.graceSeconds})
          or ${jobs.status} = 'running' and ${jobs.heartbeatAt} < now() - make_interval(secs => ${options.lockSeconds}))`,
      ),
    )
    .orderBy(asc(jobs.createdAt), asc(jobs.jobId))
    .limit(options.limit);
}

/** Ends a queued job as cancelled. @returns false where it is not queued (any more) */
export async function cancelQueuedJob(db: Queryable, jobId: string, answer: JobAnswer): Promise<boolean> {
  const rows = await db
    .update(jobs)
    .set({
      status: 'cancelled',
      cancelRequested: true,
      httpStatus: answer.httpStatus,
      result: answer.body,
      finishedAt: sql`now()`,
    })
    .where(and(eq(jobs.jobId, jobId), eq(jobs.status, 'queued')))
    .returning({ jobId: jobs.jobId });
  return rows.length > 0;
}

/** Marks a running job to be cancelled by its worker. @returns false where it does not run */
export async function requestCancel(db: Queryable, jobId: string): Promise<boolean> {
  const rows = await db
    .update(jobs)
    .set({ cancelRequested: true })
    .where(and(eq(jobs.jobId, jobId), eq(jobs.status, 'running')))
    .returning({ jobId: jobs.jobId });
  return rows.length > 0;
}

/** The answer of a job, or undefined where it has not ended or does not exist. */
export async function readAnswer(db: Queryable, jobId: string): Promise<JobAnswer | undefined> {
  const [row] = await db
    .select({ httpStatus: sql<number>`${jobs.httpStatus}`, body: sql<string>`${jobs.result}::text` })
    .from(jobs)
    .where(and(eq(jobs.jobId, jobId), inArray(jobs.status, ENDED_JOB_STATUSES)));
  return row;
}

const jobColumns = {
  jobId: jobs.jobId,
  status: sql<JobStatus>`${jobs.status}`,
  progress: jobs.progress,
  stage: jobs.stage,
  incumbent: jobs.incumbent,
  bound: jobs.bound,
  gap: jobs.gap,
  solverStatus: jobs.solverStatus,
  attempts: jobs.attempts,
  createdAt: jobs.createdAt,
  startedAt: jobs.startedAt,
  finishedAt: jobs.finishedAt,
  requestId: jobs.requestId,
  planId: plans.planId,
};

/** The job's record without its input and answer, or undefined. */
export async function readJob(db: Queryable, jobId: string) {
  const [row] = await db
    .select(jobColumns)
    .from(jobs)
    .leftJoin(plans, eq(plans.jobId, jobs.jobId))
    .where(eq(jobs.jobId, jobId));
  return row;
}
export type JobRecord = NonNullable<Awaited<ReturnType<typeof readJob>>>;

export type JobFilter = {
  status?: JobStatus | undefined;
  solverStatus?: SolverStatus | undefined;
  createdAfter?: string | undefined;
  createdBefore?: string | undefined;
};

/**
 * Jobs, newest first, without their inputs and answers.
 * @param before time and id of the last row of the page before; jobs that arrive meanwhile do not shift the pages
 */
export async function readJobPage(
  db: Queryable,
  before: [createdAt: string, jobId: string] | null,
  limit: number,
  filter: JobFilter,
): Promise<JobRecord[]> {
  const { status, solverStatus, createdAfter, createdBefore } = filter;
  return db
    .select(jobColumns)
    .from(jobs)
    .leftJoin(plans, eq(plans.jobId, jobs.jobId))
    .where(
      and(
        status && eq(jobs.status, status),
        solverStatus && eq(jobs.solverStatus, solverStatus),
        createdAfter !== undefined ? sql`${jobs.createdAt} >= ${createdAfter}::timestamptz` : undefined,
        createdBefore !== undefined ? sql`${jobs.createdAt} < ${createdBefore}::timestamptz` : undefined,
        before
          ? sql`(${jobs.createdAt}, ${jobs.jobId}) < (${before[0]}::timestamptz, ${before[1]})`
          : undefined,
      ),
    )
    .orderBy(desc(jobs.createdAt), desc(jobs.jobId))
    .limit(limit);
}

/** Place of a queued job in the line, 1 is next. */
export async function readQueuePosition(
  db: Queryable,
  job: { jobId: string; createdAt: Date },
): Promise<number> {
  const { rows } = await db.execute<{ n: number }>(
    sql`select count(*)::int + 1 as n from ${jobs} where ${jobs.status} = 'queued' and ${jobs.finishedAt} is null
      and (${jobs.createdAt}, ${jobs.jobId}) < (${job.createdAt.toISOString()}::timestamptz, ${job.jobId})`,
  );
  return rows[0].n;
}

/** Which of these jobs have ended. */
export async function findEnded(db: Queryable, jobIds: readonly string[]): Promise<string[]> {
  if (jobIds.length === 0) return [];
  const rows = await db
    .select({ jobId: jobs.jobId })
    .from(jobs)
    .where(
      and(sql`${jobs.jobId} = any(${sql.param(jobIds)}::text[])`, inArray(jobs.status, ENDED_JOB_STATUSES)),
    );
  return rows.map((row) => row.jobId);
}
