import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../src/contracts/time.ts';
import { claimJob } from '../../src/db/jobs/job-claims.ts';
import { storeKey } from '../helpers/keys.ts';
import { longRequest } from '../helpers/long-request.ts';
import { type Scrape, sampleOf, scrape } from '../helpers/metrics.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';
import { openSocket } from '../helpers/socket.ts';

/** The day before today, UTC hours since the epoch. */
const YESTERDAY = (Math.floor(Date.now() / HOUR_MS / 24) - 1) * 24;

describe('/metrics after real jobs', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  let api: Awaited<ReturnType<typeof service.startApi>>;
  let worker: Awaited<ReturnType<typeof service.startWorker>>;
  let before: Scrape;
  beforeAll(async () => {
    service = await startTestService({
      apis: 0,
      workers: 0,
      overrides: { METRICS: true, WORKER_PORT: 0, HTTP_WAIT_LIMIT_SECONDS: 40 },
    });
    // Sixteen weeks at two locations: yesterday was as every day at one, and three times as high at the other.
    await service.pool.query(
      `insert into demand_observations
        select l, to_timestamp(h * 3600.0), case when l = 2 and h >= $1 then 30 else 10 end
        from generate_series(1, 2) l, generate_series($1::int - 16 * 7 * 24, $1::int + 23) h`,
      [YESTERDAY],
    );
    api = await service.startApi();
    worker = await service.startWorker();
    before = await scrape(worker.statusUrl!);
    const optimize = (body: object) => send(`${api.url}/api/v1/optimize`, { body });
    const plan = await optimize(simpleRequest());
    expect([plan.status, plan.body.data?.kpis.demand_coverage]).toEqual([200, 1]);
    const none = await optimize({ ...simpleRequest(1, 5), constraints: { min_service_level: 1 } });
    expect(none.status).toBe(422);
    const backtest = await send(`${api.url}/api/v1/forecast/backtest`, { body: { location_ids: [1] } });
    expect(backtest.status).toBe(200);
    expect((await send(`${api.url}/api/v1/jobs/${plan.body.metadata.job_id}`)).status).toBe(200);
    expect((await send(`${api.url}/no/such/path`)).status).toBe(404);
  });

  test('metrics have the labels that the page lists, and no value names a job, a vehicle or an address', async () => {
    const page = readFileSync(path.join(import.meta.dirname, '../../docs/operator/metrics.md'), 'utf8');
    const rows = page.matchAll(/^\| `(fleet_\w+)` \| .* \| ([^|]*) \| [^|]* \|$/gm);
    const listed = new Map(
      [...rows].map(([, name, cell]) => [
        name,
        [...cell.replaceAll(/\([^)]*\)/g, '').matchAll(/`(\w+)`/g)].map(([, label]) => label).sort(),
      ]),
    );
    for (const url of [api.url, worker.statusUrl!]) {
      for (const { name, labels } of (await scrape(url)).samples) {
        if (!name.startsWith('fleet_')) continue;
        const family = listed.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, '');
        const names = Object.keys(labels).filter((label) => label !== 'le');
        expect(names.sort(), name).toEqual(listed.get(family));
        for (const value of Object.values(labels))
          expect(value, name).not.toMatch(/[0-9a-f]{8}-|^V\d|127\.0/);
      }
    }
  });

  test('a worker counts the jobs that it ended, once each, by what they ended with', async () => {
    const seen = await scrape(worker.statusUrl!);
    const requests = seen.samples.filter(
      ({ name, value }) => name === 'fleet_optimization_requests_total' && value > 0,
    );
    expect(requests.map(({ labels, value }) => [labels.status, value]).sort()).toEqual([
      ['infeasible', 1],
      ['optimal', 1],
    ]);
    expect(sampleOf(before, 'fleet_optimization_requests_total', { status: 'optimal' })).toBe(0);
    expect(sampleOf(seen, 'fleet_optimization_duration_seconds_count')).toBe(2);
    expect(
      sampleOf(seen, 'fleet_job_duration_seconds_count', { kind: 'backtest', outcome: 'completed' }),
    ).toBe(1);
    expect(sampleOf(seen, 'fleet_job_attempts_total', { kind: 'optimize', outcome: 'completed' })).toBe(2);
    expect(sampleOf(seen, 'fleet_job_wait_seconds_count', { kind: 'optimize', priority: 'normal' })).toBe(2);
    expect(sampleOf(seen, 'fleet_solver_gap_ratio_count', { kind: 'optimize' })).toBe(1);
    expect(sampleOf(seen, 'fleet_problem_vehicles_sum', { kind: 'optimize' })).toBe(4);
  });

  test('the durations of a worker are those of the stored record', async () => {
    const seen = await scrape(worker.statusUrl!);
    const { rows } = await service.pool.query(
      `select sum(extract(epoch from finished_at - created_at))::float8 as all,
        sum(extract(epoch from started_at - created_at))::float8 as wait
      from jobs where kind = 'optimize'`,
    );
    const total = (name: string) =>
      seen.samples
        .filter((one) => one.name === name && one.labels.kind === 'optimize')
        .reduce((sum, { value }) => sum + value, 0);
    expect(total('fleet_job_duration_seconds_sum')).toBeCloseTo(rows[0].all, 2);
    expect(total('fleet_job_wait_seconds_sum')).toBeCloseTo(rows[0].wait, 2);
    // Phases of an attempt follow each other without a gap, but for the time before the first.
    expect(total('fleet_job_phase_seconds_sum')).toBeLessThanOrEqual(
      sampleOf(seen, 'fleet_optimization_duration_seconds_sum')! + 0.05,
    );
    expect(
      sampleOf(seen, 'fleet_job_phase_seconds_count', { kind: 'optimize', phase: 'solve' }),
    ).toBeGreaterThan(0);
  });

  test('an API process measures requests by the pattern of their route, never by ids or unknown paths', async () => {
    const seen = await scrape(api.url);
    const count = (route: string, status: string) =>
      sampleOf(seen, 'fleet_http_request_duration_seconds_count', { route, status });
    expect(count('/api/v1/jobs/:job_id', '200')).toBe(1);
    expect(count('/api/v1/optimize', '200')).toBe(1);
    expect(count('/api/v1/optimize', '422')).toBe(1);
    expect(count('none', '404')).toBe(1);
    const routes = new Set(seen.samples.flatMap(({ labels }) => labels.route ?? []));
    expect([...routes].filter((route) => /[0-9a-f]{8}-|such/.test(route))).toEqual([]);
  });

  test('an API process shows the whole service: queue, workers and the newest plan', async () => {
    await expect.poll(async () => sampleOf(await scrape(api.url), 'fleet_demand_coverage_ratio')).toBe(1);
    const seen = await scrape(api.url);
    const { rows } = await service.pool.query(
      'select utilization from plans order by created_at desc limit 1',
    );
    expect(sampleOf(seen, 'fleet_utilization_ratio')).toBe(rows[0].utilization);
    expect(sampleOf(seen, 'fleet_workers')).toBe(1);
    expect(sampleOf(seen, 'fleet_queue_jobs', { priority: 'normal' })).toBe(0);
    expect(sampleOf(seen, 'fleet_database_up')).toBe(1);
  });

  test('an API process shows how long the oldest event waits for a webhook, unless that is switched off', async () => {
    await service.pool.query(
      `insert into webhooks (webhook_id, url, description, events, secret, active)
        select 'whk_' || name, 'https://receiver.example/', '', '{job.completed}', '\\x00', name = 'on'
        from unnest(array['on', 'off']) name`,
    );
    await service.pool.query(
      `insert into webhook_deliveries
          (delivery_id, webhook_id, event, job_id, data, status, created_at, next_at, ended_at)
        select 'msg_' || age, 'whk_' || webhook, 'job.completed', 'opt_x', '{}', status,
          now() - age * interval '1 s', now() + interval '1 hour', case when status <> 'waiting' then now() end
        from (values (600, 'on', 'waiting'), (60, 'on', 'waiting'), (900, 'on', 'dead'), (1200, 'off', 'waiting'))
          d(age, webhook, status)`,
    );
    const oldest = async () => sampleOf(await scrape(api.url), 'fleet_webhook_oldest_seconds')!;
    await expect.poll(oldest).toBeGreaterThanOrEqual(600);
    expect(await oldest()).toBeLessThan(700);
    await service.pool.query('delete from webhook_deliveries; delete from webhooks');
    await expect.poll(oldest).toBe(0);
  });

  test('the error of the forecast is that of the forecast which the service would have given the day before', async () => {
    const start_at = new Date(YESTERDAY * HOUR_MS).toISOString();
    const { body } = await send(`${api.url}/api/v1/forecast`, {
      body: { location_ids: [1, 2], horizon_hours: 24, features: { start_at, step_hours: 1 } },
    });
    const wrong = (id: number, came: number) =>
      body.data.forecasts[id].map((value: number) => Math.abs(value - came));
    const errors: number[] = [...wrong(1, 10), ...wrong(2, 30)];
    const expected = errors.reduce((a, b) => a + b) / (24 * 40);
    expect(expected).toBeGreaterThan(0.3);
    await expect
      .poll(async () => sampleOf(await scrape(api.url), 'fleet_forecast_error_ratio'))
      .toBeCloseTo(expected, 6);
  });

  test('docs/operator/metrics.md lists exactly what is exposed, with the words of HELP', async () => {
    const exposed = [...(await scrape(api.url)).help, ...(await scrape(worker.statusUrl!)).help];
    const rows = exposed
      .filter(([name]) => name.startsWith('fleet_'))
      .map(([name, help]) => `| \`${name}\` | ${help} |`);
    const page = readFileSync(path.join(import.meta.dirname, '../../docs/operator/metrics.md'), 'utf8');
    const documented = [...page.matchAll(/^(\| `fleet_\w+` \| .* \|) [^|]* \| [^|]* \|$/gm)].map(
      ([, row]) => row,
    );
    expect(documented.sort()).toEqual([...new Set(rows)].sort());
    const others = new Set(exposed.map(([name]) => name.split('_')[0]));
    expect([...others].sort()).toEqual(['fleet', 'nodejs', 'process']);
  });

  test('a worker port answers probes, and says what it serves', async () => {
    expect(await (await fetch(`${worker.statusUrl}/livez`)).json()).toEqual({ alive: true });
    expect(await (await fetch(`${worker.statusUrl}/readyz`)).json()).toEqual({ ready: true });
    expect((await fetch(`${worker.statusUrl}/readyz`, { method: 'POST' })).status).toBe(405);
    expect((await fetch(`${worker.statusUrl}/other`)).status).toBe(404);
  });
});

test('every status that docs/operator/metrics.md lists is counted, from zero, once for each job that ends with it', async () => {
  const { db, pool, url, startWorker } = await startTestService({
    workers: 0,
    overrides: {
      METRICS: true,
      WORKER_PORT: 0,
      WORKER_CONCURRENCY: 1,
      SWEEP_INTERVAL_SECONDS: 0.2,
      JOB_MAX_ATTEMPTS: 1,
    },
  });
  const submit = async (body: object): Promise<string> => {
    const answer = await send(`${url}/api/v1/optimize`, { body, headers: { prefer: 'respond-async' } });
    expect(answer.status, answer.text).toBe(202);
    return answer.body.data.job_id;
  };
  const cancel = async (jobId: string) =>
    expect((await send(`${url}/api/v1/jobs/${jobId}`, { method: 'DELETE' })).status).toBeLessThan(300);
  const statuses = async (worker: string) => {
    const seen = (await scrape(worker)).samples.filter(
      ({ name }) => name === 'fleet_optimization_requests_total',
    );
    return Object.fromEntries(seen.map(({ labels, value }) => [labels.status, value]));
  };
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/operator/metrics.md'), 'utf8');
  const cell = /^\| `fleet_optimization_requests_total` .* \| `status` \((.*)\) \|/m.exec(page)?.[1] ?? '';
  const listed = [...cell.matchAll(/`(\w+)`/g)].map(([, status]) => status);
  const each = (count: number) => Object.fromEntries(listed.map((status) => [status, count]));

  // One whose worker died, which is found by the next worker, and one that no worker ever has.
  const lost = await submit(simpleRequest());
  expect((await claimJob(db, 'gone'))?.jobId).toBe(lost);
  await cancel(await submit(simpleRequest()));
  const { statusUrl } = await startWorker();
  expect(await statuses(statusUrl!)).toEqual(each(0));
  await pool.query("update jobs set heartbeat_at = now() - interval '1 hour' where job_id = $1", [lost]);

  const jobIds = [
    await submit(simpleRequest()),
    await submit({ ...simpleRequest(1, 5), constraints: { min_service_level: 1 } }),
    await submit(longRequest(2)),
    await submit(longRequest(60)),
  ];
  const socket = await openSocket(url);
  const endless = jobIds.at(-1)!;
  socket.send({ type: 'subscribe', job_id: endless });
  await socket.waitFor((m) => m.type === 'progress' && m.stage !== null);
  await cancel(endless);
  await socket.waitFor((m) => m.type === 'complete' || m.type === 'error');
  socket.close();
  await expect.poll(() => statuses(statusUrl!)).toEqual(each(1));
  const { rows } = await pool.query(
    `select case status when 'completed' then solver_status else status end as ended from jobs where attempts > 0`,
  );
  expect(rows.map(({ ended }) => ended).sort()).toEqual(listed.toSorted());
});

test('without the setting neither the API nor a worker has /metrics, and the worker answers probes all the same', async () => {
  const service = await startTestService({ overrides: { WORKER_PORT: 0 }, workers: 0 });
  const worker = await service.startWorker();
  expect((await fetch(`${service.url}/metrics`)).status).toBe(404);
  expect((await fetch(`${worker.statusUrl}/metrics`)).status).toBe(404);
  expect((await fetch(`${worker.statusUrl}/readyz`)).status).toBe(200);
});

test('with authentication the API gives its metrics to operators only, and counts whom it refuses', async () => {
  const service = await startTestService({ apis: 0, workers: 0, overrides: { METRICS: true, AUTH: 'keys' } });
  const api = await service.startApi();
  const [planner, operator] = [await storeKey(service.db, 'planner'), await storeKey(service.db, 'operator')];
  const asked = async (headers?: Record<string, string>) =>
    fetch(`${api.url}/metrics`, { headers: headers ?? {} });
  expect((await asked()).status).toBe(401);
  expect((await asked(planner.headers)).status).toBe(403);
  const answer = await asked(operator.headers);
  expect(answer.status).toBe(200);
  expect(await answer.text()).toMatch(/^fleet_http_request_duration_seconds_count\{.*status="401"\} 1$/m);
});

test('scrapes are answered while PostgreSQL is away: the figures of the service are absent, and the rest is there', async () => {
  const service = await startTestService({ apis: 0, workers: 0, overrides: { METRICS: true } });
  const api = await service.startApi();
  expect(sampleOf(await scrape(api.url), 'fleet_workers')).toBe(0);
  await service.pool.query('alter table workers rename to workers_away');
  await expect.poll(async () => sampleOf(await scrape(api.url), 'fleet_database_up')).toBe(0);
  const seen = await scrape(api.url);
  expect(sampleOf(seen, 'fleet_workers')).toBeUndefined();
  expect(sampleOf(seen, 'fleet_queue_jobs')).toBeUndefined();
  expect(sampleOf(seen, 'fleet_http_request_duration_seconds_count', { route: '/metrics' })).toBeGreaterThan(
    0,
  );
});
