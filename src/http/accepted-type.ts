import accepts from '@fastify/accepts';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../answers/errors.ts';
import { JSON_TYPE } from './bodies.ts';
import type { App } from './deps.ts';

type Documented = { hide?: boolean; response?: Record<string, { content?: object }> } | undefined;

/**
 * Negotiates the type of every documented answer (RFC 9110, 12.5.1): the one of the types that its route offers which
 * the caller likes best. Where none fits, 406, before the request has done anything. Errors come as JSON to everybody.
 */
export async function negotiateTypes(app: App): Promise<void> {
  await app.register(accepts);
  app.addHook('onRequest', async (request, reply) => {
    const schema = request.routeOptions.schema as Documented;
    if (request.is404 || !schema || schema.hide) return;
    const types = offeredTypes(request);
    if (types.length > 1) reply.header('vary', 'accept');
    if (acceptedType(request) !== undefined) return;
    const message =
      `${request.method} ${request.url.split('?', 1)[0]} answers with ${types.join(' or ')}, which ` +
      `"Accept: ${request.headers.accept}" excludes; add it to the Accept header`;
    throw new AppError('NOT_ACCEPTABLE', [{ message, field: 'Accept' }]);
  });
}

/** The type of the answer that a caller likes best; the first that is offered where none is preferred. */
export function acceptedType(request: FastifyRequest): string | undefined {
  const types = offeredTypes(request);
  if (!request.headers.accept?.trim()) return types[0];
  // Everything is sent as UTF-8, so `charset=utf-8` in Accept is satisfied, too.
  const named = types.flatMap((type) => [type, `${type}; charset=utf-8`]);
  const best = request.accepts().type(named);
  return typeof best === 'string' ? best.split(';', 1)[0] : undefined;
}

/** The media types that the successful answer of a route is documented with. */
function offeredTypes(request: FastifyRequest): string[] {
  const { response = {} } = request.routeOptions.schema as NonNullable<Documented>;
  const success = Object.entries(response).find(([status]) => status.startsWith('2'));
  return Object.keys(success?.[1].content ?? { [JSON_TYPE]: {} });
}
