import { findSilentJobs } from '../src/db/job-claims.ts';
import { countClaimable, tidyTurns } from '../src/db/turns.ts';
import { retryOrFail, runningLimit, type WorkerDeps } from './end-job.ts';

/** Tokens added per sweep at most: the workers have enough to do until the next one. */
const TOKENS_PER_SWEEP = 1000;

/**
 * Makes good what a crash left behind: jobs whose worker has been silent for too long are tried again or failed,
 * and where more jobs can be claimed than tokens wait in the queue, which may have lost them all, the missing ones
 * are added. Two sweepers at the same moment may add twice as many: a token too many finds nothing to do.
 */
export async function sweep(deps: WorkerDeps): Promise<void> {
  for (const silent of await findSilentJobs(deps.db, deps.config.JOB_LOCK_SECONDS)) {
    const { silentSeconds, ...job } = silent;
    const { jobId, requestId, attempt, workerId } = job;
    const logger = deps.logger.child({ job_id: jobId, request_id: requestId, attempt });
    const reason = `worker ${workerId} was silent for ${Math.round(silentSeconds)} s: it died, or lost its connection`;
    // One that cannot be put right must not keep the others waiting.
    await retryOrFail(deps, { ...job, solveTimeMs: 0, phases: [], logger }, reason).catch((err) =>
      logger.error({ err }, 'silent job not taken over'),
    );
  }
  const limit = runningLimit(deps.config);
  await tidyTurns(deps.db, limit.lockSeconds);
  const claimable = await countClaimable(deps.db, TOKENS_PER_SWEEP, limit);
  if (claimable === 0) return;
  const missing = claimable - (await deps.queue.countWaiting());
  if (missing > 0) await deps.queue.enqueueMany(missing);
}
