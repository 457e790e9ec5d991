import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { SERVICE_VERSION } from '../../contracts/envelope.ts';
import { ACTIVE_STAGES, Health, ServiceConfiguration, ServiceInformation } from '../../contracts/service.ts';
import { FORECAST_MODEL } from '../../core/forecast/types.ts';
import { isAnswering } from '../../db/client.ts';
import { success } from '../../envelope.ts';
import type { Deps } from '../app.ts';
import { answers } from '../responses.ts';

/** Whoever takes longer to answer is away. */
const LONGEST_ANSWER_MS = 2000;

/** `/`, `/health`, `/api/v1/config`. */
export function serviceRoutes({ config, database, queue }: Deps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/',
      {
        schema: {
          tags: ['service'],
          summary: 'Service information',
          response: { 200: answers('what this is, and links', ServiceInformation) },
        },
      },
      async (request) =>
        success(request.id, {
          name: 'Fleet Decision Service',
          version: SERVICE_VERSION,
          description: 'Demand forecasts, cost-minimal rebalancing plans and vehicle risk scores for fleets.',
          links: {
            docs: '/docs',
            redoc: '/redoc',
            openapi: '/openapi.json',
            asyncapi: '/asyncapi.json',
            health: '/health',
          },
        }),
    );

    app.get(
      '/health',
      {
        schema: {
          tags: ['service'],
          summary: 'Health of the service and of what it depends on',
          description:
            '200 while database and queue are reachable, 503 otherwise; the body says which is away.',
          response: { 200: answers('all well', Health), 503: answers('database or queue is away', Health) },
        },
      },
      async (request, reply) => {
        const [databaseUp, queueUp] = await Promise.all([
          isAnswering(database.pool, LONGEST_ANSWER_MS),
          queue.isAnswering(LONGEST_ANSWER_MS),
        ]);
        const healthy = databaseUp && queueUp;
        return reply.code(healthy ? 200 : 503).send(
          success(request.id, {
            health: healthy ? 'healthy' : 'unhealthy',
            checks: { database: databaseUp ? 'up' : 'down', queue: queueUp ? 'up' : 'down' },
            uptime_seconds: Math.round(process.uptime()),
          }),
        );
      },
    );

    app.get(
      '/api/v1/config',
      {
        schema: {
          tags: ['service'],
          summary: 'Current configuration, without anything sensitive',
          response: { 200: answers('the configuration', ServiceConfiguration) },
        },
      },
      async (request) =>
        success(request.id, {
          forecasting: { model: FORECAST_MODEL, horizon_days: config.FORECASTING_HORIZON_DAYS },
          optimization: { solver: 'highs', stages: ACTIVE_STAGES },
          features: {
            enable_caching: config.FEATURES_ENABLE_CACHING,
            enable_risk_scoring: config.FEATURES_ENABLE_RISK_SCORING,
          },
        }),
    );
  };
}
