import type { FastifyReply, FastifyRequest, HTTPMethods, RouteOptions } from 'fastify';
import { AppError } from '../../answers/errors.ts';
import { isNear } from '../bodies/fault-advice.ts';
import type { App } from '../deps.ts';

/** Two letters of a shorter path tell nothing. */
const SHORT = 6;

/** In the order of the header `Allow`. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies HTTPMethods[];

/**
 * Answers requests that have no route, before a body is read. OPTIONS of a known path gets 204, with its methods in
 * `Allow`. A method that a known path lacks gets 405 with the same `Allow`. An unknown path gets 404. Call it before
 * the routes are registered.
 */
export function answerUnrouted(app: Pick<App, 'addHook'>): void {
  const paths = new Map<string, { pattern: URLPattern; methods: Set<string> }>();
  app.addHook('onRoute', (route: RouteOptions) => {
    // A WebSocket path has no other methods.
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
    if (hasRoute(request)) return;
    const methods = methodsOf(pathOf(request));
    // If the path has this method and still got here, one of its parameters is too long: nothing has such a name.
    if (methods.length === 0 || methods.includes(request.method as HTTPMethods))
      throw notFound(
        request,
        [...paths.keys()].find((path) => path.length > SHORT && isNear(path, pathOf(request))),
      );
    const allow = [...methods, 'OPTIONS'].join(', ');
    reply.header('allow', allow);
    if (request.method === 'OPTIONS') return reply.code(204).send();
    const message = `${pathOf(request)} does not support ${request.method}; use one of ${allow}`;
    throw new AppError('METHOD_NOT_ALLOWED', message);
  });
}

/** Whether a request has a route of ours: that of the CORS plugin is for OPTIONS of any path. */
export function hasRoute({ is404, method, routeOptions }: FastifyRequest): boolean {
  return !is404 && !(method === 'OPTIONS' && routeOptions.url === '*');
}

/** Answers a path that does not exist. */
export function handleNotFound(request: FastifyRequest, _reply: FastifyReply): never {
  throw notFound(request);
}

/** @param near a path that is written almost like it */
function notFound(request: FastifyRequest, near?: string): AppError {
  const advice = near === undefined ? '/docs lists every operation' : `did you mean ${near}?`;
  const message = `${request.method} ${pathOf(request)} does not exist; ${advice}`;
  return new AppError('RESOURCE_NOT_FOUND', message);
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0];
}
