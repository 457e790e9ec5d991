import cors from '@fastify/cors';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import type { App } from '../deps.ts';
import { listed } from './security.ts';

/** Headers of answers that pages of other origins may read. */
const EXPOSED = [
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
];

/** Lets pages of the origins of `CORS_ALLOWED_ORIGINS` call the service, which uses no cookies. */
export async function shareWithOrigins(
  app: App,
  config: Pick<Config, 'CORS_ALLOWED_ORIGINS'>,
): Promise<void> {
  const origins = listed(config.CORS_ALLOWED_ORIGINS).map((origin) => new URL(origin).origin);
  if (origins.length === 0) return;
  const options = {
    origin: origins,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED,
    maxAge: 600,
  };
  await app.register(cors, () => async ({ headers }: FastifyRequest) => ({
    ...options,
    // Without these headers OPTIONS asks for the methods of a path.
    preflight: headers.origin !== undefined && headers['access-control-request-method'] !== undefined,
  }));
}
