import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * What a reverse proxy does with a request: `limit` refuses it with 429, `cut` keeps the service's answer for itself,
 * a status and a text are its own answer, a function changes that of the service.
 */
export type Trick =
  | 'pass'
  | 'limit'
  | 'cut head'
  | 'cut body'
  | { status: number; text: string }
  | ((text: string) => string);

/** A request that came to the proxy. */
export type ProxiedRequest = { what: string; key: unknown; authorization: unknown; upgrade: unknown };

/**
 * A reverse proxy of the kind that knows no WebSockets.
 * @param tricks for the first requests; the later ones pass
 * @param upgrades what becomes of a request for a WebSocket: it is refused, or held without an answer
 * @returns `sent` has all requests, those for a WebSocket too
 */
export async function openReverseProxy(
  target: string,
  tricks: Trick[] = [],
  upgrades: 'refuse' | 'hold' = 'refuse',
) {
  const sent: ProxiedRequest[] = [];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const { authorization, upgrade, 'idempotency-key': key } = headers;
    sent.push({ what: `${method} ${url}`, key, authorization, upgrade });
    const body = await buffer(request);
    if (upgrade && upgrades === 'hold') return;
    if (upgrade) return response.writeHead(426, { connection: 'close' }).end();
    const trick = tricks.shift() ?? 'pass';
    if (trick === 'limit') return response.writeHead(429, { 'retry-after': '0' }).end('slow down');
    if (typeof trick === 'object') return response.writeHead(trick.status).end(trick.text);
    const { connection: _, host: _own, ...passed } = headers;
    const answer = await fetch(target + url, {
      method: method!,
      headers: passed as Record<string, string>,
      ...(body.length > 0 && { body }),
    });
    const type = { 'content-type': answer.headers.get('content-type')! };
    const whole = await answer.text();
    if (trick === 'cut head') return request.socket.resetAndDestroy();
    const text = typeof trick === 'function' ? trick(whole) : whole;
    response.writeHead(answer.status, type).write(text.slice(0, text.length / 2));
    if (trick === 'cut body') return request.socket.destroy();
    response.end(text.slice(text.length / 2));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent, close };
}
