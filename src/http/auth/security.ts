import { isIPv4 } from 'node:net';
import helmet from '@fastify/helmet';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../answers/errors.ts';
import type { Config } from '../../config.ts';
import type { App } from '../deps.ts';

/** Pages load nothing from other hosts. Swagger UI and ReDoc use inline styles, and ReDoc searches in a worker. */
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

/** Kubernetes and balancers ask a process by its address. The answers say nothing that a foreign page could use. */
const PROBES = new Set(['/livez', '/readyz']);

/** Sets security headers on every answer, and refuses Host names that the service does not serve. */
export async function secure(app: App, config: Pick<Config, 'HOST' | 'HTTP_ALLOWED_HOSTS'>): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: DIRECTIVES },
    frameguard: { action: 'deny' },
    // TLS is the gateway's business. Over plain HTTP browsers log an error for each of the other two headers.
    strictTransportSecurity: false,
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
  });
  const allowed = new Set(listed(config.HTTP_ALLOWED_HOSTS).map((name) => name.toLowerCase()));
  if (!isLoopback(config.HOST) && allowed.size === 0) return;
  // DNS rebinding: a foreign page makes its own name point to this machine. The Host header shows that name.
  app.addHook('onRequest', async (request) => {
    const host = request.headers.host;
    if (host === undefined || PROBES.has(pathOf(request.url))) return;
    const name = hostName(host);
    if (name !== undefined && (isLoopback(name) || allowed.has(name))) return;
    const message =
      `host ${JSON.stringify(host.slice(0, 200))} is not allowed; ` +
      'use localhost, or add the name to the setting HTTP_ALLOWED_HOSTS';
    throw new AppError('FORBIDDEN', [{ field: 'Host', message }]);
  });
}

/**
 * Accepts a WebSocket that no page opens, or one opened by a page of the service itself or of an allowed origin.
 * Browsers let any page open WebSockets to any host, and only report the page's origin.
 * @throws AppError FORBIDDEN
 */
export function checkOrigin(request: FastifyRequest, config: Pick<Config, 'CORS_ALLOWED_ORIGINS'>): void {
  const { origin, host } = request.headers;
  if (origin === undefined) return;
  const from = URL.parse(origin);
  // Compare with the scheme of the page, since TLS may end at a gateway in front.
  if (from && host !== undefined && from.host === URL.parse(`${from.protocol}//${host}`)?.host) return;
  if (
    from &&
    listed(config.CORS_ALLOWED_ORIGINS).some((allowed) => URL.parse(allowed)?.origin === from.origin)
  ) {
    return;
  }
  const message =
    `origin ${JSON.stringify(origin.slice(0, 200))} may not open a WebSocket; ` +
    'add it to the setting CORS_ALLOWED_ORIGINS';
  throw new AppError('FORBIDDEN', [{ field: 'Origin', message }]);
}

/** The host name in a Host header, without its port, normalized as in URLs; undefined if invalid. */
const pathOf = (url: string) => url.split('?', 1)[0]!;

function hostName(host: string): string | undefined {
  return URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '');
}

function isLoopback(name: string): boolean {
  const isNamed = name === 'localhost' || name.endsWith('.localhost');
  return isNamed || name === '::1' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'));
}

export function listed(setting: string | undefined): string[] {
  return (setting ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
}
