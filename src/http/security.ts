import { isIPv4 } from 'node:net';
import helmet from '@fastify/helmet';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../answers/errors.ts';
import type { Config } from '../config.ts';
import type { App } from './deps.ts';

/**
 * Nothing is loaded from elsewhere. Swagger UI and ReDoc style their pages in place, and ReDoc searches in a worker.
 */
const DIRECTIVES = {
  defaultSrc: ["'self'"],
  baseUri: ["'none'"],
  connectSrc: ["'self'"],
  fontSrc: ["'self'"],
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
  imgSrc: ["'self'", 'data:'],
  objectSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
  workerSrc: ["'self'", 'blob:'],
};

/** Sets security headers on every answer, and refuses hosts that the service does not answer for. */
export async function secure(app: App, config: Pick<Config, 'HOST' | 'HTTP_ALLOWED_HOSTS'>): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: DIRECTIVES },
    frameguard: { action: 'deny' },
    // Whether there is TLS is for the gateway to say; over plain HTTP browsers log an error for each of the others.
    strictTransportSecurity: false,
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
  });
  const allowed = new Set(listed(config.HTTP_ALLOWED_HOSTS).map((name) => name.toLowerCase()));
  if (!isLoopback(config.HOST) && allowed.size === 0) return;
  // A page of elsewhere whose name is made to point to this machine (DNS rebinding) is known by that name.
  app.addHook('onRequest', async (request) => {
    const host = request.headers.host;
    if (host === undefined) return;
    const name = hostName(host);
    if (name !== undefined && (isLoopback(name) || allowed.has(name))) return;
    const message =
      `host ${JSON.stringify(host.slice(0, 200))} is not allowed; ` +
      'use localhost, or add the name to the setting HTTP_ALLOWED_HOSTS';
    throw new AppError('FORBIDDEN', [{ field: 'Host', message }]);
  });
}

/**
 * Lets a WebSocket in that no page asks for, or a page of the service itself or of an allowed origin.
 * Browsers open WebSockets from any page to anywhere and only say from where.
 * @throws AppError FORBIDDEN
 */
export function checkOrigin(
  request: FastifyRequest,
  config: Pick<Config, 'WEBSOCKET_ALLOWED_ORIGINS'>,
): void {
  const { origin, host } = request.headers;
  if (origin === undefined) return;
  const from = URL.parse(origin);
  // Compared with the scheme of the page: the gateway in front may be the one that has TLS.
  if (from && host !== undefined && from.host === URL.parse(`${from.protocol}//${host}`)?.host) return;
  if (
    from &&
    listed(config.WEBSOCKET_ALLOWED_ORIGINS).some((allowed) => URL.parse(allowed)?.origin === from.origin)
  ) {
    return;
  }
  const message =
    `origin ${JSON.stringify(origin.slice(0, 200))} may not open a WebSocket; ` +
    'add it to the setting WEBSOCKET_ALLOWED_ORIGINS';
  throw new AppError('FORBIDDEN', [{ field: 'Origin', message }]);
}

/** The host name in a Host header, without its port, normalized as in URLs; undefined if invalid. */
function hostName(host: string): string | undefined {
  return URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '');
}

function isLoopback(name: string): boolean {
  const isNamed = name === 'localhost' || name.endsWith('.localhost');
  return isNamed || name === '::1' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'));
}

function listed(setting: string | undefined): string[] {
  return (setting ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
}
