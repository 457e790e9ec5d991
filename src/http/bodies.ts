import { createGunzip } from 'node:zlib';
import type { FastifyRequest, RequestPayload } from 'fastify';
import { AppError } from '../errors.ts';
import type { App } from './app.ts';

export const JSON_TYPE = 'application/json';
export const CSV_TYPE = 'text/csv';
export const MERGE_PATCH_TYPE = 'application/merge-patch+json';

/** The bytes of a CSV body, as they came. */
export type CsvBody = readonly Buffer[];

/** Whether the body came as CSV; bodies of that type are of no other shape. */
export const isCsv = (request: FastifyRequest): boolean => request.mediaType === CSV_TYPE;

type BodySetup = 'addContentTypeParser' | 'removeContentTypeParser' | 'getDefaultJsonParser' | 'addHook';

/**
 * Sets up how bodies are read: JSON, JSON merge patch, CSV; each of them plain or with `Content-Encoding: gzip`. A route
 * takes JSON, or the types that the `content` of its body schema names; any other is answered with 415.
 * @param limitBytes longest body; it holds for packed bodies after unpacking too
 */
export function acceptBodies(app: Pick<App, BodySetup>, limitBytes: number): void {
  app.removeContentTypeParser('text/plain');
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser(MERGE_PATCH_TYPE, { parseAs: 'string' }, parseJson);
  app.addContentTypeParser(CSV_TYPE, (request: FastifyRequest, payload: RequestPayload) =>
    collect(request, payload, limitBytes),
  );
  app.addHook('preParsing', async (request, _reply, payload) => {
    checkMediaType(request);
    return unpack(request, payload);
  });
}

/** The media types that the route of a request takes. */
export function acceptedTypes(request: FastifyRequest): string[] {
  const body = request.routeOptions.schema?.body as { content?: object } | undefined;
  return Object.keys(body?.content ?? { [JSON_TYPE]: {} });
}

function checkMediaType(request: FastifyRequest): void {
  const body = request.routeOptions.schema?.body as { content?: object } | undefined;
  if (body === undefined) return;
  const type = request.mediaType;
  // Where one schema is for all types, Fastify itself answers a body that is missing.
  if (type === undefined && body.content === undefined) return;
  if (type === undefined || !acceptedTypes(request).includes(type)) throw unsupportedType(request);
}

/** 415, naming what the route takes. */
export function unsupportedType(request: FastifyRequest): AppError {
  const types = acceptedTypes(request).join(' or ');
  return new AppError('UNSUPPORTED_MEDIA_TYPE', `send the body as ${types}, with that Content-Type`);
}

/** Too large a body, packed or not. */
export function tooLarge(): AppError {
  return new AppError(
    'PAYLOAD_TOO_LARGE',
    'the body, unpacked where it is packed, is larger than the limit (setting HTTP_BODY_LIMIT_BYTES)',
  );
}

/** Unpacks a body. Fastify compares `receivedEncodedLength`, what came in packed, with Content-Length and its limit. */
function unpack(request: FastifyRequest, payload: RequestPayload): RequestPayload {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity') return payload;
  if (encoding !== 'gzip') {
    const message = `Content-Encoding ${JSON.stringify(encoding.slice(0, 80))} is not known; send the body plain or with gzip`;
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', message);
  }
  const unpacked: RequestPayload = createGunzip();
  unpacked.receivedEncodedLength = 0;
  payload.on('data', (chunk: Buffer) => {
    unpacked.receivedEncodedLength! += chunk.length;
  });
  payload.on('error', (error) => (unpacked as ReturnType<typeof createGunzip>).destroy(error));
  // Where the packed bytes turn out to be damaged, the rest still has to flow away: the answer comes after it.
  unpacked.on('error', () => payload.resume());
  return payload.pipe(unpacked as ReturnType<typeof createGunzip>);
}

/** Keeps the chunks as they come: one copy of the body in memory, and no database waits for a slow sender. */
function collect(request: FastifyRequest, payload: RequestPayload, limitBytes: number): Promise<CsvBody> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const keep = (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (Math.max(bytes, payload.receivedEncodedLength ?? 0) <= limitBytes) return;
      payload.off('data', keep);
      // Nothing more is unpacked; the rest of what is sent flows away unread, so that the sender hears the answer.
      request.raw.unpipe();
      request.raw.resume();
      chunks.length = 0;
      reject(tooLarge());
    };
    payload.on('data', keep);
    payload.on('end', () => resolve(chunks));
    payload.on('error', reject);
  });
}
