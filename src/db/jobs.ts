import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import { ENDED_JOB_STATUSES, type JobKind, type JobStatus } from '../contracts/jobs.ts';
import type { SolverStatus } from '../contracts/optimize.ts';
import type { JobPriority } from '../contracts/priorities.ts';
import { type Database, executePrepared, type Queryable } from './client.ts';
import { jobAttempts, jobs, plans } from './schema.ts';

/** The answer of an ended job: HTTP status and the envelope as JSON text. */
export type JobAnswer = { httpStatus: number; body: string };

/** What is known of a running job. */
export type Progress = {
  progress: number;
  stage: string | null;
  incumbent: number | null;
  bound: number | null;
  gap: number | null;
  iterations: number | null;
};

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
      retryAt: null,
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
export async function readAnswer(db: Database, jobId: string): Promise<JobAnswer | undefined> {
  const statement = sql`select http_status as "httpStatus", result::text as body
    from ${jobs} where job_id = ${jobId} and finished_at is not null`;
  const [answer] = await executePrepared<JobAnswer>(db, 'read_answer', statement);
  return answer;
}

const jobColumns = {
  jobId: jobs.jobId,
  kind: jobs.kind,
  status: sql<JobStatus>`${jobs.status}`,
  progress: jobs.progress,
  stage: jobs.stage,
  incumbent: jobs.incumbent,
  bound: jobs.bound,
  gap: jobs.gap,
  iterations: jobs.iterations,
  solverStatus: jobs.solverStatus,
  priority: jobs.priority,
  turn: jobs.turn,
  attempts: jobs.attempts,
  retryAt: jobs.retryAt,
  createdAt: jobs.createdAt,
  startedAt: jobs.startedAt,
  finishedAt: jobs.finishedAt,
  requestId: jobs.requestId,
  // Not a join: for a page of jobs the planner may read all plans to join them.
  planId: sql<string | null>`(select p.plan_id from ${plans} p where p.job_id = ${jobs}.job_id)`,
};

/** The job's record without its input and answer, or undefined. */
export async function readJob(db: Queryable, jobId: string) {
  const [row] = await db.select(jobColumns).from(jobs).where(eq(jobs.jobId, jobId));
  return row;
}
export type JobRecord = NonNullable<Awaited<ReturnType<typeof readJob>>>;

export type JobFilter = {
  kind?: JobKind | undefined;
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
  const { kind, status, solverStatus, createdAfter, createdBefore } = filter;
  return db
    .select(jobColumns)
    .from(jobs)
    .where(
      and(
        kind && eq(jobs.kind, kind),
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

/** Every time a worker claimed the job, the first one first. */
export async function readAttempts(db: Queryable, jobId: string) {
  return db.select().from(jobAttempts).where(eq(jobAttempts.jobId, jobId)).orderBy(jobAttempts.attempt);
}
export type AttemptRecord = Awaited<ReturnType<typeof readAttempts>>[number];

/** Place of a queued job in the line in which jobs are claimed, 1 is next. */
export async function readQueuePosition(
  db: Queryable,
  job: { jobId: string; priority: JobPriority; turn: number; createdAt: Date },
): Promise<number> {
  const { rows } = await db.execute<{ n: number }>(sql`
    select 1
      + (select count(*) from ${jobs} where status = 'queued' and priority > ${job.priority})::int
      + (select count(*) from ${jobs} where status = 'queued' and priority = ${job.priority}
          and (turn, created_at, job_id) < (${job.turn}, ${job.createdAt.toISOString()}::timestamptz, ${job.jobId}))::int as n`);
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
