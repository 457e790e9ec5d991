import { type Static, Type } from 'typebox';
import { ERROR_CODES } from './errors.ts';
import { JobReference, ProgressState } from './jobs.ts';
import type { TraceContext } from './trace.ts';

/** Messages of the WebSocket `/ws/optimization`. The AsyncAPI document is made from them. */

export const SubscribeMessage = Type.Object(
  { type: Type.Literal('subscribe'), job_id: JobReference },
  { $id: 'SubscribeMessage', additionalProperties: false },
);
export const UnsubscribeMessage = Type.Object(
  { type: Type.Literal('unsubscribe'), job_id: JobReference },
  { $id: 'UnsubscribeMessage', additionalProperties: false },
);

const traceparent = Type.Optional(
  Type.String({
    description: 'W3C trace context: where the message stands in the trace of its job, if it is traced',
  }),
);

export const ProgressMessage = Type.Object(
  { type: Type.Literal('progress'), job_id: Type.String(), ...ProgressState, traceparent },
  { $id: 'ProgressMessage' },
);
export type ProgressMessage = Static<typeof ProgressMessage>;

export const CompleteMessage = Type.Object(
  {
    type: Type.Literal('complete'),
    job_id: Type.String(),
    traceparent,
    result: Type.Unknown({ description: 'the envelope of the synchronous answer, success or error' }),
  },
  { $id: 'CompleteMessage' },
);

export const ErrorMessage = Type.Object(
  {
    type: Type.Literal('error'),
    job_id: Type.Union([Type.String(), Type.Null()]),
    code: Type.Enum(ERROR_CODES),
    message: Type.String(),
  },
  { $id: 'ErrorMessage' },
);

/** The answer of an ended job as text. */
export type TextAnswer = { httpStatus: number; body: string };

/** Messages between processes on the event bus: identifiers and figures, and the answer of an ended job if small. */
export type JobEvent =
  | {
      type: 'progress';
      job_id: string;
      attempt: number;
      progress: number;
      stage: string | null;
      incumbent: number | null;
      bound: number | null;
      gap: number | null;
      iterations: number | null;
      trace?: TraceContext | undefined;
    }
  | {
      type: 'ended';
      job_id: string;
      /** exactly as it is stored; absent: read it from PostgreSQL */
      answer?: TextAnswer | undefined;
      trace?: TraceContext | undefined;
    }
  | { type: 'cancel'; job_id: string };
