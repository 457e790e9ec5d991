import type { FastifyRequest } from 'fastify';

/** The subprotocol of the WebSocket, and the begin of the one that carries a browser's key or token. */
const SOCKET_PROTOCOL = 'fleet.v1';
const SOCKET_CREDENTIALS = 'fleet.auth.';

/**
 * The key or token of a request: `Authorization: Bearer`, `X-API-Key`, or of a WebSocket from a browser, which cannot
 * set these, the subprotocol `fleet.auth.<key or token>`. Never from the path: paths are logged.
 */
export function readCredentials({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const [, bearer] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  if (bearer !== undefined) return bearer;
  const key = headers['x-api-key'];
  if (typeof key === 'string' && key !== '') return key;
  if (headers.upgrade?.toLowerCase() !== 'websocket') return undefined;
  const protocols = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  return protocols.find((name) => name.startsWith(SOCKET_CREDENTIALS))?.slice(SOCKET_CREDENTIALS.length);
}

/** The subprotocol to answer with, of those that a client offers: never the one that carries its key or token. */
export function chooseProtocol(offered: Set<string>): string | false {
  if (offered.has(SOCKET_PROTOCOL)) return SOCKET_PROTOCOL;
  return [...offered].find((name) => !name.startsWith(SOCKET_CREDENTIALS)) ?? false;
}
