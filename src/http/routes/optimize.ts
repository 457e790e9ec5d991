import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { AcceptedJob } from '../../contracts/jobs.ts';
import { OptimizeRequest, OptimizeResponse } from '../../contracts/optimize.ts';
import { isDatabaseUnavailable } from '../../db/client.ts';
import { readJob } from '../../db/jobs.ts';
import { success } from '../../envelope.ts';
import type { Deps } from '../app.ts';
import { optimizeExample } from '../examples.ts';
import { readWaitPreference } from '../prefer.ts';
import { sendJsonText } from '../raw-json.ts';
import { answers, described, errors } from '../responses.ts';
import { type Submitted, submitJob } from '../submit-job.ts';

const Headers = Type.Object({
  prefer: Type.Optional(Type.String({ description: '`respond-async`, `wait=N` (RFC 7240)' })),
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'the same key and body give the same job and answer, until the key expires',
    }),
  ),
  'x-client-id': Type.Optional(
    Type.String({
      pattern: '^[!-~]{1,128}$',
      description:
        'who takes turns with whom while jobs wait: 1 to 128 visible ASCII characters; default: the address of the connection',
    }),
  ),
});

/** `POST /api/v1/optimize`: store, enqueue, wait, answer. */
export function optimizeRoutes(deps: Deps): FastifyPluginAsyncTypebox {
  const { config, database, watch } = deps;

  /** Waits as long as the caller prefers; answers with the job's envelope, or 202 and where to find it. */
  async function answer(request: FastifyRequest, reply: FastifyReply, { jobId, enqueue }: Submitted) {
    const { waitSeconds, applied } = readWaitPreference(
      request.headers.prefer,
      config.HTTP_WAIT_LIMIT_SECONDS,
    );
    if (applied) reply.header('preference-applied', applied);
    const hangUp = new AbortController();
    const onClose = () => hangUp.abort();
    request.raw.socket.once('close', onClose);
    // Whoever made the job is told of it even if the database has gone since: 503 would make them post it again.
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
    const job = await readJob(database.db, jobId).catch(notKnown);
    return reply
      .code(202)
      .header('location', `/api/v1/jobs/${jobId}`)
      .header('retry-after', '1')
      .send(success(request.id, { job_id: jobId, status: job?.status ?? 'queued' }));
  }

  return async (app) => {
    app.post(
      '/api/v1/optimize',
      {
        schema: {
          tags: ['optimize'],
          summary: 'The cheapest plan that moves vehicles to where the demand is',
          description:
            'The request is validated, stored as a job, solved by a worker process and waited for. ' +
            '`Prefer: respond-async` answers 202 at once, `Prefer: wait=N` after N seconds at most.',
          headers: Headers,
          body: { ...OptimizeRequest, examples: [optimizeExample] },
          response: {
            200: described('the plan', OptimizeResponse),
            202: answers('accepted; the job goes on, `Location` says where to find it', AcceptedJob),
            ...errors(400, 409, 413, 415, 422, 500, 503),
          },
        },
      },
      async (request, reply) => {
        const key = request.headers['idempotency-key'] ?? null;
        return answer(request, reply, await submitJob(deps, request, request.body, key));
      },
    );
  };
}
