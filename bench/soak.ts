/**
 * `npm run bench:soak -- [--minutes 30] [--share 0.7] [--rounds 5] [--workers 1] [--backends redis,postgres]
 * [--at-once]`: whether a service that runs for long stays as it is. Real processes, a throwaway PostgreSQL with its
 * usual durability, Redis without persistence. The backends run one after the other, or at once.
 *
 * Calls come in rounds of the same mix (`load/mix.ts`). First eight callers that wait for their answers do whole
 * rounds: the capacity, with the standard error of its rounds. Services that run at once are measured at once. Then
 * calls arrive evenly at a share of that, whether earlier ones are answered or not. Jobs, inputs and plans are deleted
 * after a tenth of the run, so that tables hold as many rows at its end as after the warm-up.
 *
 * Every five seconds it reads memory, open handles and processor time of API and worker (Linux), tables, and calls that
 * wait. The first fifth is warm-up: caches fill, code is compiled, the first jobs grow old. The rest is cut into some
 * 20 blocks of whole rounds, and `trend.ts` says of each quantity whether its block means are flat.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { digits, percentile, readArguments, reportTable, whole } from './cli.ts';
import { MIX_PLACES, type MixedCall, mixedCalls, storeMixDemand } from './load/mix.ts';
import { endAll, endAllOnFault, endLater, spawnWorker } from './load/processes.ts';
import { processorMs } from './load/processor-time.ts';
import { BACKENDS, startLoadService } from './load/service.ts';
import { judge, trendOf } from './trend.ts';

const args = readArguments({
  ...{ minutes: 30, share: 0.7, rounds: 5, workers: 1 },
  ...{ backends: 'redis,postgres', 'at-once': false },
});
const { minutes, share, rounds: capacityRounds, workers, backends, json } = args;

const SAMPLE_MS = 5000;
const TICK_MS = 20;
const CALLERS = 8;
/** A call that waits longer is no answer: calls came faster than the service could do. */
const WAIT_SECONDS = 60;
/** Slopes leave out this share of the run, at its start. */
const WARM_SHARE = 0.2;
/** Data is deleted after this share of the run: before the warm-up ends. */
const RETENTION_SHARE = 0.1;
const BLOCKS = 20;
/** A mean of fewer samples says little. */
const MIN_SAMPLES = 3;
/** A line needs some. */
const MIN_BLOCKS = 4;

const calls = mixedCalls();

type Service = {
  backend: string;
  api: string;
  client: pg.Client;
  redis: Redis | undefined;
  pids: Map<string, number[]>;
  /** number of calls so far */
  sent: number;
  faults: unknown[];
};

async function open(backend: string): Promise<Service> {
  const days = String((RETENTION_SHARE * minutes) / (24 * 60));
  const settings = {
    ...{ RETENTION_JOB_DAYS: days, RETENTION_PLAN_DAYS: days, RETENTION_INPUT_DAYS: days },
    SWEEP_INTERVAL_SECONDS: '5',
  };
  const started = await startLoadService(backend, MIX_PLACES, settings);
  const workerPids: number[] = [];
  for (let i = 0; i < workers; i++) workerPids.push(await spawnWorker(started.env));
  const client = new pg.Client({ connectionString: started.postgres.url });
  client.on('error', () => {}); // the server ends before it where the bench fails
  await client.connect();
  endLater(() => client.end());
  const redis = started.redis === undefined ? undefined : new Redis(started.redis);
  redis?.on('error', () => {});
  endLater(async () => redis?.disconnect());
  await storeMixDemand(client);
  const pids = new Map([
    ['API', [started.apiPid]],
    ['worker', workerPids],
  ]);
  return { backend, api: started.api, client, redis, pids, sent: 0, faults: [] };
}

/** The next call of the mix: ms until its answer. Without one in time, or with an unexpected one, it is a fault. */
async function call(service: Service): Promise<number | undefined> {
  const { path, body }: MixedCall = calls[service.sent++ % calls.length];
  const startedMs = performance.now();
  try {
    const answer = await fetch(`${service.api}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: `wait=${WAIT_SECONDS}` },
      body,
    });
    const text = await answer.text();
    if (answer.status === 200 || answer.status === 422) return performance.now() - startedMs;
    service.faults.push(`${path}: ${answer.status} ${text.slice(0, 500)}`);
  } catch (error) {
    service.faults.push(error);
  }
  return undefined;
}

/** Does whole rounds with callers that wait, until all services did enough. @returns ms of each round */
async function measureCapacities(services: readonly Service[]): Promise<Map<Service, number[]>> {
  await Promise.all(
    services.map(async (service) => {
      for (const _ of calls) await call(service);
    }),
  );
  const times = new Map(services.map((service) => [service, [] as number[]]));
  const isEnough = () => [...times.values()].every((list) => list.length >= capacityRounds);
  const callOn = async (service: Service) => {
    let [answered, roundMs] = [0, performance.now()];
    const oneAfterTheOther = async () => {
      while (!isEnough()) {
        await call(service);
        if (++answered % calls.length > 0) continue;
        const nowMs = performance.now();
        times.get(service)?.push(nowMs - roundMs);
        roundMs = nowMs;
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, oneAfterTheOther));
  };
  await Promise.all(services.map(callOn));
  return times;
}

/** Calls per second, and their standard error. */
type Capacity = { perSecond: number; error: number };

function capacityOf(roundMs: readonly number[]): Capacity {
  const n = roundMs.length;
  const mean = roundMs.reduce((sum, ms) => sum + ms, 0) / n;
  const squares = roundMs.reduce((sum, ms) => sum + (ms - mean) ** 2, 0);
  const perSecond = (1000 * calls.length) / mean;
  return { perSecond, error: (perSecond * Math.sqrt(squares / Math.max(1, n - 1) / n)) / mean };
}

async function sample({ client, redis, pids }: Service): Promise<Map<string, number>> {
  const values = new Map<string, number>();
  for (const [name, list] of pids) {
    const sum = (of: (pid: number) => number) => list.reduce((total, pid) => total + of(pid), 0);
    const memory = (pid: number) =>
      Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
    values.set(`${name}: memory, MiB`, sum(memory));
    values.set(
      `${name}: open handles`,
      sum((pid) => readdirSync(`/proc/${pid}/fd`).length),
    );
    values.set(`${name}: ${PROCESSOR}`, sum(processorMs));
  }
  const { rows } = await client.query(`
    select sum(pg_total_relation_size(relid))::float8 / 1048576 as size, sum(n_dead_tup)::float8 as dead,
      coalesce(sum(pg_total_relation_size(relid)) filter (where schemaname not in ('public', 'drizzle')), 0)::float8 / 1048576 as queue,
      (select count(*) from jobs)::float8 as jobs
    from pg_stat_user_tables`);
  const { size, dead, jobs, queue } = rows[0];
  values.set('tables and indexes, MiB', size);
  if (queue > 0) values.set('tables and indexes of the queue, MiB', queue);
  values.set('dead rows', dead);
  values.set('jobs stored', jobs);
  const used = redis && /^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1];
  if (used) values.set('Redis: memory, KiB', Number(used) / 1024);
  return values;
}

/** Counted from the start of the process; told as the difference of two samples, by call. */
const PROCESSOR = 'processor time by call, ms';

type Soak = {
  rate: number;
  /** of whole rounds after the warm-up: the middle of each in hours, and its means */
  blocks: { hours: number; means: Map<string, number> }[];
};

/** @param measuring who still measures: others go on with their calls until nobody does, as the machine is shared */
async function soak(service: Service, rate: number, measuring: Set<Service>): Promise<Soak> {
  const msOfCall = 1000 / rate;
  const rounds = Math.floor((minutes * 60_000) / msOfCall / calls.length);
  const warmRounds = Math.ceil(WARM_SHARE * rounds);
  const blockRounds = Math.max(
    Math.ceil((MIN_SAMPLES * SAMPLE_MS) / (msOfCall * calls.length)),
    Math.floor((rounds - warmRounds) / BLOCKS),
  );
  const blockCount = Math.floor((rounds - warmRounds) / blockRounds);
  if (blockCount < MIN_BLOCKS) throw new Error(`${rounds} rounds are too few: more --minutes`);
  const blockOf = (nth: number) => Math.floor((nth / calls.length - warmRounds) / blockRounds);
  const last = (warmRounds + blockCount * blockRounds) * calls.length;

  const samples: { nth: number; values: Map<string, number> }[] = [];
  const times = Array.from({ length: blockCount }, () => [] as number[]);
  const open = new Set<Promise<void>>();
  const startedMs = performance.now();
  let [made, sampledMs] = [0, 0];
  let before = await sample(service);
  let madeBefore = 0;
  for (let nowMs = 0; measuring.size > 0; nowMs = performance.now() - startedMs) {
    for (; made * msOfCall <= nowMs; made++) {
      const block = blockOf(made);
      const one = call(service).then((ms) => {
        if (ms !== undefined) times[block]?.push(ms);
      });
      open.add(one);
      void one.finally(() => open.delete(one));
    }
    if (nowMs - sampledMs >= SAMPLE_MS) {
      sampledMs = nowMs;
      const values = await sample(service);
      const told = new Map(values).set('calls that wait', open.size);
      for (const [name, value] of values) {
        if (name.endsWith(PROCESSOR)) {
          told.set(name, (value - (before.get(name) ?? 0)) / Math.max(1, made - madeBefore));
        }
      }
      [before, madeBefore] = [values, made];
      samples.push({ nth: nowMs / msOfCall, values: told });
    }
    if (made >= last) measuring.delete(service);
    await delay(TICK_MS);
  }
  await Promise.all(open);
  const hoursOfBlock = (blockRounds * calls.length * msOfCall) / 3_600_000;
  const blocks = times.map((list, b) => {
    const within = samples.filter(({ nth }) => blockOf(nth) === b);
    const mean = (name: string) =>
      within.reduce((sum, { values }) => sum + (values.get(name) ?? 0), 0) / within.length;
    const means = new Map([...(samples[0]?.values.keys() ?? [])].map((name) => [name, mean(name)]));
    means.set('call, ms: median', percentile(list, 0.5));
    means.set('call, ms: 95th percentile', percentile(list, 0.95));
    return { hours: (b + 0.5) * hoursOfBlock, means };
  });
  return { rate, blocks };
}

type Row = [name: string, cell: string];

function rowsOf(capacity: Capacity, rounds: number, faults: number, { rate, blocks }: Soak): Row[] {
  const number = (value: number) =>
    Math.abs(value) < 1000 ? Number(value.toPrecision(3)).toString() : whole(value);
  const quantities = [...blocks[0].means.keys()].map((name): Row => {
    const trend = trendOf(blocks.map(({ hours, means }) => [hours, means.get(name) ?? 0]));
    const { level, slope, error } = trend;
    return [name, `${number(level)}; ${number(slope)} ± ${number(error)}; ${judge(trend)}`];
  });
  return [
    [
      'capacity, calls per second: mean ± standard error',
      `${digits(capacity.perSecond)} ± ${digits(capacity.error)} (${rounds} rounds)`,
    ],
    ['calls per second', digits(rate)],
    ['blocks, and calls in each', `${blocks.length}, ${whole(callsOf(blocks, rate))}`],
    [`faults, with calls not answered in ${WAIT_SECONDS} s`, whole(faults)],
    ...quantities,
  ];
}

const callsOf = (blocks: Soak['blocks'], rate: number) => (blocks[1].hours - blocks[0].hours) * 3600 * rate;

async function measure(together: readonly string[]): Promise<Map<string, Row[]>> {
  try {
    const services: Service[] = [];
    for (const backend of together) services.push(await open(backend));
    const roundTimes = await measureCapacities(services);
    const measuring = new Set(services);
    const told = services.map(async (service): Promise<[string, Row[]]> => {
      const times = roundTimes.get(service) ?? [];
      const capacity = capacityOf(times);
      console.error(`${service.backend}: ${times.map((ms) => digits(ms / 1000)).join(', ')} s a round`);
      const result = await soak(service, capacity.perSecond * share, measuring);
      const { backend, faults } = service;
      if (faults.length > 0) console.error(`${backend}: ${faults.length} faults; the first:`, faults[0]);
      return [backend, rowsOf(capacity, times.length, faults.length, result)];
    });
    return new Map(await Promise.all(told));
  } finally {
    await endAll();
  }
}

endAllOnFault();
const names = backends.split(',');
const cells = new Map<string, string[]>();
for (const together of args['at-once'] ? [names] : names.map((name) => [name])) {
  for (const [backend, rows] of await measure(together)) {
    for (const [name, cell] of rows) {
      const row = cells.get(name) ?? names.map(() => '–');
      row[names.indexOf(backend)] = cell;
      cells.set(name, row);
    }
  }
}
const columns = [
  'level; slope per hour ± standard error; flat or not',
  ...names.map((name) => BACKENDS[name]),
];
reportTable({ columns, rows: [...cells].map(([name, row]) => [name, ...row]) }, json);
process.exit();
