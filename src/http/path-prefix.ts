import type { FastifyRequest } from 'fastify';
import { openAddressList } from '../addresses.ts';
import { type Config, PATH_PREFIX } from '../config.ts';
import type { App } from './deps.ts';

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: it adds to an interface of the library
  interface FastifyRequest {
    /** what a proxy took off the path of this request, for example `/fleet`; empty without one */
    pathPrefix: string;
  }
}

const HEADER = 'x-forwarded-prefix';
const PLAIN = new RegExp(PATH_PREFIX);
/** The places of a page that hold an address of this service. */
const IN_PAGE = /(?<= (?:href|src|spec-url)=")(?=\/(?!\/))/g;

/**
 * A path of this service as whoever sent the request has to ask for it. All paths that leave the service go through
 * here: those of `Location` and of HTML pages as they are sent, so that routes write their own paths.
 */
export function outward({ pathPrefix }: Pick<FastifyRequest, 'pathPrefix'>, path: string): string {
  return pathPrefix + path;
}

/**
 * Finds the prefix of each request, and puts it before the paths of redirects and pages. Only a trusted proxy may name
 * one, and only a plain path: otherwise a caller could lead others elsewhere by an answer that is kept for them.
 */
export function keepPathPrefix(
  app: App,
  config: Pick<Config, 'HTTP_PATH_PREFIX' | 'HTTP_TRUSTED_PROXIES'>,
): void {
  const { HTTP_PATH_PREFIX: ownPrefix = '', HTTP_TRUSTED_PROXIES: proxies } = config;
  const isTrusted = proxies === undefined ? () => false : openAddressList(proxies);
  app.decorateRequest('pathPrefix', ownPrefix);
  app.addHook('onRequest', async (request, reply) => {
    if (!isTrusted(request.socket.remoteAddress ?? '')) return;
    reply.header('vary', HEADER);
    const named = request.headers[HEADER];
    if (typeof named !== 'string') return;
    const prefix = named.replace(/\/$/, '');
    if (prefix === '' || PLAIN.test(prefix)) request.pathPrefix = prefix;
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const location = reply.getHeader('location');
    if (typeof location === 'string') reply.header('location', outward(request, location));
    const isPage = typeof payload === 'string' && /^text\/html/.test(String(reply.getHeader('content-type')));
    return isPage ? payload.replace(IN_PAGE, outward(request, '')) : payload;
  });
}
