import { AppError } from '../../answers/errors.ts';
import { type BoardQueue, openBoardQueue } from '../../queue/board-queue.ts';
import type { App, Deps } from '../deps.ts';

/** The path of the board. Its name is also in `auth/access.ts`. */
export const BOARD_PATH = '/queues';

const RETRY_AFTER_SECONDS = 5;
/** Its scripts and styles are its own, and its page has a base address. */
const POLICY = [
  "default-src 'self'",
  "base-uri 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "img-src 'self' data:",
  "object-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
].join('; ');
/** Its page asks for fonts of another host. */
const FOREIGN = /<link [^>]*href="https:[^>]*>/g;

/**
 * Serves BullMQ's board of the queue on Redis, if the setting QUEUE_BOARD is on. It only shows: a token that it
 * removed, or a queue that it paused, would stop jobs behind the back of the service. Nothing of it is loaded without
 * the setting. Call it after `protect`: with authentication it is for operators.
 */
export async function registerQueueBoard(app: App, { config, logger }: Deps): Promise<void> {
  const { REDIS_URL } = config;
  if (!config.QUEUE_BOARD) return;
  if (REDIS_URL === undefined) {
    const answer = async () => {
      const message =
        'the board shows a queue on Redis (REDIS_URL), and the queue of this service is in PostgreSQL; ' +
        '/console/operations shows workers and queue of both';
      throw new AppError('RESOURCE_NOT_FOUND', message);
    };
    app.get(BOARD_PATH, { schema: { hide: true } }, answer);
    app.get(`${BOARD_PATH}/*`, { schema: { hide: true } }, answer);
    return;
  }
  const board = openBoardQueue({ ...config, REDIS_URL }, (err) => logger.warn({ err }, 'queue board'));
  app.addHook('onClose', () => board.close());
  const plugin = await loadBoard(board);
  await app.register(
    async (scope) => {
      scope.addHook('onRequest', async (_request, reply) => {
        reply.header('content-security-policy', POLICY);
      });
      scope.addHook('preHandler', async () => {
        if (board.isReady()) return;
        throw new AppError('SERVICE_UNAVAILABLE', 'Redis cannot be reached; try again', RETRY_AFTER_SECONDS);
      });
      scope.addHook('onSend', async (_request, _reply, payload) =>
        typeof payload === 'string' ? payload.replace(FOREIGN, '') : payload,
      );
      // It would answer the refusals of our own hooks, too, in a form of its own.
      Object.assign(scope, { setErrorHandler: () => scope });
      plugin(scope, { prefix: BOARD_PATH }, () => {});
    },
    { prefix: BOARD_PATH },
  );
}

async function loadBoard({ queue }: BoardQueue) {
  const [{ createBullBoard }, { BullMQAdapter }, { FastifyAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
    import('@bull-board/fastify'),
  ]);
  const serverAdapter = new FastifyAdapter().setBasePath(BOARD_PATH);
  const setRoutes = serverAdapter.setApiRoutes.bind(serverAdapter);
  // A route that changes something does not even exist.
  serverAdapter.setApiRoutes = (routes) =>
    setRoutes(routes.filter(({ method }) => [method].flat().every((one) => one === 'get')));
  createBullBoard({
    queues: [new BullMQAdapter(queue, { readOnlyMode: true })],
    serverAdapter,
    options: { uiConfig: { boardTitle: 'Fleet: queue' } },
  });
  return serverAdapter.registerPlugin();
}
