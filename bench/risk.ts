/**
 * `npm run bench:risk -- [--vehicles 100000] [--repeats 15]`: POST /api/v1/risk/score over HTTP, end to end, with the
 * server in a separate thread. The baseline takes turns with it: JSON.parse of the same body and JSON.stringify of its
 * content. "Blocked" is the longest time that the server's event loop was busy during a request: the longest wait of
 * any other request.
 */
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify from 'fastify';
import { loadConfig } from '../src/config.ts';
import { protect } from '../src/http/auth/protect.ts';
import { openIntake } from '../src/http/bodies/intake.ts';
import { acceptBodies } from '../src/http/bodies/receive-body.ts';
import { validatorCompiler } from '../src/http/bodies/validation.ts';
import { riskRoutes } from '../src/http/decisions/risk-route.ts';
import { handleError } from '../src/http/error-handler.ts';
import { requestId } from '../src/http/request-id.ts';
import { figure, ratio, readArguments, reportTable } from './cli.ts';
import { createUniform } from './instances.ts';

if (isMainThread) await measure();
else await serve();

async function serve() {
  const config = loadConfig({});
  const app = Fastify({
    genReqId: requestId,
    bodyLimit: config.HTTP_BODY_LIMIT_BYTES,
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  protect(app, undefined);
  acceptBodies(app, config, openIntake(config));
  app.setErrorHandler(handleError);
  await app.register(riskRoutes());
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  parentPort!.on('message', () => {
    parentPort!.postMessage(delay.max / 1e6);
    delay.reset();
  });
  parentPort!.postMessage(await app.listen({ port: 0, host: '127.0.0.1' }));
}

async function measure() {
  const { vehicles: count, repeats, json } = readArguments({ vehicles: 100_000, repeats: 15 });
  const random = createUniform(1);
  const vehicles = Array.from({ length: count }, (_, i) => ({
    id: `VEHICLE-${String(i).padStart(6, '0')}`,
    age_days: Math.floor(3000 * random()),
    utilization_rate: Math.round(1e4 * random()) / 1e4,
    days_since_maintenance: Math.floor(90 * random()),
  }));
  const body = JSON.stringify({ vehicles });

  const server = new Worker(new URL(import.meta.url));
  const [url] = await once(server, 'message');
  const blocked = async () => {
    const answer = once(server, 'message');
    server.postMessage('blocked?');
    return (await answer)[0] as number;
  };
  const figures = { request: [] as number[], baseline: [] as number[], blocked: [] as number[] };
  for (let r = -3; r < repeats; r++) {
    await blocked();
    let began = performance.now();
    const response = await fetch(`${url}/api/v1/risk/score`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    const text = await response.text();
    const request = performance.now() - began;
    if (response.status !== 200) throw new Error(text.slice(0, 500));
    began = performance.now();
    JSON.stringify(JSON.parse(body));
    const baseline = performance.now() - began;
    const stall = await blocked();
    if (r < 0) continue;
    figures.request.push(request);
    figures.baseline.push(baseline);
    figures.blocked.push(stall);
  }
  await server.terminate();
  console.error(`${count} vehicles, ${(body.length / 1e6).toFixed(1)} MB, ${repeats} requests`);
  const overBaseline = (times: number[]) => ratio(times.map((ms, i) => ms / figures.baseline[i]));
  const rows = [
    ['request', figure(figures.request), overBaseline(figures.request)],
    ['JSON.parse and JSON.stringify (baseline)', figure(figures.baseline), '× 1'],
    ['longest time the event loop was not free', figure(figures.blocked), overBaseline(figures.blocked)],
  ];
  reportTable({ columns: ['', 'ms', 'by the baseline'], rows }, json);
}
