import type { OptimizeFacts } from '../src/contracts/job-facts.ts';
import { readTargets } from '../src/db/job-previous.ts';
import type { JobRun } from './job-run.ts';

/** The previous plan of a job's request, as `readTargets` returns it; null if it names none. */
export async function previousOf(run: JobRun, { previousPlanId }: OptimizeFacts): Promise<string[] | null> {
  return previousPlanId === undefined ? null : run.query(() => readTargets(run.deps.db, run.job.jobId));
}
