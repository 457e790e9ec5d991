import type { TraceSpan, Tracing } from '../../process/tracing.ts';
import type { App } from '../deps.ts';
import { whenOver } from './when-over.ts';

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: it adds to an interface of the library
  interface FastifyRequest {
    /** absent: it is not traced */
    trace?: TraceSpan;
  }
}

/** Asked every few seconds by machines. */
const UNTRACED = new Set(['/livez', '/readyz', '/health', '/metrics']);

/**
 * Makes a span of every request, also of those that a later hook refuses: call it first. It follows the `traceparent`
 * of its caller, and its log lines carry its `trace_id`. Not traced are probes, and WebSockets: their messages have
 * spans of their own.
 */
export function traceRequests(app: App, tracing: Tracing): void {
  app.addHook('onRequest', async (request, reply) => {
    const route = request.is404 ? undefined : request.routeOptions.url;
    if (request.ws || UNTRACED.has(route ?? '')) return;
    const { method } = request;
    const [path] = request.url.split('?', 1);
    const agent = request.headers['user-agent'];
    const span = tracing.start(route === undefined ? method : `${method} ${route}`, request.headers, {
      kind: 'server',
      attributes: {
        ...{ 'http.request.method': method, 'url.scheme': request.protocol, 'url.path': path },
        ...{ 'client.address': request.ip, 'fleet.request_id': request.id },
        ...(route !== undefined && { 'http.route': route }),
        ...(agent !== undefined && { 'user_agent.original': agent }),
      },
    });
    request.trace = span;
    const log = request.log.child({ trace_id: span.traceId });
    request.log = log;
    reply.log = log;
    whenOver(request, reply, (status) => {
      if (reply.raw.writableFinished) span.set({ 'http.response.status_code': status });
      else span.set({ 'error.type': 'broken_off' });
      if (status >= 500) span.fail();
      span.end();
    });
  });
}
