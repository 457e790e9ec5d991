import type { Socket } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import websocket from '@fastify/websocket';
import Fastify, { type FastifyRequest, LogController } from 'fastify';
import { listAddresses } from '../addresses.ts';
import { negotiateTypes } from './accepted-type.ts';
import { auditRequests } from './audit.ts';
import { acceptBasic } from './auth/basic.ts';
import { chooseProtocol } from './auth/credentials.ts';
import { openGuard } from './auth/guard.ts';
import { shareWithOrigins } from './auth/origins.ts';
import { protect } from './auth/protect.ts';
import { limitRequests, limitsRequests } from './auth/request-limits.ts';
import { acceptBodies } from './bodies.ts';
import { answerClientErrors, serverTimeouts } from './client-errors.ts';
import { compressAnswers } from './compression.ts';
import { registerConsole } from './console.ts';
import type { App, Deps } from './deps.ts';
import { registerDocuments } from './documents.ts';
import { handleError } from './error-handler.ts';
import { registerGuide } from './guide/routes.ts';
import { answerUnrouted, handleNotFound } from './known-paths.ts';
import { measureRequests } from './measure-requests.ts';
import { registerMetrics } from './metrics.ts';
import { BOARD_PATH, registerQueueBoard } from './queue-board.ts';
import { refuseWhileFull } from './refuse-while-full.ts';
import { requestId } from './request-id.ts';
import { auditRoutes } from './routes/audit.ts';
import { backtestRoutes } from './routes/backtest.ts';
import { dataRoutes } from './routes/data.ts';
import { dataDemandRoutes } from './routes/data-demand.ts';
import { dataEventRoutes } from './routes/data-events.ts';
import { dataInRoutes } from './routes/data-in.ts';
import { dataRowRoutes } from './routes/data-rows.ts';
import { dataTravelRoutes } from './routes/data-travel.ts';
import { decisionRoutes } from './routes/decisions.ts';
import { forecastRoutes } from './routes/forecast.ts';
import { jobRequestRoutes } from './routes/job-request.ts';
import { jobRoutes } from './routes/jobs.ts';
import { operationsRoutes } from './routes/operations.ts';
import { optimizeRoutes } from './routes/optimize.ts';
import { planMoveRoutes } from './routes/plan-moves.ts';
import { planRoutes } from './routes/plans.ts';
import { replayRoutes } from './routes/replays.ts';
import { riskRoutes } from './routes/risk.ts';
import { scheduleRoutes } from './routes/schedules.ts';
import { serviceRoutes } from './routes/service.ts';
import { webhookDeliveryRoutes } from './routes/webhook-deliveries.ts';
import { webhookSecretRoutes } from './routes/webhook-secrets.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { asksForSocket, websocketRoutes } from './routes/websocket.ts';
import { secure } from './security.ts';
import { traceRequests } from './trace-requests.ts';
import { validatorCompiler } from './validation.ts';
import { whenOver } from './when-over.ts';

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
    // What else asks for an upgrade is answered as if it did not.
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
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
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
    // Otherwise the connection of a call that ends now would stay open and idle, and delay the shutdown.
    if (isClosing) reply.header('connection', 'close');
  });
  const guard = openGuard(config, deps.database.db, (err) => deps.logger.warn({ err }, 'authentication'));
  app.addHook('onClose', async () => guard?.close());
  await app.register(websocket, {
    options: {
      // Each socket has one message handled in a turn of the event loop. Otherwise whoever sends thousands at once,
      // faulty ones too, would hold up everybody else until all of them are answered.
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
  await compressAnswers(app);
  answerUnrouted(app);
  await negotiateTypes(app);
  await registerDocuments(app, config, {
    isGuarded: guard !== undefined,
    isLimited: limitsRequests(config) || config.JOBS_WAITING_PER_CALLER !== undefined,
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
  await app.register(websocketRoutes(deps, guard));
  if (config.FEATURES_ENABLE_RISK_SCORING) await app.register(riskRoutes());
  return app;
}
