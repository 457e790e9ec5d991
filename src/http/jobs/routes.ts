import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { cancelledAnswer, metadata, success } from '../../answers/envelope.ts';
import { isEnded, JOB_KINDS, JOB_STATUSES, Job, JobReference } from '../../contracts/jobs.ts';
import { SOLVER_STATUSES } from '../../contracts/optimize.ts';
import { estimateJob } from '../../db/jobs/job-estimate.ts';
import { cancelJob, type JobRecord, readAnswer, readAttempts, readJobPage } from '../../db/jobs/jobs.ts';
import { readQueuePosition } from '../../db/jobs/turns.ts';
import { onlyOwner } from '../auth/identity.ts';
import { insertJson, sendJsonText } from '../bodies/raw-json.ts';
import type { Deps } from '../deps.ts';
import { decodeCursor } from '../lists/cursor.ts';
import { streamData } from '../lists/list-stream.ts';
import {
  CREATED_QUERY,
  checkPeriod,
  cutPage,
  DEFAULT_LIMIT,
  isNewestFirstKey,
  NextCursor,
  PAGE_QUERY,
} from '../lists/paging.ts';
import { answers, errors } from '../responses.ts';
import { findJob } from './find-job.ts';
import { estimateOnWire, historyOnWire, jobOnWire, phasesOnWire } from './job-view.ts';

const Params = Type.Object({ job_id: JobReference });

const JobQuery = Type.Object(
  {
    ...PAGE_QUERY,
    kind: Type.Optional(Type.Enum(JOB_KINDS)),
    status: Type.Optional(Type.Enum(JOB_STATUSES)),
    solver_status: Type.Optional(Type.Enum([...SOLVER_STATUSES])),
    schedule_id: Type.Optional({ ...JobReference, description: 'only jobs that this schedule made' }),
    ...CREATED_QUERY,
  },
  { additionalProperties: false },
);
const JobList = Type.Object({ jobs: Type.Array(Job), next_cursor: NextCursor }, { $id: 'JobList' });

/** How long DELETE waits for the worker to stop a running job before it answers 202. */
const CANCEL_WAIT_MS = 2000;

/** `/api/v1/jobs`: list them, read one, cancel one. */
export function jobRoutes({ database: { db }, bus, watch }: Deps): FastifyPluginAsyncTypebox {
  /** The envelope as JSON text or pieces of it. The job's answer is inserted unchanged, without parsing it. */
  async function envelope(requestId: string, job: JobRecord) {
    const { jobId, status } = job;
    const [attempts, answer, place] = await Promise.all([
      readAttempts(db, jobId),
      isEnded(status) ? readAnswer(db, jobId) : undefined,
      isEnded(status) ? undefined : readPlace(job),
    ]);
    const data = JSON.stringify({
      ...jobOnWire(job),
      ...place,
      phases: phasesOnWire(job, attempts),
      attempt_history: historyOnWire(attempts),
    });
    if (answer && typeof answer.body !== 'string') {
      return streamData(requestId, insertJson(data, 'result', answer.body));
    }
    const withResult = answer ? `${data.slice(0, -1)},"result":${answer.body}}` : data;
    return `{"status":"success","data":${withResult},"metadata":${JSON.stringify(metadata(requestId))}}`;
  }

  /** Queue position of a job that has not ended, and its estimated end. */
  async function readPlace(job: JobRecord) {
    const position = job.status === 'queued' ? await readQueuePosition(db, job) : 0;
    const estimate = estimateOnWire(await estimateJob(db, job.jobId, position));
    return { ...(position > 0 && { queue_position: position }), estimate };
  }

  return async (app) => {
    const response = {
      200: answers('the job', Job),
      ...errors(400, 404, 503),
    };
    app.get(
      '/api/v1/jobs/:job_id',
      {
        schema: {
          operationId: 'get_job',
          tags: ['jobs'],
          summary: 'A job, and its result once it has ended',
          params: Params,
          response,
        },
      },
      async (request, reply) => {
        const job = await findJob(db, request.params.job_id, request.identity);
        return sendJsonText(reply, await envelope(request.id, job));
      },
    );

    app.get(
      '/api/v1/jobs',
      {
        schema: {
          operationId: 'list_jobs',
          tags: ['jobs'],
          summary: 'The jobs, newest first, without their results',
          description: 'Pagination is stable while new jobs arrive. Times are ISO 8601.',
          querystring: JobQuery,
          response: { 200: answers('a page of jobs', JobList), ...errors(400, 503) },
        },
      },
      async (request) => {
        const {
          limit = DEFAULT_LIMIT,
          cursor,
          kind,
          status,
          solver_status,
          schedule_id,
          created_after,
          created_before,
        } = request.query;
        checkPeriod(request.query, 'created_after', 'created_before');
        const before = cursor === undefined ? null : decodeCursor(cursor, isNewestFirstKey);
        const filter = {
          owner: onlyOwner(request.identity),
          kind,
          status,
          solverStatus: solver_status,
          scheduleId: schedule_id,
          createdAfter: created_after,
          createdBefore: created_before,
        };
        const rows = await readJobPage(db, before, limit + 1, filter);
        const { items, next_cursor } = cutPage(rows, limit, (job) => [job.createdAt, job.jobId]);
        return success(request.id, { jobs: items.map(jobOnWire), next_cursor });
      },
    );

    app.delete(
      '/api/v1/jobs/:job_id',
      {
        schema: {
          operationId: 'cancel_job',
          tags: ['jobs'],
          summary: 'Cancel a job',
          description:
            'A queued job is cancelled at once, a running one within a second; one that has ended stays as it is. ' +
            '202 if its worker has not stopped yet: the job will end as `cancelled`, whatever happens to the worker.',
          params: Params,
          response: {
            ...response,
            202: answers('the job is still being stopped; it will end as `cancelled`', Job),
          },
        },
      },
      async (request, reply) => {
        const { jobId, requestId } = await findJob(db, request.params.job_id, request.identity);
        const tell = (type: 'ended' | 'cancel') =>
          bus.publish({ type, job_id: jobId }).catch((err) => request.log.warn({ err }, 'not announced'));
        const cancelled = await cancelJob(db, jobId, cancelledAnswer(requestId, jobId));
        if (cancelled === 'cancelled') await tell('ended');
        // If the event is lost, the worker reads the mark in PostgreSQL.
        if (cancelled === 'marked') {
          await watch.waitForAnswer(jobId, CANCEL_WAIT_MS, new AbortController().signal, () =>
            tell('cancel'),
          );
        }
        const job = await findJob(db, jobId, request.identity);
        return sendJsonText(reply.code(isEnded(job.status) ? 200 : 202), await envelope(request.id, job));
      },
    );
  };
}
