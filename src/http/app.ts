import type { Socket } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import websocket from '@fastify/websocket';
import Fastify, { type FastifyRequest, LogController } from 'fastify';
import { listAddresses } from '../addresses.ts';
import { acceptBasic } from './auth/basic.ts';
import { chooseProtocol } from './auth/credentials.ts';
import { openGuard } from './auth/guard.ts';
import { shareWithOrigins } from './auth/origins.ts';
import { protect } from './auth/protect.ts';
import { limitRequests, limitsRequests } from './auth/request-limits.ts';
import { secure } from './auth/security.ts';
import { negotiateTypes } from './bodies/accepted-type.ts';
import { compressAnswers } from './bodies/compression.ts';
import { acceptBodies } from './bodies/receive-body.ts';
import { answerInOrder, sendInTurn } from './bodies/turns.ts';
import { validatorCompiler } from './bodies/validation.ts';
import { dataInRoutes } from './data/bulk-routes.ts';
import { dataDemandRoutes } from './data/demand-routes.ts';
import { dataEventRoutes } from './data/event-routes.ts';
import { dataRoutes } from './data/list-routes.ts';
import { dataRowRoutes } from './data/row-routes.ts';
import { dataTravelRoutes } from './data/travel-routes.ts';
import { optimizeRoutes } from './decisions/optimize-route.ts';
import { riskRoutes } from './decisions/risk-route.ts';
import { decisionRoutes } from './decisions/routes.ts';
import type { App, Deps } from './deps.ts';
import { registerConsole } from './documents/console.ts';
import { registerDocuments } from './documents/documents.ts';
import { registerGuide } from './documents/guide-routes.ts';
import { handleError } from './error-handler.ts';
import { backtestRoutes } from './forecasts/backtest-route.ts';
import { forecastRoutes } from './forecasts/routes.ts';
import { jobRequestRoutes } from './jobs/request-route.ts';
import { jobRoutes } from './jobs/routes.ts';
import { refuseWhileFull } from './jobs/submit-job.ts';
import { keepPathPrefix } from './path-prefix.ts';
import { planMoveRoutes } from './plans/moves-routes.ts';
import { planRoutes } from './plans/routes.ts';
import { replayRoutes } from './replays/routes.ts';
import { requestId } from './request-id.ts';
import { scheduleRoutes } from './schedules/routes.ts';
import { auditRequests } from './service/audit.ts';
import { auditRoutes } from './service/audit-route.ts';
import { answerClientErrors, serverTimeouts } from './service/client-errors.ts';
import { answerUnrouted, handleNotFound } from './service/known-paths.ts';
import { measureRequests } from './service/measure-requests.ts';
import { registerMetrics } from './service/metrics.ts';
import { operationsRoutes } from './service/operations-route.ts';
import { BOARD_PATH, registerQueueBoard } from './service/queue-board.ts';
import { serviceRoutes } from './service/routes.ts';
import { traceRequests } from './service/trace-requests.ts';
import { whenOver } from './service/when-over.ts';
import { asksForSocket, websocketRoutes } from './socket/route.ts';
import { webhookDeliveryRoutes } from './webhooks/delivery-routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { webhookSecretRoutes } from './webhooks/secret-routes.ts';

/** Longest path parameter, percent-encoded: a vehicle id of 128 characters takes up to nine times as many. */
const MAX_PATH_PARAMETER = 128 * 9;

/** The URL of a request for the log: what its route does not know in the query may be a secret. */
function shownUrl({ url, routeOptions: { schema } }: FastifyRequest): string {
  const { properties = {} } = (schema?.querystring ?? {}) as { properties?: object };
  const [path, query] = url.split(/\?(.*)/s, 2);
  if (!query) return url;
  const shown = query.split('&').map((part) => {
    const [name] = part.split('=', 1);
    return name === part || name! in properties ? part : `${name}=…`;
  });
  return `${path}?${shown.join('&')}`;
}

/** Builds the HTTP application. It does not listen yet. Closing it leaves `deps` open. */
export async function buildApp(deps: Deps): Promise<App> {
  const { config } = deps;
  const clientErrors = answerClientErrors(config);
  const timeouts = serverTimeouts(config);
  const app: App = Fastify({
    // Other requests for an upgrade are answered as if they did not ask.
    http: { ...timeouts, shouldUpgradeCallback: asksForSocket },
    requestTimeout: timeouts.requestTimeout,
    clientErrorHandler(error, socket) {
      clientErrors.handle(error, socket as Socket, deps.logger);
    },
    loggerInstance: deps.logger,
    genReqId: requestId,
    trustProxy: config.HTTP_TRUSTED_PROXIES ? listAddresses(config.HTTP_TRUSTED_PROXIES) : false,
    // One line per request, written below when it has been answered.
    logController: new LogController({ requestIdLogLabel: 'request_id', disableRequestLogging: true }),
    bodyLimit: config.HTTP_BODY_LIMIT_BYTES,
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER },
    frameworkErrors: handleError,
    // Open WebSockets and waiting calls are ended in order by their owners, not cut.
    forceCloseConnections: 'idle',
  }).withTypeProvider<TypeBoxTypeProvider>();

  app.setValidatorCompiler(validatorCompiler);
  // Answers are built to the contract and checked against it in tests: no second schema pass per request.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  acceptBodies(app, config, deps.intake);
  app.setErrorHandler(handleError);
  app.setNotFoundHandler(handleNotFound);
  answerInOrder(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  keepPathPrefix(app, config);
  clientErrors.follow(app);
  if (deps.metrics) measureRequests(app, deps.metrics);
  if (deps.tracing) traceRequests(app, deps.tracing);
  app.addHook('onRequest', async (request, reply) => {
    whenOver(request, reply, (status) => {
      request.log.info(
        {
          method: request.method,
          url: shownUrl(request),
          status,
          ms: Math.round(reply.elapsedTime),
          ...(guard && { owner: request.identity.owner }),
        },
        'request',
      );
    });
  });

  // At shutdown waiting callers get the path of their job, and sockets get code 1001 (going away).
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
    deps.watch.releaseWaiting();
  });
  app.addHook('onSend', async (_request, reply) => {
    // The connection of a call that ends now would stay open and idle without this, and delay the shutdown.
    if (isClosing) reply.header('connection', 'close');
  });
  const guard = openGuard(config, deps.database.db, (err) => deps.logger.warn({ err }, 'authentication'));
  app.addHook('onClose', async () => guard?.close());
  await app.register(websocket, {
    options: {
      // Each socket has one message handled in a turn of the event loop. A sender of thousands at once,
      // faulty ones too, would otherwise hold up everybody else until all of them are answered.
      allowSynchronousEvents: false,
      maxPayload: config.WEBSOCKET_MAX_MESSAGE_BYTES,
      ...(guard && { handleProtocols: chooseProtocol }),
    },
    preClose(done) {
      for (const client of this.websocketServer.clients) client.close(1001, 'the service is stopping');
      this.websocketServer.close(done);
    },
  });
  // After the WebSocket plugin: it closes the connection of a refused handshake only for hooks that are registered
  // later.
  await secure(app, config);
  // Before callers are checked: browsers ask for permission without a key, and may read a refusal.
  await shareWithOrigins(app, config);
  if (guard && config.QUEUE_BOARD) acceptBasic(app, BOARD_PATH);
  protect(app, guard);
  await limitRequests(app, deps);
  const turns = sendInTurn(app, config.LARGE_ANSWERS_AT_ONCE);
  await compressAnswers(app);
  answerUnrouted(app);
  await negotiateTypes(app);
  await registerDocuments(app, {
    isGuarded: guard !== undefined,
    isLimited: limitsRequests(config),
  });
  registerGuide(app);
  await registerConsole(app, config);
  refuseWhileFull(app, deps);
  // Last: what is refused before changes nothing.
  auditRequests(app, deps);
  if (deps.metrics) registerMetrics(app, deps, deps.metrics);
  await registerQueueBoard(app, deps);
  const routes = [
    serviceRoutes,
    operationsRoutes,
    optimizeRoutes,
    jobRoutes,
    jobRequestRoutes,
    planRoutes,
    planMoveRoutes,
    forecastRoutes,
    backtestRoutes,
    decisionRoutes,
    scheduleRoutes,
    replayRoutes,
    dataRoutes,
    dataInRoutes,
    dataRowRoutes,
    dataEventRoutes,
    dataDemandRoutes,
    dataTravelRoutes,
    auditRoutes,
    webhookRoutes,
    webhookSecretRoutes,
    webhookDeliveryRoutes,
  ];
  for (const route of routes) await app.register(route(deps));
  await app.register(websocketRoutes(deps, guard, turns));
  if (config.FEATURES_ENABLE_RISK_SCORING) await app.register(riskRoutes());
  return app;
}
