import { findSilentJobs } from '../../src/db/jobs/job-claims.ts';
import { countClaimable, tidyTurns } from '../../src/db/jobs/turns.ts';
import { finish, runningLimit, type WorkerDeps } from '../run/end-job.ts';
import { traceTakeover } from '../run/job-trace.ts';

/** Maximum number of tokens added per sweep: enough work for the workers until the next sweep. */
const TOKENS_PER_SWEEP = 1000;

/**
 * Repairs the effects of crashes. Jobs whose worker has been silent for too long are tried again or failed. If more
 * jobs can be claimed than tokens wait in the queue, which may have lost them all, the missing tokens are added. Two
 * sweepers at the same moment may add twice as many: an extra token finds nothing to do.
 */
export async function sweep(deps: WorkerDeps): Promise<void> {
  // After a pause of its machine a worker may sweep before its heartbeat is due, and must not take its own jobs.
  await deps.running.beat(deps.db);
  for (const silent of await findSilentJobs(deps.db, deps.config.JOB_LOCK_SECONDS)) {
    const { silentSeconds, ...job } = silent;
    const { jobId, requestId, attempt, workerId } = job;
    const span = deps.tracing && traceTakeover(deps.tracing, job, silentSeconds);
    const logger = deps.logger.child({
      ...{ job_id: jobId, request_id: requestId, attempt },
      ...(span && { trace_id: span.traceId }),
    });
    const reason = `worker ${workerId} was silent for ${Math.round(silentSeconds)} s: it died, or lost its connection`;
    // A job that cannot be repaired must not keep the others waiting.
    const state = { ...job, solveTimeMs: 0, phases: [], span, logger };
    await finish(deps, state, { outcome: 'crashed', reason, isWorkerLost: true }).catch((err) =>
      logger.error({ err }, 'silent job not taken over'),
    );
    span?.end();
  }
  const limit = runningLimit(deps.config);
  await tidyTurns(deps.db, limit.lockSeconds);
  const claimable = await countClaimable(deps.db, TOKENS_PER_SWEEP, limit);
  if (claimable === 0) return;
  const missing = claimable - (await deps.queue.countWaiting());
  if (missing > 0) await deps.queue.enqueueMany(missing);
}
