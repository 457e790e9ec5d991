import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable } from '../db/client.ts';
import { failure } from '../envelope.ts';
import { AppError } from '../errors.ts';

const RETRY_AFTER_SECONDS = 5;

/** Answers any error with the envelope. What the caller may not see goes to the log only. */
export function handleError(error: FastifyError | AppError, request: FastifyRequest, reply: FastifyReply) {
  const known = translate(error);
  if (known.status >= 500) request.log.error({ err: error }, known.code);
  if (known.retryAfterSeconds !== undefined) reply.header('retry-after', String(known.retryAfterSeconds));
  return reply.code(known.status).send(failure(request.id, known));
}

/** Answers a path or method that does not exist. */
export function handleNotFound(request: FastifyRequest, reply: FastifyReply) {
  const error = new AppError('RESOURCE_NOT_FOUND', [
    {
      message: `${request.method} ${request.url.split('?')[0]} does not exist; /docs lists every operation`,
    },
  ]);
  return reply.code(404).send(failure(request.id, error));
}

function translate(error: FastifyError | AppError): AppError {
  if (error instanceof AppError) return error;
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError(
        'PAYLOAD_TOO_LARGE',
        `the body is larger than the limit (setting HTTP_BODY_LIMIT_BYTES)`,
      );
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError(
        'UNSUPPORTED_MEDIA_TYPE',
        'send the body as application/json, with that Content-Type',
      );
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new AppError('VALIDATION_ERROR', 'the body is empty; send a JSON object');
  }
  if (isDatabaseUnavailable(error)) {
    return new AppError(
      'SERVICE_UNAVAILABLE',
      'the database cannot be reached; try again',
      RETRY_AFTER_SECONDS,
    );
  }
  if (error instanceof SyntaxError && error.statusCode === 400) {
    return new AppError('VALIDATION_ERROR', [
      { message: 'the body is not valid JSON; correct it at the place named', detail: error.message },
    ]);
  }
  // What Fastify itself refuses (bad URL, bad Content-Length, …).
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new AppError('VALIDATION_ERROR', error.message);
  }
  return new AppError(
    'INTERNAL_ERROR',
    'unexpected error; the log of the service names it under this request_id',
  );
}
