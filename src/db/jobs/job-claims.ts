import { and, eq, sql } from 'drizzle-orm';
import type { JobFacts } from '../../contracts/job-facts.ts';
import { type AttemptOutcome, JOB_FORMAT, type JobKind, type JobStatus } from '../../contracts/jobs.ts';
import type { SolverStatus } from '../../contracts/optimize.ts';
import type { JobPriority } from '../../contracts/priorities.ts';
import type { TraceContext } from '../../contracts/trace.ts';
import { commitLater, type Database, executePrepared, type Queryable } from '../client.ts';
import { isStandIn } from '../packed-json.ts';
import { carryOutPlan, holdFleet } from '../plans/departures.ts';
import { insertPlan, type NewPlan } from '../plans/plans.ts';
import { insertReplay, type NewReplay } from '../plans/replays.ts';
import { jobAttempts, jobs, type PhaseMark } from '../schema.ts';
import { noteJobEvents, noteWorkerLost } from '../webhooks/webhook-outbox.ts';
import { type NewAnswer, NOTHING_KNOWN, type Progress } from './jobs.ts';
import { NO_RUNNING_LIMIT, type RunningLimit } from './turns.ts';

/** A job that a worker has claimed. Attempt number and worker make every later write of an earlier claimant void. */
export type ClaimedJob = {
  jobId: string;
  kind: JobKind;
  attempt: number;
  workerId: string;
  /** crashes of earlier attempts */
  crashes: number;
  requestId: string;
  facts: JobFacts;
  /** what its spans follow; undefined: it was not traced */
  trace: TraceContext | undefined;
  /** null if it is large: then `readJobInput` reads it */
  input: JobInput | null;
};

/** The input of a job; both parts are JSON text. */
export type JobInput = {
  /** packed if it is large (`packed-json.ts`) */
  request: string | Uint8Array;
  /** the locations that the request names; null if it names none */
  locations: string | null;
};

/**
 * Claims the next job for a worker, and opens its attempt: the highest priority first, then the caller whose jobs have
 * used least (`claim_job` in the migration `queue`). Two workers never get the same job. It skips jobs that wait
 * for a retry or for a newer worker, and callers that have reached their limit of running jobs. If a crash of
 * PostgreSQL undoes the claim, the job is queued again, and its worker has lost it.
 * @param first a priority that goes before the others this once, so that no priority starves
 * @returns undefined if no job can be claimed
 */
export async function claimJob(
  db: Pick<Database, '$client'>,
  workerId: string,
  first: JobPriority | null = null,
  { runningPerCaller, lockSeconds }: RunningLimit = NO_RUNNING_LIMIT,
): Promise<ClaimedJob | undefined> {
  // Only what the function returns: this statement itself does not see a job that was stored while its claim waited.
  const statement = sql`
    select job_id as "jobId", kind, attempt, crashes, request_id as "requestId", facts, is_large as "isLarge", input,
      locations
    from claim_job(${workerId}, ${first}, ${runningPerCaller}, ${lockSeconds}, ${JOB_FORMAT}::smallint)`;
  type Row = Omit<ClaimedJob, 'input' | 'facts' | 'trace'> & {
    facts: JobFacts & { trace?: TraceContext };
    isLarge: boolean;
    input: string;
    locations: string | null;
  };
  const [row] = await executePrepared<Row>(db, 'claim_job', statement);
  if (!row) return undefined;
  const { isLarge, input: request, locations, facts, ...job } = row;
  const { trace, ...ofRequest } = facts;
  return {
    ...{ ...job, workerId, trace },
    facts: ofRequest as JobFacts,
    input: isLarge || isStandIn(request) ? null : { request, locations },
  };
}

/** The input of a claimed job. */
export async function readJobInput(db: Pick<Database, '$client'>, jobId: string): Promise<JobInput> {
  const statement = sql`
    select input::text as text, packed_input as packed, locations::text as locations
    from ${jobs} where job_id = ${jobId}`;
  type Row = { text: string; packed: Buffer | null; locations: string | null };
  const [row] = await executePrepared<Row>(db, 'read_job_input', statement);
  return { request: row.packed ?? row.text, locations: row.locations };
}

export type Attempt = Pick<ClaimedJob, 'jobId' | 'attempt' | 'workerId'>;

/**
 * The row of a running job, if the attempt is still the caller's own. The number alone would not prove that: after a
 * crash of PostgreSQL has undone the claim, it is used again.
 */
const isOurs = ({ jobId, attempt, workerId }: Attempt) =>
  and(
    eq(jobs.jobId, jobId),
    eq(jobs.attempts, attempt),
    eq(jobs.workerId, workerId),
    eq(jobs.status, 'running'),
  );

/**
 * Records that a worker still runs these jobs; returns those that are no longer its own. It does not wait for a job
 * that is just being ended, which takes a while for a large plan: meanwhile the other jobs would seem silent.
 */
export async function heartbeat(db: Queryable, running: readonly Attempt[]): Promise<string[]> {
  if (running.length === 0) return [];
  const isRunning = sql`status = 'running' and (job_id, attempts, worker_id) in (select * from unnest(
    ${sql.param(running.map((r) => r.jobId))}::text[],
    ${sql.param(running.map((r) => r.attempt))}::int[], ${sql.param(running.map((r) => r.workerId))}::text[]))`;
  const { rows } = await db.execute<{ job_id: string }>(sql`
    with free as materialized (
      select job_id from ${jobs} where ${isRunning} and ${commitLater} for no key update skip locked),
    beaten as (update ${jobs} j set heartbeat_at = now() from free where j.job_id = free.job_id)
    select job_id from ${jobs} where ${isRunning}`);
  const ours = new Set(rows.map((row) => row.job_id));
  return running.map((r) => r.jobId).filter((jobId) => !ours.has(jobId));
}

/** Which of these jobs are to be cancelled. */
export async function findCancelRequests(db: Queryable, jobIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .select({ jobId: jobs.jobId })
    .from(jobs)
    .where(and(sql`${jobs.jobId} = any(${sql.param(jobIds)}::text[])`, eq(jobs.cancelRequested, true)));
  return rows.map((row) => row.jobId);
}

/**
 * Stores the progress of a running job. It never falls. Nothing is stored if the attempt is no longer the caller's own.
 */
export async function storeProgress(db: Queryable, attempt: Attempt, progress: Progress): Promise<void> {
  await db
    .update(jobs)
    .set({ ...progress, progress: sql`greatest(${jobs.progress}, ${progress.progress})` })
    .where(and(isOurs(attempt), commitLater));
}

export type Ending = {
  status: Extract<JobStatus, 'completed' | 'failed' | 'cancelled'>;
  solverStatus: SolverStatus | null;
  answer: NewAnswer;
  /** The last progress of the job, which may not be stored yet. */
  progress?: Progress;
};

/**
 * Locks a running job until the end of the transaction, if the attempt is still the caller's own: nobody else can end
 * it meanwhile. Call it before writing anything that belongs to the attempt.
 */
export async function holdJob(tx: Queryable, attempt: Attempt): Promise<boolean> {
  const rows = await tx.select({ jobId: jobs.jobId }).from(jobs).where(isOurs(attempt)).for('no key update');
  return rows.length > 0;
}

/** How an attempt ended; `reason` is given if it produced no answer. */
export type AttemptEnd = {
  outcome: AttemptOutcome;
  reason: string | null;
  phases: PhaseMark[];
  /** its worker is silent, and another one ends the attempt: webhooks are told (`worker.lost`) */
  isWorkerLost?: boolean | undefined;
};

/** The record of a job that has just ended. */
export type FinishedJob = {
  priority: JobPriority;
  /** from being accepted to its end */
  seconds: number;
  /** from being accepted to its first claim; null if it was never claimed */
  waitSeconds: number | null;
  /** from the last claim to the end */
  attemptSeconds: number;
  locationCount: number;
  vehicleCount: number;
};

const secondsBetween = (from: string, to: string) => sql.raw(`extract(epoch from ${to} - ${from})::float8`);

/**
 * Ends a running job with its answer, stores its plan or replay, closes the attempt and notes the events for webhooks,
 * if the attempt is still the caller's own. One statement does it all: everything is stored or nothing, with one round
 * trip and one commit. A job with a cancel mark always ends as `cancelled`, and one without a mark never does, since
 * its caller was told so.
 * @returns null if the attempt is lost, or if the mark demands another end: the result must be dropped
 */
export async function finishJob(
  db: Database,
  attempt: Attempt,
  ending: Ending,
  end: AttemptEnd,
  made?: NewPlan | NewReplay,
): Promise<FinishedJob | null> {
  const { status, solverStatus, answer, progress: known = NOTHING_KNOWN } = ending;
  const plan = made && 'planId' in made ? made : undefined;
  const replay = made && 'replayId' in made ? made : undefined;
  // `held` first: from then on nobody else can end the job. The time of the end is taken after the vehicles are stored,
  // not when the statement starts: storing a large plan takes a while.
  const statement = sql`
    with held as materialized (select job_id from ${jobs}
      where ${isOurs(attempt)} and cancel_requested = (${status} = 'cancelled') for no key update),
    ${plan ? sql`${insertPlan(plan)},` : sql``} ${replay ? sql`${insertReplay(replay)},` : sql``}
    finished as (
      update ${jobs} j
      set status = ${status}, solver_status = ${solverStatus}, http_status = ${answer.httpStatus}::int,
        result = ${answer.body}::json, packed_result = ${answer.packed ?? null}::bytea, finished_at = clock_timestamp(),
        crashes = crashes + ${end.outcome === 'crashed' ? 1 : 0}::int,
        progress = case when ${status} = 'completed' then 1 else greatest(progress, ${known.progress}::float8) end,
        stage = coalesce(${known.stage}::text, stage), incumbent = coalesce(${known.incumbent}::float8, incumbent),
        bound = coalesce(${known.bound}::float8, bound), gap = coalesce(${known.gap}::float8, gap),
        iterations = coalesce(${known.iterations}::int, iterations)
      from held
      where j.job_id = held.job_id ${plan ? sql`and (select count(*) from stored_vehicles) >= 0` : sql``}
      returning j.job_id, j.priority, j.created_at, j.started_at, j.finished_at, j.location_count, j.vehicle_count,
        j.kind, j.status, j.solver_status, j.http_status, j.schedule_id, j.request_id),
    noted as (${noteJobEvents(sql`finished`, plan?.planId ?? null, end.reason)}),
    noted_loss as (${noteWorkerLost(sql`finished`, attempt, end.reason, end.isWorkerLost ?? false)})
    update ${jobAttempts} a
    set ended_at = f.finished_at, outcome = ${end.outcome}, reason = ${end.reason},
      phases = ${JSON.stringify(end.phases)}::jsonb
    from finished f where a.job_id = f.job_id and a.attempt = ${attempt.attempt}::int
    returning f.priority, ${secondsBetween('f.created_at', 'f.finished_at')} as "seconds",
      ${secondsBetween('f.created_at', 'f.started_at')} as "waitSeconds",
      ${secondsBetween('a.started_at', 'f.finished_at')} as "attemptSeconds",
      f.location_count as "locationCount", f.vehicle_count as "vehicleCount"`;
  if (plan?.isCarriedOut) {
    return db.transaction(async (tx) => {
      await holdFleet(tx, plan.record.movedLocations);
      const { rows } = await tx.execute<FinishedJob>(statement);
      if (rows.length === 0) return null;
      await carryOutPlan(tx, plan.planId);
      return rows[0];
    });
  }
  const rows = await executePrepared<FinishedJob>(
    db,
    `finish_job${plan ? '_with_plan' : replay ? '_with_replay' : ''}`,
    statement,
  );
  return rows[0] ?? null;
}

/**
 * Reads the record of a job if this attempt has ended it so: the connection may be lost after the commit of
 * `finishJob`, before its answer arrives.
 * @returns null if the attempt has not ended the job, or otherwise
 */
export async function readFinishedJob(
  db: Queryable,
  { jobId, attempt, workerId }: Attempt,
  { status }: Pick<Ending, 'status'>,
  { outcome }: Pick<AttemptEnd, 'outcome'>,
): Promise<FinishedJob | null> {
  const { rows } = await db.execute<FinishedJob>(sql`
    select j.priority, ${secondsBetween('j.created_at', 'j.finished_at')} as "seconds",
      ${secondsBetween('j.created_at', 'j.started_at')} as "waitSeconds",
      ${secondsBetween('a.started_at', 'j.finished_at')} as "attemptSeconds",
      j.location_count as "locationCount", j.vehicle_count as "vehicleCount"
    from ${jobs} j join ${jobAttempts} a on a.job_id = j.job_id and a.attempt = j.attempts
    where j.job_id = ${jobId} and j.status = ${status} and a.attempt = ${attempt}::int and a.worker_id = ${workerId}
      and a.outcome = ${outcome}`);
  return rows[0] ?? null;
}

/**
 * Returns a running job to the queue and closes the attempt, if the attempt is still the caller's own. A job with a
 * cancel mark is not returned: end it with `finishJob`. A crash is counted. A worker that stopped for its own reasons
 * (`released`) is not counted against the job.
 * @param delaySeconds time before which nobody can claim it again
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
      where ${isOurs(attempt)} and not cancel_requested
      returning job_id, attempts, kind, status, request_id),
    noted as (${noteWorkerLost(sql`given_back`, attempt, end.reason, end.isWorkerLost ?? false)}),
    closed as (
      update ${jobAttempts} a
      set ended_at = now(), outcome = ${end.outcome}, reason = ${end.reason},
        phases = ${JSON.stringify(end.phases)}::jsonb
      from given_back g where a.job_id = g.job_id and a.attempt = g.attempts)
    select 1 from given_back`);
  return rows.length > 0;
}

/** Whether this attempt has given its job back so: as `readFinishedJob`, for `giveBackJob`. */
export async function isGivenBack(
  db: Queryable,
  { jobId, attempt, workerId }: Attempt,
  { outcome, reason }: Pick<AttemptEnd, 'outcome' | 'reason'>,
): Promise<boolean> {
  const { rows } = await db.execute(sql`
    select 1 from ${jobAttempts}
    where job_id = ${jobId} and attempt = ${attempt}::int and worker_id = ${workerId}
      and outcome = ${outcome} and reason is not distinct from ${reason}`);
  return rows.length > 0;
}

/** Corrects the reason of a lost attempt: only its own worker knows that it was alive. */
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

export type SilentJob = Omit<ClaimedJob, 'input' | 'facts'> & {
  silentSeconds: number;
};

/**
 * Running jobs whose worker has been silent for `lockSeconds`, oldest first. A row that is locked has its heartbeat or
 * its end just now: its worker lives.
 */
export async function findSilentJobs(db: Queryable, lockSeconds: number): Promise<SilentJob[]> {
  return db
    .select({
      jobId: jobs.jobId,
      kind: jobs.kind,
      attempt: jobs.attempts,
      crashes: jobs.crashes,
      requestId: jobs.requestId,
      trace: sql<TraceContext | undefined>`${jobs.facts} -> 'trace'`,
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
    .orderBy(jobs.heartbeatAt)
    .for('no key update', { skipLocked: true });
}
