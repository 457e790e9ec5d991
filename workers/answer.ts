import { metadata } from '../src/answers/envelope.ts';
import type { ErrorItem } from '../src/contracts/envelope.ts';
import { ERROR_STATUS } from '../src/contracts/errors.ts';
import type { JobAnswer, NewAnswer } from '../src/db/jobs.ts';

/** A longer answer is read by whoever waits for it: every API process receives each event. */
const MAX_SENT_BYTES = 32 * 1024;

type Solved = { requestId: string; jobId: string; solveTimeMs: number };

/**
 * The answer of a job with a plan.
 * @param plan JSON text as bytes: a plan may have tens of megabytes, which are copied once and never a text here
 * @param around JSON text before and after the plan, if it is only a part of the `data`
 */
export function planAnswer(
  job: Solved & { planId: string },
  plan: Uint8Array,
  [before, after]: readonly [string, string] = ['', ''],
): NewAnswer {
  const about = {
    ...metadata(job.requestId),
    solve_time_ms: job.solveTimeMs,
    job_id: job.jobId,
    plan_id: job.planId,
  };
  const head = Buffer.from(`{"status":"success","data":${before}`);
  const tail = Buffer.from(`${after},"metadata":${JSON.stringify(about)}}`);
  return { httpStatus: 200, body: Buffer.concat([head, plan, tail]) };
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

/** A stored answer that is small enough to go along with the event of its end; undefined if it is not. */
export function smallAnswer({ httpStatus, body }: NewAnswer): JobAnswer | undefined {
  if (body.length > MAX_SENT_BYTES) return undefined;
  return { httpStatus, body: typeof body === 'string' ? body : new TextDecoder().decode(body) };
}
