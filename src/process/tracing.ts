import type { Attributes, Context, Span } from '@opentelemetry/api';
import type { Config } from '../config.ts';
import { SERVICE_VERSION } from '../contracts/envelope.ts';
import type { TraceContext } from '../contracts/trace.ts';

type Kind = 'server' | 'producer' | 'consumer' | 'internal';

type SpanOptions = {
  /** default: internal */
  kind?: Kind;
  attributes?: Attributes;
  /** milliseconds since 1970; default: now */
  startedAt?: number;
  /** the library that reports it; default: the service itself */
  scope?: string;
};

/** A piece of work in a trace. Until it has ended nothing of it is sent. */
export type TraceSpan = {
  traceId: string;
  /** for whatever follows it in another process */
  context: TraceContext;
  child(name: string, options?: SpanOptions): TraceSpan;
  set(attributes: Attributes): void;
  /** Notes that something happened now. */
  event(name: string, attributes?: Attributes): void;
  /** Marks it as failed. */
  fail(message?: string): void;
  /** @param at milliseconds since 1970; default: now */
  end(at?: number): void;
};

/** Traces and metrics that a process sends to an OpenTelemetry collector. */
export type Tracing = {
  /** @param parent what it follows; undefined, or headers that are none of W3C's: it begins a trace */
  start(
    name: string,
    parent: Readonly<Record<string, string | string[] | undefined>> | undefined,
    options?: SpanOptions,
  ): TraceSpan;
  /** Sends what has ended, for `OTEL_EXPORTER_OTLP_TIMEOUT` at most. */
  close(): Promise<void>;
};

type TracingConfig = Pick<
  Config,
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'OTEL_EXPORTER_OTLP_TIMEOUT'
  | 'OTEL_TRACES_SAMPLER_ARG'
  | 'OTEL_BSP_SCHEDULE_DELAY'
  | 'OTEL_BSP_MAX_QUEUE_SIZE'
>;

type Say = { info(line: string): void; warn(fields: object, line: string): void };

/** Spans in one request to the collector. */
const MAX_BATCH = 512;

/**
 * Loads OpenTelemetry and opens a tracer of the process's own, if a collector is set; nothing is loaded
 * without. Spans wait in a queue of bounded length, and are dropped while it is full: a collector that is slow or away
 * costs spans, never a request. Contexts are passed by hand: what follows a request runs in other processes anyway.
 * @returns undefined if none is set
 */
export async function openTracing(
  process: 'api' | 'worker',
  config: TracingConfig,
  say: Say,
): Promise<Tracing | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: collector } = config;
  if (collector === undefined) return undefined;
  const [api, core, resources, sdk, { OTLPTraceExporter }, names] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/semantic-conventions'),
  ]);
  const exporter = new OTLPTraceExporter({
    timeoutMillis: config.OTEL_EXPORTER_OTLP_TIMEOUT,
    url: `${collector.replace(/\/$/, '')}/v1/traces`,
  });
  let isLost = false;
  // One line when the collector is lost and one when it is found again, not one per batch.
  const reportTo: typeof exporter.export = (spans, done) =>
    exporter.export(spans, (result) => {
      const failed = result.code === core.ExportResultCode.FAILED;
      if (failed && !isLost) say.warn({ err: result.error }, 'traces cannot be sent; spans are dropped');
      if (!failed && isLost) say.info('traces are sent again');
      isLost = failed;
      done(result);
    });
  const provider = new sdk.TracerProvider({
    sampler: new sdk.ParentBasedSampler({
      root: new sdk.TraceIdRatioBasedSampler(config.OTEL_TRACES_SAMPLER_ARG),
    }),
    resource: resources
      .defaultResource()
      .merge(
        resources.resourceFromAttributes({
          [names.ATTR_SERVICE_NAME]: `fleet-${process}`,
          [names.ATTR_SERVICE_VERSION]: SERVICE_VERSION,
          'fleet.process': process,
          'process.pid': globalThis.process.pid,
        }),
      )
      .merge(resources.detectResources({ detectors: [resources.resourceAttributesEnvDetector] })),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: { export: reportTo, shutdown: () => exporter.shutdown() },
        scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY,
        maxQueueSize: config.OTEL_BSP_MAX_QUEUE_SIZE,
        maxExportBatchSize: Math.min(MAX_BATCH, config.OTEL_BSP_MAX_QUEUE_SIZE),
        exportTimeoutMillis: 2 * config.OTEL_EXPORTER_OTLP_TIMEOUT,
      }),
    ],
  });
  const own = provider.getTracer('fleet-decision-service', SERVICE_VERSION);
  const propagator = new core.W3CTraceContextPropagator();
  const { defaultTextMapGetter: getter, defaultTextMapSetter: setter, ROOT_CONTEXT, trace } = api;
  const kinds: Record<Kind, number> = {
    server: api.SpanKind.SERVER,
    producer: api.SpanKind.PRODUCER,
    consumer: api.SpanKind.CONSUMER,
    internal: api.SpanKind.INTERNAL,
  };

  const startIn = (
    parent: Context,
    name: string,
    { kind = 'internal', attributes = {}, startedAt, scope }: SpanOptions,
  ) => {
    const tracer = scope === undefined ? own : provider.getTracer(scope);
    const startTime = startedAt === undefined ? {} : { startTime: timeOf(startedAt) };
    return wrap(tracer.startSpan(name, { kind: kinds[kind], attributes, ...startTime }, parent));
  };
  const wrap = (span: Span): TraceSpan => {
    const here = trace.setSpan(ROOT_CONTEXT, span);
    const context: Partial<TraceContext> = {};
    propagator.inject(here, context, setter);
    return {
      traceId: span.spanContext().traceId,
      context: context as TraceContext,
      child: (name, options = {}) => startIn(here, name, options),
      set: (attributes) => void span.setAttributes(attributes),
      event: (name, attributes = {}) => void span.addEvent(name, attributes),
      fail: (message) =>
        void span.setStatus({ code: api.SpanStatusCode.ERROR, ...(message !== undefined && { message }) }),
      end: (at) => span.end(at === undefined ? undefined : timeOf(at)),
    };
  };
  return {
    start: (name, parent, options = {}) =>
      startIn(parent ? propagator.extract(ROOT_CONTEXT, parent, getter) : ROOT_CONTEXT, name, options),
    async close() {
      // Without a collector there is nothing to wait for.
      if (!isLost) await provider.shutdown().catch(() => {});
    },
  };
}

/** Seconds and nanoseconds: the library takes small numbers for times since the start of the process. */
function timeOf(ms: number): [number, number] {
  return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];
}
