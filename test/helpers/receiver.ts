import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from './at-end.ts';

/** A delivery as a receiver of webhooks got it. */
export type Received = { path: string; headers: IncomingHttpHeaders; text: string; response: ServerResponse };

/** A receiver of webhooks. Each path of its answers as a test says; unless it does, with 204. */
export async function startReceiver() {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  const replies = new Map<string, (one: Received) => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { headers, url: path = '' } = request;
      const one = { path, headers, text: Buffer.concat(chunks).toString(), response };
      const reply = replies.get(path);
      if (reply) reply(one);
      else response.writeHead(204).end();
      received.push(one);
      for (const check of [...waiting]) check();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const at = (path: string) => received.filter((one) => one.path === path);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    at,
    /** Answers requests to a path with this from now on. */
    answer: (path: string, reply: (one: Received) => void) => replies.set(path, reply),
    /** Waits until a path got so many requests. @returns them */
    count: (path: string, least: number): Promise<Received[]> =>
      new Promise((resolve) => {
        const check = () => {
          if (at(path).length < least) return;
          waiting.delete(check);
          resolve(at(path));
        };
        waiting.add(check);
        check();
      }),
  };
}

/** A reply with a status and perhaps a body. */
export const replyWith =
  (status: number, headers: Record<string, string> = {}, body = '') =>
  ({ response }: Received) => {
    response.writeHead(status, headers).end(body);
  };
