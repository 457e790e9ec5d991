import type { Config } from '../src/config.ts';
import type { Database } from '../src/db/client.ts';
import { findStrandedJobs } from '../src/db/jobs.ts';
import type { JobQueue } from '../src/queue/queue.ts';

/** Jobs enqueued again per sweep, oldest first: they are the next to run; the others follow as these are done. */
const JOBS_PER_SWEEP = 100;

/**
 * Enqueues again what PostgreSQL says is to be done and nobody does: jobs that the queue lost, and jobs of dead
 * workers. A job that is in the queue after all stays there once, and a claim decides between two deliveries.
 * @returns how many jobs were looked after
 */
export async function sweep(
  db: Database,
  queue: JobQueue,
  config: Pick<Config, 'SWEEP_INTERVAL_SECONDS' | 'JOB_LOCK_SECONDS'>,
): Promise<number> {
  const stranded = await findStrandedJobs(db, {
    // A job younger than this is probably being enqueued at this moment.
    graceSeconds: config.SWEEP_INTERVAL_SECONDS,
    lockSeconds: config.JOB_LOCK_SECONDS,
    limit: JOBS_PER_SWEEP,
  });
  for (const job of stranded) await queue.enqueue(job);
  return stranded.length;
}
