import { type TSchema, Type } from 'typebox';
import { Envelope, ErrorEnvelope } from '../contracts/envelope.ts';

/** The meaning of each error status, for the document. contracts/errors.ts has the codes. */
const MEANINGS = {
  400: 'VALIDATION_ERROR: the request is invalid; each fault names its field, the value, the limit and what to do',
  401: 'UNAUTHORIZED: API key or token are missing, unknown, revoked or expired',
  403: 'FORBIDDEN: the Host or Origin is not allowed, or the priority `high` is reserved for other callers',
  404: 'RESOURCE_NOT_FOUND',
  406: 'NOT_ACCEPTABLE: the Accept header excludes every type that the operation answers with',
  408: 'REQUEST_TIMEOUT: the request took too long to arrive',
  409:
    'JOB_CANCELLED: the job was cancelled while the caller waited; CONFLICT: other data refer to what ' +
    'would be deleted, or the name of a schedule is in use, or 100 schedules or 50 webhooks are stored',
  413: 'PAYLOAD_TOO_LARGE: the body is larger than the setting allows',
  415: 'UNSUPPORTED_MEDIA_TYPE: the Content-Type or Content-Encoding of the body is not supported',
  422: 'INFEASIBLE_PROBLEM: conflicting constraints and their smallest relaxations; IDEMPOTENCY_CONFLICT',
  429:
    'RATE_LIMITED: too many requests of this caller within a minute, too many of its jobs are waiting, or too many bytes ' +
    'of bodies in a day',
  431: 'HEADERS_TOO_LARGE: the headers are larger than 16 KiB in total',
  500: 'SOLVER_ERROR if the solver failed, INTERNAL_ERROR otherwise',
  503: 'SERVICE_UNAVAILABLE: database or queue unreachable, or queue full; MODEL_NOT_LOADED: no observations',
} as const;
export type ErrorStatus = keyof typeof MEANINGS;

/** Key for the description of an answer; the `description` of its schema describes the shape. */
export const RESPONSE_DESCRIPTION = 'x-response-description';

type Headers = Record<string, TSchema>;

/** Headers that answers may have, by name. Routes list their names as `headers` in the schema of an answer. */
export const HEADERS = {
  'X-Request-Id': Type.String({ description: 'id of the request, also in logs, jobs and `metadata`' }),
  'Retry-After': Type.String({ pattern: '^[0-9]+$', description: 'seconds after which to try again' }),
  'Preference-Applied': Type.String({ description: 'the part of `Prefer` that was applied, e.g. `wait=10`' }),
  'WWW-Authenticate': Type.String({ description: 'how to prove who you are: `Bearer`' }),
  Location: Type.String({ description: 'path of the job' }),
  'Content-Disposition': Type.String({ description: 'name of the file' }),
} satisfies Headers;

/** The error answers of an operation, by status. */
export function errors<S extends ErrorStatus>(...statuses: S[]): Record<S, typeof ErrorEnvelope> {
  const entries = statuses.map((status) => [status, described(MEANINGS[status], ErrorEnvelope)]);
  return Object.fromEntries(entries) as Record<S, typeof ErrorEnvelope>;
}

/** The error answers that every operation may have. Operations with a body have more. */
export function commonErrors(hasBody: boolean): Partial<Record<ErrorStatus, typeof ErrorEnvelope>> {
  return hasBody ? errors(400, 403, 406, 408, 413, 415, 431, 500) : errors(403, 406, 408, 431, 500);
}

/** The further error answers of operations that need an API key or a token. */
export function guardErrors(): Partial<Record<ErrorStatus, typeof ErrorEnvelope>> {
  const forbidden = `${MEANINGS[403]}, or the caller lacks the role`;
  return { ...errors(401), 403: described(forbidden, ErrorEnvelope) };
}

/** The headers of an answer for the document. @param own headers that the route names */
export function responseHeaders(status: number, own: Headers = {}): Headers {
  return {
    'X-Request-Id': HEADERS['X-Request-Id'],
    ...(status === 401 && { 'WWW-Authenticate': HEADERS['WWW-Authenticate'] }),
    ...((status === 503 || status === 429) && { 'Retry-After': HEADERS['Retry-After'] }),
    ...own,
  };
}

/** A success answer with its description. */
export function answers<D extends TSchema>(description: string, data: D) {
  return described(description, Envelope(data));
}

/** A schema with its description as an answer. @param headers that the answer may have, names of `HEADERS` */
export function described<S extends TSchema>(
  description: string,
  schema: S,
  ...headers: (keyof typeof HEADERS)[]
): S {
  const named = Object.fromEntries(headers.map((name) => [name, HEADERS[name]]));
  return { ...schema, [RESPONSE_DESCRIPTION]: description, ...(headers.length > 0 && { headers: named }) };
}
