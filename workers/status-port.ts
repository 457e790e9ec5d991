import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import type { Config } from '../src/config.ts';
import { databaseFault } from '../src/db/client.ts';

/** Probes of Kubernetes wait a second. */
const MAX_ANSWER_MS = 800;

type StatusPort = {
  url: string;
  /** From now on the worker is not ready: it takes no more jobs. */
  refuse(): void;
  close(): Promise<void>;
};

/**
 * The port at which a worker answers probes and Prometheus: `/livez` while its event loop runs, `/readyz` while it
 * takes jobs and PostgreSQL takes writes, `/metrics` if they are on.
 * @returns undefined if the setting names no port
 */
export async function openStatusPort(
  { HOST, WORKER_PORT }: Pick<Config, 'HOST' | 'WORKER_PORT'>,
  pool: Parameters<typeof databaseFault>[0],
  registry: Registry | undefined,
): Promise<StatusPort | undefined> {
  if (WORKER_PORT === undefined) return undefined;
  let isTaking = true;
  const answers: Record<string, ((response: ServerResponse) => Promise<void>) | undefined> = {
    '/livez': async (response) => sendJson(response, 200, { alive: true }),
    '/readyz': async (response) => {
      const isReady = isTaking && (await databaseFault(pool, MAX_ANSWER_MS)) === undefined;
      sendJson(response, isReady ? 200 : 503, { ready: isReady });
    },
    '/metrics':
      registry &&
      (async (response) => {
        const text = await registry.metrics();
        response
          .writeHead(200, { 'content-type': registry.contentType, 'cache-control': 'no-store' })
          .end(text);
      }),
  };
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?', 1)[0];
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined;
    if (!answer)
      return sendJson(response, 404, { error: `${Object.keys(answers).join(', ')} are served here` });
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return sendJson(response, 405, { error: `${path} supports GET and HEAD` });
    }
    answer(response).catch(() => response.destroy());
  });
  server.listen(WORKER_PORT, HOST);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${port}`,
    refuse: () => {
      isTaking = false;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
    .end(`${JSON.stringify(body)}\n`);
}
