import { and, eq, gt, isNull, or, sql } from 'drizzle-orm';
import type { JobFacts } from '../../contracts/job-facts.ts';
import { JOB_FORMAT, type JobKind } from '../../contracts/jobs.ts';
import type { JobPriority } from '../../contracts/priorities.ts';
import type { TraceContext } from '../../contracts/trace.ts';
import { type Database, executePrepared, type Queryable } from '../client.ts';
import { type JsonColumns, packJson } from '../packed-json.ts';
import { jobs, locations } from '../schema.ts';
import { bytesOfToday, countBytes, countedBytes, secondsOfToday } from './caller-bytes.ts';
import { copyTargets, isStoredPlan } from './job-previous.ts';

export type NewJob = {
  jobId: string;
  kind: JobKind;
  requestId: string;
  /** the request body as JSON: text, or bytes, which go to PostgreSQL unchanged */
  input: string | Uint8Array;
  /** the same, packed if it is large; absent if it has not been packed yet */
  columns?: JsonColumns | undefined;
  /** fingerprint of the body, compared when the idempotency key is used again */
  inputHash: Uint8Array;
  idempotency: { key: string; ttlSeconds: number } | null;
  priority: JobPriority;
  /** callers take turns with each other */
  caller: string;
  /** clients of the same caller take turns with each other; '' if the request names no client */
  clientId: string;
  /** whom it belongs to; absent: nobody, it is made without authentication */
  owner?: string | null;
  /** what the event loop of a worker needs to know of the request */
  facts: JobFacts;
  /** what its spans follow; absent: it was not traced. It is kept beside the facts. */
  trace?: TraceContext | undefined;
  locationCount: number;
  vehicleCount: number;
};

/** The conditions for storing a job. */
export type Conditions = {
  /** distinct ids of locations that must be stored; the job keeps a copy of them as they are now */
  locationIds: readonly number[];
  /** fewer jobs than this must be waiting */
  maxWaiting: number;
  /** with this one, the bodies that its caller stored today must not have more bytes than this */
  bytesOfCaller?: { caller: string; body: number; max: number } | undefined;
  /** a plan that must be stored; the job keeps a copy of where it sends vehicles */
  previousPlanId?: string | undefined;
  /** whom that plan must belong to; undefined: anybody */
  planOwner?: string | undefined;
  /** fewer jobs of its caller than this must be waiting */
  maxWaitingOfCaller?: { caller: string; max: number } | undefined;
};

type Stored = { created: boolean; jobId: string; inputHash: Uint8Array };

/**
 * Stores a job. If its idempotency key is in use, nothing is stored and the earlier job is returned. One statement
 * decides. So two API processes with the same key make one job, even at the moment when the key expires.
 * @returns undefined if the conditions do not hold: nothing is stored, `readAdmission` says why
 */
export async function insertJob(db: Database, job: NewJob): Promise<Stored>;
export async function insertJob(
  db: Database,
  job: NewJob,
  conditions: Conditions | undefined,
): Promise<Stored | undefined>;
export async function insertJob(
  db: Database,
  job: NewJob,
  conditions?: Conditions,
): Promise<Stored | undefined> {
  const { idempotency } = job;
  const input = job.columns ?? (await packJson(job.input));
  const previous = conditions?.previousPlanId;
  const counted = countedBytes(conditions?.bytesOfCaller?.body ?? 0);
  const insert = sql`
    insert into ${jobs} (job_id, kind, status, request_id, input, packed_input, locations, input_hash,
      idempotency_key, idempotency_expires_at, priority, caller, client_id, facts, location_count, vehicle_count,
      format, owner)
    select ${job.jobId}, ${job.kind}, 'queued', ${job.requestId}, ${input.text}::json, ${input.packed}::bytea,
      ${conditions ? sql`named.points` : sql`null`}, ${job.inputHash}::bytea,
      ${idempotency?.key ?? null}, now() + make_interval(secs => ${idempotency?.ttlSeconds ?? null}),
      ${job.priority}::job_priority, ${job.caller}, ${job.clientId},
      ${JSON.stringify({ ...job.facts, trace: job.trace })}::jsonb,
      ${job.locationCount}::int, ${job.vehicleCount}::int, ${JOB_FORMAT}::smallint,
      ${job.owner ?? null}
    from (select ${idempotency ? sql`count(*) from freed` : sql`1`}) as after_freed
    ${conditions ? sql`, (${namedLocations(conditions)}) as named where ${areTrue(conditions)}` : sql``}
    on conflict (idempotency_key) where idempotency_key is not null do nothing
    returning job_id, caller`;
  const parts = [
    ...(idempotency ? [freeExpiredKey(idempotency.key)] : []),
    sql`stored as (${insert})`,
    ...(previous === undefined ? [] : [sql`copied as (${copyTargets(previous, sql`stored`)})`]),
    ...(counted > 0 ? [sql`counted as (${countBytes(sql`stored`, sql`${counted}::bigint`)})`] : []),
  ];
  const statement = sql`with ${sql.join(parts, sql`, `)}
    select from stored`;
  const name =
    `insert_job${idempotency ? '_with_key' : ''}${conditions ? '_on_conditions' : ''}` +
    `${previous === undefined ? '' : '_with_previous'}${conditions?.planOwner === undefined ? '' : '_of_owner'}` +
    `${conditions?.maxWaitingOfCaller ? '_limited' : ''}${conditions?.bytesOfCaller ? '_measured' : ''}${counted > 0 ? '_counted' : ''}`;
  const [row] = await executePrepared(db, name, statement);
  if (row) return { created: true, jobId: job.jobId, inputHash: job.inputHash };
  const earlier = idempotency && (await findJobByIdempotencyKey(db, idempotency.key));
  if (earlier) return { created: false, ...earlier };
  // The earlier job is gone since the first statement (expired, or deleted by retention): the key is free again.
  return conditions ? undefined : insertJob(db, job);
}

const countWaiting = (limit: number) =>
  sql`(select count(*)::int from (select from ${jobs} where status = 'queued' limit ${limit}) as q)`;

const countWaitingOf = ({ caller, max }: { caller: string; max: number }) =>
  sql`(select count(*)::int from (
    select from ${jobs} where status = 'queued' and caller = ${caller} limit ${max}) as own)`;

const namedLocations = ({ locationIds }: Conditions) => sql`
  select count(*) as found, json_agg(json_strip_nulls(json_build_object('id', id, 'name', name, 'latitude', latitude,
    'longitude', longitude, 'priority', nullif(priority, 0))) order by id) as points
  from ${locations} where id = any(${sql.param(locationIds)}::int[])`;

const areTrue = ({
  locationIds,
  maxWaiting,
  previousPlanId,
  planOwner,
  maxWaitingOfCaller: own,
  bytesOfCaller: bytes,
}: Conditions) => sql`
  ${countWaiting(maxWaiting)} < ${maxWaiting}::int and named.found = ${locationIds.length}::int
  ${previousPlanId === undefined ? sql`` : sql`and ${isStoredPlan(previousPlanId, planOwner)}`}
  ${own ? sql`and ${countWaitingOf(own)} < ${own.max}::int` : sql``}
  ${bytes ? sql`and ${bytesOfToday(bytes.caller)} <= ${bytes.max - bytes.body}::float8` : sql``}`;

/** An expired key is taken from its job, unless that job has not ended yet. */
const freeExpiredKey = (key: string) => sql`
  freed as (
    update ${jobs} set idempotency_key = null, idempotency_expires_at = null
    where idempotency_key = ${key} and idempotency_expires_at <= now() and finished_at is not null
    returning 1)`;

/** The job with an idempotency key that has not expired, or undefined. */
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
 * The facts behind the conditions of a new job: which locations are stored, how many jobs wait, also of its caller, and
 * how many bytes the caller has stored today.
 */
export async function readAdmission(
  db: Queryable,
  { locationIds, maxWaiting, maxWaitingOfCaller: own, bytesOfCaller: bytes }: Conditions,
) {
  const { rows } = await db.execute<{
    knownIds: number[];
    waiting: number;
    waitingOfCaller: number;
    bytesOfCaller: number;
    secondsOfToday: number;
  }>(sql`select
    array(select id from ${locations} where id = any(${sql.param(locationIds)}::int[])) as "knownIds",
    ${countWaiting(maxWaiting)} as waiting, ${own ? countWaitingOf(own) : sql`0`} as "waitingOfCaller",
    ${bytes ? bytesOfToday(bytes.caller) : sql`0`} as "bytesOfCaller", ${secondsOfToday} as "secondsOfToday"`);
  return rows[0];
}
