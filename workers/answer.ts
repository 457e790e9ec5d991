import { metadata } from '../src/answers/envelope.ts';
import type { ErrorItem } from '../src/contracts/envelope.ts';
import { ERROR_STATUS } from '../src/contracts/errors.ts';
import type { JobAnswer } from '../src/db/jobs.ts';

type Solved = { requestId: string; jobId: string; solveTimeMs: number };

/** The answer of a job with a plan. @param data JSON text */
export function planAnswer(job: Solved & { planId: string }, data: string): JobAnswer {
  const about = {
    ...metadata(job.requestId),
    solve_time_ms: job.solveTimeMs,
    job_id: job.jobId,
    plan_id: job.planId,
  };
  return { httpStatus: 200, body: `{"status":"success","data":${data},"metadata":${JSON.stringify(about)}}` };
}

/** The answer of a job without a plan: infeasible or failed. All errors have the same code. */
export function errorAnswer(job: Solved, errors: ErrorItem[]): JobAnswer {
  const envelope = {
    status: 'error',
    data: null,
    errors,
    metadata: { ...metadata(job.requestId), solve_time_ms: job.solveTimeMs, job_id: job.jobId },
  };
  return { httpStatus: ERROR_STATUS[errors[0].code], body: JSON.stringify(envelope) };
}
