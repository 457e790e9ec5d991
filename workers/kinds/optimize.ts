import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../../src/answers/errors.ts';
import { DEFAULT_SPEED_KMH } from '../../src/contracts/bounds.ts';
import type { OptimizeFacts } from '../../src/contracts/job-facts.ts';
import type { OptimizeSettings } from '../../src/core/optimize/problem/model.ts';
import { optimizeSettings } from '../../src/inputs/settings.ts';
import { errorAnswer, planAnswer } from '../run/answer.ts';
import type { ClaimedJobState, JobEnd } from '../run/end-job.ts';
import { type JobWork, threadFault } from '../run/job-run.ts';
import type { PackedOutcome } from '../run/job-thread.ts';
import { previousOf } from '../run/previous.ts';
import { travelOf } from '../run/travel.ts';
import { tripsOf } from '../run/trip-counts.ts';

/** Finds the cheapest plan for a request. */
export const runOptimize: JobWork<'optimize'> = async (run) => {
  const { deps, job } = run;
  const settings = optimizeSettings(deps.config);
  const { facts } = run;
  const limitSeconds = solveLimit(facts, settings);
  const input = await run.input();
  const travel = await travelOf(run, facts.storedTravel, input.locations);
  const previous = await previousOf(run, facts);
  const trips = await tripsOf(run, facts, input.locations, 'demand_forecast');
  const task = { ...input, travel, previous, trips, settings };
  const outcome = await run.inThread('optimize', task, { limitSeconds });
  return planEnd(job, facts, outcome);
};

/** Seconds that the solver may take. */
export function solveLimit({ timeLimitSeconds }: OptimizeFacts, settings: OptimizeSettings): number {
  return Math.min(timeLimitSeconds ?? settings.timeLimitSeconds, settings.maxTimeLimitSeconds);
}

/**
 * The end of a job that was to find a plan.
 * @param around JSON text before and after the plan in the `data` of the answer; default: none
 * @throws AppError VALIDATION_ERROR if the optimizer refuses the request, SOLVER_ERROR if it finds no plan; Error if it
 * fails
 */
export async function planEnd(
  job: ClaimedJobState,
  { speedKmh = DEFAULT_SPEED_KMH }: OptimizeFacts,
  outcome: Exclude<PackedOutcome, { status: 'cancelled' }>,
  around?: readonly [before: string, after: string],
): Promise<JobEnd> {
  switch (outcome.status) {
    case 'optimal':
    case 'feasible': {
      const planId = `plan_${uuidv7()}`;
      const { jobId, solveTimeMs } = job;
      return {
        solverStatus: outcome.status,
        answer: await planAnswer({ ...job, planId }, outcome.plan, around),
        plan: { planId, jobId, solveTimeMs, speedKmh, record: outcome.record },
      };
    }
    case 'infeasible':
      return { solverStatus: 'infeasible', answer: errorAnswer(job, outcome.errors) };
    case 'refused':
      throw new AppError('VALIDATION_ERROR', outcome.faults);
    case 'error':
      if (outcome.stack) throw threadFault(outcome.message, outcome.stack);
      throw new AppError('SOLVER_ERROR', outcome.message);
  }
}
