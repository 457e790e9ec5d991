/**
 * `npm run bench:soak -- [--minutes 30] [--share 0.7] [--rounds 5] [--workers 1] [--pairs 20]
 * [--backends redis,postgres] [--at-once]`: whether a service that runs for long stays as it is. Real processes, a
 * throwaway PostgreSQL with its usual durability, Redis without persistence. The backends run one after the other, or
 * at once.
 *
 * Calls come in rounds of the same mix (`load/mix.ts`). First eight callers that wait for their answers do whole
 * rounds: the capacity, with the standard error of its rounds. Services that run at once are measured at once. Then
 * calls arrive evenly at a share of that, whether earlier ones are answered or not. Jobs, inputs and plans are deleted
 * after a tenth of the run, so that tables hold as many rows at its end as after the warm-up.
 *
 * Every five seconds it reads memory, open handles and processor time of API and worker (Linux), tables, and calls that
 * wait. The first fifth is warm-up: caches fill, code is compiled, the first jobs grow old. The rest is cut into some
 * 20 blocks of whole rounds, and `trend.ts` says of each quantity whether its block means are flat.
 *
 * Then a new service does pairs of rounds in turns with the old one (`load/as-new.ts`).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { digits, percentile, readArguments, reportTable, whole } from './cli.ts';
import { compareWithNew, judgeRatio, type Ratio, type Side } from './load/as-new.ts';
import { MIX_PLACES, type MixedCall, mixedCalls, storeMixDemand } from './load/mix.ts';
import { endAll, endAllOnFault, endLater, spawnWorker } from './load/processes.ts';
import { processorMs } from './load/processor-time.ts';
import { BACKENDS, startLoadService } from './load/service.ts';
import { judge, trendOf } from './trend.ts';

const args = readArguments({
  ...{ minutes: 30, share: 0.7, rounds: 5, workers: 1, pairs: 20 },
  ...{ backends: 'redis,postgres', 'at-once': false },
});
const { minutes, share, rounds: capacityRounds, workers, pairs, backends, json } = args;

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

/** ms of a call until its answer; if it was a job, until a worker claimed it, and from then until its stored end. */
type Times = { call: number; wait?: number; work?: number };

async function open(backend: string): Promise<Service> {
  const days = String((RETENTION_SHARE * minutes) / (24 * 60));
  const settings = {
    ...{ RETENTION_JOB_DAYS: days, RETENTION_PLAN_DAYS: days, RETENTION_INPUT_DAYS: days },
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

/**
 * The next call of the mix: ms until its answer. Without one in time, or with an unexpected one, it is a fault.
 * @param requestId by which its job is found; absent: the service makes one
 */
async function call(service: Service, requestId?: string): Promise<number | undefined> {
  const { path, body }: MixedCall = calls[service.sent++ % calls.length];
  const startedMs = performance.now();
  try {
    const answer = await fetch(`${service.api}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        prefer: `wait=${WAIT_SECONDS}`,
        ...(requestId && { 'x-request-id': requestId }),
      },
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

/**
 * Does whole rounds with callers that wait, until all services did enough. The first round of answers is left out: it
 * is of quick calls, while slow ones of the same round are not answered yet.
 * @returns ms of each round
 */
async function measureCapacities(services: readonly Service[]): Promise<Map<Service, number[]>> {
  await Promise.all(
    services.map(async (service) => {
      for (const _ of calls) await call(service);
    }),
  );
  const times = new Map(services.map((service) => [service, [] as number[]]));
  const isEnough = () => [...times.values()].every((list) => list.length > capacityRounds);
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
  for (const list of times.values()) list.shift();
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

/** Jobs that ended within so many seconds are read with each sample: an end is seen some time after its moment. */
const ENDED_SECONDS = (4 * SAMPLE_MS) / 1000;

/** Adds the times of the jobs that ended lately to those of their calls. */
async function readJobTimes({ client }: Service, times: readonly Times[]): Promise<void> {
  const { rows } = await client.query<{ nth: number; wait: number; work: number }>(`
    select substr(request_id, ${REQUEST_ID.length + 1})::int as nth,
      1000 * extract(epoch from started_at - created_at)::float8 as wait,
      1000 * extract(epoch from finished_at - started_at)::float8 as work
    from jobs where finished_at > now() - interval '${ENDED_SECONDS} s' and started_at is not null
      and request_id like '${REQUEST_ID}%'`);
  for (const { nth, wait, work } of rows) Object.assign(times[nth] ?? {}, { wait, work });
}

/** Followed by the number of the call. */
const REQUEST_ID = 'soak-';

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
  const times: Times[] = [];
  const open = new Set<Promise<void>>();
  const startedMs = performance.now();
  let [made, sampledMs] = [0, 0];
  let before = await sample(service);
  let madeBefore = 0;
  for (let nowMs = 0; measuring.size > 0; nowMs = performance.now() - startedMs) {
    for (; made * msOfCall <= nowMs; made++) {
      const time: Times = { call: Number.NaN };
      times.push(time);
      const one = call(service, `${REQUEST_ID}${made}`).then((ms) => {
        time.call = ms ?? Number.NaN;
      });
      open.add(one);
      void one.finally(() => open.delete(one));
    }
    if (nowMs - sampledMs >= SAMPLE_MS) {
      sampledMs = nowMs;
      const values = await sample(service);
      await readJobTimes(service, times);
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
  await readJobTimes(service, times);
  const hoursOfBlock = (blockRounds * calls.length * msOfCall) / 3_600_000;
  const blocks = Array.from({ length: blockCount }, (_, b) => {
    const list = times.filter((time, nth) => blockOf(nth) === b && !Number.isNaN(time.call));
    const within = samples.filter(({ nth }) => blockOf(nth) === b);
    const mean = (name: string) =>
      within.reduce((sum, { values }) => sum + (values.get(name) ?? 0), 0) / within.length;
    const means = new Map([...(samples[0]?.values.keys() ?? [])].map((name) => [name, mean(name)]));
    for (const [name, value] of callTimes(list)) means.set(name, value);
    return { hours: (b + 0.5) * hoursOfBlock, means };
  });
  return { rate, blocks };
}

/** Of the calls of a block. The last three leave out the wait for a worker, which is long or short by chance. */
function callTimes(list: readonly Times[]): [name: string, ms: number][] {
  const ms = list.map(({ call }) => call);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return [
    ['call, ms: median', percentile(ms, 0.5)],
    ['call, ms: 95th percentile', percentile(ms, 0.95)],
    ['call without its wait for a worker, ms: mean', mean(list.map(({ call, wait = 0 }) => call - wait))],
    ['job from claim to stored end, ms: mean', mean(list.flatMap(({ work }) => work ?? []))],
    ['call that needs no worker, ms: mean', mean(list.flatMap(({ call, work }) => (work ? [] : call)))],
  ];
}

/** How the service does beside one that has just started, with one caller. */
async function besideNew(old: Service): Promise<Row[]> {
  const fresh = await open(old.backend);
  const sideOf = (service: Service): Side => ({
    call(nth) {
      service.sent = nth;
      return call(service);
    },
    processorMs: () => [...service.pids.values()].flat().reduce((sum, pid) => sum + processorMs(pid), 0),
  });
  const { time, processor } = await compareWithNew(sideOf(old), sideOf(fresh), calls.length, pairs);
  old.faults.push(...fresh.faults);
  const cell = (one: Ratio) => `× ${one.mean.toFixed(3)} ± ${one.error.toFixed(3)}; ${judgeRatio(one)}`;
  return [
    ['time of a call', cell(time)],
    ['processor time of API and worker', cell(processor)],
  ];
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

type Measured = { run: Row[]; compared: Row[] };

async function measure(together: readonly string[]): Promise<Map<string, Measured>> {
  try {
    const services: Service[] = [];
    for (const backend of together) services.push(await open(backend));
    const roundTimes = await measureCapacities(services);
    const measuring = new Set(services);
    const runs = services.map(async (service) => {
      const times = roundTimes.get(service) ?? [];
      const capacity = capacityOf(times);
      console.error(`${service.backend}: ${times.map((ms) => digits(ms / 1000)).join(', ')} s a round`);
      return { service, capacity, result: await soak(service, capacity.perSecond * share, measuring) };
    });
    const told = new Map<string, Measured>();
    for (const { service, capacity, result } of await Promise.all(runs)) {
      const compared = await besideNew(service);
      const { backend, faults } = service;
      if (faults.length > 0) console.error(`${backend}: ${faults.length} faults; the first:`, faults[0]);
      const rounds = roundTimes.get(service)?.length ?? 0;
      told.set(backend, { run: rowsOf(capacity, rounds, faults.length, result), compared });
    }
    return told;
  } finally {
    await endAll();
  }
}

endAllOnFault();
const names = backends.split(',');
const found = new Map<string, Measured>();
for (const together of args['at-once'] ? [names] : names.map((name) => [name])) {
  for (const [backend, measured] of await measure(together)) found.set(backend, measured);
}

/** A column per backend. */
function report(head: string, rowsOf: (measured: Measured) => Row[], part?: string): void {
  const cells = new Map<string, string[]>();
  for (const [backend, measured] of found) {
    for (const [name, cell] of rowsOf(measured)) {
      const row = cells.get(name) ?? names.map(() => '–');
      row[names.indexOf(backend)] = cell;
      cells.set(name, row);
    }
  }
  const columns = [head, ...names.map((name) => BACKENDS[name])];
  reportTable({ columns, rows: [...cells].map(([name, row]) => [name, ...row]) }, json, part);
}

report('level; slope per hour ± standard error; flat or not', ({ run }) => run);
report('after the run, over a new service: ratio ± standard error', ({ compared }) => compared, 'as-new');
process.exit();
