import { DURATION_BUCKETS, type Metrics } from '../../process/metrics.ts';
import type { App } from '../deps.ts';
import { whenOver } from './when-over.ts';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Measures every request, also those that a later hook refuses: call it first. Routes are named by their pattern, so
 * that no label has values without number.
 */
export function measureRequests(app: App, { client, registry }: Metrics): void {
  const registers = [registry];
  const durations = new client.Histogram({
    name: 'fleet_http_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its answer; status 499: broken off by the caller',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const open = new client.Gauge({
    name: 'fleet_http_requests_in_flight',
    help: 'Requests that are being answered, those that wait for a job included',
    registers,
  });
  new client.Gauge({
    name: 'fleet_websocket_connections',
    help: 'Open WebSockets',
    registers,
    collect() {
      this.set(app.websocketServer.clients.size);
    },
  });
  app.addHook('onRequest', async (request, reply) => {
    // A WebSocket is open until its reader leaves: no request that is answered.
    if (request.ws) return;
    const end = durations.startTimer();
    open.inc();
    whenOver(request, reply, (status) => {
      open.dec();
      const method = METHODS.has(request.method) ? request.method : 'other';
      end({ method, route: (!request.is404 && request.routeOptions.url) || 'none', status });
    });
  });
}
