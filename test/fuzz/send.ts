import http from 'node:http';

/** A request as sent; `body` is not changed. */
export type WireRequest = {
  method: string;
  /** path and query, percent-encoded */
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
};

export type WireAnswer = {
  status: number;
  headers: http.IncomingHttpHeaders;
  bytes: Buffer;
  /** the body as text, still compressed if `Content-Encoding` says so */
  text: string;
  ms: number;
};

export type Sender = {
  /**
   * Sends a request and reads the whole answer.
   * @throws Error if the connection breaks or no answer comes in time
   */
  send(request: WireRequest): Promise<WireAnswer>;
  close(): void;
};

/** Time limit for an answer: longer than the service's own waiting limit of a fuzzed call. */
const ANSWER_LIMIT_MS = 180_000;

/**
 * Opens a client with connections of its own.
 * @param localAddress address to send from: another loopback address counts as another caller
 */
export function openSender(baseUrl: string, localAddress?: string): Sender {
  const { hostname, port } = new URL(baseUrl);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  return {
    send({ method, path, headers, body }) {
      return new Promise((resolve, reject) => {
        const startedAt = performance.now();
        const request = http.request({
          ...{ agent, host: hostname, port, method, path, timeout: ANSWER_LIMIT_MS },
          ...(localAddress !== undefined && { localAddress }),
          headers: { ...headers, ...(body && { 'content-length': String(body.length) }) },
        });
        request.on('timeout', () => request.destroy(new Error(`no answer in ${ANSWER_LIMIT_MS} ms`)));
        request.on('error', reject);
        request.on('response', (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const bytes = Buffer.concat(chunks);
            const ms = performance.now() - startedAt;
            const status = response.statusCode ?? 0;
            resolve({ status, headers: response.headers, bytes, text: bytes.toString(), ms });
          });
        });
        request.end(body);
      });
    },
    close: () => agent.destroy(),
  };
}
