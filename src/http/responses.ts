import type { TSchema } from 'typebox';
import { Envelope, ErrorEnvelope } from '../contracts/envelope.ts';

/** What each error status of the service means, for the document; the codes stand in contracts/errors.ts. */
const MEANINGS = {
  400: 'VALIDATION_ERROR: the request is wrong; each fault names its field, the value, the limit and what to do',
  404: 'RESOURCE_NOT_FOUND',
  409: 'JOB_CANCELLED: somebody cancelled the job while the caller waited',
  413: 'PAYLOAD_TOO_LARGE: the body is larger than the setting allows',
  415: 'UNSUPPORTED_MEDIA_TYPE: the Content-Type or Content-Encoding of the body is none of those that are taken',
  422: 'INFEASIBLE_PROBLEM: constraints in conflict and their smallest relaxations; IDEMPOTENCY_CONFLICT',
  500: 'SOLVER_ERROR where the solver failed, INTERNAL_ERROR otherwise',
  503: 'SERVICE_UNAVAILABLE: database or queue away, or queue full; MODEL_NOT_LOADED: no observations',
} as const;

/** The error answers of an operation, by status. */
export function errors<S extends keyof typeof MEANINGS>(...statuses: S[]): Record<S, typeof ErrorEnvelope> {
  const entries = statuses.map((status) => [status, { ...ErrorEnvelope, description: MEANINGS[status] }]);
  return Object.fromEntries(entries) as Record<S, typeof ErrorEnvelope>;
}

/** A success answer with what it means. */
export function answers<D extends TSchema>(description: string, data: D) {
  return described(description, Envelope(data));
}

/** A schema with what it means as an answer. */
export function described<S extends TSchema>(description: string, schema: S): S {
  return { ...schema, description };
}
