import { AppError } from '../../src/answers/errors.ts';
import type { JobPriority } from '../../src/contracts/priorities.ts';
import { type ClaimedJob, claimJob, explainLostAttempt } from '../../src/db/jobs/job-claims.ts';
import type { QueueSpan } from '../../src/queue/telemetry.ts';
import { workOf } from '../kinds/kinds.ts';
import { type AttemptResult, type ClaimedJobState, finish, runningLimit, untilAvailable } from './end-job.ts';
import { type JobRunDeps, StoppedError, startRun } from './job-run.ts';
import { traceAttempt } from './job-trace.ts';
import { type Phases, startPhases } from './phases.ts';
import type { RunningJob } from './running-jobs.ts';

export type RunJobDeps = JobRunDeps & {
  /** the priority that goes first this time; null for the usual order */
  levelOrder: () => JobPriority | null;
};

/**
 * Handles one token: claims the next job → does the work of its kind → stores the outcome in one transaction →
 * announces the end.
 * @param token its span; undefined: no traces are sent
 */
export async function runJob(deps: RunJobDeps, token?: QueueSpan): Promise<void> {
  const { db, workerId, running } = deps;
  const first = deps.levelOrder();
  const claimed = await untilAvailable(deps, () => claimJob(db, workerId, first, runningLimit(deps.config)));
  // An extra token, or its job was cancelled: nothing to do.
  if (!claimed) return;
  const phases = startPhases();
  const entry = running.add(claimed);
  try {
    await workOn(deps, token, claimed, entry, phases);
  } finally {
    // Not before the end is stored: heartbeats continue while the database is unreachable.
    running.remove(entry);
  }
}

async function workOn(
  deps: RunJobDeps,
  token: QueueSpan | undefined,
  claimed: ClaimedJob,
  entry: RunningJob,
  phases: Phases,
) {
  const { facts, input, ...attempt } = claimed;
  const { jobId, requestId } = attempt;
  const span = deps.tracing && token && traceAttempt(deps.tracing, token, attempt, phases);
  const logger = deps.logger.child({
    ...{ job_id: jobId, request_id: requestId, attempt: attempt.attempt },
    ...(span && { trace_id: span.traceId }),
  });
  const job: ClaimedJobState = { ...attempt, solveTimeMs: 0, phases: phases.marks, span, logger };
  try {
    await carryOut(deps, job, { facts, input }, entry, phases);
  } finally {
    span?.end();
  }
}

async function carryOut(
  deps: RunJobDeps,
  job: ClaimedJobState,
  stored: Pick<ClaimedJob, 'facts' | 'input'>,
  entry: RunningJob,
  phases: Phases,
): Promise<void> {
  const { logger } = job;
  const outcome = await workOff(deps, job, stored, entry, phases);
  if (entry.stopReason === 'lost') {
    job.span?.fail('lost to another worker');
    logger.warn('job lost to another worker; result discarded');
    const reason =
      `worker ${deps.workerId} was frozen, cut off from PostgreSQL, or too busy to report that it was ` +
      'alive; its result was discarded';
    return untilAvailable(deps, () => explainLostAttempt(deps.db, job, reason));
  }
  if (outcome.outcome !== 'crashed' && outcome.outcome !== 'released') phases.enter('store');
  return finish(deps, job, outcome);
}

/** Does the work of the job's kind. @returns what it comes to; a stop becomes what it was made for */
async function workOff(
  deps: RunJobDeps,
  job: ClaimedJobState,
  stored: Pick<ClaimedJob, 'facts' | 'input'>,
  entry: RunningJob,
  phases: Phases,
): Promise<AttemptResult> {
  try {
    const working = workOf(job.kind)(startRun(deps, job, stored, entry, phases));
    job.logger.info('job started'); // after the work has begun
    return { outcome: 'completed', end: await working };
  } catch (error) {
    if (error instanceof AppError) return { outcome: 'failed', error };
    if (!(error instanceof StoppedError)) {
      // The thread died (out of memory, a crash), or our own code failed. Another attempt may succeed, up to the limit.
      job.logger.error({ err: error }, 'solve aborted');
      const reason = `the solve was aborted: ${error instanceof Error ? error.message : error}`;
      return { outcome: 'crashed', reason };
    }
  }
  if (entry.stopReason === 'shutdown')
    return { outcome: 'released', reason: `worker ${deps.workerId} was stopped` };
  if (entry.stopReason === 'cancel') return { outcome: 'cancelled' };
  const message =
    'the job did not end in time and was stopped; raise options.time_limit_seconds (optimizations, ' +
    'decisions and replays), or reduce the request';
  return { outcome: 'failed', error: new AppError('SOLVER_ERROR', message) };
}
