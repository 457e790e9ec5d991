import type { IncomingMessage } from 'node:http';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { readCaller } from '../auth/caller.ts';
import type { Guard } from '../auth/guard.ts';
import { checkOrigin } from '../auth/security.ts';
import { socketCaller } from '../auth/socket-caller.ts';
import type { Turns } from '../bodies/turns.ts';
import type { Deps } from '../deps.ts';
import { handleNotFound } from '../service/known-paths.ts';
import { limitSockets } from './socket-limit.ts';
import { openSocketSession } from './socket-session.ts';
import { openUnread } from './unread.ts';

const PATH = '/ws/optimization';

/** Whether a request asks for the one thing that is upgraded. */
export function asksForSocket({ method, url, headers }: IncomingMessage): boolean {
  return method === 'GET' && url?.split('?', 1)[0] === PATH && headers.upgrade?.toLowerCase() === 'websocket';
}

/** `WS /ws/optimization`; its messages are described in /asyncapi.json. */
export function websocketRoutes(
  deps: Deps,
  guard: Guard | undefined,
  turns: Turns,
): FastifyPluginAsyncTypebox {
  const admit = limitSockets(deps.config);
  const unread = openUnread(deps.config.WEBSOCKET_MAX_BUFFERED_BYTES);
  return async (app) => {
    app.route({
      method: 'GET',
      url: PATH,
      schema: { hide: true },
      onRequest: async (request) => {
        checkOrigin(request, deps.config);
        admit(request);
      },
      // A request without an upgrade gets 404.
      handler: handleNotFound,
      wsHandler: (socket, request) =>
        openSocketSession(socket, {
          ...deps,
          unread,
          turns,
          address: readCaller(request).caller,
          onError: (err) => request.log.warn({ err }, 'websocket'),
          ...(guard && { caller: socketCaller(deps.database.db, guard, request.identity) }),
        }),
    });
  };
}
