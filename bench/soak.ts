/**
 * `npm run bench:soak -- [--minutes 30] [--share 0.7] [--workers 1] [--backends redis,postgres]`: whether a service
 * that runs for long stays as it is. Optimizations of three sizes, whole and fractional, a tenth of them of two
 * classes, and between them forecasts, scores of risk, decisions, backtests and replays arrive at a share of the
 * measured capacity. Every five seconds it reads memory and open handles of API and
 * worker (Linux), the pages of the tables and what is dead in them, and the latency of the calls since.
 *
 * The slopes are least squares over all samples but the first fifth, per hour, with their standard errors.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { riskExample } from '../src/http/examples.ts';
import {
  chaosLocations,
  chaosProblems,
  DEMAND_SQL,
  HISTORY_HOURS,
  HISTORY_START,
  TRIPS_SQL,
} from '../test/chaos/problems.ts';
import { digits, percentile, readArguments, reportTable, whole } from './cli.ts';
import { endAll, endAllOnFault, spawnWorker } from './load/processes.ts';
import { BACKENDS, startLoadService } from './load/service.ts';
import { cityRequest } from './requests.ts';

const { minutes, share, workers, backends, json } = readArguments({
  ...{ minutes: 30, share: 0.7, workers: 1 },
  backends: 'redis,postgres',
});

const SAMPLE_MS = 5000;
/** The day after the last hour of the stored demand. */
const FORECAST_FROM = '2026-02-09';
const CAPACITY_MS = 10_000;
const CALLERS = 8;
const TICK_MS = 20;
/** Slopes leave out the start: caches fill, code is compiled. */
const WARM_SHARE = 0.2;

/** The locations of the largest problem, of which the smaller ones name the first. */
const SIZES = [20, 40, 60];
const places = cityRequest(0, { locations: 60, vehicles: 10, classes: 1, isFractional: false }).locations;
type Call = { path: string; body: string };
const optimizations = Array.from({ length: 30 }, (_, i): Call => {
  const classes = i % 10 === 9 ? 2 : 1;
  const shape = { locations: SIZES[i % 3], vehicles: 10 * SIZES[i % 3], classes, isFractional: i % 2 === 1 };
  const { request } = cityRequest(i, shape);
  const body = { ...request, options: { ...request.options, time_limit_seconds: 1 } };
  return { path: '/api/v1/optimize', body: JSON.stringify(body) };
});
/** Decisions, also ones that look ahead, backtests and replays, from stored demand. */
const fromDemand = chaosProblems(1, chaosLocations(1))
  .filter(({ kind }) => kind !== 'optimize')
  .map(({ path, request }): Call => ({ path, body: JSON.stringify(request) }));
const others: Call[] = [
  { path: '/api/v1/risk/score', body: JSON.stringify(riskExample) },
  {
    path: '/api/v1/forecast',
    body: JSON.stringify({
      location_ids: [1, 2, 3],
      horizon_hours: 48,
      features: { start_date: FORECAST_FROM },
    }),
  },
];
/** One of each kind that needs stored demand, and as many forecasts and scores, to four times as many optimizations. */
const calls: Call[] = fromDemand.flatMap((one, i) => [
  ...Array.from({ length: 4 }, (_, j) => optimizations[(4 * i + j) % optimizations.length]),
  one,
  others[i % others.length],
]);

let sent = 0;
/** A call that waits for its answer, ms. */
async function call(api: string): Promise<number> {
  const { path, body } = calls[sent++ % calls.length];
  const startedMs = performance.now();
  const answer = await fetch(`${api}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'wait=60' },
    body,
  });
  const text = await answer.text();
  if (!answer.ok && answer.status !== 422) throw new Error(`${path}: ${text}`);
  return performance.now() - startedMs;
}

/** Hours of demand and a week of trips of all places. */
async function storeDemand(client: pg.Client): Promise<void> {
  await client.query(
    `insert into demand_observations (location_id, hour, demand)
     select id, timestamptz '${HISTORY_START}' + h * interval '1 hour', ${DEMAND_SQL}
     from locations, generate_series(0, ${HISTORY_HOURS - 1}) h`,
  );
  await client.query(
    `insert into trip_flows (from_location_id, to_location_id, trips)
     select a.id, b.id, ${TRIPS_SQL} from locations a, locations b`,
  );
}

async function measureCapacity(api: string): Promise<number> {
  for (const _ of calls) await call(api);
  let done = 0;
  const until = performance.now() + CAPACITY_MS;
  const callOn = async () => {
    for (; performance.now() < until; done++) await call(api);
  };
  await Promise.all(Array.from({ length: CALLERS }, callOn));
  return (1000 * done) / CAPACITY_MS;
}

/** The processes that this bench started, by what they run. */
function findProcesses(): Map<string, number> {
  const found = new Map<string, number>();
  for (const pid of readdirSync('/proc').map(Number)) {
    if (Number.isNaN(pid)) continue;
    try {
      const [, , , parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ');
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (Number(parent) !== process.pid) continue;
      if (command.includes('src/main.ts')) found.set('API', pid);
      if (command.includes('workers/main.ts')) found.set('worker', pid);
    } catch {
      // it has ended
    }
  }
  return found;
}

type Sample = { hours: number; values: Map<string, number> };

async function sample(
  client: pg.Client,
  processes: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  const values = new Map<string, number>();
  for (const [name, pid] of processes) {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    values.set(`${name}: memory, MiB`, Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024);
    values.set(`${name}: open handles`, readdirSync(`/proc/${pid}/fd`).length);
  }
  // What stays per job is meant to grow: the tables that only hold what waits and runs are not.
  const { rows } = await client.query(`
    select coalesce(sum(pg_total_relation_size(relid)) filter (where relname not in
        ('jobs', 'job_attempts', 'plans', 'plan_parts')), 0)::float8 / 1048576 as passing,
      coalesce(sum(pg_total_relation_size(relid)) filter (where relname in
        ('jobs', 'job_attempts', 'plans', 'plan_parts')), 0)::float8 / 1024 as kept,
      sum(n_dead_tup)::float8 as dead, (select count(*) from jobs where status = 'completed')::float8 as jobs
    from pg_stat_user_tables`);
  const { passing, kept, dead, jobs } = rows[0];
  values.set('tables that keep nothing of an ended job, MiB', passing);
  values.set('kept per job, KiB', kept / Math.max(1, jobs));
  values.set('dead rows', dead);
  return values;
}

/** Least squares of a value over time: slope per hour and its standard error. */
function slope(points: readonly [hours: number, value: number][]): [slope: number, error: number] {
  const n = points.length;
  const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / n;
  const [x, y] = [mean(0), mean(1)];
  const xx = points.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
  const b = points.reduce((sum, [a, c]) => sum + (a - x) * (c - y), 0) / xx;
  const rest = points.reduce((sum, [a, c]) => sum + (c - y - b * (a - x)) ** 2, 0);
  return [b, Math.sqrt(rest / Math.max(1, n - 2) / xx)];
}

async function measure(backend: string): Promise<[name: string, cell: string][]> {
  try {
    const { api, env, postgres } = await startLoadService(backend, places);
    for (let i = 0; i < workers; i++) await spawnWorker(env);
    const client = new pg.Client({ connectionString: postgres.url });
    client.on('error', () => {}); // the server ends before it where the bench fails
    await client.connect();
    await storeDemand(client);
    const capacity = await measureCapacity(api);
    const rate = capacity * share;
    const processes = findProcesses();
    const samples: Sample[] = [];
    let times: number[] = [];
    const open = new Set<Promise<void>>();
    const faults: unknown[] = [];
    const startedMs = performance.now();
    let [made, sampledMs] = [0, 0];
    for (let nowMs = 0; nowMs < minutes * 60_000; nowMs = performance.now() - startedMs) {
      for (; made < (nowMs / 1000) * rate; made++) {
        const one = call(api).then(
          (ms) => void times.push(ms),
          (error) => void faults.push(error),
        );
        open.add(one);
        void one.finally(() => open.delete(one));
      }
      if (nowMs - sampledMs >= SAMPLE_MS && times.length > 0) {
        const values = await sample(client, processes);
        values.set('call, ms: median', percentile(times, 0.5));
        values.set('call, ms: p99', percentile(times, 0.99));
        samples.push({ hours: nowMs / 3_600_000, values });
        [times, sampledMs] = [[], nowMs];
      }
      await delay(TICK_MS);
    }
    await Promise.all(open);
    await client.end();
    if (faults.length > 0) console.error(`${faults.length} calls failed; the first:`, faults[0]);
    const settled = samples.slice(Math.floor(WARM_SHARE * samples.length));
    const number = (value: number) =>
      Math.abs(value) < 1000 ? Number(value.toPrecision(3)).toString() : whole(value);
    return [
      ['capacity, and rate: jobs per second', `${digits(capacity)}, ${digits(rate)}`],
      ['calls, and faults', `${whole(made)}, ${faults.length}`],
      ...[...(settled.at(-1)?.values.keys() ?? [])].map((name): [string, string] => {
        const points = settled.map(({ hours, values }): [number, number] => [hours, values.get(name) ?? 0]);
        const [perHour, error] = slope(points);
        const level = percentile(
          points.map(([, value]) => value),
          0.5,
        );
        return [name, `${number(level)}; per hour ${number(perHour)} ± ${number(error)}`];
      }),
    ];
  } finally {
    await endAll();
  }
}

endAllOnFault();
const rows = new Map<string, string[]>();
for (const backend of backends.split(',')) {
  for (const [name, cell] of await measure(backend)) rows.set(name, [...(rows.get(name) ?? []), cell]);
}
const columns = [
  'median; slope ± standard error',
  ...backends.split(',').map((backend) => BACKENDS[backend]),
];
reportTable({ columns, rows: [...rows].map(([name, cells]) => [name, ...cells]) }, json);
process.exit();
