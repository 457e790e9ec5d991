import { AppError } from '../../answers/errors.ts';
import type { JobFacts } from '../../contracts/job-facts.ts';
import type { Queryable } from '../../db/client.ts';
import { hasPlan } from '../../db/jobs/job-previous.ts';

/**
 * Checks that the previous plan of a request is stored.
 * @param owner whom it must belong to; undefined: anybody
 * @throws AppError VALIDATION_ERROR
 */
export async function checkPreviousPlan(
  db: Queryable,
  facts: JobFacts,
  owner: string | undefined,
): Promise<void> {
  const planId = previousPlanOf(facts);
  if (planId === undefined || (await hasPlan(db, planId, owner))) return;
  const message = `plan "${planId}" is not stored; GET /api/v1/plans lists the stored plans`;
  throw new AppError('VALIDATION_ERROR', [{ field: 'options.previous_plan_id', message }]);
}

/** The id of the previous plan that a request names. */
export function previousPlanOf(facts: JobFacts): string | undefined {
  return 'previousPlanId' in facts ? facts.previousPlanId : undefined;
}
