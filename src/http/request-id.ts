import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { v7 as uuidv7 } from 'uuid';

/** The caller's X-Request-Id if it consists of 1 to 128 visible ASCII characters, else a UUIDv7. */
export function requestId(request: IncomingMessage | Http2ServerRequest): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\x21-\x7e]{1,128}$/.test(given) ? given : uuidv7();
}
