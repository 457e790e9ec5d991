import { type ErrorEnvelope, type Metadata, SERVICE_VERSION } from '../contracts/envelope.ts';
import { AppError } from './errors.ts';

/** The general metadata of an answer that is made now. */
export function metadata(requestId: string): Metadata {
  return { timestamp: new Date().toISOString(), version: SERVICE_VERSION, request_id: requestId };
}

/** The success envelope around `data`. */
export function success<D>(requestId: string, data: D) {
  return { status: 'success' as const, data, metadata: metadata(requestId) };
}

/** The error envelope. */
export function failure(requestId: string, error: AppError): ErrorEnvelope {
  return { status: 'error', data: null, errors: error.items(), metadata: metadata(requestId) };
}

/** The stored answer of a job that was cancelled. */
export function cancelledAnswer(requestId: string, jobId: string) {
  const error = new AppError(
    'JOB_CANCELLED',
    `job ${jobId} was cancelled before it ended; post the request again`,
  );
  return { httpStatus: error.status, body: JSON.stringify(failure(requestId, error)) };
}
