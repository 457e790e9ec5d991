import { and, eq, sql } from 'drizzle-orm';
import type { AttemptOutcome, JobKind, JobStatus } from '../contracts/jobs.ts';
import type { SolverStatus } from '../contracts/optimize.ts';
import type { JobPriority } from '../contracts/priorities.ts';
import { commitLater, type Database, executePrepared, type Queryable } from './client.ts';
import type { JobAnswer, Progress } from './jobs.ts';
import { insertPlan, type NewPlan } from './plans.ts';
import { jobAttempts, jobs, type PhaseMark } from './schema.ts';

/** A job in the hands of a worker. Attempt number and worker make every later write of an earlier claimant void. */
export type ClaimedJob = {
  jobId: string;
  kind: JobKind;
  attempt: number;
  workerId: string;
  /** crashes of earlier attempts */
  crashes: number;
  requestId: string;
  input: string;
  /** the locations that the input names, JSON text; null where it names none */
  locations: string | null;
};

/**
 * Claims the next job for a worker, and opens its attempt: the highest priority first, then the lowest turn.
 * Of two workers at the same moment each gets a job of its own. Jobs that wait for a retry are passed over.
 * Where a crash of PostgreSQL undoes the claim, the job is queued again, and whoever had it has lost it.
 * @param first a priority that goes before the others this once, so that no priority starves
 * @returns undefined where nothing is to be done
 */
export async function claimJob(
  db: Database,
  workerId: string,
  first: JobPriority | null = null,
): Promise<ClaimedJob | undefined> {
  // `no key update`: a row that a foreign key check holds is still free to be claimed.
  const statement = sql`
    with claimed as (
      update ${jobs}
      set status = 'running', worker_id = ${workerId}, attempts = attempts + 1, heartbeat_at = now(),
        started_at = coalesce(started_at, now()), retry_at = null
      where status = 'queued' and job_id = coalesce(
        (select job_id from ${jobs}
          where status = 'queued' and (retry_at is null or retry_at <= now()) and priority = ${first}
          order by turn, created_at, job_id limit 1 for no key update skip locked),
        (select job_id from ${jobs}
          where status = 'queued' and (retry_at is null or retry_at <= now())
          order by priority desc, turn, created_at, job_id limit 1 for no key update skip locked))
      returning job_id, kind, attempts, crashes, request_id, input, locations),
    opened as (
      insert into ${jobAttempts} (job_id, attempt, worker_id) select job_id, attempts, ${workerId} from claimed)
    select job_id as "jobId", kind, attempts as attempt, crashes, request_id as "requestId", ${workerId} as "workerId", input::text, locations::text
    from claimed where ${commitLater}`;
  const [claimed] = await executePrepared<ClaimedJob>(db, 'claim_job', statement);
  return claimed;
}

export type Attempt = Pick<ClaimedJob, 'jobId' | 'attempt' | 'workerId'>;

/**
 * The row of a running job, where the attempt is still the caller's own. The number alone does not say so: it comes
 * again where a crash of PostgreSQL undid the claim.
 */
const isOurs = ({ jobId, attempt, workerId }: Attempt) =>
  and(
    eq(jobs.jobId, jobId),
    eq(jobs.attempts, attempt),
    eq(jobs.workerId, workerId),
    eq(jobs.status, 'running'),
  );

/** Tells that a worker still runs these jobs; returns those that are no longer its own. */
export async function heartbeat(db: Queryable, running: readonly Attempt[]): Promise<string[]> {
  if (running.length === 0) return [];
  const rows = await db
    .update(jobs)
    .set({ heartbeatAt: sql`now()` })
    .where(
      and(
        eq(jobs.status, 'running'),
        sql`(${jobs.jobId}, ${jobs.attempts}, ${jobs.workerId}) in (select * from unnest(${sql.param(running.map((r) => r.jobId))}::text[],
          ${sql.param(running.map((r) => r.attempt))}::int[], ${sql.param(running.map((r) => r.workerId))}::text[]))`,
        commitLater,
      ),
    )
    .returning({ jobId: jobs.jobId });
  const ours = new Set(rows.map((row) => row.jobId));
  return running.map((r) => r.jobId).filter((jobId) => !ours.has(jobId));
}

/** Which of these jobs somebody wants cancelled. */
export async function findCancelRequests(db: Queryable, jobIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .select({ jobId: jobs.jobId })
    .from(jobs)
    .where(and(sql`${jobs.jobId} = any(${sql.param(jobIds)}::text[])`, eq(jobs.cancelRequested, true)));
  return rows.map((row) => row.jobId);
}

/** Stores the progress of a running job; void where the attempt is no longer ours, and never lowers it. */
export async function storeProgress(db: Queryable, attempt: Attempt, progress: Progress): Promise<void> {
  await db
    .update(jobs)
    .set({ ...progress, progress: sql`greatest(${jobs.progress}, ${progress.progress})` })
    .where(and(isOurs(attempt), commitLater));
}

export type Ending = {
  status: Extract<JobStatus, 'completed' | 'failed' | 'cancelled'>;
  solverStatus: SolverStatus | null;
  answer: JobAnswer;
};

/**
 * Holds a running job until the end of the transaction, where the attempt is still ours: nobody else can end it
 * meanwhile. To be called before what belongs to the attempt is written.
 */
export async function holdJob(tx: Queryable, attempt: Attempt): Promise<boolean> {
  const rows = await tx.select({ jobId: jobs.jobId }).from(jobs).where(isOurs(attempt)).for('no key update');
  return rows.length > 0;
}

/** How an attempt ended: `reason` says why where it did not lead to an answer. */
export type AttemptEnd = { outcome: AttemptOutcome; reason: string | null; phases: PhaseMark[] };

/**
 * Ends a running job with its answer, stores its plan and closes the attempt, where the attempt is still ours. One
 * statement does all of it, so all of it or nothing is stored: one round trip, one commit.
 * @returns false where it is not: whatever was computed is to be thrown away
 */
export async function finishJob(
  db: Database,
  attempt: Attempt,
  ending: Ending,
  end: AttemptEnd,
  plan?: NewPlan,
): Promise<boolean> {
  const { status, solverStatus, answer } = ending;
  // `held` first: from then on nobody else can end the job. The time of the end is not that of the statement, and is
  // taken when the vehicles are stored: storing a large plan takes a while.
  const statement = sql`
    with held as materialized (select job_id from ${jobs} where ${isOurs(attempt)} for no key update),
    ${plan ? sql`${insertPlan(plan)},` : sql``}
    finished as (
      update ${jobs} j
      set status = ${status}, solver_status = ${solverStatus}, http_status = ${answer.httpStatus}::int,
        result = ${answer.body}::json, finished_at = clock_timestamp(),
        crashes = crashes + ${end.outcome === 'crashed' ? 1 : 0}::int,
        progress = case when ${status} = 'completed' then 1 else progress end
      from held
      where j.job_id = held.job_id ${plan ? sql`and (select count(*) from stored_vehicles) >= 0` : sql``}
      returning j.job_id, j.finished_at)
    update ${jobAttempts} a
    set ended_at = f.finished_at, outcome = ${end.outcome}, reason = ${end.reason},
      phases = ${JSON.stringify(end.phases)}::jsonb
    from finished f where a.job_id = f.job_id and a.attempt = ${attempt.attempt}::int
    returning 1`;
  const rows = await executePrepared(db, plan ? 'finish_job_with_plan' : 'finish_job', statement);
  return rows.length > 0;
}

/**
 * Gives a running job back to the line, where the attempt is still ours, and closes the attempt. It keeps its turn.
 * A crash is counted; a worker that stopped for its own reasons (`released`) is not the job's fault.
 * @param delaySeconds time before which it is not claimed again
 */
export async function giveBackJob(
  db: Queryable,
  attempt: Attempt,
  end: AttemptEnd,
  delaySeconds: number,
): Promise<boolean> {
  const { rows } = await db.execute(sql`
    with given_back as (
      update ${jobs}
      set status = 'queued', worker_id = null, heartbeat_at = null,
        crashes = crashes + ${end.outcome === 'crashed' ? 1 : 0},
        retry_at = now() + make_interval(secs => nullif(${delaySeconds}::float8, 0))
      where ${isOurs(attempt)}
      returning job_id, attempts),
    closed as (
      update ${jobAttempts} a
      set ended_at = now(), outcome = ${end.outcome}, reason = ${end.reason}, phases = ${JSON.stringify(end.phases)}::jsonb
      from given_back g where a.job_id = g.job_id and a.attempt = g.attempts)
    select 1 from given_back`);
  return rows.length > 0;
}

/** What a worker that lost its claim knows better than the one who closed its attempt: that it was alive. */
export async function explainLostAttempt(db: Queryable, attempt: Attempt, reason: string): Promise<void> {
  await db
    .update(jobAttempts)
    .set({ reason })
    .where(
      and(
        eq(jobAttempts.jobId, attempt.jobId),
        eq(jobAttempts.attempt, attempt.attempt),
        eq(jobAttempts.workerId, attempt.workerId),
        eq(jobAttempts.outcome, 'crashed'),
      ),
    );
}

export type SilentJob = Omit<ClaimedJob, 'input' | 'locations'> & { silentSeconds: number };

/** Running jobs whose worker has been silent for `lockSeconds`, oldest first. */
export async function findSilentJobs(db: Queryable, lockSeconds: number): Promise<SilentJob[]> {
  return db
    .select({
      jobId: jobs.jobId,
      kind: jobs.kind,
      attempt: jobs.attempts,
      crashes: jobs.crashes,
      requestId: jobs.requestId,
      workerId: sql<string>`coalesce(${jobs.workerId}, 'unknown')`,
      silentSeconds: sql<number>`extract(epoch from now() - ${jobs.heartbeatAt})::float8`,
    })
    .from(jobs)
    .where(
      and(
        eq(jobs.status, 'running'),
        sql`${jobs.heartbeatAt} < now() - make_interval(secs => ${lockSeconds})`,
      ),
    )
    .orderBy(jobs.heartbeatAt);
}

/** Number of jobs that a worker could claim now, counted up to `limit`. */
export async function countClaimable(db: Queryable, limit: number): Promise<number> {
  const { rows } = await db.execute<{ n: number }>(sql`
    select count(*)::int as n from (
      select 1 from ${jobs} where status = 'queued' and (retry_at is null or retry_at <= now()) limit ${limit}) q`);
  return rows[0].n;
}
