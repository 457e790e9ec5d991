import { AppError } from '../../src/answers/errors.ts';
import type { OptimizeFacts } from '../../src/contracts/job-facts.ts';
import { readTargets } from '../../src/db/jobs/job-previous.ts';
import type { JobRun } from './job-run.ts';

/**
 * The previous plan of a job's request, as `readTargets` returns it; null if it names none.
 * @throws AppError VALIDATION_ERROR if it was no longer stored when a schedule made the job
 */
export async function previousOf(
  run: JobRun,
  { previousPlanId, isPreviousPlanGone }: OptimizeFacts,
): Promise<string[] | null> {
  if (previousPlanId === undefined) return null;
  if (!isPreviousPlanGone) return run.query(() => readTargets(run.deps.db, run.job.jobId));
  const message =
    `plan "${previousPlanId}" is no longer stored; change the decision of the schedule to name another one, or ` +
    '"last", its own newest plan';
  throw new AppError('VALIDATION_ERROR', [{ field: 'options.previous_plan_id', message }]);
}
