import { AppError, type Fault } from '../../answers/errors.ts';
import { type ErrorEnvelope, type Metadata, SERVICE_VERSION } from '../../contracts/envelope.ts';
import type { ErrorCode } from '../../contracts/errors.ts';
import type { ErrorStatus } from '../responses.ts';
import successes from './assets/answer-examples.json' with { type: 'json' };

const metadata: Metadata = {
  timestamp: '2026-11-21T17:40:08.512Z',
  version: SERVICE_VERSION,
  request_id: '01a1ff31-a6b0-7d0e-8a55-52b8b3a5c2f1',
};

/** One fault per error status, worded as the service words it. */
const FAULTS: Record<ErrorStatus, [ErrorCode, Fault]> = {
  400: [
    'VALIDATION_ERROR',
    {
      field: 'constraints.max_distence',
      message: 'unknown key "max_distence"; did you mean "max_distance"?',
    },
  ],
  401: ['UNAUTHORIZED', { message: 'the API key is unknown or revoked; ask an operator for another one' }],
  403: ['FORBIDDEN', { field: 'Host', message: 'host "evil.example" is not allowed; use localhost' }],
  404: [
    'RESOURCE_NOT_FOUND',
    {
      field: 'plan_id',
      message:
        'plan "plan_1" not found: it never existed, or it was deleted after RETENTION_PLAN_DAYS; GET ' +
        '/api/v1/plans lists the stored plans',
    },
  ],
  406: [
    'NOT_ACCEPTABLE',
    {
      field: 'Accept',
      message:
        'GET /api/v1/jobs answers with application/json, which "Accept: text/html" excludes; add it to ' +
        'the Accept header',
    },
  ],
  408: [
    'REQUEST_TIMEOUT',
    { message: 'the request took too long to arrive; send it faster, compressed, or in parts' },
  ],
  409: [
    'JOB_CANCELLED',
    {
      message:
        'job opt_01a1ff31-a641-7280-b760-87762dc26827 was cancelled before it ended; post the request again',
    },
  ],
  413: ['PAYLOAD_TOO_LARGE', { message: 'the body (decompressed) is larger than the limit' }],
  415: [
    'UNSUPPORTED_MEDIA_TYPE',
    {
      message:
        'Content-Type "text/plain" is not accepted; send the body as application/json or text/csv, with that Content-Type',
    },
  ],
  422: [
    'INFEASIBLE_PROBLEM',
    {
      field: 'constraints.min_service_level',
      message: 'min_service_level 0.95 cannot be reached; lower it to at most 0.5',
      detail: 'in conflict with supply',
    },
  ],
  429: ['RATE_LIMITED', { message: 'more than 60 requests within a minute; try again in 12 seconds' }],
  431: [
    'HEADERS_TOO_LARGE',
    { message: 'the headers are larger than 16 KiB in total; send fewer or shorter ones' },
  ],
  500: [
    'INTERNAL_ERROR',
    { message: 'unexpected error; the service log has the details under this request_id' },
  ],
  503: ['SERVICE_UNAVAILABLE', { message: 'the database cannot be reached; try again' }],
};

/** Examples of path parameters, by name. */
export const PARAMETER_EXAMPLES: Record<string, string> = {
  job_id: 'opt_01a1ff31-a641-7280-b760-87762dc26827',
  decision_id: 'dec_01a1ff31-a641-7280-b760-87762dc26827',
  plan_id: 'plan_01a1ff31-a641-7280-b760-87762dc26827',
  other_id: 'plan_01a1ff31-b0c2-7d10-8f3e-2a4b6c8d0e1f',
  vehicle_id: 'NYC-00001',
  location_id: '161',
  event_id: 'EXAMPLE-CLOSED',
  replay_id: 'rpl_01a1ff31-a641-7280-b760-87762dc26827',
  other_replay_id: 'rpl_01a1ff31-b0c2-7d10-8f3e-2a4b6c8d0e1f',
  schedule_id: 'sch_01a1ff31-a641-7280-b760-87762dc26827',
  webhook_id: 'whk_01a1ff31-a641-7280-b760-87762dc26827',
  delivery_id: 'msg_01a1ff31-a641-7280-b760-87762dc26827',
};

/** The example of an error answer. */
export function errorExample(status: ErrorStatus): ErrorEnvelope {
  const [code, fault] = FAULTS[status];
  return { status: 'error', data: null, errors: new AppError(code, [fault]).items(), metadata };
}

/** The example of a successful answer, taken from a run on the sample data; undefined if there is none. */
export function answerExample(operationId: string, status: string): object | undefined {
  return (successes as Record<string, Record<string, object>>)[operationId]?.[status];
}
