import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import type { Config } from '../../src/config.ts';
import { startApi } from '../../src/main.ts';
import { openTracing } from '../../src/process/tracing.ts';
import { openConsumer, openQueue } from '../../src/queue/queue.ts';
import { startWorker } from '../../workers/main.ts';
import { atEnd } from '../helpers/at-end.ts';
import { openCollector, type SpanSeen } from '../helpers/collector.ts';
import { storeDemand } from '../helpers/decisions.ts';
import { longRequest } from '../helpers/long-request.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';
import { createTestDatabase, describeOnBothBackends, testConfig } from '../helpers/services.ts';
import { openSocket } from '../helpers/socket.ts';
import { killWorker, passAnHourSince, spawnWorkerProcess } from '../helpers/worker-process.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';

const settings = (collector: { url: string }): Partial<Config> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_BSP_SCHEDULE_DELAY: 50,
});

/** An API in this process, whose log lines are kept. */
async function startLoggedApi(config: Config) {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const api = await startApi(config, logger);
  atEnd(() => api.close());
  return { ...api, lines };
}

const fail = (error: Error) => {
  throw error;
};

/** Waits for a span of a trace by its name, and for a further condition. */
const spanOf =
  (collector: Awaited<ReturnType<typeof openCollector>>, traceId: string) =>
  (name: string, fits: (span: SpanSeen) => boolean = () => true) =>
    collector.waitFor((span) => span.traceId === traceId && span.name === name && fits(span));

describeOnBothBackends('a trace', (redisUrl) => {
  test('leads from the request of a caller through queue, worker and thread to the WebSocket', async () => {
    const collector = await openCollector();
    const { config } = await startTestService({
      ...{ redisUrl, apis: 0, workers: 0 },
      overrides: settings(collector),
    });
    const api = await startLoggedApi(config);
    const socket = await openSocket(api.url);
    const { body } = await send(`${api.url}/api/v1/optimize`, {
      body: simpleRequest(),
      headers: { traceparent: `00-${TRACE}-${CALLER}-01`, prefer: 'respond-async' },
    });
    const { job_id } = body.data;
    socket.send({ type: 'subscribe', job_id });
    const first = await socket.waitFor((m) => m.type === 'progress');
    expect(first.traceparent).toMatch(new RegExp(`^00-${TRACE}-`));
    const worker = await spawnWorkerProcess(config);
    const complete = await socket.waitFor((m) => m.type === 'complete');
    socket.close();

    const span = spanOf(collector, TRACE);
    const request = await span('POST /api/v1/optimize');
    expect(request).toMatchObject({ parentSpanId: CALLER, kind: 2, failed: false });
    expect(request.resource).toMatchObject({ 'service.name': 'fleet-api' });
    expect(request.attributes).toMatchObject({
      'http.route': '/api/v1/optimize',
      'http.response.status_code': 202,
      'fleet.job.id': job_id,
    });
    const [stored, enqueued] = [await span('store job'), await span('enqueue job')];
    expect([stored.parentSpanId, enqueued.parentSpanId]).toEqual([request.spanId, request.spanId]);
    const added = await span('add optimization.job');
    expect(added).toMatchObject({ parentSpanId: enqueued.spanId, kind: 4, scope: 'bullmq' });
    const processed = await span('process optimization');
    expect(processed).toMatchObject({
      ...{ parentSpanId: request.spanId, kind: 5, scope: 'bullmq', failed: false },
      events: ['job completed'],
    });
    expect(processed.attributes['bullmq.job.id']).toBe(added.attributes['bullmq.job.id']);
    expect((await span('complete optimization')).parentSpanId).toBe(processed.spanId);
    const run = await span('run optimize');
    expect(run).toMatchObject({ parentSpanId: processed.spanId, kind: 1, failed: false });
    expect(processed.startNs <= run.startNs && run.endNs <= processed.endNs).toBe(true);
    expect(run.resource).toMatchObject({ 'service.name': 'fleet-worker' });
    expect(run.attributes).toMatchObject({ 'fleet.job.id': job_id, 'fleet.job.outcome': 'completed' });
    const waited = await span('wait in queue');
    expect(waited.parentSpanId).toBe(request.spanId);
    expect(waited.endNs).toBe(run.startNs);
    const thread = await span('thread optimize');
    expect([thread.parentSpanId, (await span('store answer')).parentSpanId]).toEqual([
      run.spanId,
      run.spanId,
    ]);
    await span('stage verify');
    const stages = collector.spans.filter(
      ({ name, traceId }) => traceId === TRACE && name.startsWith('stage '),
    );
    expect(stages.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['stage build', 'stage solve', 'stage verify']),
    );
    expect(new Set(stages.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([thread.spanId]));
    for (const { startNs, endNs } of stages) expect(startNs <= endNs && endNs <= thread.endNs).toBe(true);
    const told = await span('send complete');
    expect(told).toMatchObject({ parentSpanId: run.spanId, kind: 4 });
    expect(complete.traceparent).toBe(`00-${TRACE}-${told.spanId}-01`);

    const ofRequest = api.lines.filter((line) => line.trace_id === TRACE).map(({ msg }) => msg);
    expect(ofRequest).toEqual(expect.arrayContaining(['job stored', 'request']));
    worker.kill('SIGTERM');
    await once(worker, 'exit');
  });

  test('tells of a token whose handling failed, and of locks that BullMQ extends meanwhile', async () => {
    const collector = await openCollector();
    const config = testConfig(
      { DATABASE_URL: await createTestDatabase(), REDIS_URL: redisUrl },
      { ...settings(collector), JOB_LOCK_SECONDS: 3 },
    );
    const tracing = await openTracing('worker', config, { info: () => {}, warn: () => {} });
    const queue = await openQueue(config, fail, tracing);
    const span = tracing?.start('request', undefined);
    const extended = collector.waitFor(({ name }) => name === 'extendLocks optimization');
    const consumer = await openConsumer(
      config,
      async (token) => {
        token?.join(span?.context);
        await extended;
        throw new Error('broken');
      },
      () => {},
      tracing,
    );
    await queue.enqueue();
    const added = await collector.waitFor(({ name }) => name === 'add optimization.job');
    const token = added.attributes['bullmq.job.id'];
    // Locks are those of all tokens of a worker.
    expect(await extended).toMatchObject({
      parentSpanId: '',
      attributes: { 'bullmq.worker.jobs.to.extend.locks': [token] },
    });
    const processed = await collector.waitFor(({ name }) => name === 'process optimization');
    expect(processed).toMatchObject({
      ...{ parentSpanId: span?.context.traceparent.split('-')[2], failed: true, events: ['job failed'] },
      attributes: { 'bullmq.job.id': token },
    });
    const failed = await collector.waitFor(({ name }) => name === 'fail optimization');
    expect([failed.traceId, failed.parentSpanId]).toEqual([processed.traceId, processed.spanId]);
    const stalled = await collector.waitFor(({ name }) => name === 'moveStalledJobsToWait optimization');
    expect(stalled.parentSpanId).toBe('');
    await queue.enqueueMany(2);
    const bulk = await collector.waitFor(({ name }) => name === 'addBulk optimization');
    expect(bulk.attributes).toMatchObject({ 'bullmq.job.bulk.count': 2 });
    expect(bulk.attributes).not.toHaveProperty('bullmq.job.bulk.names');
    await consumer.close();
    await queue.close();
    await tracing?.close();
  });
});

describe('a trace', () => {
  test('tells of an attempt whose worker was killed, and of the one after it', async () => {
    const collector = await openCollector();
    const { config, pool } = await startTestService({
      apis: 0,
      workers: 0,
      overrides: { ...settings(collector), SWEEP_INTERVAL_SECONDS: 0.3, JOB_RETRY_DELAY_SECONDS: 0.1 },
    });
    const api = await startLoggedApi(config);
    const socket = await openSocket(api.url);
    const { body } = await send(`${api.url}/api/v1/optimize`, {
      body: longRequest(4),
      headers: { prefer: 'respond-async' },
    });
    const { job_id } = body.data;
    socket.send({ type: 'subscribe', job_id });
    const killed = await spawnWorkerProcess(config);
    // In its thread: it has reported a stage.
    await socket.waitFor((m) => m.type === 'progress' && m.stage !== null);
    await killWorker(killed);
    await passAnHourSince(killed, pool);
    const next = await spawnWorkerProcess(config);
    const complete = await socket.waitFor((m) => m.type === 'complete');
    socket.close();

    const { traceId, spanId } = await collector.waitFor(({ name }) => name === 'POST /api/v1/optimize');
    const span = spanOf(collector, traceId);
    const taken = await span('take over from silent worker');
    expect(taken).toMatchObject({ parentSpanId: spanId, failed: true });
    expect(taken.attributes).toMatchObject({ 'fleet.job.attempt': 1, 'fleet.job.outcome': 'crashed' });
    const run = await span('run optimize', ({ attributes }) => attributes['fleet.job.attempt'] === 2);
    expect(run.failed).toBe(false);
    const processed = await span('process optimization', (own) => own.spanId === run.parentSpanId);
    expect(processed.parentSpanId).toBe(spanId);
    const told = await span('send complete');
    expect(told.parentSpanId).toBe(run.spanId);
    expect(complete.traceparent).toBe(`00-${traceId}-${told.spanId}-01`);
    next.kill('SIGTERM');
    await once(next, 'exit');
  });

  test('begins at the schedule that makes a job', async () => {
    const collector = await openCollector();
    const { config, pool } = await startTestService({
      apis: 0,
      workers: 0,
      overrides: settings(collector),
    });
    const api = await startLoggedApi(config);
    for (const id of [1, 2, 3, 4]) await storeDemand(pool, id, '1');
    const schedule = await send(`${api.url}/api/v1/schedules`, {
      body: { name: 's', cron: '0 * * * *', time_zone: 'UTC', decision: {} },
    });
    expect(schedule.status, schedule.text).toBe(201);
    await pool.query(`update schedules set next_at = date_trunc('hour', now())`);
    const worker = await startWorker(config, pino({ level: 'silent' }));
    const run = await collector.waitFor(({ name }) => name === 'run decision');
    const span = spanOf(collector, run.traceId);
    const occurrence = await span('schedule occurrence');
    expect(occurrence.parentSpanId).toBe('');
    expect(occurrence.attributes).toMatchObject({ 'fleet.job.id': run.attributes['fleet.job.id'] });
    expect((await span('wait in queue')).parentSpanId).toBe(occurrence.spanId);
    const enqueued = await span('enqueue job');
    expect((await span('add optimization.job')).parentSpanId).toBe(enqueued.spanId);
    const processed = await span('process optimization');
    expect([processed.parentSpanId, run.parentSpanId]).toEqual([occurrence.spanId, processed.spanId]);
    await worker.close();
  });

  test('is the same for a socket that subscribes when the job has ended', async () => {
    const collector = await openCollector();
    const { url } = await startTestService({ overrides: settings(collector) });
    const { body } = await send(`${url}/api/v1/optimize`, { body: simpleRequest() });
    const socket = await openSocket(url);
    socket.send({ type: 'subscribe', job_id: body.metadata.job_id });
    const complete = await socket.waitFor((m) => m.type === 'complete');
    socket.close();
    const request = await collector.waitFor(({ name }) => name === 'POST /api/v1/optimize');
    const told = await spanOf(collector, request.traceId)('send complete');
    expect(told.parentSpanId).toBe(request.spanId);
    expect(complete.traceparent).toBe(`00-${request.traceId}-${told.spanId}-01`);
  });

  test('never leads to the job of another caller, though the token of the one claims it', async () => {
    const collector = await openCollector();
    const { config } = await startTestService({
      apis: 0,
      workers: 0,
      // All are of one address: at its limit the end of one job would announce the next one, too.
      overrides: { ...settings(collector), WORKER_CONCURRENCY: 2, JOBS_RUNNING_PER_CALLER: 10 },
    });
    const api = await startLoggedApi(config);
    const calls = ['low', 'low', 'low', 'low', 'high', 'high', 'high', 'high'].map((priority, at) => ({
      priority,
      traceId: `${at + 1}`.repeat(32),
      jobId: '',
    }));
    for (const call of calls) {
      const { body } = await send(`${api.url}/api/v1/optimize`, {
        body: { ...simpleRequest(), options: { priority: call.priority } },
        headers: { traceparent: `00-${call.traceId}-${CALLER}-01`, prefer: 'respond-async' },
      });
      call.jobId = body.data.job_id;
    }
    const worker = await startWorker(config, pino({ level: 'silent' }));

    const exchanged: string[] = [];
    for (const { priority, traceId, jobId } of calls) {
      const span = spanOf(collector, traceId);
      const [added, processed] = [await span('add optimization.job'), await span('process optimization')];
      await span('complete optimization');
      if (added.attributes['bullmq.job.id'] !== processed.attributes['bullmq.job.id'])
        exchanged.push(priority);
      const spans = collector.spans.filter((own) => own.traceId === traceId);
      const jobs = spans.flatMap(({ attributes }) => attributes['fleet.job.id'] ?? []);
      expect([...new Set(jobs)]).toEqual([jobId]);
      const known = new Set([CALLER, ...spans.map(({ spanId }) => spanId)]);
      expect(spans.filter(({ parentSpanId }) => !known.has(parentSpanId))).toEqual([]);
      const ofQueue = spans.filter(({ scope }) => scope === 'bullmq').map(({ name }) => name);
      expect(ofQueue.sort()).toEqual([
        'add optimization.job',
        'complete optimization',
        'process optimization',
      ]);
    }
    // Otherwise nothing was tested.
    expect(exchanged).toContain('low');
    expect(exchanged).toContain('high');
    await worker.close();
  });

  test('begins at a token that claims nothing, and names no job', async () => {
    const collector = await openCollector();
    const { config } = await startTestService({ apis: 0, overrides: settings(collector) });
    const queue = await openQueue(config, fail);
    await queue.enqueue();
    const processed = await collector.waitFor(({ name }) => name === 'process optimization');
    expect(processed).toMatchObject({ parentSpanId: '', kind: 5, failed: false });
    const completed = await spanOf(collector, processed.traceId)('complete optimization');
    expect(completed.parentSpanId).toBe(processed.spanId);
    const spans = collector.spans.filter(({ traceId }) => traceId === processed.traceId);
    expect(spans.map(({ name }) => name).sort()).toEqual(['complete optimization', 'process optimization']);
    await queue.close();
  });
});

test('an end in order sends the spans that wait', async () => {
  const collector = await openCollector();
  const service = await startTestService({
    ...{ apis: 0, workers: 0 },
    overrides: { ...settings(collector), OTEL_BSP_SCHEDULE_DELAY: 60_000 },
  });
  const api = await startApi(service.config, pino({ level: 'silent' }));
  await send(`${api.url}/api/v1/data/locations`);
  expect(collector.spans).toEqual([]);
  await api.close();
  expect(collector.spans.map(({ name }) => name)).toEqual([
    'GET /api/v1/data/locations',
    'close optimization',
  ]);
});

test('what a caller does not want traced is not sent, in any process', async () => {
  const collector = await openCollector();
  const { url } = await startTestService({ overrides: settings(collector) });
  const answer = await send(`${url}/api/v1/optimize`, {
    body: simpleRequest(),
    headers: { traceparent: `00-${TRACE}-${CALLER}-00` },
  });
  expect(answer.status).toBe(200);
  await send(`${url}/livez`);
  // Of what follows it is the first that is sent. A malformed header begins a trace.
  await send(`${url}/api/v1/data/locations`, { headers: { traceparent: 'nonsense' } });
  await collector.waitFor(({ name }) => name === 'GET /api/v1/data/locations');
  // What BullMQ does for itself is nobody's request, and names no job and no token.
  const isOfBull = ({ scope, attributes }: SpanSeen) =>
    scope === 'bullmq' && !('bullmq.job.id' in attributes);
  expect(
    collector.spans
      .filter((span) => !isOfBull(span))
      .map(({ name, traceId, parentSpanId }) => [name, traceId !== TRACE, parentSpanId]),
  ).toEqual([['GET /api/v1/data/locations', true, '']]);
});

for (const [state, answers] of [
  ['is away', false],
  ['does not answer', true],
] as const) {
  test(`a collector that ${state} stops no request, no job and no end of a process`, async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const end = () => {
      silent.closeAllConnections();
      silent.close();
    };
    if (answers) atEnd(end);
    else end();
    const service = await startTestService({
      apis: 0,
      workers: 0,
      // Less room than a job has spans.
      overrides: {
        ...settings({ url }),
        ...{ OTEL_BSP_MAX_QUEUE_SIZE: 4, OTEL_EXPORTER_OTLP_TIMEOUT: 1000 },
      },
    });
    const logger = pino({ level: 'silent' });
    const api = await startApi(service.config, logger);
    const worker = await startWorker(service.config, logger);
    for (let i = 0; i < 5; i++) {
      const answer = await send(`${api.url}/api/v1/optimize`, { body: simpleRequest() });
      expect(answer.status, answer.text).toBe(200);
    }
    await Promise.all([api.close(), worker.close()]);
  });
}

test('we load nothing of OpenTelemetry while tracing is off', async () => {
  const folder = new URL('../../', import.meta.url);
  const settings = {
    ...{ OTEL_EXPORTER_OTLP_TIMEOUT: 1000, OTEL_TRACES_SAMPLER_ARG: 1 },
    ...{ OTEL_BSP_SCHEDULE_DELAY: 1000, OTEL_BSP_MAX_QUEUE_SIZE: 1000 },
  };
  const script = `
    import { registerHooks } from 'node:module';
    const packageOf = (url) => /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(url ?? '')?.[1] ?? 'our own code';
    const asked = new Set();
    registerHooks({
      resolve(specifier, context, next) {
        const found = next(specifier, context);
        const [by, what] = [packageOf(context.parentURL), packageOf(found.url)];
        if (what.startsWith('@opentelemetry/') && !by.startsWith('@opentelemetry/')) asked.add(by + ' asks for ' + what);
        return found;
      },
    });
    await import(${JSON.stringify(new URL('src/main.ts', folder).href)});
    await import(${JSON.stringify(new URL('workers/main.ts', folder).href)});
    const { openMetrics } = await import(${JSON.stringify(new URL('src/process/metrics.ts', folder).href)});
    await openMetrics({ totalCount: 0, idleCount: 0, waitingCount: 0 });
    const { openTracing } = await import(${JSON.stringify(new URL('src/process/tracing.ts', folder).href)});
    const open = (OTEL_EXPORTER_OTLP_ENDPOINT) => openTracing('api', { OTEL_EXPORTER_OTLP_ENDPOINT, ...${JSON.stringify(settings)} }, console);
    const isOff = (await open()) === undefined;
    const whileOff = [...asked];
    await open('http://localhost:4318');
    console.log(JSON.stringify({ isOff, whileOff, on: [...asked] }));
    process.exit();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  const { isOff, whileOff, on } = JSON.parse(stdout);
  expect({ isOff, whileOff }).toEqual({ isOff: true, whileOff: ['prom-client asks for @opentelemetry/api'] });
  // The hook sees what we ask for.
  expect(on).toContain('our own code asks for @opentelemetry/sdk-trace');
});
