import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { AppError } from '../../answers/errors.ts';
import { JobReference, JobRequest } from '../../contracts/jobs.ts';
import { readJobRequest } from '../../db/jobs/jobs.ts';
import { insertJson, sendJsonText } from '../bodies/raw-json.ts';
import type { Deps } from '../deps.ts';
import { streamData } from '../lists/list-stream.ts';
import { answers, errors } from '../responses.ts';
import { findJob } from './find-job.ts';

/** `/api/v1/jobs/{job_id}/request`: what a job was asked for. */
export function jobRequestRoutes({ database: { db } }: Deps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/jobs/:job_id/request',
      {
        schema: {
          operationId: 'get_job_request',
          tags: ['jobs'],
          summary: 'The request that made a job',
          description:
            'As it was posted, so that it can be posted again with a change. Kept for RETENTION_INPUT_DAYS after the ' +
            'end.',
          params: Type.Object({ job_id: JobReference }),
          response: { 200: answers('the request of the job', JobRequest), ...errors(400, 404, 503) },
        },
      },
      async (request, reply) => {
        const { jobId, kind } = await findJob(db, request.params.job_id, request.identity);
        const body = await readJobRequest(db, jobId);
        if (body === undefined) {
          const message =
            `the request of job "${jobId}" is no longer stored: it was deleted RETENTION_INPUT_DAYS after the end of ` +
            'the job; the answer of the job is still there';
          throw new AppError('RESOURCE_NOT_FOUND', [{ message, field: 'job_id' }]);
        }
        const data = JSON.stringify({ job_id: jobId, kind });
        return sendJsonText(reply, streamData(request.id, insertJson(data, 'request', body)));
      },
    );
  };
}
