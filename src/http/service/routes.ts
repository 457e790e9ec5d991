import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { success } from '../../answers/envelope.ts';
import { AppError } from '../../answers/errors.ts';
import { SERVICE_VERSION } from '../../contracts/envelope.ts';
import {
  ACTIVE_STAGES,
  AVAILABLE_STAGES,
  Health,
  Liveness,
  Readiness,
  ServiceConfiguration,
  ServiceInformation,
} from '../../contracts/service.ts';
import { FORECAST_MODEL } from '../../core/forecast/types.ts';
import { databaseFault } from '../../db/client.ts';
import type { Deps } from '../deps.ts';
import { outward } from '../path-prefix.ts';
import { answers, errors } from '../responses.ts';

/** A server that takes longer to answer counts as unreachable. */
const MAX_ANSWER_MS = 2000;
/** Time for the queue to answer `/readyz`: probes of Kubernetes wait a second, which a silent queue must not use up. */
const MAX_QUEUE_MS = 500;
const RETRY_AFTER_SECONDS = 5;

/** `/`, `/health`, `/livez`, `/readyz`, `/api/v1/config`. */
export function serviceRoutes({ config, database, queue }: Deps): FastifyPluginAsyncTypebox {
  // However many ask at the same time, each server is asked once.
  const ofDatabase = shared(async () => {
    const fault = await databaseFault(database.monitor, MAX_ANSWER_MS);
    return fault && { field: 'database', message: `the database ${fault}` };
  });
  const ofQueue = shared(async () => {
    const message = (await queue.fault(MAX_ANSWER_MS)) ?? (await queue.evictionFault(MAX_ANSWER_MS));
    return message && { field: 'queue', message };
  });
  const ofQueueSoon = shared(() => queue.fault(MAX_QUEUE_MS));

  return async (app) => {
    app.get(
      '/',
      {
        schema: {
          operationId: 'get_service',
          tags: ['service'],
          summary: 'Service information',
          response: { 200: answers('name, version and links', ServiceInformation) },
        },
      },
      async (request) =>
        success(request.id, {
          name: 'Fleet Decision Service',
          version: SERVICE_VERSION,
          description: 'Demand forecasts, cost-minimal rebalancing plans and vehicle risk scores for fleets.',
          links: {
            guide: outward(request, '/guide'),
            docs: outward(request, '/docs'),
            redoc: outward(request, '/redoc'),
            openapi: outward(request, '/openapi.json'),
            asyncapi: outward(request, '/asyncapi.json'),
            health: outward(request, '/health'),
            liveness: outward(request, '/livez'),
            readiness: outward(request, '/readyz'),
          },
        }),
    );

    app.get(
      '/health',
      {
        schema: {
          operationId: 'get_health',
          tags: ['service'],
          summary: 'Health of the service and its dependencies',
          description:
            '200 while database and queue answer and take writes; 503 otherwise, with an error for each that does not.',
          response: { 200: answers('all well', Health), ...errors(503) },
        },
      },
      async (request) => {
        const faults = (await Promise.all([ofDatabase(), ofQueue()])).filter((fault) => !!fault);
        if (faults.length > 0) throw new AppError('SERVICE_UNAVAILABLE', faults, RETRY_AFTER_SECONDS);
        return success(request.id, {
          health: 'healthy' as const,
          checks: { database: 'up' as const, queue: 'up' as const },
          uptime_seconds: Math.round(process.uptime()),
        });
      },
    );

    app.get(
      '/livez',
      {
        schema: {
          operationId: 'get_liveness',
          tags: ['service'],
          summary: 'Whether this process runs',
          description:
            'For whoever restarts processes: it asks nothing of database or queue, which a restart would not ' +
            'bring back.',
          response: { 200: answers('it runs', Liveness) },
        },
      },
      async (request) =>
        success(request.id, { alive: true as const, uptime_seconds: Math.round(process.uptime()) }),
    );

    app.get(
      '/readyz',
      {
        schema: {
          operationId: 'get_readiness',
          tags: ['service'],
          summary: 'Whether this process can serve requests',
          description:
            'For whoever sends requests to processes: 200 while the database takes writes. Without the queue it ' +
            'still answers all that it reads.',
          response: { 200: answers('it can serve requests', Readiness), ...errors(503) },
        },
      },
      async (request) => {
        const [fault, queueFault] = await Promise.all([ofDatabase(), ofQueueSoon()]);
        if (fault) throw new AppError('SERVICE_UNAVAILABLE', [fault], RETRY_AFTER_SECONDS);
        const known = { database: 'up', queue: queueFault === undefined ? 'up' : 'down' } as const;
        return success(request.id, { ready: true as const, checks: known });
      },
    );

    app.get(
      '/api/v1/config',
      {
        schema: {
          operationId: 'get_config',
          tags: ['service'],
          summary: 'Current configuration, without secrets',
          response: { 200: answers('the configuration', ServiceConfiguration) },
        },
      },
      async (request) =>
        success(request.id, {
          forecasting: { model: FORECAST_MODEL, horizon_days: config.FORECASTING_HORIZON_DAYS },
          optimization: { solver: 'highs', stages: ACTIVE_STAGES, available_stages: [...AVAILABLE_STAGES] },
          features: {
            enable_caching: config.FEATURES_ENABLE_CACHING,
            enable_risk_scoring: config.FEATURES_ENABLE_RISK_SCORING,
          },
        }),
    );
  };
}

/** A question whose answer goes to everybody who asks while it is under way. */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let asking: Promise<T> | undefined;
  return () => {
    asking ??= ask().finally(() => (asking = undefined));
    return asking;
  };
}
