import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Deps } from '../app.ts';
import { openSocketSession } from '../socket-session.ts';

/** `WS /ws/optimization`; its messages are described in /asyncapi.json. */
export function websocketRoutes(deps: Deps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/ws/optimization', { websocket: true, schema: { hide: true } }, (socket, request) => {
      openSocketSession(socket, { ...deps, onError: (err) => request.log.warn({ err }, 'websocket') });
    });
  };
}
