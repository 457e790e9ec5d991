import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyRequest } from 'fastify';
import { SERVICE_VERSION } from '../../contracts/envelope.ts';
import type { App } from '../deps.ts';
import { outward } from '../path-prefix.ts';
import { asyncApiDocument } from './asyncapi.ts';
import { type DocumentOptions, documentRoutes } from './openapi.ts';

const REDOC_PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="/favicon.ico"><title>Fleet Decision Service</title><style>body { margin: 0 }</style></head>
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

const SERVER = { url: '/', description: 'this service' };
const YAML_SERVER = /^(servers:\n {2}- url: )\/$/m;

/** The documents and their pages: /openapi.json, /asyncapi.json, /docs, /redoc. They load nothing from other hosts. */
export async function registerDocuments(app: App, options: DocumentOptions): Promise<void> {
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
      servers: [SERVER],
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
  const server = (request: FastifyRequest) => outward(request, '') || '/';
  const documentFor = (request: FastifyRequest) => ({
    ...app.swagger(),
    servers: [{ ...SERVER, url: server(request) }],
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: { tryItOutEnabled: true },
    uiHooks: {
      // Before routes of the plugin, which would write all of the YAML anew for each caller: 0.1 s.
      preHandler: async (request, reply) => {
        const { url } = request.routeOptions;
        if (url === '/docs/json') return reply.send(documentFor(request));
        if (url !== '/docs/yaml') return;
        const text = app.swagger({ yaml: true }).replace(YAML_SERVER, `$1${server(request)}`);
        return reply.type('application/x-yaml').send(text);
      },
    },
  });

  const hidden = { schema: { hide: true } };
  const icon = await readFile(new URL('assets/favicon.ico', import.meta.url));
  app.get('/favicon.ico', hidden, (_request, reply) =>
    reply.type('image/x-icon').header('cache-control', 'public, max-age=86400').send(icon),
  );
  app.get('/openapi.json', hidden, documentFor);
  app.get('/asyncapi.json', hidden, asyncApiDocument);
  app.get('/redoc', hidden, (_request, reply) => reply.type('text/html; charset=utf-8').send(REDOC_PAGE));
  app.get('/redoc/redoc.standalone.js', hidden, async (_request, reply) => {
    const script = (await promisify(gunzip)(await readFile(REDOC))).toString();
    return reply.type('text/javascript; charset=utf-8').send(script.replaceAll(REDOC_LOGO, NO_IMAGE));
  });
}
