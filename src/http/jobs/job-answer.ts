import type { FastifyReply, FastifyRequest } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { success } from '../../answers/envelope.ts';
import { Envelope } from '../../contracts/envelope.ts';
import { AcceptedJob, type JobKind } from '../../contracts/jobs.ts';
import { isDatabaseUnavailable } from '../../db/client.ts';
import { readJob } from '../../db/jobs/jobs.ts';
import { openPriorityCheck } from '../auth/caller.ts';
import { checkCarryOut } from '../auth/protect.ts';
import { sendJsonText } from '../bodies/raw-json.ts';
import type { Deps } from '../deps.ts';
import { described, errors } from '../responses.ts';
import { readWaitPreference } from './prefer.ts';
import { type JobBody, type JobCheck, submitJob } from './submit-job.ts';

/** Headers of every operation that is a job. */
export const JOB_HEADERS = Type.Object({
  prefer: Type.Optional(Type.String({ description: '`respond-async`, `wait=N` (RFC 7240)' })),
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'the same key and body return the same job and answer until the key expires',
    }),
  ),
  'x-client-id': Type.Optional(
    Type.String({
      pattern: '^[!-~]{1,128}$',
      description:
        'name of the client: addresses take turns, and so do the clients of an address; 1 to 128 visible ' +
        'ASCII characters',
    }),
  ),
});

/** Answers of every operation that is a job. */
export function jobAnswers<S extends TSchema>(description: string, answer: S) {
  return {
    200: described(description, answer, 'Preference-Applied'),
    202: described(
      'accepted; the job continues, and `Location` is its path',
      Envelope(AcceptedJob),
      'Location',
      'Retry-After',
      'Preference-Applied',
    ),
    ...errors(400, 409, 413, 415, 422, 429, 500, 503),
  };
}

export type AnswerJob = (
  request: FastifyRequest,
  reply: FastifyReply,
  kind: JobKind,
  body: JobBody,
  checks: JobCheck,
) => Promise<FastifyReply>;

/**
 * Runs every operation that is a job: store it, enqueue it, wait as long as the caller prefers. Then answer with the
 * envelope of the job, or with 202 and the path of the job.
 */
export function answerJobs(deps: Deps): AnswerJob {
  const { config, database, watch } = deps;
  const checkPriority = openPriorityCheck(config);
  return async (request, reply, kind, body, checks) => {
    checkPriority(request, body.facts.priority);
    checkCarryOut(request, body.facts.facts);
    const { jobId, enqueue } = await submitJob(deps, request, kind, body, checks);
    const { waitSeconds, applied } = readWaitPreference(
      request.headers.prefer as string | undefined,
      config.HTTP_WAIT_LIMIT_SECONDS,
    );
    if (applied) reply.header('preference-applied', applied);
    const hangUp = new AbortController();
    const onClose = () => hangUp.abort();
    request.raw.socket.once('close', onClose);
    // The caller may have hung up while the job was being stored.
    if (request.raw.socket.destroyed) onClose();
    // The caller must learn the path of the job even if the database has become unreachable. After a 503 it would post
    // the job again.
    const notKnown = (error: unknown) => {
      if (!enqueue || !isDatabaseUnavailable(error)) throw error;
      request.log.warn({ err: error, job_id: jobId }, 'state of the job not known');
      return undefined;
    };
    try {
      const result = await watch
        .waitForAnswer(jobId, waitSeconds * 1000, hangUp.signal, enqueue)
        .catch(notKnown);
      if (result) return sendJsonText(reply.code(result.httpStatus), result.body);
    } finally {
      request.raw.socket.removeListener('close', onClose);
    }
    // A caller that does not wait gets the status that was stored: it is not read again.
    const isNew = enqueue !== undefined && waitSeconds === 0;
    const job = isNew ? undefined : await readJob(database.db, jobId).catch(notKnown);
    return reply
      .code(202)
      .header('location', `/api/v1/jobs/${jobId}`)
      .header('retry-after', '1')
      .send(success(request.id, { job_id: jobId, status: job?.status ?? 'queued' }));
  };
}
