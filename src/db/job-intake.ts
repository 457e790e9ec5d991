import { and, eq, gt, isNull, or, sql } from 'drizzle-orm';
import type { JobPriority } from '../contracts/priorities.ts';
import { type Database, executePrepared, type Queryable } from './client.ts';
import { jobs, locations } from './schema.ts';

export type NewJob = {
  jobId: string;
  requestId: string;
  /** the request body as JSON text */
  input: string;
  /** fingerprint of the body, compared where an idempotency key comes again */
  inputHash: Buffer;
  idempotency: { key: string; ttlSeconds: number } | null;
  priority: JobPriority;
  /** with whom the others take turns */
  caller: string;
  locationCount: number;
  vehicleCount: number;
};

/**
 * Stores a job. Where the idempotency key is in use already, nothing is stored and the earlier job is returned.
 * One statement decides, so that two API processes with the same key make one job, also at the moment at which
 * the key expires.
 */
export async function insertJob(
  db: Database,
  job: NewJob,
): Promise<{ created: boolean; jobId: string; inputHash: Buffer }> {
  const { idempotency } = job;
  const statement = sql`
    ${idempotency ? freeExpiredKey(idempotency.key) : sql``}
    insert into ${jobs} (job_id, status, request_id, input, input_hash, idempotency_key, idempotency_expires_at,
      priority, caller, turn, location_count, vehicle_count)
    select ${job.jobId}, 'queued', ${job.requestId}, ${job.input}::json, ${job.inputHash}::bytea,
      ${idempotency?.key ?? null}, now() + make_interval(secs => ${idempotency?.ttlSeconds ?? null}),
      ${job.priority}::job_priority, ${job.caller}, ${nextTurn(job)}, ${job.locationCount}::int, ${job.vehicleCount}::int
    ${idempotency ? sql`from (select count(*) from freed) as after_freed` : sql``}
    on conflict (idempotency_key) where idempotency_key is not null do nothing
    returning true as created`;
  const rows = await executePrepared(db, idempotency ? 'insert_job_with_key' : 'insert_job', statement);
  if (rows.length > 0) return { created: true, jobId: job.jobId, inputHash: job.inputHash };
  const earlier = await findJobByIdempotencyKey(db, idempotency?.key ?? '');
  // Gone between the two statements (expired, or deleted by retention): the key is free again.
  if (!earlier) return insertJob(db, job);
  return { created: false, ...earlier };
}

/** An expired key is taken from the job that had it, unless that job is still to be done. */
const freeExpiredKey = (key: string) => sql`
  with freed as (
    update ${jobs} set idempotency_key = null, idempotency_expires_at = null
    where idempotency_key = ${key} and idempotency_expires_at <= now() and finished_at is not null
    returning 1)`;

/**
 * The start tag of start-time fair queueing (Goyal, Vin and Cheng 1996), with every job of the same length:
 * one after the caller's last one, but never before the virtual time, which is where the line is served now.
 * Whoever has no job waiting starts there, at the head; a caller's thousandth job starts a thousand turns later.
 * Retried jobs (attempts > 0) keep their early turn and must not pull the virtual time back.
 * Two jobs that one caller stores at the same instant may get the same turn, which gains it one place.
 */
const nextTurn = ({ caller, priority }: Pick<NewJob, 'caller' | 'priority'>) => sql`
  greatest(0,
    (select turn + 1 from ${jobs} where status in ('queued', 'running') and priority = ${priority}
      and caller = ${caller} order by turn desc limit 1),
    (select turn from ${jobs} where status = 'queued' and priority = ${priority} and attempts = 0
      order by turn limit 1),
    (select turn from ${jobs} where status = 'running' and priority = ${priority} order by turn desc limit 1))`;

/** The job that holds an idempotency key which has not expired, or undefined. */
export async function findJobByIdempotencyKey(db: Queryable, key: string) {
  const [row] = await db
    .select({ jobId: jobs.jobId, inputHash: jobs.inputHash })
    .from(jobs)
    .where(
      and(
        eq(jobs.idempotencyKey, key),
        or(gt(jobs.idempotencyExpiresAt, sql`now()`), isNull(jobs.finishedAt)),
      ),
    );
  return row;
}

/**
 * What a new job depends on: which of the locations that it names are stored, and how many jobs wait.
 * @param limit up to which the waiting ones are counted
 */
export async function readAdmission(
  db: Database,
  locationIds: readonly number[],
  limit: number,
): Promise<{ knownIds: number[]; waiting: number }> {
  const statement = sql`select
    array(select id from ${locations} where id = any(${sql.param(locationIds)}::int[])) as "knownIds",
    (select count(*)::int from (select from ${jobs} where status = 'queued' limit ${limit}) q) as waiting`;
  const [admission] = await executePrepared<{ knownIds: number[]; waiting: number }>(
    db,
    'read_admission',
    statement,
  );
  return admission;
}
