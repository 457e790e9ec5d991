import { AsyncLocalStorage } from 'node:async_hooks';
import { type Attributes, type Span, SpanKind, type Telemetry, TelemetryAttributes } from 'bullmq';
import type { TraceContext } from '../contracts/trace.ts';
import type { TraceSpan, Tracing } from '../process/tracing.ts';

/** A span of BullMQ. That of a token in a worker has no trace until the token has claimed a job. */
export type QueueSpan = {
  /** Begins it in a trace, unless it has begun. @param trace undefined: it begins a trace */
  join(trace: TraceContext | undefined): TraceSpan;
};

/** The span within which BullMQ is called, or calls. */
const active = new AsyncLocalStorage<QueueSpan | undefined>();

/** The span of the token whose handler calls this; undefined: the consumer is not traced. */
export function tokenSpan(): QueueSpan | undefined {
  return active.getStore();
}

/** Calls BullMQ so that its spans follow one of ours. */
export function following<T>(span: TraceSpan | undefined, call: () => T): T {
  return span ? active.run({ join: () => span }, call) : call();
}

const KINDS: Partial<Record<SpanKind, 'producer' | 'consumer'>> = {
  [SpanKind.PRODUCER]: 'producer',
  [SpanKind.CONSUMER]: 'consumer',
};

/**
 * Makes BullMQ report its spans to our tracing. Its own library for OpenTelemetry, `bullmq-otel`, needs the one tracer
 * that is global to a process, and opens the span of a token before it is known which job the token claims: in a trace
 * of its own, or in that of the request that announced the token, which may be another caller's. Here no context
 * travels with a token, and its span begins when the handler says in which trace.
 */
export function openTelemetry(tracing: Tracing): Telemetry<QueueSpan | undefined> {
  return {
    tracer: { startSpan: (name, options) => startSpan(tracing, name, options?.kind) },
    contextManager: {
      with: (span, call) => active.run(span, call),
      active: () => active.getStore(),
      root: () => undefined,
      getMetadata: () => '',
      fromMetadata: (span) => span,
    },
  };
}

function startSpan(
  tracing: Tracing,
  name: string,
  bullKind = SpanKind.INTERNAL,
): Span<QueueSpan | undefined> {
  const parent = active.getStore();
  const kind = KINDS[bullKind] ?? ('internal' as const);
  const isLate = kind === 'consumer';
  const options = { kind, scope: 'bullmq', attributes: {}, ...(isLate && { startedAt: Date.now() }) };
  let span: TraceSpan | undefined;
  const join = (trace?: TraceContext) => {
    span ??= parent ? parent.join(undefined).child(name, options) : tracing.start(name, trace, options);
    return span;
  };
  if (!isLate) join();
  const set = ({ [TelemetryAttributes.BulkNames]: _sameForAll, ...attributes }: Attributes) => {
    if (span) span.set(attributes);
    else Object.assign(options.attributes, attributes);
  };
  return {
    setSpanOnContext: () => ({ join }),
    setAttribute: (key, value) => set({ [key]: value }),
    setAttributes: set,
    addEvent(event, attributes = {}) {
      join().event(event, attributes);
      // BullMQ itself marks no span as failed.
      const reason = attributes[TelemetryAttributes.JobFailedReason];
      if (reason !== undefined) join().fail(String(reason));
    },
    recordException(exception) {
      const message = typeof exception === 'string' ? exception : exception.message;
      join().event('exception', { 'exception.message': message });
      // An error ends what the span is of. After a text BullMQ tries again.
      if (typeof exception !== 'string') join().fail(message);
    },
    end: () => join().end(),
  };
}
