import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { JOB_PREFIXES, type JobKind } from '../contracts/jobs.ts';
import type { JobPriority } from '../contracts/priorities.ts';
import { type Conditions, findJobByIdempotencyKey, insertJob, readAdmission } from '../db/job-intake.ts';
import { AppError } from '../errors.ts';
import type { Deps } from './app.ts';

const RETRY_AFTER_SECONDS = 5;

/** The body of a request that becomes a job; the schema of its route has passed it. */
export type JobBody = { options?: { priority?: JobPriority } };

/** What estimates of jobs go by. */
export type JobSize = { locationCount: number; vehicleCount: number };

/** What has to be right with a request beyond its schema. */
export type JobCheck = {
  /** locations that have to be stored */
  locationIds: readonly number[];
  /**
   * Looks at what the schema cannot say, and throws; tells the size of the job.
   * @param known those of the locations that are stored
   */
  check(known: ReadonlySet<number>): JobSize | Promise<JobSize>;
};

/** A stored job; `enqueue` is there where this request made it. */
export type Submitted = { jobId: string; enqueue: (() => Promise<void>) | undefined };

/**
 * Stores a job, or finds the one that an earlier request with the same idempotency key made.
 * Everything that can be wrong with the request is found before anything is stored.
 * @throws AppError IDEMPOTENCY_CONFLICT, SERVICE_UNAVAILABLE, and what the check throws
 */
export async function submitJob(
  deps: Pick<Deps, 'config' | 'database' | 'queue'>,
  request: FastifyRequest,
  kind: JobKind,
  body: JobBody,
  checks: JobCheck,
): Promise<Submitted> {
  const { db } = deps.database;
  const input = JSON.stringify(body);
  const inputHash = fingerprint(kind, input);
  const header = request.headers['idempotency-key'];
  const idempotencyKey = typeof header === 'string' ? header : null;
  if (idempotencyKey !== null) {
    const earlier = await findJobByIdempotencyKey(db, idempotencyKey);
    if (earlier) return replay(earlier, inputHash, idempotencyKey);
  }
  const { locationIds, check } = checks;
  const conditions = { locationIds, maxWaiting: deps.config.QUEUE_MAX_WAITING };
  // Taken for granted here, and made sure of where the job is stored: that the locations are known, and room.
  const size = (await deps.queue.isReady())
    ? await (async () => check(new Set(locationIds)))().catch(() => admit(deps, checks, conditions))
    : await admit(deps, checks, conditions);

  const job = {
    jobId: `${JOB_PREFIXES[kind]}_${uuidv7()}`,
    kind,
    requestId: request.id,
    input,
    inputHash,
    idempotency:
      idempotencyKey === null
        ? null
        : { key: idempotencyKey, ttlSeconds: deps.config.IDEMPOTENCY_KEY_HOURS * 3600 },
    priority: body.options?.priority ?? 'normal',
    caller: readCaller(request),
    ...size,
  };
  let stored = await insertJob(db, job, conditions);
  while (!stored) {
    await admit(deps, checks, conditions);
    stored = await insertJob(db, job, conditions);
  }
  if (!stored.created) return replay(stored, inputHash, idempotencyKey ?? '');
  return {
    jobId: job.jobId,
    // The job is stored, so it is accepted: should the queue fail now, a worker's sweeper enqueues it.
    enqueue: async () => {
      const enqueued = deps.queue.enqueue();
      request.log.info({ job_id: job.jobId, bytes: input.length }, 'job stored');
      await enqueued.catch((err) => request.log.error({ err, job_id: job.jobId }, 'job not enqueued yet'));
    },
  };
}

/** Of the body, and of what is asked for; of an optimization the body alone, as keys of earlier versions have it. */
function fingerprint(kind: JobKind, input: string): Buffer {
  const hash = createHash('sha256');
  if (kind !== 'optimize') hash.update(`${kind}\n`);
  return hash.update(input).digest();
}

/**
 * Who takes turns with whom: the client that names itself, else the address of the connection. `X-Forwarded-For` is
 * not read: anybody can write it, and would then take as many turns as there are addresses.
 */
function readCaller(request: FastifyRequest): string {
  const clientId = request.headers['x-client-id'];
  if (typeof clientId === 'string') return clientId;
  // There is none any more where the caller has hung up, whatever its type says.
  return (request.ip as string | undefined) ?? 'unknown';
}

function replay(earlier: { jobId: string; inputHash: Buffer }, inputHash: Buffer, key: string): Submitted {
  if (!earlier.inputHash.equals(inputHash)) {
    throw new AppError('IDEMPOTENCY_CONFLICT', [
      {
        message: `the Idempotency-Key "${key}" was used with another body or operation; use a new key for a new request`,
        field: 'Idempotency-Key',
      },
    ]);
  }
  return { jobId: earlier.jobId, enqueue: undefined };
}

/** Refuses what is wrong with a request, and new work that could not be queued. Nothing has been stored. */
async function admit(
  { database, queue }: Pick<Deps, 'database' | 'queue'>,
  { check }: JobCheck,
  conditions: Conditions,
): Promise<JobSize> {
  const { knownIds, waiting } = await readAdmission(database.db, conditions);
  const size = await check(new Set(knownIds));
  if (!(await queue.isReady())) {
    throw new AppError('SERVICE_UNAVAILABLE', 'the queue cannot be reached; try again', RETRY_AFTER_SECONDS);
  }
  const limit = conditions.maxWaiting;
  if (waiting >= limit) {
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `${limit} jobs are waiting, which is the limit (setting QUEUE_MAX_WAITING); try again later`,
      RETRY_AFTER_SECONDS,
    );
  }
  return size;
}
