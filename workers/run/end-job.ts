import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { cancelledAnswer } from '../../src/answers/envelope.ts';
import { AppError } from '../../src/answers/errors.ts';
import type { Config } from '../../src/config.ts';
import { type Database, isConflict, isDatabaseUnavailable } from '../../src/db/client.ts';
import {
  type AttemptEnd,
  type ClaimedJob,
  type Ending,
  finishJob,
  giveBackJob,
  isGivenBack,
  readFinishedJob,
} from '../../src/db/jobs/job-claims.ts';
import { type Progress, packAnswer } from '../../src/db/jobs/jobs.ts';
import { isHeldBack, type RunningLimit } from '../../src/db/jobs/turns.ts';
import type { NewPlan } from '../../src/db/plans/plans.ts';
import type { NewReplay } from '../../src/db/plans/replays.ts';
import type { PhaseMark } from '../../src/db/schema.ts';
import type { TraceSpan, Tracing } from '../../src/process/tracing.ts';
import type { EventBus } from '../../src/queue/event-bus.ts';
import type { JobQueue } from '../../src/queue/queue.ts';
import type { WorkerMetrics } from '../metrics.ts';
import { errorAnswer, smallAnswer } from './answer.ts';
import type { RunningJobs } from './running-jobs.ts';

export type WorkerDeps = {
  config: Config;
  workerId: string;
  db: Database;
  bus: EventBus;
  queue: JobQueue;
  running: RunningJobs;
  logger: Logger;
  /** undefined: the setting METRICS is off */
  metrics?: WorkerMetrics | undefined;
  /** undefined: the setting TRACING is off */
  tracing?: Tracing | undefined;
};

/** A claimed job that is about to end, with the data for its answer and the record of its attempt. */
export type ClaimedJobState = Omit<ClaimedJob, 'input' | 'facts'> & {
  solveTimeMs: number;
  phases: PhaseMark[];
  /** last progress reported; undefined: none yet */
  progress?: Progress | undefined;
  /** of this attempt; undefined: the setting TRACING is off */
  span?: TraceSpan | undefined;
  logger: Logger;
};

const RETRY_DATABASE_MS = 500;
/** Repetitions after a conflict, each after up to this time, so that two that meet do not meet again and again. */
const MAX_CONFLICTS = 10;
const RETRY_CONFLICT_MS = 50;
/** The delay doubles with each crash, up to this. */
const MAX_RETRY_DELAY_SECONDS = 3600;
/** A delayed token arrives this much after its job can be claimed, so it never comes too early. */
const TOKEN_MARGIN_SECONDS = 0.05;

/**
 * Stores the ending and its data if the job is still ours, then notifies all waiting callers. A job that was marked for
 * cancellation in the meantime ends as cancelled.
 */
export async function endJob(
  deps: WorkerDeps,
  job: ClaimedJobState,
  ending: Ending,
  end: Omit<AttemptEnd, 'phases'> = { outcome: ending.status, reason: null },
  made?: NewPlan | NewReplay,
): Promise<void> {
  if (await store(deps, job, ending, end, made)) return;
  if (await endCancelled(deps, job, end)) return;
  job.logger.warn('job lost to another worker; result discarded');
}

/**
 * Ends a job with a cancel mark as cancelled.
 * @param end how the attempt ended: a crash is recorded as a crash
 * @returns false if there is no mark, or if the job is not ours
 */
export function endCancelled(
  deps: WorkerDeps,
  job: ClaimedJobState,
  end: Omit<AttemptEnd, 'phases'>,
): Promise<boolean> {
  const { outcome, reason, isWorkerLost } = end;
  const isBrokenOff = outcome === 'crashed' || outcome === 'released';
  const answer = cancelledAnswer(job.requestId, job.jobId);
  const ending: Ending = { status: 'cancelled', solverStatus: null, answer };
  return store(deps, job, ending, { outcome: isBrokenOff ? outcome : 'cancelled', reason, isWorkerLost });
}

/** @returns false if the job is not ours, or if its cancel mark demands another end */
async function store(
  deps: WorkerDeps,
  job: ClaimedJobState,
  ending: Ending,
  end: Omit<AttemptEnd, 'phases'>,
  made?: NewPlan | NewReplay,
): Promise<boolean> {
  const attemptEnd = { ...end, phases: job.phases };
  const storing = job.span?.child('store answer');
  const answer = await packAnswer(ending.answer);
  const finished = await untilKnown(
    deps,
    () => finishJob(deps.db, job, { ...ending, answer, progress: job.progress }, attemptEnd, made),
    () => readFinishedJob(deps.db, job, ending, attemptEnd),
  );
  storing?.set({ 'fleet.stored': finished !== null });
  storing?.end();
  if (!finished) return false;
  describeEnd(job.span, end);
  const { status, solverStatus } = ending;
  // Waiting callers are notified first.
  const announced = deps.bus
    .publish({ type: 'ended', job_id: job.jobId, answer: smallAnswer(answer), trace: job.span?.context })
    .catch((err) => job.logger.warn({ err }, 'not announced'));
  job.logger.info(
    { status, solver_status: solverStatus, http_status: answer.httpStatus, solve_time_ms: job.solveTimeMs },
    'job ended',
  );
  deps.metrics?.jobEnded({
    ...finished,
    ...{ kind: job.kind, status, solverStatus, solveTimeMs: job.solveTimeMs },
    certificate: made && 'planId' in made ? made.record.certificate : null,
  });
  deps.metrics?.attemptEnded(job.kind, attemptEnd, finished.attemptSeconds);
  await Promise.all([announced, wakeHeldBack(deps, job)]);
  return true;
}

/** Ends a job as failed. For reasons that would recur, so it is not tried again. */
export function failJob(deps: WorkerDeps, job: ClaimedJobState, error: AppError): Promise<void> {
  const reason = error.faults[0].message;
  return endJob(deps, job, failure(job, error), { outcome: 'failed', reason });
}

/** Whether a crash of this attempt would end the job. */
export function isLastAttempt(
  { JOB_MAX_ATTEMPTS }: Config,
  { crashes }: Pick<ClaimedJobState, 'crashes'>,
): boolean {
  return crashes + 1 >= JOB_MAX_ATTEMPTS;
}

/**
 * Handles the death of a worker or of its solver thread. The job returns to the queue, with a delay that doubles with
 * each crash. At the limit it fails: a job that kills every worker must not circulate forever.
 * @param isWorkerLost the worker of the job is another one, which is silent
 */
export async function retryOrFail(
  deps: WorkerDeps,
  job: ClaimedJobState,
  reason: string,
  isWorkerLost = false,
): Promise<void> {
  const { JOB_RETRY_DELAY_SECONDS } = deps.config;
  if (isLastAttempt(deps.config, job)) {
    const message =
      `the job was started ${job.crashes + 1} times and crashed each time, most recently: ${reason}; the ` +
      'worker log has the details';
    return endJob(deps, job, failure(job, new AppError('INTERNAL_ERROR', message)), {
      outcome: 'crashed',
      reason,
      isWorkerLost,
    });
  }
  const delaySeconds = Math.min(JOB_RETRY_DELAY_SECONDS * 2 ** job.crashes, MAX_RETRY_DELAY_SECONDS);
  await giveBack(deps, job, { outcome: 'crashed', reason, phases: job.phases, isWorkerLost }, delaySeconds);
}

/** Returns a job to the queue and announces it at once; a job marked for cancellation ends here. */
export async function giveBack(
  deps: WorkerDeps,
  job: ClaimedJobState,
  end: AttemptEnd,
  delaySeconds: number,
) {
  const isReturned = await untilKnown(
    deps,
    () => giveBackJob(deps.db, job, end, delaySeconds),
    () => isGivenBack(deps.db, job, end),
  );
  if (!isReturned) {
    await endCancelled(deps, job, end);
    return;
  }
  describeEnd(job.span, end);
  job.logger.warn({ reason: end.reason, delay_seconds: delaySeconds }, 'job released');
  deps.metrics?.attemptEnded(job.kind, end, null);
  // If the queue is unreachable, a sweeper finds the job.
  await deps.queue
    .enqueue(delaySeconds > 0 ? delaySeconds + TOKEN_MARGIN_SECONDS : 0)
    .catch((err) => job.logger.warn({ err }, 'job released, but not enqueued yet'));
  await wakeHeldBack(deps, job);
}

function describeEnd(span: TraceSpan | undefined, { outcome, reason }: Omit<AttemptEnd, 'phases'>): void {
  span?.set({ 'fleet.job.outcome': outcome });
  if (outcome === 'failed' || outcome === 'crashed') span?.fail(reason ?? undefined);
}

/** Announces a waiting job of the caller that only the caller's limit held back. If this fails, a sweeper finds it. */
async function wakeHeldBack({ db, queue, config }: WorkerDeps, job: ClaimedJobState): Promise<void> {
  try {
    if (await isHeldBack(db, job.jobId, runningLimit(config))) await queue.enqueue();
  } catch (err) {
    job.logger.warn({ err }, 'jobs held back by the limit of their caller are not enqueued yet');
  }
}

/** How many jobs of one caller may run at once. */
export function runningLimit(config: Config): RunningLimit {
  return { runningPerCaller: config.JOBS_RUNNING_PER_CALLER ?? null, lockSeconds: config.JOB_LOCK_SECONDS };
}

function failure(job: ClaimedJobState, error: AppError): Ending {
  return { status: 'failed', solverStatus: 'error', answer: errorAnswer(job, error.items()) };
}

/**
 * Repeats a change, as `untilAvailable` does, until it is known whether it was made: an earlier try may have made it,
 * and lost its connection before it knew.
 * @param read what such a try would have given
 */
function untilKnown<T>(
  deps: Pick<WorkerDeps, 'running'>,
  change: () => Promise<T>,
  read: () => Promise<T>,
): Promise<T> {
  let tries = 0;
  return untilAvailable(deps, async () => {
    const isFirst = tries++ === 0;
    const made = await change();
    return made || isFirst ? made : await read();
  });
}

/**
 * Repeats a query or a transaction while the database is unreachable, and a few times if it was undone for another one:
 * neither a restart of the database nor a deadlock may cost a token, the result of a solve, or an attempt of the job.
 * After the time limit of a shutdown it waits for the database no longer.
 */
export async function untilAvailable<T>(
  { running }: Pick<WorkerDeps, 'running'>,
  query: () => Promise<T>,
): Promise<T> {
  for (let conflicts = 0; ; ) {
    try {
      return await query();
    } catch (error) {
      if (isConflict(error) && conflicts++ < MAX_CONFLICTS) await delay(Math.random() * RETRY_CONFLICT_MS);
      else if (isDatabaseUnavailable(error) && !running.isStopped()) await delay(RETRY_DATABASE_MS);
      else throw error;
    }
  }
}
