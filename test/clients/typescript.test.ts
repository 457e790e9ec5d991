import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  createFleetClient,
  FleetConnectionError,
  FleetError,
  type FleetJob,
  type SubmittedJob,
} from 'fleet-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/commands/start/embedded-postgres.ts';
import { openProxy } from '../chaos/proxy.ts';
import { compareAnswer } from '../docs/answers.ts';
import { readBlocks } from '../docs/blocks.ts';
import { newTemporaryFolder } from '../helpers/folders.ts';
import { openReverseProxy, type ProxiedRequest, type Trick } from '../helpers/reverse-proxy.ts';
import { simpleRequest, startTestService } from '../helpers/service.ts';

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, '../..');

describe('the client for TypeScript', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  beforeAll(async () => {
    // Jobs wait until a test starts the worker.
    service = await startTestService({ workers: 0, overrides: { QUEUE_MAX_WAITING: 2 } });
  });
  const infeasible = () => ({ ...simpleRequest(1, 9), constraints: { min_service_level: 1 } });

  test('an aborted signal ends watching and waiting with its reason, and the job goes on', async () => {
    for (const platform of [{}, { WebSocket: null }]) {
      const fleet = createFleetClient({ url: service.url, ...platform });
      const job = await fleet.submit('/api/v1/optimize', simpleRequest());
      const abort = new AbortController();
      const seen: string[] = [];
      const watched = (async () => {
        for await (const { status } of fleet.watch(job, { signal: abort.signal })) {
          seen.push(status);
          abort.abort(new Error('enough'));
        }
      })();
      await expect(watched).rejects.toThrow('enough');
      expect(seen).toEqual(['queued']);
      await expect(fleet.waitFor(job, { signal: abort.signal })).rejects.toThrow('enough');
      const params = { path: job };
      expect((await fleet.get('/api/v1/jobs/{job_id}', { params })).data.status).toBe('queued');
      await fleet.delete('/api/v1/jobs/{job_id}', { params });
    }
  });

  test('503 with Retry-After is sent again with the same idempotency key, so one job is made', async () => {
    const keys: (string | null)[] = [];
    let refused = () => {};
    const isRefused = new Promise<void>((resolve) => {
      refused = resolve;
    });
    const fleet = createFleetClient({
      url: service.url,
      fetch: async (request) => {
        keys.push(request.headers.get('idempotency-key'));
        const response = await fetch(request);
        if (response.status === 503) refused();
        return response;
      },
    });
    // The queue takes two.
    const before = createFleetClient({ url: service.url, retry: { attempts: 1 } });
    const jobs: SubmittedJob[] = [];
    for (const vehicles of [2, 2])
      jobs.push(await before.submit('/api/v1/optimize', simpleRequest(vehicles)));
    const full = await before.submit('/api/v1/optimize', simpleRequest()).catch((caught) => caught);
    expect(full).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503, retryAfterSeconds: 5 });
    const late = fleet.submit('/api/v1/optimize', simpleRequest());
    await isRefused;
    for (const path of jobs) await fleet.delete('/api/v1/jobs/{job_id}', { params: { path } });
    const { job_id } = await late;
    const { data } = await fleet.get('/api/v1/jobs', { params: { query: { status: 'queued' } } });
    expect(data.jobs.map((job) => job.job_id)).toEqual([job_id]);
    await fleet.delete('/api/v1/jobs/{job_id}', { params: { path: { job_id } } });
    const [first, second] = keys.filter((key) => key !== null);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toBe(first);
  });

  // From here on there is a worker.
  test('a job that is watched while its socket is cut is seen to its end, over a new socket', async () => {
    const proxy = await openProxy(Number(new URL(service.url).port));
    const opened: (() => void)[] = [];
    const first = new Promise<void>((resolve) => opened.push(resolve));
    const second = new Promise<void>((resolve) => opened.push(resolve));
    class Counted extends WebSocket {
      constructor(url: string) {
        super(url);
        // The service's first message says that the subscription stands.
        this.addEventListener('message', () => opened.shift()?.(), { once: true });
      }
    }
    const fleet = createFleetClient({ url: `http://127.0.0.1:${proxy.port}`, WebSocket: Counted });
    const job = await fleet.submit('/api/v1/optimize', simpleRequest());
    const states: FleetJob[] = [];
    const watched = (async () => {
      for await (const state of fleet.watch(job)) states.push(state);
    })();
    await first;
    expect(proxy.cut()).toBeGreaterThan(0);
    await second;
    await service.startWorker();
    await watched;
    expect(states[0].status).toBe('queued');
    expect(states.at(-1)).toMatchObject({ status: 'completed', result: { status: 'success' } });
    const progress = states.map((state) => state.progress);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    await proxy.close();
  });

  test('waits for a job and gives the answer of a waiting call, without WebSockets too', async () => {
    for (const platform of [{}, { WebSocket: null }]) {
      const fleet = createFleetClient({ url: service.url, ...platform });
      const job = await fleet.submit('/api/v1/optimize', simpleRequest());
      const answer = await fleet.waitFor(job);
      expect(answer.data.kpis.rebalanced_count).toBe(2);
      expect(answer.metadata.job_id).toBe(job.job_id);
      const stored = await fleet.get('/api/v1/jobs/{job_id}', { params: { path: job } });
      expect(stored.data.result).toEqual(answer);
    }
  });

  test('an infeasible problem is an error with the code, the fields and the request id of the service', async () => {
    const fleet = createFleetClient({ url: service.url });
    const job = await fleet.submit('/api/v1/optimize', infeasible());
    const error: FleetError = await fleet.waitFor(job).catch((caught) => caught);
    expect(error).toBeInstanceOf(FleetError);
    expect(error).toMatchObject({ code: 'INFEASIBLE_PROBLEM', status: undefined });
    expect(error.details.map(({ field }) => field)).toContain('constraints.min_service_level');
    expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('wrong input is an error with every fault', async () => {
    const fleet = createFleetClient({ url: service.url });
    const body = { location_ids: [1], horizon_hours: 0, features: { step_hours: 5 as 4 } };
    const error = await fleet.post('/api/v1/forecast', { body }).catch((caught) => caught);
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', status: 400 });
    expect(error.details.map(({ field }: { field: string }) => field)).toEqual([
      'horizon_hours',
      'features.step_hours',
    ]);
  });

  test('the same key of a caller gives the same job, another body under it is refused', async () => {
    const fleet = createFleetClient({ url: service.url });
    const own = { idempotencyKey: 'key-1' };
    const { job_id } = await fleet.submit('/api/v1/optimize', simpleRequest(), own);
    await fleet.waitFor(job_id);
    // The job has ended, so the service answers with its envelope.
    expect((await fleet.submit('/api/v1/optimize', simpleRequest(), own)).job_id).toBe(job_id);
    const other = await fleet.submit('/api/v1/optimize', simpleRequest(5), own).catch((caught) => caught);
    expect(other).toMatchObject({ code: 'IDEMPOTENCY_CONFLICT', status: 422 });
  });

  test('a CSV can be sent and a plan read as one, as plain responses', async () => {
    const fleet = createFleetClient({ url: service.url });
    const body = new Blob(['vehicle_id,location_id\r\nV1,3\r\n']);
    const headers = { 'content-type': 'text/csv' };
    expect((await fleet.send('/api/v1/data/fleet', { method: 'PUT', body, headers })).status).toBe(201);
    const job = await fleet.submit('/api/v1/optimize', simpleRequest());
    const { metadata } = await fleet.waitFor(job);
    const plan = await fleet.send(`/api/v1/plans/${metadata.plan_id}`, { headers: { accept: 'text/csv' } });
    expect(await plan.text()).toContain('\r\nV1,1,2,');
  });
});

describe('the client for TypeScript behind a reverse proxy', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  beforeAll(async () => {
    service = await startTestService({ workers: 0 });
  });
  const through = async <T>(tricks: Trick[], work: (url: string, sent: ProxiedRequest[]) => Promise<T>) => {
    const proxy = await openReverseProxy(service.url, tricks);
    return work(proxy.url, proxy.sent).finally(proxy.close);
  };

  test('a job whose answer was lost, in its head or its body, is sent again under its key and found', async () => {
    await through(['cut head', 'cut body'], async (url, sent) => {
      const fleet = createFleetClient({ url });
      const job = await fleet.submit('/api/v1/optimize', simpleRequest(7));
      const [first, ...others] = sent;
      expect(first.key).toMatch(/^[0-9a-f]{32}$/);
      expect(others).toEqual([first, first]);
      const { jobs } = (await fleet.get('/api/v1/jobs')).data;
      expect(jobs.map(({ job_id }) => job_id)).toEqual([job.job_id]);
    });
  });

  test('a schedule is not sent again after a lost answer, and three losses are an error', async () => {
    const lost = { url: expect.stringMatching(/^http/), name: 'FleetConnectionError' };
    await through(['cut head'], async (url, sent) => {
      const body = { name: 'once', cron: '0 4 * * *', time_zone: 'UTC', decision: {} };
      const posted = createFleetClient({ url }).post('/api/v1/schedules', { body });
      await expect(posted).rejects.toMatchObject(lost);
      expect(sent).toHaveLength(1);
    });
    await through(Array(3).fill('cut head'), async (url, sent) => {
      await expect(createFleetClient({ url }).get('/health')).rejects.toMatchObject(lost);
      expect(sent).toHaveLength(3);
    });
  });

  test('a deletion is not sent again after a lost answer, which a second one would not find; a job is cancelled again', async () => {
    const fleet = createFleetClient({ url: service.url });
    const { job_id } = await fleet.submit('/api/v1/optimize', simpleRequest(8));
    const body = { name: 'lost', cron: '0 4 * * *', time_zone: 'UTC', decision: {} };
    const { schedule_id } = (await fleet.post('/api/v1/schedules', { body })).data;
    await through(['cut head'], async (url, sent) => {
      const deleted = createFleetClient({ url }).delete('/api/v1/schedules/{schedule_id}', {
        params: { path: { schedule_id } },
      });
      await expect(deleted).rejects.toMatchObject({ name: 'FleetConnectionError' });
      expect(sent).toHaveLength(1);
    });
    await through(['cut head'], async (url, sent) => {
      const cancelled = await createFleetClient({ url }).delete('/api/v1/jobs/{job_id}', {
        params: { path: { job_id } },
      });
      expect(cancelled.data.status).toBe('cancelled');
      expect(sent).toHaveLength(2);
    });
  });

  test('429 with Retry-After is sent again, without it or without retries it is an error', async () => {
    await through(['limit', 'limit'], async (url, sent) => {
      expect((await createFleetClient({ url }).get('/health')).status).toBe('success');
      expect(sent).toHaveLength(3);
    });
    await through(['limit'], async (url) => {
      const asked = createFleetClient({ url, retry: { attempts: 1 } }).get('/health');
      await expect(asked).rejects.toMatchObject({ status: 429, code: 'UNKNOWN', retryAfterSeconds: 0 });
    });
  });

  test('where WebSockets are refused a job is polled to its end, with the key of the caller', async () => {
    await through([], async (url, sent) => {
      const fleet = createFleetClient({ url, apiKey: 'fds_1_secret' });
      const job = await fleet.submit('/api/v1/optimize', simpleRequest());
      const states: FleetJob[] = [];
      let cancelled: Promise<unknown> | undefined;
      for await (const state of fleet.watch(job)) {
        states.push(state);
        // It ends when a socket was tried, so that its end is polled.
        const tried = () => sent.some(({ upgrade }) => upgrade !== undefined);
        const ends = createFleetClient({ url: service.url });
        if (states.length === 1) {
          const cancel = async () => {
            await expect.poll(tried).toBe(true);
            await ends.delete('/api/v1/jobs/{job_id}', { params: { path: job } });
          };
          cancelled = cancel();
        }
      }
      await cancelled;
      expect(states.map(({ status }) => status)).toEqual(['queued', 'cancelled']);
      expect(states[1].result).toMatchObject({ errors: [{ code: 'JOB_CANCELLED' }] });
      const asked = sent.filter(({ upgrade }) => upgrade === undefined);
      const keys = new Set(asked.map(({ authorization }) => authorization));
      expect(keys).toEqual(new Set(['Bearer fds_1_secret']));
    });
  });
});

test('a service that is away is a connection error, also of a job that is watched', async () => {
  const fleet = createFleetClient({ url: `http://127.0.0.1:${await freePort()}`, awaySeconds: 0 });
  await expect(fleet.get('/health')).rejects.toThrow(FleetConnectionError);
  await expect(fleet.get('/health')).rejects.toThrow(/ECONNREFUSED/);
  await expect(fleet.waitFor('opt_1')).rejects.toThrow(FleetConnectionError);
});

// The smoke lane runs all its examples, on the Node that the service brings.
describe('clients/typescript/README.md', () => {
  const blocks = readBlocks(readFileSync(path.join(ROOT, 'clients/typescript/README.md'), 'utf8'));
  const examples = blocks.filter(({ language }) => language === 'ts');
  const answers = blocks.filter(({ language }) => language === 'text');
  let folder: string;
  let url: string;
  beforeAll(async () => {
    const service = await startTestService({ sample: true });
    ({ url } = service);
    folder = await newTemporaryFolder('clients');
    await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Runs a program on some Node. */
  async function runText(node: string, file: string, text: string): Promise<string> {
    await writeFile(path.join(folder, file), text.replaceAll('http://127.0.0.1:8000', url));
    return (await run(node, [file], { cwd: folder, env: { PATH: process.env.PATH } })).stdout;
  }

  test('has examples that type-check for browsers, which know nothing of Node', async () => {
    const files = await Promise.all(
      examples.map(async ({ text }, i) => {
        await writeFile(path.join(folder, `check-${i}.ts`), text);
        return `check-${i}.ts`;
      }),
    );
    await writeFile(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: path.join(ROOT, 'clients/typescript/tsconfig.json'), files, include: [] }),
    );
    const checked = run(path.join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.', '--noEmit'], { cwd: folder });
    await checked.catch((error) => expect.fail(error.stdout));
  });

  test('has a first example that the built package runs on Node 20', async ({ skip }) => {
    const node = await findNode20();
    if (node === undefined) return skip('this machine has no Node 20');
    const built = path.join(folder, 'dist');
    await run(process.execPath, [path.join(ROOT, 'clients/typescript/build.ts'), built], { cwd: ROOT });
    await symlink(path.join(ROOT, 'node_modules'), path.join(built, 'node_modules'));
    const text = examples[0].text.replace('fleet-client', './dist/index.js');
    expect(compareAnswer(answers[0].text, await runText(node, 'example.mjs', text), new Map())).toEqual([]);
  });
});

async function findNode20(): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    const node = path.join(folder, 'node');
    const version = await run(node, ['--version']).catch(() => undefined);
    if (version?.stdout.startsWith('v20.')) return node;
  }
  return undefined;
}
