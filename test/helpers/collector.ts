import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from './at-end.ts';

type Attributes = Record<string, string | number | boolean | string[]>;

/** A span as a collector receives it. */
export type SpanSeen = {
  name: string;
  /** the library that reports it */
  scope: string;
  traceId: string;
  spanId: string;
  /** '': it begins a trace */
  parentSpanId: string;
  /** 2 server, 4 producer, 5 consumer, 1 internal */
  kind: number;
  failed: boolean;
  startNs: bigint;
  endNs: bigint;
  attributes: Attributes;
  resource: Attributes;
  /** names of what happened meanwhile */
  events: string[];
};

type Value = {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values: { stringValue: string }[] };
};
type Attribute = { key: string; value: Value };
type Batch = {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      scope: { name: string };
      spans: {
        name: string;
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        kind: number;
        startTimeUnixNano: string;
        endTimeUnixNano: string;
        attributes: Attribute[];
        events?: { name: string }[];
        status?: { code?: number };
      }[];
    }[];
  }[];
};

const valuesOf = (attributes: Attribute[]): Attributes =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ??
        value.doubleValue ??
        value.boolValue ??
        value.arrayValue?.values.map((each) => each.stringValue) ??
        Number(value.intValue),
    ]),
  );

/** A collector of OTLP over HTTP (JSON) that keeps every span. It stops at the end of the file. */
export async function openCollector() {
  const spans: SpanSeen[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as Batch;
    for (const { resource, scopeSpans } of resourceSpans) {
      for (const { scope, span } of scopeSpans.flatMap(({ scope, spans }) =>
        spans.map((span) => ({ scope: scope.name, span })),
      )) {
        spans.push({
          ...{ name: span.name, scope, traceId: span.traceId, spanId: span.spanId, kind: span.kind },
          parentSpanId: span.parentSpanId ?? '',
          failed: span.status?.code === 2,
          startNs: BigInt(span.startTimeUnixNano),
          endNs: BigInt(span.endTimeUnixNano),
          attributes: valuesOf(span.attributes),
          resource: valuesOf(resource.attributes),
          events: (span.events ?? []).map(({ name }) => name),
        });
      }
    }
    response.setHeader('content-type', 'application/json').end('{}');
    for (const check of [...waiting]) check();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    /** Waits until a span fits, starting with the first one. */
    waitFor(fits: (span: SpanSeen) => boolean): Promise<SpanSeen> {
      const { promise, resolve } = Promise.withResolvers<SpanSeen>();
      const check = () => {
        const found = spans.find(fits);
        if (!found) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      check();
      return promise;
    },
  };
}
