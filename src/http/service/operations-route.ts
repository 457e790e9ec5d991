import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { success } from '../../answers/envelope.ts';
import { OperationsReport } from '../../contracts/operations.ts';
import { readOperationsReport } from '../../db/service/operations.ts';
import { readServiceFigures } from '../../db/service/service-figures.ts';
import type { Deps } from '../deps.ts';
import { answers, errors } from '../responses.ts';

/** `/api/v1/operations`: workers, queue and throughput, with both backends of the queue. */
export function operationsRoutes({ config, database }: Deps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/operations',
      {
        schema: {
          operationId: 'get_operations',
          tags: ['service'],
          summary: 'Workers, queue and throughput',
          description:
            'For operators: the workers and what they run, the jobs that wait, what the last hour brought, and jobs ' +
            'that failed. The same with Redis and without.',
          response: { 200: answers('as of now', OperationsReport), ...errors(503) },
        },
      },
      async (request, reply) => {
        const { JOB_LOCK_SECONDS: lockSeconds } = config;
        const [figures, { waiting, running }] = await Promise.all([
          readOperationsReport(database.db, lockSeconds),
          readServiceFigures(database.db, lockSeconds),
        ]);
        reply.header('cache-control', 'no-store');
        return success(request.id, {
          ...figures,
          workers: figures.workers.map((worker) => ({ ...worker, started_at: startedAt(worker.worker_id) })),
          queue: waiting.toReversed().map(({ priority, jobs, oldestSeconds }) => ({
            ...{ priority, jobs },
            oldest_seconds: oldestSeconds,
          })),
          queue_limit: config.QUEUE_MAX_WAITING,
          running,
        });
      },
    );
  };
}

/** When a worker started: the milliseconds at the head of the UUID (version 7) in its id, `process:UUID`. */
function startedAt(workerId: string): string {
  const [high, low] = workerId.slice(workerId.indexOf(':') + 1).split('-');
  return new Date(Number.parseInt(high + low, 16)).toISOString();
}
