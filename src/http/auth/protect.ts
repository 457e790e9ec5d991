import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../answers/errors.ts';
import type { JobFacts } from '../../contracts/job-facts.ts';
import type { App } from '../deps.ts';
import { hasRoute } from '../service/known-paths.ts';
import { declareAccess } from './access.ts';
import type { Guard } from './guard.ts';
import { ANYBODY, hasRole, NOBODY } from './identity.ts';

const REALM = 'Bearer realm="fleet"';

/**
 * Lets every caller use only what it may use, before its body is read. Without a guard everybody may use everything.
 * Call it before the routes are registered.
 */
export function protect(app: App, guard: Guard | undefined): void {
  app.addHook('onRoute', declareAccess);
  const unproved = guard ? NOBODY : ANYBODY;
  app.decorateRequest('provedIdentity', null);
  app.decorateRequest('identity', {
    getter() {
      return this.provedIdentity ?? unproved;
    },
  });
  if (!guard) return;
  app.addHook('onRequest', async (request, reply) => {
    const { access } = request.routeOptions.config;
    if (!hasRoute(request) || access === 'public') return;
    request.provedIdentity = await guard.identify(request).catch((error) => {
      throw challenged(error, request, reply);
    });
    // A route that nothing was noted at is nobody's.
    if (access !== undefined && hasRole(request.identity, access)) return;
    const { role } = request.identity;
    const message = `${request.method} ${request.routeOptions.url} needs the role "${access}"; this caller has ${
      role === null ? 'no role' : `"${role}"`
    }`;
    throw new AppError('FORBIDDEN', message);
  });
}

function challenged(error: unknown, { headers }: FastifyRequest, reply: FastifyReply): unknown {
  if (error instanceof AppError && error.code === 'UNAUTHORIZED') {
    const isTried = headers.authorization !== undefined || headers['x-api-key'] !== undefined;
    reply.header('www-authenticate', isTried ? `${REALM}, error="invalid_token"` : REALM);
  }
  return error;
}

/**
 * A decision that is carried out changes the stored fleet, which is for operators.
 * @param field path of `carry_out` in the body
 * @throws AppError FORBIDDEN
 */
export function checkCarryOut({ identity }: FastifyRequest, facts: JobFacts, field = 'carry_out'): void {
  if (!('carry_out' in facts) || !facts.carry_out || hasRole(identity, 'operator')) return;
  const message = 'true changes the stored fleet, which needs the role "operator"; leave it out';
  throw new AppError('FORBIDDEN', [{ field, message }]);
}
