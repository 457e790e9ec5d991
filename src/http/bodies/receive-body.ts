import { createGunzip } from 'node:zlib';
import type { FastifyRequest, RequestPayload } from 'fastify';
import { AppError } from '../../answers/errors.ts';
import type { Config } from '../../config.ts';
import { readCaller } from '../auth/caller.ts';
import { CsvBody, HUNG_UP } from '../data/csv-body.ts';
import type { App } from '../deps.ts';
import { whenOver } from '../service/when-over.ts';
import { type Intake, ReceivedBody } from './intake.ts';
import type { Operation, OperationFacts } from './operations.ts';
import { type Hold, openRoom } from './room.ts';

export const JSON_TYPE = 'application/json';
export const CSV_TYPE = 'text/csv';
export const MERGE_PATCH_TYPE = 'application/merge-patch+json';

/** Largest growth of a packed body past its first MiB. JSON and CSV of real data grow five to thirty times. */
const MAX_UNPACK_RATIO = 200;
const ANY_RATIO_BYTES = 1024 * 1024;
const UNPACK_CHUNK_BYTES = 64 * 1024;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/i;

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: it adds to an interface of the library
  interface FastifyRequest {
    /** null: the body is not CSV */
    csvBody: CsvBody | null;
    /** what its body takes of the room for bodies; null: it has none */
    bodyHold: Hold | null;
  }
  // biome-ignore lint/style/useConsistentTypeDefinitions: it adds to an interface of the library
  interface FastifyContextConfig {
    /** how the JSON body of a route is read */
    operation?: Operation;
    /** the limit of a CSV body, if the route has one of its own */
    csvLimit?: 'HTTP_TRAVEL_LIMIT_BYTES';
  }
}

/** Bodies that are being read have room for so many of the largest. */
const LARGEST_AT_ONCE = 2.5;
const RETRY_AFTER_SECONDS = 5;

/** Whether the body is CSV. Bodies of that type have no other shape. */
export const isCsv = (request: FastifyRequest): boolean => request.mediaType === CSV_TYPE;

/** The JSON body of a request to a route with this operation. It fits its schema. */
export function bodyOf<O extends Operation>(request: { body: unknown }, operation: O): ReceivedBody<O> {
  const { body } = request;
  if (body instanceof ReceivedBody && body.operation === operation) return body as unknown as ReceivedBody<O>;
  throw new Error(`the route has to say config: { operation: '${operation}' }`);
}

/** The parts of a JSON body that the API keeps. */
export function factsOf<O extends Operation>(request: { body: unknown }, operation: O): OperationFacts<O> {
  return bodyOf(request, operation).facts;
}

/** The CSV body of a request. */
export function csvOf(request: FastifyRequest): CsvBody {
  if (request.csvBody) return request.csvBody;
  throw new Error('the body is not CSV');
}

type BodySetup = 'addContentTypeParser' | 'removeContentTypeParser' | 'addHook' | 'decorateRequest';
type BodyLimits = Pick<Config, 'HTTP_JSON_LIMIT_BYTES' | 'HTTP_BODY_LIMIT_BYTES' | 'HTTP_TRAVEL_LIMIT_BYTES'>;
/** The size limit for one kind of body. */
type Limit = { bytes: number; kind: 'JSON' | 'CSV'; setting?: 'HTTP_BODY_LIMIT_BYTES' };

/**
 * Sets up how bodies are read: JSON, JSON merge patch, CSV; each plain or with `Content-Encoding: gzip`. A route takes
 * JSON, or the types that the `content` of its body schema names. Any other type is answered with 415.
 * @param limits largest bodies; packed bodies must also be within them after unpacking. All bodies that are read at the
 * same time have room for two and a half of the largest: JSON in memory, CSV in files
 */
export function acceptBodies(app: Pick<App, BodySetup>, limits: BodyLimits, intake: Intake): void {
  const [json, csv] = readLimits(limits);
  const memory = openRoom(LARGEST_AT_ONCE * json.bytes);
  const files = openRoom(LARGEST_AT_ONCE * Math.max(csv.bytes, limits.HTTP_TRAVEL_LIMIT_BYTES));
  app.removeContentTypeParser(['text/plain', JSON_TYPE]);
  for (const type of [JSON_TYPE, MERGE_PATCH_TYPE]) {
    app.addContentTypeParser(type, async (request: FastifyRequest, payload: RequestPayload) => {
      const chunks: Buffer[] = [];
      const hold = request.bodyHold!;
      await collect(request, payload, json, hold, (chunk) => {
        chunks.push(chunk);
        return null;
      });
      const bytes = Buffer.concat(chunks.splice(0));
      const { operation } = request.routeOptions.config;
      if (!operation) return undefined;
      const isHashed = request.headers['idempotency-key'] !== undefined;
      const received = await intake.read(operation, bytes, isHashed);
      received.onRelease = hold.release;
      return received;
    });
  }
  app.addContentTypeParser(CSV_TYPE, async (request: FastifyRequest, payload: RequestPayload) => {
    const { csvLimit } = request.routeOptions.config;
    const limit = csvLimit ? { kind: csv.kind, bytes: limits[csvLimit] } : csv;
    const body = csvOf(request);
    await collect(request, payload, limit, request.bodyHold!, (chunk) => body.add(chunk));
    return body;
  });
  app.decorateRequest('csvBody', null);
  app.decorateRequest('bodyHold', null);
  app.addHook('preParsing', async (request, reply, payload) => {
    if (!hasBody(request)) {
      // Fastify would look for a parser for it.
      delete request.headers['content-type'];
      return payload;
    }
    checkMediaType(request);
    const hold = (isCsv(request) ? files : memory)(readCaller(request).caller);
    request.bodyHold = hold;
    whenOver(request, reply, hold.release);
    if (isCsv(request)) {
      const body = new CsvBody();
      request.csvBody = body;
      whenOver(request, reply, () => void body.drop());
    }
    return unpack(request, payload);
  });
}

function readLimits(limits: BodyLimits): [json: Limit, csv: Limit] {
  const { HTTP_BODY_LIMIT_BYTES: any, HTTP_JSON_LIMIT_BYTES: json } = limits;
  const csv: Limit = { bytes: any, kind: 'CSV', setting: 'HTTP_BODY_LIMIT_BYTES' };
  if (any <= json) return [{ ...csv, kind: 'JSON' }, csv];
  return [{ bytes: json, kind: 'JSON' }, csv];
}

/** Whether the request has a body. Without one, no type is expected. */
function hasBody({ headers, routeOptions }: FastifyRequest): boolean {
  return (
    routeOptions.schema?.body !== undefined ||
    headers['transfer-encoding'] !== undefined ||
    Number(headers['content-length'] ?? 0) > 0
  );
}

/** The media types that the route of a request takes. */
function acceptedTypes(request: FastifyRequest): string[] {
  const body = request.routeOptions.schema?.body as { content?: object } | undefined;
  return Object.keys(body?.content ?? { [JSON_TYPE]: {} });
}

function checkMediaType(request: FastifyRequest): void {
  const body = request.routeOptions.schema?.body as { content?: object } | undefined;
  if (body === undefined) return;
  const type = request.mediaType;
  // If one schema is for all types, Fastify itself answers a missing body.
  if (type === undefined && body.content === undefined) return;
  if (type === undefined || !acceptedTypes(request).includes(type)) throw unsupportedType(request);
  const charset = CHARSET.exec(request.headers['content-type']!)?.[1];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return;
  throw new AppError(
    'UNSUPPORTED_MEDIA_TYPE',
    `charset ${JSON.stringify(charset.slice(0, 80))} is not accepted; send it as UTF-8, with charset=utf-8 or without a charset`,
  );
}

/** 415, naming the types that the route takes. */
export function unsupportedType(request: FastifyRequest): AppError {
  const types = acceptedTypes(request).join(' or ');
  const type = request.headers['content-type'];
  const found = type
    ? `Content-Type ${JSON.stringify(type.slice(0, 80))} is not accepted`
    : 'Content-Type is missing';
  return new AppError(
    'UNSUPPORTED_MEDIA_TYPE',
    `${found}; send the body as ${types}, with that Content-Type`,
  );
}

/** Unpacks a body. `receivedEncodedLength` is the number of packed bytes received, which Fastify counts. */
function unpack(request: FastifyRequest, payload: RequestPayload): RequestPayload {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity') return payload;
  if (encoding !== 'gzip') {
    const message =
      `Content-Encoding ${JSON.stringify(encoding.slice(0, 80))} is not supported; send the body ` +
      'uncompressed or with gzip';
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', message);
  }
  const gunzip = createGunzip({ chunkSize: UNPACK_CHUNK_BYTES });
  const unpacked: RequestPayload = gunzip;
  unpacked.receivedEncodedLength = 0;
  payload.on('data', (chunk: Buffer) => {
    unpacked.receivedEncodedLength! += chunk.length;
  });
  payload.on('error', (error) => gunzip.destroy(error));
  // If the packed bytes are damaged, read and drop the rest: the answer comes after it.
  gunzip.on('error', () => payload.resume());
  return payload.pipe(gunzip);
}

/**
 * Receives a body to its end, chunk by chunk.
 * @param hold what it takes of the room for bodies
 * @param keepChunk returns null, or a promise for which the sender has to wait
 */
function collect(
  request: FastifyRequest,
  payload: RequestPayload,
  limit: Limit,
  hold: Hold,
  keepChunk: (chunk: Buffer) => Promise<void> | null,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    const tooLarge = (reason: string) => refuse(new AppError('PAYLOAD_TOO_LARGE', reason));
    const refuse = (error: AppError) => {
      hold.release();
      payload.off('data', keep);
      // Unpack nothing more. The rest is read and dropped, so that the sender gets the answer.
      request.raw.unpipe();
      request.raw.resume();
      if (payload !== request.raw) (payload as ReturnType<typeof createGunzip>).destroy();
      reject(error);
    };
    const keep = (chunk: Buffer) => {
      bytes += chunk.length;
      const packed = payload.receivedEncodedLength;
      if (Math.max(bytes, packed ?? 0) > limit.bytes) tooLarge(largerThan(limit));
      else if (packed !== undefined && bytes > ANY_RATIO_BYTES && bytes > MAX_UNPACK_RATIO * packed) {
        tooLarge(
          `the body grows to more than ${MAX_UNPACK_RATIO} times its size when decompressed; send it uncompressed`,
        );
      } else if (!hold.add(chunk.length)) refuse(noRoom(limit));
      else {
        const kept = keepChunk(chunk);
        if (!kept) return;
        payload.pause();
        kept.then(() => payload.resume(), reject);
      }
    };
    const length = Number(request.headers['content-length'] ?? 0);
    if (length > limit.bytes) return tooLarge(largerThan(limit));
    if (!hold.fits(length)) return refuse(noRoom(limit));
    payload.on('data', keep);
    payload.on('end', () => resolve());
    payload.on('error', (error) => {
      const isGone = request.raw.destroyed && !request.raw.complete;
      reject(isGone ? new AppError('VALIDATION_ERROR', HUNG_UP) : error);
    });
  });
}

function largerThan({ bytes, kind, setting }: Limit): string {
  const instead = kind === 'JSON' ? '; send it in parts, or bulk data as CSV' : '; send it in parts';
  return `the ${kind} body (decompressed) is larger than ${bytes} bytes${named(setting)}${instead}`;
}

const named = (setting: string | undefined) => (setting ? ` (setting ${setting})` : '');

function noRoom({ kind, setting }: Limit): AppError {
  const message =
    `${kind} bodies that are being read take all the room that they have, which is ${LARGEST_AT_ONCE} times the ` +
    `largest${named(setting)}; try again later`;
  return new AppError('SERVICE_UNAVAILABLE', message, RETRY_AFTER_SECONDS);
}
