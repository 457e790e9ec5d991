import accepts from '@fastify/accepts';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../answers/errors.ts';
import type { App } from '../deps.ts';
import { JSON_TYPE } from './receive-body.ts';

type Documented = { hide?: boolean; response?: Record<string, { content?: object }> } | undefined;

/**
 * Negotiates the type of every documented answer (RFC 9110, 12.5.1): of the types that the route offers, the one that
 * the caller likes best. If none is acceptable, the answer is 406, before the request has done anything. Errors are
 * JSON for every caller.
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

/** The type that the caller likes best; the first that the route offers if the caller prefers none. */
export function acceptedType(request: FastifyRequest): string | undefined {
  const types = offeredTypes(request);
  if (!request.headers.accept?.trim()) return types[0];
  // Everything is sent as UTF-8, so `charset=utf-8` in Accept is satisfied.
  const named = types.flatMap((type) => [type, `${type}; charset=utf-8`]);
  const best = request.accepts().type(named);
  return typeof best === 'string' ? best.split(';', 1)[0] : undefined;
}

/** The documented media types of a route's successful answer. */
function offeredTypes(request: FastifyRequest): string[] {
  const { response = {} } = request.routeOptions.schema as NonNullable<Documented>;
  const success = Object.entries(response).find(([status]) => status.startsWith('2'));
  return Object.keys(success?.[1].content ?? { [JSON_TYPE]: {} });
}
