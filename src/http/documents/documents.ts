import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { Config } from '../../config.ts';
import { SERVICE_VERSION } from '../../contracts/envelope.ts';
import type { App } from '../deps.ts';
import { asyncApiDocument } from './asyncapi.ts';
import { type DocumentOptions, documentRoutes } from './openapi.ts';

const REDOC_PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Fleet Decision Service</title><style>body { margin: 0 }</style></head>
<body><redoc spec-url="/openapi.json" disable-google-font="true" hide-loading></redoc>
<script src="/redoc/redoc.standalone.js"></script></body>
</html>
`;

/**
 * The bundle of the package `redoc`, which is whole. The package is for development: it brings 92 others, 54 MB, that
 * nothing here uses.
 */
const REDOC = new URL('assets/redoc.standalone.js.gz', import.meta.url);
/** ReDoc always fetches this logo and has no setting for it. An empty image replaces it. */
const REDOC_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
const NO_IMAGE = 'data:,';

/** The documents and their pages: /openapi.json, /asyncapi.json, /docs, /redoc. They load nothing from other hosts. */
export async function registerDocuments(
  app: App,
  config: Pick<Config, 'HOST' | 'PORT'>,
  options: DocumentOptions,
): Promise<void> {
  await app.register(swagger, {
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Fleet Decision Service',
        version: SERVICE_VERSION,
        description:
          'Forecasts demand per location, computes the cheapest plan that moves vehicles between locations, ' +
          'scores vehicle risk, and does all three in one decision. Progress of jobs comes over the ' +
          'WebSocket `/ws/optimization` (see /asyncapi.json).',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'this service' }],
      tags: [
        { name: 'decisions', description: 'From fleet and observed demand to a plan, with its inputs' },
        { name: 'schedules', description: 'Decisions at certain times' },
        { name: 'webhooks', description: 'Who is told of events' },
        { name: 'replays', description: 'What plans would have brought on past demand' },
        { name: 'optimize', description: 'Plans' },
        {
          name: 'jobs',
          description: 'Everything that is queued: optimizations, decisions, backtests, replays',
        },
        { name: 'plans', description: 'Stored plans' },
        { name: 'forecast', description: 'Demand forecasts' },
        { name: 'risk', description: 'Vehicle risk' },
        { name: 'data', description: 'Locations, fleet, observed demand' },
        { name: 'service', description: 'The service itself' },
      ],
    },
    ...documentRoutes(options),
  });
  await app.register(swaggerUi, { routePrefix: '/docs', uiConfig: { tryItOutEnabled: true } });

  const hidden = { schema: { hide: true } };
  const icon = await readFile(new URL('assets/favicon.ico', import.meta.url));
  app.get('/favicon.ico', hidden, (_request, reply) =>
    reply.type('image/x-icon').header('cache-control', 'public, max-age=86400').send(icon),
  );
  app.get('/openapi.json', hidden, () => app.swagger());
  app.get('/asyncapi.json', hidden, () => asyncApiDocument(config));
  app.get('/redoc', hidden, (_request, reply) => reply.type('text/html; charset=utf-8').send(REDOC_PAGE));
  app.get('/redoc/redoc.standalone.js', hidden, async (_request, reply) => {
    const script = (await promisify(gunzip)(await readFile(REDOC))).toString();
    return reply.type('text/javascript; charset=utf-8').send(script.replaceAll(REDOC_LOGO, NO_IMAGE));
  });
}
