/**
 * The only table of error codes, with the HTTP status of each. The error handler, the OpenAPI document and the tests
 * read it.
 */
export const ERROR_STATUS = {
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  RESOURCE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  REQUEST_TIMEOUT: 408,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  INFEASIBLE_PROBLEM: 422,
  IDEMPOTENCY_CONFLICT: 422,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  SOLVER_ERROR: 500,
  INTERNAL_ERROR: 500,
  JOB_CANCELLED: 409,
  CONFLICT: 409,
  MODEL_NOT_LOADED: 503,
  SERVICE_UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

export const ERROR_CODES = Object.keys(ERROR_STATUS) as ErrorCode[];

/** At most this many faults of one request are reported. */
export const MAX_REPORTED_ERRORS = 100;
