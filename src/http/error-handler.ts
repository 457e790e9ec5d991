import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { failure } from '../answers/envelope.ts';
import { AppError, LimitError } from '../answers/errors.ts';
import { isConflict, isDatabaseUnavailable, unavailableWords } from '../db/client.ts';
import { unsupportedType } from './bodies/receive-body.ts';

const RETRY_AFTER_SECONDS = 5;
/** The transaction that went on is over by then. */
const CONFLICT_RETRY_AFTER_SECONDS = 1;

/** Answers any error with the envelope. Details that the caller may not see go only to the log. */
export function handleError(error: FastifyError | AppError, request: FastifyRequest, reply: FastifyReply) {
  const known = translate(error, request);
  if (known instanceof LimitError || known.code === 'MODEL_NOT_LOADED')
    request.log.info({ reason: known.message }, known.code);
  else if (known.status >= 500) request.log.error({ err: error }, known.code);
  if (known.retryAfterSeconds !== undefined) reply.header('retry-after', String(known.retryAfterSeconds));
  // These headers were set for an answer that failed before any of it was sent. They do not apply to this one.
  for (const name of ['content-encoding', 'content-disposition']) reply.removeHeader(name);
  // If the request could not be parsed, no hook has run.
  reply.header('x-request-id', request.id).type('application/json; charset=utf-8');
  return reply.code(known.status).send(failure(request.id, known));
}

function translate(error: FastifyError | AppError, request: FastifyRequest): AppError {
  if (error instanceof AppError) return error;
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return unsupportedType(request);
  if (isDatabaseUnavailable(error)) {
    return new AppError(
      'SERVICE_UNAVAILABLE',
      `the database ${unavailableWords(error)}; try again`,
      RETRY_AFTER_SECONDS,
    );
  }
  // Not repeated here: a body that was streamed to PostgreSQL is gone.
  if (isConflict(error)) {
    return new AppError(
      'SERVICE_UNAVAILABLE',
      'nothing was changed, because another request changed the same data at the same time; try again',
      CONFLICT_RETRY_AFTER_SECONDS,
    );
  }
  if (error.code === 'ENOSPC') {
    const message = 'the disk for temporary files is full; try again later';
    return new AppError('SERVICE_UNAVAILABLE', message, RETRY_AFTER_SECONDS);
  }
  if (error.code?.startsWith('Z_')) {
    return new AppError(
      'VALIDATION_ERROR',
      `the gzip data of the body is damaged or truncated (${error.code}); send it again, or without Content-Encoding`,
    );
  }
  // Errors from Fastify itself (bad URL, bad Content-Length, …).
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new AppError('VALIDATION_ERROR', error.message);
  }
  return new AppError(
    'INTERNAL_ERROR',
    'unexpected error; the service log has the details under this request_id',
  );
}
