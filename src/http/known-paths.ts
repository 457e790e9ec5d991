import type { FastifyReply, FastifyRequest, HTTPMethods, RouteOptions } from 'fastify';
import { AppError } from '../answers/errors.ts';
import type { App } from './deps.ts';

/** In the order in which `Allow` names them. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies HTTPMethods[];

/**
 * Answers what no route is there for, before a body is read: OPTIONS of a known path with the methods that it has,
 * another method of a known path with 405 and the same `Allow`, an unknown path with 404. Call it before the routes
 * are registered.
 */
export function answerUnrouted(app: Pick<App, 'addHook'>): void {
  const paths = new Map<string, { pattern: URLPattern; methods: Set<string> }>();
  app.addHook('onRoute', (route: RouteOptions) => {
    // Where a WebSocket is opened there is nothing for other methods.
    if (route.wsHandler) return;
    const known = paths.get(route.url) ?? {
      pattern: new URLPattern({ pathname: route.url }),
      methods: new Set(),
    };
    for (const method of [route.method].flat()) known.methods.add(method);
    paths.set(route.url, known);
  });

  /** The methods of a path; empty if the path is unknown. */
  function methodsOf(pathname: string): string[] {
    const fitting = [...paths.values()].filter(({ pattern }) => pattern.test({ pathname }));
    return METHODS.filter((method) => fitting.some(({ methods }) => methods.has(method)));
  }

  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    const methods = methodsOf(pathOf(request));
    // A path whose parameter is too long has the method, and is there for none.
    if (methods.length === 0 || methods.includes(request.method as HTTPMethods)) throw notFound(request);
    const allow = [...methods, 'OPTIONS'].join(', ');
    reply.header('allow', allow);
    if (request.method === 'OPTIONS') return reply.code(204).send();
    const message = `${pathOf(request)} does not support ${request.method}; use one of ${allow}`;
    throw new AppError('METHOD_NOT_ALLOWED', message);
  });
}

/** Answers a path that does not exist. */
export function handleNotFound(request: FastifyRequest, _reply: FastifyReply): never {
  throw notFound(request);
}

function notFound(request: FastifyRequest): AppError {
  const message = `${request.method} ${pathOf(request)} does not exist; /docs lists every operation`;
  return new AppError('RESOURCE_NOT_FOUND', message);
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0];
}
