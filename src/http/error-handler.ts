import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable } from '../db/client.ts';
import { failure } from '../envelope.ts';
import { AppError } from '../errors.ts';
import { tooLarge, unsupportedType } from './bodies.ts';

const RETRY_AFTER_SECONDS = 5;

/** Answers any error with the envelope. What the caller may not see goes to the log only. */
export function handleError(error: FastifyError | AppError, request: FastifyRequest, reply: FastifyReply) {
  const known = translate(error, request);
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

function translate(error: FastifyError | AppError, request: FastifyRequest): AppError {
  if (error instanceof AppError) return error;
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return tooLarge();
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedType(request);
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
  if (error.code?.startsWith('Z_')) {
    return new AppError(
      'VALIDATION_ERROR',
      `the gzip data of the body is damaged or cut short (${error.code}); send it again, or without Content-Encoding`,
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
