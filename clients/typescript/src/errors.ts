import type { components } from './schema.ts';

export type ErrorDetail = components['schemas']['ErrorItem'];
/** A code of the service, or `UNKNOWN` if the answer is none of the service's (a proxy's page, for example). */
export type FleetErrorCode = ErrorDetail['code'] | 'UNKNOWN';

type ErrorEnvelope = components['schemas']['ErrorEnvelope'];

/** The service refused a request, or a job ended without a plan. */
export class FleetError extends Error {
  /** code of the first fault; the others have the same */
  readonly code: FleetErrorCode;
  /** HTTP status; undefined for the stored answer of a job */
  readonly status: number | undefined;
  /** all faults, each with `code`, `message`, `field`, `detail`, and without a plan the `relaxation` that allows one */
  readonly details: readonly ErrorDetail[];
  /** id of the request, also in the logs of the service */
  readonly requestId: string | undefined;
  /** seconds after which a retry makes sense */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    answer: Partial<Pick<ErrorEnvelope, 'errors' | 'metadata'>>,
    response?: { status: number; headers: Headers },
  ) {
    const details = answer.errors ?? [];
    const status = response?.status;
    super(details.map(({ message }) => message).join('; ') || `unexpected answer with HTTP status ${status}`);
    this.name = 'FleetError';
    this.code = details[0]?.code ?? 'UNKNOWN';
    this.status = status;
    this.details = details;
    this.requestId = answer.metadata?.request_id ?? response?.headers.get('x-request-id') ?? undefined;
    this.retryAfterSeconds = response && readRetryAfter(response.headers);
  }
}

/** The service cannot be reached, so it is not known whether it got the request. `cause` has the reason. */
export class FleetConnectionError extends Error {
  readonly url: string;

  constructor(url: string, cause: unknown) {
    super(`no answer from ${url}: ${describe(cause)}`, { cause });
    this.name = 'FleetConnectionError';
    this.url = url;
  }
}

/** The error of an answer that is no success. */
export async function errorOf(response: Response): Promise<FleetError> {
  const text = await response.text();
  try {
    return new FleetError(JSON.parse(text) ?? {}, response);
  } catch {
    return new FleetError({}, response);
  }
}

/** Seconds of a `Retry-After` header; undefined without one. The service sends seconds, a proxy perhaps a time. */
export function readRetryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/** `fetch` fails with "fetch failed"; its cause knows why. */
function describe(error: unknown): string {
  const { cause, message } = error as { cause?: { message?: string; code?: string }; message?: string };
  return cause?.message || cause?.code || message || String(error);
}
