import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { v7 as uuidv7 } from 'uuid';
import { failure } from '../../answers/envelope.ts';
import { AppError } from '../../answers/errors.ts';
import type { Config } from '../../config.ts';
import type { App } from '../deps.ts';
import { whenOver } from './when-over.ts';

/** Headers are a few kB: even a slow connection sends them within this time. */
const MAX_HEADERS_SECONDS = 30;
/** Longest interval between two searches for late sockets. */
const MAX_CHECK_SECONDS = 5;

type Timeouts = Pick<Config, 'HTTP_REQUEST_TIMEOUT_SECONDS'>;

/** Options of Node's server: how long a request may take to arrive. Waiting for an answer does not count. */
export function serverTimeouts({ HTTP_REQUEST_TIMEOUT_SECONDS: seconds }: Timeouts) {
  return {
    requestTimeout: seconds * 1000,
    headersTimeout: Math.min(seconds, MAX_HEADERS_SECONDS) * 1000,
    connectionsCheckingInterval: Math.min(seconds / 4, MAX_CHECK_SECONDS) * 1000,
    requireHostHeader: false,
  };
}

/** An error of Node's parser or timer before a request has arrived, or while it arrives. */
type ClientError = Error & { code?: string };

/**
 * Answers requests that Node itself refuses: those that take too long to arrive (408), those with too large headers
 * (431), and input that is not HTTP (400). At that time there is no Fastify request or reply, so the envelope is
 * written to the socket.
 * @returns the handler of `clientError`; call `follow` with the application before routes are registered
 */
export function answerClientErrors(timeouts: Timeouts) {
  /** requests that have begun and have no answer yet, by socket */
  const begun = new WeakMap<Socket, { id: string; isAnswered(): boolean }>();
  return {
    follow(app: Pick<App, 'addHook'>): void {
      app.addHook('onRequest', async (request, reply) => {
        const { socket } = request.raw;
        const own = { id: request.id, isAnswered: () => reply.raw.headersSent };
        begun.set(socket, own);
        // The next request of a pipeline may have begun.
        whenOver(request, reply, () => begun.get(socket) === own && begun.delete(socket));
        // Node would answer it with an empty body.
        if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
          throw new AppError('VALIDATION_ERROR', [
            { field: 'Host', message: 'the Host header is missing; send it' },
          ]);
        }
      });
    },
    handle(error: ClientError, socket: Socket, log: App['log']): void {
      if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy(error);
      const request = begun.get(socket);
      // Part of an answer has been sent: no error can follow.
      if (request?.isAnswered()) return void socket.destroy(error);
      const requestId = request?.id ?? uuidv7();
      const refusal = translate(error, timeouts);
      const body = JSON.stringify(failure(requestId, refusal));
      log.info({ request_id: requestId, status: refusal.status, reason: error.code }, 'request cut off');
      socket.write(
        `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n` +
          `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
          `X-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
      );
      socket.destroySoon();
    },
  };
}

function translate(error: ClientError, { HTTP_REQUEST_TIMEOUT_SECONDS: seconds }: Timeouts): AppError {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError(
        'REQUEST_TIMEOUT',
        'the request took too long to arrive: its headers may take ' +
          `${Math.min(seconds, MAX_HEADERS_SECONDS)} seconds, ` +
          `all of it ${seconds}; send it faster, compressed, or in parts`,
      );
    case 'HPE_HEADER_OVERFLOW':
      return new AppError(
        'HEADERS_TOO_LARGE',
        'the headers are larger than 16 KiB in total; send fewer or shorter ones',
      );
    default:
      return new AppError(
        'VALIDATION_ERROR',
        `the request is not valid HTTP/1.1 (${error.message.replace(/^Parse Error: /, '')}); correct the client`,
      );
  }
}
