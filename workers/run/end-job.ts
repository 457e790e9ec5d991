import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { cancelledAnswer } from '../../src/answers/envelope.ts';
import { AppError } from '../../src/answers/errors.ts';
import type { Config } from '../../src/config.ts';
import type { SolverStatus } from '../../src/contracts/optimize.ts';
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
import { type NewAnswer, type Progress, packAnswer } from '../../src/db/jobs/jobs.ts';
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

/** The end of a job whose work was done, infeasible ones included. Failures are thrown. */
export type JobEnd = {
  solverStatus: SolverStatus | null;
  answer: NewAnswer;
  /** stored by the statement that ends the job, as a replay is */
  plan?: NewPlan;
  replay?: NewReplay;
};

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
  /** undefined: no traces are sent */
  tracing?: Tracing | undefined;
};

/** A claimed job that is about to end, with the data for its answer and the record of its attempt. */
export type ClaimedJobState = Omit<ClaimedJob, 'input' | 'facts'> & {
  solveTimeMs: number;
  phases: PhaseMark[];
  /** last progress reported; undefined: none yet */
  progress?: Progress | undefined;
  /** of this attempt; undefined: no traces are sent */
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

/** How an attempt ends. */
export type AttemptResult =
  | { outcome: 'completed'; end: JobEnd }
  /** for a reason that would recur, so the job is not tried again */
  | { outcome: 'failed'; error: AppError }
  /** the worker or its thread died; `isWorkerLost`: the worker of the job is another one, which is silent */
  | { outcome: 'crashed'; reason: string; isWorkerLost?: boolean }
  /** the worker stopped for reasons of its own, which do not count against the job */
  | { outcome: 'released'; reason: string }
  | { outcome: 'cancelled' };

/**
 * Ends an attempt, if the job is still ours: stores the job's end with its data and notifies all waiting callers, or
 * returns the job to the queue. A job that was marked for cancellation in the meantime ends as cancelled. A job that
 * crashed comes back after a delay, which doubles with each crash. At the limit it fails: a job that kills every worker
 * must not circulate forever.
 */
export async function finish(deps: WorkerDeps, job: ClaimedJobState, outcome: AttemptResult): Promise<void> {
  const end = attemptEndOf(job, outcome);
  const delaySeconds = delayOf(deps.config, job, outcome);
  const isEnded =
    delaySeconds !== null
      ? await giveBack(deps, job, end, delaySeconds)
      : outcome.outcome !== 'cancelled' && (await store(deps, job, endingOf(job, outcome), end));
  if (isEnded) return;
  const answer = cancelledAnswer(job.requestId, job.jobId);
  const isBrokenOff = end.outcome === 'crashed' || end.outcome === 'released';
  const cancelled: AttemptEnd = isBrokenOff ? end : { ...end, outcome: 'cancelled' };
  if (await store(deps, job, { status: 'cancelled', solverStatus: null, answer }, cancelled)) return;
  job.logger.warn('job lost to another worker; its end is discarded');
}

function attemptEndOf({ phases }: ClaimedJobState, outcome: AttemptResult): AttemptEnd {
  const isWorkerLost = outcome.outcome === 'crashed' && outcome.isWorkerLost === true;
  const reason =
    outcome.outcome === 'failed'
      ? outcome.error.faults[0].message
      : 'reason' in outcome
        ? outcome.reason
        : null;
  return { outcome: outcome.outcome, reason, isWorkerLost, phases };
}

/** After how many seconds the job can be claimed again; null: it ends. */
function delayOf(config: Config, job: ClaimedJobState, { outcome }: AttemptResult): number | null {
  if (outcome === 'released') return 0;
  if (outcome !== 'crashed' || isLastAttempt(config, job)) return null;
  return Math.min(config.JOB_RETRY_DELAY_SECONDS * 2 ** job.crashes, MAX_RETRY_DELAY_SECONDS);
}

type Made = { plan?: NewPlan | undefined; replay?: NewReplay | undefined };

function endingOf(
  job: ClaimedJobState,
  outcome: Exclude<AttemptResult, { outcome: 'cancelled' }>,
): Ending & Made {
  if (outcome.outcome === 'completed') return { status: 'completed', ...outcome.end };
  const error =
    outcome.outcome === 'failed'
      ? outcome.error
      : new AppError(
          'INTERNAL_ERROR',
          `the job was started ${job.crashes + 1} times and crashed each time, most recently: ${outcome.reason}; the ` +
            'worker log has the details',
        );
  return { status: 'failed', solverStatus: 'error', answer: errorAnswer(job, error.items()) };
}

/** @returns false if the job is not ours, or if its cancel mark demands another end */
async function store(
  deps: WorkerDeps,
  job: ClaimedJobState,
  { plan, replay, ...ending }: Ending & Made,
  end: AttemptEnd,
): Promise<boolean> {
  const storing = job.span?.child('store answer');
  const answer = await packAnswer(ending.answer);
  const finished = await untilKnown(
    deps,
    () => finishJob(deps.db, job, { ...ending, answer, progress: job.progress }, end, plan ?? replay),
    () => readFinishedJob(deps.db, job, ending, end),
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
    certificate: plan?.record.certificate ?? null,
  });
  deps.metrics?.attemptEnded(job.kind, end, finished.attemptSeconds);
  await Promise.all([announced, wakeHeldBack(deps, job)]);
  return true;
}

/** Whether a crash of this attempt would end the job. */
export function isLastAttempt(
  { JOB_MAX_ATTEMPTS }: Config,
  { crashes }: Pick<ClaimedJobState, 'crashes'>,
): boolean {
  return crashes + 1 >= JOB_MAX_ATTEMPTS;
}

/** Returns a job to the queue and announces it at once. @returns false as of `store` */
async function giveBack(
  deps: WorkerDeps,
  job: ClaimedJobState,
  end: AttemptEnd,
  delaySeconds: number,
): Promise<boolean> {
  const isReturned = await untilKnown(
    deps,
    () => giveBackJob(deps.db, job, end, delaySeconds),
    () => isGivenBack(deps.db, job, end),
  );
  if (!isReturned) return false;
  describeEnd(job.span, end);
  job.logger.warn({ reason: end.reason, delay_seconds: delaySeconds }, 'job released');
  deps.metrics?.attemptEnded(job.kind, end, null);
  // If the queue is unreachable, a sweeper finds the job.
  await deps.queue
    .enqueue(delaySeconds > 0 ? delaySeconds + TOKEN_MARGIN_SECONDS : 0)
    .catch((err) => job.logger.warn({ err }, 'job released, but not enqueued yet'));
  await wakeHeldBack(deps, job);
  return true;
}

function describeEnd(span: TraceSpan | undefined, { outcome, reason }: AttemptEnd): void {
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
