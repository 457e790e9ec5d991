import { and, desc, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import { ENDED_JOB_STATUSES, type JobKind, type JobStatus } from '../../contracts/jobs.ts';
import type { SolverStatus } from '../../contracts/optimize.ts';
import type { TraceContext } from '../../contracts/trace.ts';
import { type Database, executePrepared, type Queryable } from '../client.ts';
import { ownedBy } from '../owner.ts';
import { packJson, unpackPieces } from '../packed-json.ts';
import { jobAttempts, jobs, plans } from '../schema.ts';

/** JSON text; if it is stored packed, pieces: read once the first is asked for, and unpacked for each reader. */
type JsonPieces = string | AsyncIterable<Uint8Array>;
/** The answer of an ended job: HTTP status and the envelope. */
export type JobAnswer = { httpStatus: number; body: JsonPieces };
/**
 * An answer to be stored: its body as text, or as bytes, which go to PostgreSQL unchanged. If it is packed, the body
 * is a stand-in.
 */
export type NewAnswer = { httpStatus: number; body: string | Uint8Array; packed?: Uint8Array | null };

/** The progress of a running job, as far as it is known. */
export type Progress = {
  progress: number;
  stage: string | null;
  incumbent: number | null;
  bound: number | null;
  gap: number | null;
  iterations: number | null;
};

export const NOTHING_KNOWN: Readonly<Progress> = {
  progress: 0,
  stage: null,
  incumbent: null,
  bound: null,
  gap: null,
  iterations: null,
};

/**
 * Merges newly reported progress into the known progress of a job. Progress never falls. Known figures stay until newer
 * ones are reported, also in a later attempt, since its problem is the same. The gap is computed from the merged plan
 * cost and bound.
 */
export function learnProgress(known: Progress, reported: Progress): Progress {
  const incumbent = reported.incumbent ?? known.incumbent;
  const bound = reported.bound ?? known.bound;
  return {
    progress: Math.max(known.progress, reported.progress),
    stage: reported.stage ?? known.stage,
    incumbent,
    bound,
    gap: incumbent === null ? null : gapBetween(incumbent, bound ?? 0),
    iterations: reported.iterations ?? known.iterations,
  };
}

function gapBetween(incumbent: number, bound: number): number {
  return incumbent <= bound ? 0 : (incumbent - bound) / incumbent;
}

/**
 * Cancels a job: ends a queued one, marks a running one for its worker. One statement decides, on the newest version of
 * the row: a job that is claimed or given back at the same moment is not missed. A mark is never removed: whoever ends
 * the attempt or gives the job back ends it as cancelled (see `finishJob`).
 * @param answer stored if the job was queued
 * @returns undefined if the job has ended or does not exist
 */
export async function cancelJob(
  db: Queryable,
  jobId: string,
  answer: NewAnswer,
): Promise<'cancelled' | 'marked' | undefined> {
  const whereQueued = (value: SQL) => sql`case when ${jobs.status} = 'queued' then ${value} end`;
  const [row] = await db
    .update(jobs)
    .set({
      cancelRequested: true,
      status: sql`case when ${jobs.status} = 'queued' then 'cancelled' else ${jobs.status} end`,
      httpStatus: whereQueued(sql`${answer.httpStatus}::int`),
      result: whereQueued(sql`${answer.body}::json`),
      // Not the start of the statement, which may have waited for a worker that gives the job back.
      finishedAt: whereQueued(sql`clock_timestamp()`),
      retryAt: null,
    })
    .where(and(eq(jobs.jobId, jobId), isNull(jobs.finishedAt)))
    .returning({ status: jobs.status });
  return row && (row.status === 'cancelled' ? 'cancelled' : 'marked');
}

/** The answer of a job, or undefined if it has not ended or does not exist. */
export async function readAnswer(db: Database, jobId: string): Promise<JobAnswer | undefined> {
  const statement = sql`select http_status as "httpStatus", case when packed_result is null then result::text end as text
    from ${jobs} where job_id = ${jobId} and finished_at is not null`;
  type Row = { httpStatus: number; text: string | null };
  const [row] = await executePrepared<Row>(db, 'read_answer', statement);
  return row && { httpStatus: row.httpStatus, body: row.text ?? packedPieces(db, jobId, jobs.packedResult) };
}

type PackedColumn = typeof jobs.packedResult | typeof jobs.packedInput;

/** What is packed of a job: read once, unpacked by each who reads it. */
function packedPieces(db: Queryable, jobId: string, column: PackedColumn): AsyncIterable<Uint8Array> {
  let reading: Promise<Buffer> | undefined;
  return {
    async *[Symbol.asyncIterator]() {
      reading ??= readPacked(db, jobId, column);
      yield* unpackPieces(await reading);
    },
  };
}

async function readPacked(db: Queryable, jobId: string, column: PackedColumn): Promise<Buffer> {
  const [row] = await db.select({ packed: column }).from(jobs).where(eq(jobs.jobId, jobId));
  if (row?.packed) return row.packed;
  throw new Error(`what was packed of job ${jobId} was deleted while it was read`);
}

/** Packs the body of an answer if it is large and not packed yet. Errors stay as they are: lists show them. */
export async function packAnswer(answer: NewAnswer): Promise<NewAnswer> {
  const { httpStatus, body } = answer;
  if (httpStatus >= 400 || answer.packed) return answer;
  const { text, packed } = await packJson(body);
  return { httpStatus, body: text, packed };
}

/** The parent of a job's spans; undefined if it was not traced, or does not exist. */
export async function readTrace(db: Queryable, jobId: string): Promise<TraceContext | undefined> {
  const [row] = await db
    .select({ trace: sql<TraceContext | null>`${jobs.facts} -> 'trace'` })
    .from(jobs)
    .where(eq(jobs.jobId, jobId));
  return row?.trace ?? undefined;
}

/** The request of a job; undefined if the job does not exist, or its request is no longer kept. */
export async function readJobRequest(db: Queryable, jobId: string): Promise<JsonPieces | undefined> {
  const { input, packedInput } = jobs;
  const text = sql<string | null>`case when ${packedInput} is null then ${input}::text end`;
  const [row] = await db
    .select({ text, isKept: sql<boolean>`${input} is not null` })
    .from(jobs)
    .where(eq(jobs.jobId, jobId));
  return row?.isKept ? (row.text ?? packedPieces(db, jobId, packedInput)) : undefined;
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
  caller: jobs.caller,
  clientId: jobs.clientId,
  attempts: jobs.attempts,
  retryAt: jobs.retryAt,
  createdAt: jobs.createdAt,
  startedAt: jobs.startedAt,
  finishedAt: jobs.finishedAt,
  requestId: jobs.requestId,
  scheduleId: jobs.scheduleId,
  // Not a join: for a page of jobs the planner might read all plans.
  planId: sql<string | null>`(select p.plan_id from ${plans} p where p.job_id = ${jobs}.job_id)`,
};

/**
 * The job's record without its input and answer, or undefined.
 * @param owner only if it belongs to this owner; undefined: whomever it belongs to
 */
export async function readJob(db: Queryable, jobId: string, owner?: string) {
  const [row] = await db
    .select(jobColumns)
    .from(jobs)
    .where(and(eq(jobs.jobId, jobId), ownedBy(jobs.owner, owner)));
  return row;
}
export type JobRecord = NonNullable<Awaited<ReturnType<typeof readJob>>>;

export type JobFilter = {
  /** only those of this owner */
  owner?: string | undefined;
  kind?: JobKind | undefined;
  status?: JobStatus | undefined;
  solverStatus?: SolverStatus | undefined;
  scheduleId?: string | undefined;
  createdAfter?: string | undefined;
  createdBefore?: string | undefined;
};

/**
 * Jobs, newest first, without their inputs and answers.
 * @param before time and id of the last row of the previous page; new jobs do not shift the pages
 */
export async function readJobPage(
  db: Queryable,
  before: [createdAt: string, jobId: string] | null,
  limit: number,
  filter: JobFilter,
): Promise<JobRecord[]> {
  const { owner, kind, status, solverStatus, scheduleId, createdAfter, createdBefore } = filter;
  return db
    .select(jobColumns)
    .from(jobs)
    .where(
      and(
        ownedBy(jobs.owner, owner),
        kind && eq(jobs.kind, kind),
        status && eq(jobs.status, status),
        solverStatus && eq(jobs.solverStatus, solverStatus),
        scheduleId === undefined ? undefined : eq(jobs.scheduleId, scheduleId),
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

/** All attempts of the job, the first one first. */
export async function readAttempts(db: Queryable, jobId: string) {
  return db.select().from(jobAttempts).where(eq(jobAttempts.jobId, jobId)).orderBy(jobAttempts.attempt);
}
export type AttemptRecord = Awaited<ReturnType<typeof readAttempts>>[number];

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
