/**
 * A place in a trace, as the W3C headers of the same names: it is stored with a job, and passed on with events, so that
 * spans of other processes follow it.
 */
export type TraceContext = { traceparent: string; tracestate?: string };
