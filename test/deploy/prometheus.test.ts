import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { freePort } from '../../src/commands/start/embedded-postgres.ts';
import { HOUR_MS } from '../../src/contracts/time.ts';
import { longRequest } from '../helpers/long-request.ts';
import { findProgram } from '../helpers/programs.ts';
import { startPrometheus } from '../helpers/prometheus.ts';
import { send, simpleRequest, startTestService } from '../helpers/service.ts';
import { spawnWorkerProcess } from '../helpers/worker-process.ts';

const DEPLOY = path.join(import.meta.dirname, '../../deploy');
const read = (file: string) => readFileSync(path.join(DEPLOY, file), 'utf8');

type Rule = { alert: string; expr: string; for?: string };
const RULES: { groups: { rules: Rule[] }[] } = parse(read('prometheus/alerts.yml'));
type Panel = { title: string; targets: { expr: string }[] };
const PANELS: Panel[] = JSON.parse(read('grafana/fleet.json')).panels;

const prometheus = findProgram('prometheus');
const promtool = findProgram('promtool');
if (!prometheus || !promtool)
  console.warn(
    'Prometheus is not installed: dashboard and alerts are NOT tested (Debian: package prometheus)',
  );

/** The same rules without their times, which `alerts-test.yml` tests: a test cannot wait for minutes. */
const atOnce = () =>
  stringify({
    groups: RULES.groups.map((group) => ({
      ...group,
      rules: group.rules.map(({ for: _, ...rule }) => rule),
    })),
  });

/** The value that a rule watches, without the comparison, which is usually false. */
const watched = (expr: string) => expr.replace(/ (?:[<>]=?|==|!=) [\d.]+\s*$/, '');

test('each alert rule is tested: when it fires, and when it does not', () => {
  type Case = { alertname: string; exp_alerts: unknown[] };
  const tests: { alert_rule_test: Case[] }[] = parse(read('prometheus/alerts-test.yml')).tests;
  const cases = tests.flatMap((one) => one.alert_rule_test);
  for (const { alert } of RULES.groups.flatMap(({ rules }) => rules)) {
    const seen = cases.filter(({ alertname }) => alertname === alert).map((one) => one.exp_alerts.length > 0);
    expect(new Set(seen), alert).toEqual(new Set([false, true]));
  }
});

describe.skipIf(!promtool)('alert rules', () => {
  test('wait as long as they say, and are silent where they have to be (promtool)', () => {
    const { status, stdout, stderr } = spawnSync(promtool!, ['test', 'rules', 'alerts-test.yml'], {
      cwd: path.join(DEPLOY, 'prometheus'),
      encoding: 'utf8',
    });
    expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
  });

  test('the configuration of Prometheus is valid', () => {
    const { status, stdout, stderr } = spawnSync(
      promtool!,
      ['check', 'config', path.join(DEPLOY, 'prometheus/prometheus.yml')],
      { encoding: 'utf8' },
    );
    expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
  });
});

describe.skipIf(!prometheus)('a real Prometheus on a real service', () => {
  let service: Awaited<ReturnType<typeof startTestService>>;
  let api: Awaited<ReturnType<typeof service.startApi>>;
  let server: Awaited<ReturnType<typeof startPrometheus>>;
  let first: Awaited<ReturnType<typeof spawnWorkerProcess>>;
  let second: typeof first;
  const ports: number[] = [];

  const post = (route: string, body: object, headers: Record<string, string> = {}) =>
    send(`${api.url}/api/v1/${route}`, { body, headers });
  const startWorker = (port: number) => spawnWorkerProcess({ ...service.config, WORKER_PORT: port });

  beforeAll(async () => {
    service = await startTestService({
      apis: 0,
      workers: 0,
      overrides: {
        METRICS: true,
        JOB_LOCK_SECONDS: 10,
        SWEEP_INTERVAL_SECONDS: 1,
        HOST: '127.0.0.1',
        WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      },
    });
    await service.pool.query(
      `insert into demand_observations select 1, to_timestamp(h * 3600.0), 5 + h % 24
        from generate_series($1::int - 16 * 7 * 24, $1::int) h`,
      [Math.floor(Date.now() / HOUR_MS) - 1],
    );
    ports.push(await freePort(), await freePort());
    api = await service.startApi();
    first = await startWorker(ports[0]);
    second = await startWorker(ports[1]);
    server = await startPrometheus(
      prometheus!,
      {
        'fleet-api': [new URL(api.url).host],
        'fleet-worker': ports.map((port) => `127.0.0.1:${port}`),
      },
      atOnce(),
    );
  });

  test('gives a value for every query of the dashboard and of the alerts', async () => {
    const queries = [
      ...PANELS.flatMap(({ targets }) =>
        targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '1m')),
      ),
      ...RULES.groups.flatMap(({ rules }) => rules.map(({ expr }) => watched(expr))),
    ];
    expect(queries.length).toBeGreaterThan(40);
    const open = new Set(queries);
    const round = async () => {
      await post('optimize', simpleRequest());
      await post('optimize', { ...simpleRequest(1, 5), constraints: { min_service_level: 1 } });
      await post('forecast', { location_ids: [1], horizon_hours: 24 });
      // Location 3 has no history: a job that fails, and an answer with 503.
      await post('forecast/backtest', { location_ids: [3] });
      for (const query of open) {
        const values = await server.query(query);
        if (values.some(({ value: [, value] }) => Number.isFinite(Number(value)))) open.delete(query);
      }
      return [...open];
    };
    await expect.poll(round, { interval: 1000 }).toEqual([]);
    expect(await server.readRuleFaults()).toEqual([]);
  });

  test('fires when events wait for a webhook, and when one is given up', async () => {
    const broken = ['FleetWebhooksDead', 'FleetWebhooksWait'];
    const firing = async () => (await server.readFiring()).filter((name) => broken.includes(name)).sort();
    expect(await firing()).toEqual([]);
    // Nothing listens there.
    const url = `http://127.0.0.1:${await freePort()}/`;
    const { body } = await post('webhooks', { url, events: ['job.completed'] });
    const store = (age: string, retry: string) =>
      service.pool.query(
        `insert into webhook_deliveries (delivery_id, webhook_id, event, job_id, data, created_at, retry_until)
          values ($1, $2, 'job.completed', 'opt_x', '{}', now() - $3::interval, now() + $4::interval)`,
        [`msg_${retry}`, body.data.webhook_id, age, retry],
      );
    await store('20 minutes', '23 hours');
    await store('1 day', '0 hours');
    await expect.poll(firing).toEqual(broken);
  });

  test('fires when workers are killed, a job crashes and PostgreSQL gives no figures, and not before', async () => {
    const { body } = await post('optimize', longRequest(120), { prefer: 'respond-async' });
    const jobId = body.data.job_id;
    const readWorker = async () =>
      (
        await service.pool.query("select worker_id from jobs where job_id = $1 and status = 'running'", [
          jobId,
        ])
      ).rows[0]?.worker_id;
    await expect.poll(readWorker).toBeTypeOf('string');
    const broken = ['FleetDatabaseDown', 'FleetJobsCrash', 'FleetNoWorkers', 'FleetWorkerDown'];
    const firing = async () => (await server.readFiring()).filter((name) => broken.includes(name));
    await expect.poll(firing).toEqual([]);

    const isFirst = (await readWorker()).startsWith(`${first.pid}:`);
    const [atWork, other] = isFirst ? [first, second] : [second, first];
    atWork.kill('SIGKILL');
    await expect.poll(firing).toEqual(expect.arrayContaining(['FleetJobsCrash', 'FleetWorkerDown']));
    other.kill('SIGKILL');
    await expect.poll(firing).toContain('FleetNoWorkers');
    await service.pool.query('alter table workers rename to workers_away');
    await expect.poll(firing).toContain('FleetDatabaseDown');
  });
});
