import type { FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../../answers/errors.ts';
import { JOB_KINDS, JOB_PREFIXES, type JobKind } from '../../contracts/jobs.ts';
import {
  type Conditions,
  findJobByIdempotencyKey,
  insertJob,
  type NewJob,
  readAdmission,
} from '../../db/jobs/job-intake.ts';
import { readCaller } from '../auth/caller.ts';
import { onlyOwner } from '../auth/identity.ts';
import type { ReceivedBody } from '../bodies/intake.ts';
import { previousPlanOf } from '../decisions/previous-plan-check.ts';
import type { App, Deps } from '../deps.ts';
import { noteMade } from '../service/audit.ts';

const RETRY_AFTER_SECONDS = 5;

/** The body of a request that becomes a job. It fits the schema of its route. */
export type JobBody = ReceivedBody<JobKind>;

/** The size of a job, from which its duration is estimated. */
export type JobSize = { locationCount: number; vehicleCount: number };

/** The checks of a request beyond its schema. */
export type JobCheck = {
  /** locations that must be stored */
  locationIds: readonly number[];
  /**
   * Checks what the schema cannot express, and throws; returns the size of the job.
   * @param known the stored ones among the locations
   */
  check(known: ReadonlySet<number>): JobSize | Promise<JobSize>;
};

type SubmitDeps = Pick<Deps, 'config' | 'database' | 'queue' | 'queueRoom'>;

/** A stored job. `enqueue` exists if this request made it. */
export type Submitted = { jobId: string; enqueue: (() => Promise<void>) | undefined };

/**
 * Stores a job, or finds the one that an earlier request with the same idempotency key made. All faults of the request
 * are found before anything is stored.
 * @throws AppError IDEMPOTENCY_CONFLICT, RATE_LIMITED, SERVICE_UNAVAILABLE, and the errors of the check
 */
export async function submitJob(
  deps: SubmitDeps,
  request: FastifyRequest,
  kind: JobKind,
  body: JobBody,
  checks: JobCheck,
): Promise<Submitted> {
  const { db } = deps.database;
  const { input, columns, inputHash, priority } = body.facts;
  const header = request.headers['idempotency-key'];
  const { owner } = request.identity;
  const given = typeof header === 'string' ? header : null;
  // A key of one caller says nothing about those of others. A header has no line feed.
  const idempotencyKey = given !== null && owner !== null ? `${owner}\n${given}` : given;
  if (idempotencyKey !== null) {
    const earlier = await findJobByIdempotencyKey(db, idempotencyKey);
    if (earlier) return replay(earlier, inputHash, given ?? '');
    deps.queueRoom.check();
  }
  const { locationIds, check } = checks;
  const previousPlanId = previousPlanOf(body.facts.facts);
  const who = readCaller(request);
  const { QUEUE_MAX_WAITING: maxWaiting, JOBS_WAITING_PER_CALLER: max } = deps.config;
  const bytes = input.length;
  const conditions = {
    locationIds,
    maxWaiting,
    previousPlanId,
    planOwner: onlyOwner(request.identity),
    maxWaitingOfCaller: max === undefined ? undefined : { caller: who.caller, max },
    bytesOfCaller: { caller: who.caller, body: bytes, max: deps.config.JOBS_BYTES_PER_CALLER },
  };
  // Assumed here, and checked by the statement that stores the job: all locations are stored, and the queue has room.
  const size = (await deps.queue.isReady())
    ? await (async () => check(new Set(locationIds)))().catch(() => admit(deps, checks, conditions))
    : await admit(deps, checks, conditions);

  const jobId = `${JOB_PREFIXES[kind]}_${uuidv7()}`;
  const job = {
    jobId,
    kind,
    requestId: request.id,
    input,
    columns,
    inputHash,
    idempotency:
      idempotencyKey === null
        ? null
        : { key: idempotencyKey, ttlSeconds: deps.config.IDEMPOTENCY_KEY_HOURS * 3600 },
    priority,
    ...who,
    owner,
    facts: body.facts.facts,
    trace: request.trace?.context,
    ...size,
  };
  const storing = request.trace?.child('store job', { attributes: { 'fleet.job.kind': kind } });
  const stored = await store(deps, job, checks, conditions);
  request.trace?.set({ 'fleet.job.id': stored.jobId });
  storing?.end();
  noteMade(request, { jobId: stored.jobId });
  body.release();
  if (!stored.created) return replay(stored, inputHash, given ?? '');
  return {
    jobId,
    // The job is stored, so it is accepted. If the queue fails now, a worker's sweeper enqueues it.
    enqueue: async () => {
      const enqueueing = request.trace?.child('enqueue job');
      const enqueued = deps.queue.enqueue(0, enqueueing);
      request.log.info({ job_id: jobId, bytes }, 'job stored');
      await enqueued.catch((err) => {
        enqueueing?.fail('not enqueued yet');
        request.log.error({ err, job_id: jobId }, 'job not enqueued yet');
      });
      enqueueing?.end();
    },
  };
}

/** Stores a job when its turn has come, or finds the earlier one with its key. */
async function store(deps: SubmitDeps, job: NewJob, checks: JobCheck, conditions: Conditions) {
  return deps.queueRoom.store(job.caller, async () => {
    deps.queueRoom.check();
    let stored = await insertJob(deps.database.db, job, conditions);
    while (!stored) {
      await admit(deps, checks, conditions);
      stored = await insertJob(deps.database.db, job, conditions);
    }
    return stored;
  });
}

function replay(
  earlier: { jobId: string; inputHash: Uint8Array },
  inputHash: Uint8Array,
  key: string,
): Submitted {
  if (Buffer.compare(earlier.inputHash, inputHash) !== 0) {
    throw new AppError('IDEMPOTENCY_CONFLICT', [
      {
        message:
          `the Idempotency-Key "${key}" was used with another body or operation; use a new key for a new ` +
          'request',
        field: 'Idempotency-Key',
      },
    ]);
  }
  return { jobId: earlier.jobId, enqueue: undefined };
}

/** Refuses a faulty request, or new work that could not be queued, before anything is stored. */
async function admit(
  { database, queue, queueRoom }: SubmitDeps,
  { check }: JobCheck,
  conditions: Conditions,
): Promise<JobSize> {
  const { knownIds, waiting, waitingOfCaller, bytesOfCaller, secondsOfToday } = await readAdmission(
    database.db,
    conditions,
  );
  const size = await check(new Set(knownIds));
  if (!(await queue.isReady())) {
    throw new AppError('SERVICE_UNAVAILABLE', 'the queue cannot be reached; try again', RETRY_AFTER_SECONDS);
  }
  if (waiting >= conditions.maxWaiting) throw queueRoom.noteFull();
  const own = conditions.maxWaitingOfCaller;
  if (own && waitingOfCaller >= own.max) {
    throw new AppError(
      'RATE_LIMITED',
      `${own.max} of your jobs are waiting, which is the limit per caller (setting JOBS_WAITING_PER_CALLER); ` +
        'wait for one to start, or cancel one',
      RETRY_AFTER_SECONDS,
    );
  }
  const bytes = conditions.bytesOfCaller;
  if (bytes && bytesOfCaller + bytes.body > bytes.max) {
    throw new AppError(
      'RATE_LIMITED',
      `this body has ${bytes.body} bytes and your bodies of today (UTC) ${bytesOfCaller}, together more than ` +
        `${bytes.max}, the limit per caller and day; store the fleet and refer to it by ` +
        'POST /api/v1/decisions, or wait for the next day',
      secondsOfToday,
    );
  }
  return size;
}

/**
 * Refuses calls that would make a job before their body is read, while the queue is full: bodies would use up the
 * process. A call with an `Idempotency-Key` is read, since its job may be stored already.
 */
export function refuseWhileFull(app: App, { queueRoom }: Pick<Deps, 'queueRoom'>): void {
  const kinds: readonly (string | undefined)[] = JOB_KINDS;
  app.addHook('onRequest', async (request) => {
    const makesJob = kinds.includes(request.routeOptions.config.operation);
    if (makesJob && request.headers['idempotency-key'] === undefined) queueRoom.check();
  });
}
