import { metadata } from '../../src/answers/envelope.ts';
import type { ErrorItem } from '../../src/contracts/envelope.ts';
import { ERROR_STATUS } from '../../src/contracts/errors.ts';
import type { TextAnswer } from '../../src/contracts/events.ts';
import type { NewAnswer } from '../../src/db/jobs/jobs.ts';
import { type JsonColumns, packAround } from '../../src/db/packed-json.ts';

/** A longer answer is read by whoever waits for it: every API process receives each event. */
const MAX_SENT_BYTES = 32 * 1024;

type Solved = { requestId: string; jobId: string; solveTimeMs: number };

/**
 * The answer of a job with a plan.
 * @param plan JSON text as bytes; packed if it is large: a plan may have tens of megabytes, which never come here
 * @param around JSON text before and after the plan, if it is only a part of the `data`
 */
export async function planAnswer(
  job: Solved & { planId: string },
  { text, packed }: JsonColumns,
  [before, after]: readonly [string, string] = ['', ''],
): Promise<NewAnswer> {
  const about = {
    ...metadata(job.requestId),
    solve_time_ms: job.solveTimeMs,
    job_id: job.jobId,
    plan_id: job.planId,
  };
  const head = `{"status":"success","data":${before}`;
  const tail = `${after},"metadata":${JSON.stringify(about)}}`;
  if (!packed)
    return { httpStatus: 200, body: Buffer.concat([head, text, tail].map((part) => Buffer.from(part))) };
  const around = await packAround(head, packed, tail);
  return { httpStatus: 200, body: around.text, packed: around.packed };
}

/** The answer of a job without a plan: infeasible or failed. All errors have the same code. */
export function errorAnswer(job: Solved, errors: ErrorItem[]): NewAnswer {
  const envelope = {
    status: 'error',
    data: null,
    errors,
    metadata: { ...metadata(job.requestId), solve_time_ms: job.solveTimeMs, job_id: job.jobId },
  };
  return { httpStatus: ERROR_STATUS[errors[0].code], body: JSON.stringify(envelope) };
}

/** A stored answer that is small enough to go along with the event of its end; undefined if it is not. */
export function smallAnswer({ httpStatus, body, packed }: NewAnswer): TextAnswer | undefined {
  if (packed || body.length > MAX_SENT_BYTES) return undefined;
  return { httpStatus, body: typeof body === 'string' ? body : new TextDecoder().decode(body) };
}
