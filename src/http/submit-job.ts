import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import type { OptimizeRequest } from '../contracts/optimize.ts';
import { checkRequest, namedLocationIds } from '../core/optimize/check.ts';
import { type Conditions, findJobByIdempotencyKey, insertJob, readAdmission } from '../db/job-intake.ts';
import { AppError } from '../errors.ts';
import type { Deps } from './app.ts';

const RETRY_AFTER_SECONDS = 5;

/** A stored job; `enqueue` is there where this request made it. */
export type Submitted = { jobId: string; enqueue: (() => Promise<void>) | undefined };

/**
 * Stores an optimization job, or finds the one that an earlier request with the same idempotency key made.
 * Everything that can be wrong with the request is found before anything is stored.
 * @throws AppError VALIDATION_ERROR, IDEMPOTENCY_CONFLICT, SERVICE_UNAVAILABLE
 */
export async function submitJob(
  deps: Pick<Deps, 'config' | 'database' | 'queue'>,
  request: FastifyRequest,
  body: OptimizeRequest,
  idempotencyKey: string | null,
): Promise<Submitted> {
  const { db } = deps.database;
  const input = JSON.stringify(body);
  const inputHash = createHash('sha256').update(input).digest();
  if (idempotencyKey !== null) {
    const earlier = await findJobByIdempotencyKey(db, idempotencyKey);
    if (earlier) return replay(earlier, inputHash, idempotencyKey);
  }
  const locationIds = namedLocationIds(body);
  const conditions = {
    locationIds: body.network ? [] : locationIds,
    maxWaiting: deps.config.QUEUE_MAX_WAITING,
  };
  // Taken for granted here, and made sure of where the job is stored: that the locations are known, and room.
  if (checkRequest(body, new Set(locationIds)).length > 0 || !(await deps.queue.isReady())) {
    await admit(deps, body, conditions);
  }

  const job = {
    jobId: `opt_${uuidv7()}`,
    requestId: request.id,
    input,
    inputHash,
    idempotency:
      idempotencyKey === null
        ? null
        : { key: idempotencyKey, ttlSeconds: deps.config.IDEMPOTENCY_KEY_HOURS * 3600 },
    priority: body.options?.priority ?? 'normal',
    caller: readCaller(request),
    locationCount: body.network?.location_ids.length ?? locationIds.length,
    vehicleCount: body.fleet_state.vehicles.length,
  };
  let stored = await insertJob(db, job, conditions);
  while (!stored) {
    await admit(deps, body, conditions);
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
        message: `the Idempotency-Key "${key}" was used with another body; use a new key for a new request`,
        field: 'Idempotency-Key',
      },
    ]);
  }
  return { jobId: earlier.jobId, enqueue: undefined };
}

/** Refuses what is wrong with a request, and new work that could not be queued. Nothing has been stored. */
async function admit(
  { database, queue }: Pick<Deps, 'database' | 'queue'>,
  body: OptimizeRequest,
  conditions: Conditions,
): Promise<void> {
  const { knownIds, waiting } = await readAdmission(database.db, conditions);
  const faults = checkRequest(body, new Set(knownIds));
  if (faults.length > 0) throw new AppError('VALIDATION_ERROR', faults);
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
}
