import cors from '@fastify/cors';
import type { Config } from '../../config.ts';
import type { App } from '../deps.ts';
import { listed } from '../security.ts';

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
  await app.register(cors, {
    origin: origins,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED,
    maxAge: 600,
  });
}
