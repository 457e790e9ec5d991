import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { isEnded, Job, JobReference } from '../../contracts/jobs.ts';
import {
  cancelQueuedJob,
  type JobRecord,
  readAnswer,
  readJob,
  readQueuePosition,
  requestCancel,
} from '../../db/jobs.ts';
import { cancelledAnswer, metadata } from '../../envelope.ts';
import { AppError } from '../../errors.ts';
import type { Deps } from '../app.ts';
import { sendJsonText } from '../raw-json.ts';
import { answers, errors } from '../responses.ts';

const Params = Type.Object({ job_id: JobReference });

/** How long DELETE waits for the worker to let go of a running job before it answers 202. */
const CANCEL_WAIT_MS = 2000;

/** `/api/v1/jobs/{job_id}`: look, cancel. */
export function jobRoutes({ database: { db }, bus, watch }: Deps): FastifyPluginAsyncTypebox {
  async function find(jobId: string): Promise<JobRecord> {
    const job = await readJob(db, jobId);
    if (job) return job;
    throw new AppError('RESOURCE_NOT_FOUND', [
      { message: `there is no job "${jobId}"; POST /api/v1/optimize makes one`, field: 'job_id' },
    ]);
  }

  /** The envelope as JSON text: the answer of the job is put in as it stands, without parsing it. */
  async function envelope(requestId: string, job: JobRecord): Promise<string> {
    const answer = isEnded(job.status) ? await readAnswer(db, job.jobId) : undefined;
    const data = JSON.stringify({
      job_id: job.jobId,
      status: job.status,
      progress: job.progress,
      stage: job.stage,
      incumbent: job.incumbent,
      bound: job.bound,
      gap: job.gap,
      solver_status: job.solverStatus,
      attempts: job.attempts,
      created_at: job.createdAt,
      started_at: job.startedAt,
      finished_at: job.finishedAt,
      ...(job.status === 'queued' && { queue_position: await readQueuePosition(db, job) }),
      plan_id: job.planId,
      request_id: job.requestId,
    });
    const withResult = answer ? `${data.slice(0, -1)},"result":${answer.body}}` : data;
    return `{"status":"success","data":${withResult},"metadata":${JSON.stringify(metadata(requestId))}}`;
  }

  return async (app) => {
    const response = { 200: answers('the job', Job), ...errors(400, 404, 503) };
    app.get(
      '/api/v1/jobs/:job_id',
      {
        schema: {
          tags: ['jobs'],
          summary: 'A job, and its result once it has ended',
          params: Params,
          response,
        },
      },
      async (request, reply) => {
        const job = await find(request.params.job_id);
        return sendJsonText(reply, await envelope(request.id, job));
      },
    );

    app.delete(
      '/api/v1/jobs/:job_id',
      {
        schema: {
          tags: ['jobs'],
          summary: 'Cancel a job',
          description:
            'A queued job is cancelled at once, a running one within a second; one that has ended stays as it is. ' +
            '202 where its worker has not let go of it yet.',
          params: Params,
          response: { ...response, 202: answers('the job is still being stopped', Job) },
        },
      },
      async (request, reply) => {
        const { jobId, requestId } = await find(request.params.job_id);
        if (await cancelQueuedJob(db, jobId, cancelledAnswer(requestId, jobId))) {
          await bus
            .publish({ type: 'ended', job_id: jobId })
            .catch((err) => request.log.warn({ err }, 'not announced'));
        } else if (await requestCancel(db, jobId)) {
          // Should the event be lost, the worker reads the mark at its next heartbeat.
          const tell = () =>
            bus
              .publish({ type: 'cancel', job_id: jobId })
              .catch((err) => request.log.warn({ err }, 'not announced'));
          await watch.waitForAnswer(jobId, CANCEL_WAIT_MS, new AbortController().signal, tell);
        }
        const job = await find(jobId);
        return sendJsonText(reply.code(isEnded(job.status) ? 200 : 202), await envelope(request.id, job));
      },
    );
  };
}
