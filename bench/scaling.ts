/**
 * `npm run bench:scaling -- [--jobs 200] [--idle 10] [--backends redis,postgres]`: what a job and an idle worker ask of
 * PostgreSQL, Redis, network and processors, measured with real processes on this machine, and what follows for more
 * workers than fit here. What is counted (transactions, bytes, processor time) hardly depends on what else the machine
 * does, so both backends are counted at the same time; the rates do, so they are measured one after the other. Both are
 * taken from windows that are alike: what starts, warms up or is cleaned up lies before them. It takes five minutes.
 */
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { openDatabase } from '../src/db/client.ts';
import { claimJob } from '../src/db/jobs/job-claims.ts';
import { insertJob } from '../src/db/jobs/job-intake.ts';
import { optimizeCached as optimize } from '../test/core/optimize/cached.ts';
import { newJob } from '../test/helpers/jobs.ts';
import { digits, percentile, readArguments, reportTable, spread, whole } from './cli.ts';
import { endAll, endAllOnFault, spawnWorker } from './load/processes.ts';
import { databaseMs, processorMs } from './load/processor-time.ts';
import { openRecord } from './load/record.ts';
import { BACKENDS, startLoadService } from './load/service.ts';
import { BENCH_SETTINGS, cityRequest } from './requests.ts';

const { jobs, idle, backends, json } = readArguments({ jobs: 200, idle: 10, backends: 'redis,postgres' });

const KINDS = { small: { locations: 20, vehicles: 200 }, large: { locations: 263, vehicles: 2630 } };
type Kind = keyof typeof KINDS;
const problems = (kind: Kind, count: number) =>
  Array.from({ length: count }, (_, seed) =>
    cityRequest(seed, { ...KINDS[kind], classes: 1, isFractional: false }),
  );
/** The small problems name the first of the locations of the large ones. */
const places = problems('large', 1)[0].locations;
/** Workers that look after all jobs, also while they have nothing to do (`workers/main.ts`). */
const SWEEPERS = 3;
/** Further workers, together, since one asks for less than counters tell apart. */
const FURTHER = 3;
const WARM_CALLS = 60;
const CALLERS = 4;
/** A connection of PostgreSQL that has nothing to do reports what it did after ten seconds. */
const SETTLE_MS = 11_000;
/** PostgreSQL is measured this often for so long; the median counts. */
const RATE_ROUNDS = 5;
const RATE_MS = 800;
const CONNECTIONS = 16;
const WAITING = 2000;
const THROUGHPUT_CALLERS = 8;
/**
 * How long windows are, how many in a row have to be alike, by which factor or number they may differ, and how many are
 * measured at most. Idle workers have timers of up to ten seconds (`--idle`), all others are rare.
 */
const IDLE = { ms: idle * 1000, alike: 3, factor: 1.1, number: 10, most: 5 };
/** Of one worker, then of two. */
const THROUGHPUT = { ms: 3000, alike: 3, factor: 1.1, number: 0, most: 8 };

/** What was used since the start of the service. */
type Used = {
  seconds: number;
  transactions: number;
  walBytes: number;
  databaseMs: number;
  redisCommands: number;
  redisBytes: number;
  redisMs: number;
  workerMs: number;
};
type Connections = { database: number; redis: number };

/** Runs work while no other that was given to it runs. */
let busy: Promise<unknown> = Promise.resolve();
function undisturbed<T>(work: () => Promise<T>): Promise<T> {
  const result = busy.then(work);
  busy = result.catch(() => {});
  return result;
}

type Measured = {
  /** small jobs per second of one worker, and of two */
  throughput: number[];
  /** the first workers together, which sweep, and each further one, per second while they have nothing to do */
  few: Record<keyof Used, number>;
  further: Record<keyof Used, number>;
  connections: Connections;
  jobs: Record<Kind, Record<keyof Used | 'httpBytes', number>>;
};

async function measure(backend: string): Promise<Measured> {
  const { api, env, postgres, redis } = await startLoadService(backend, places);
  const client = new pg.Client({ connectionString: postgres.url });
  const admin = new pg.Client({ connectionString: postgres.adminUrl });
  await Promise.all([client.connect(), admin.connect()]);
  const setAutovacuum = async (to: 'on' | 'off') => {
    await admin.query(`alter system set autovacuum = ${to}`);
    await admin.query('select pg_reload_conf()');
  };
  const redisClient = redis === undefined ? undefined : new Redis(redis);
  const workers: number[] = [];
  const figure = (info: string, name: string) =>
    Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1] ?? 0);
  const look = async (): Promise<Used & { connections: Connections }> => {
    const { rows } = await client.query(`select (xact_commit + xact_rollback)::float8 as transactions,
        (pg_current_wal_insert_lsn() - '0/0')::float8 as wal, numbackends - 1 as connections
      from pg_stat_database where datname = current_database()`);
    const info = (await redisClient?.info()) ?? '';
    return {
      seconds: performance.now() / 1000,
      transactions: rows[0].transactions,
      walBytes: rows[0].wal,
      databaseMs: databaseMs(postgres.folder),
      redisCommands: figure(info, 'total_commands_processed'),
      redisBytes: figure(info, 'total_net_input_bytes') + figure(info, 'total_net_output_bytes'),
      redisMs: 1000 * (figure(info, 'used_cpu_sys') + figure(info, 'used_cpu_user')),
      workerMs: workers.reduce((sum, pid) => sum + processorMs(pid), 0),
      connections: { database: rows[0].connections, redis: figure(info, 'connected_clients') },
    };
  };
  /** While nobody asks for anything; PostgreSQL does not clean up meanwhile after what was asked before. */
  const rest = async () => {
    await setAutovacuum('off');
    let before = await look();
    const windows = await untilAlike(IDLE, async () => {
      await delay(IDLE.ms);
      const [from, to] = [before, await look()];
      before = to;
      return { from, to, count: to.transactions - from.transactions };
    });
    await setAutovacuum('on');
    const [{ from }, { to }] = [windows[0], windows[windows.length - 1]];
    const seconds = to.seconds - from.seconds;
    return { rates: each((key) => (to[key] - from[key]) / seconds), connections: to.connections };
  };
  const bodiesOf = (kind: Kind) => problems(kind, 20).map((problem) => JSON.stringify(problem.request));
  const start = async () => workers.push(await spawnWorker(env));

  const alone = await rest();
  const throughput: number[] = [];
  const send = sender(api, bodiesOf('small'));
  for (const _ of [1, 2]) {
    await start();
    throughput.push(await undisturbed(() => measureThroughput(send)));
  }
  while (workers.length < SWEEPERS) await start();
  const few = await rest();
  const kinds: Partial<Measured['jobs']> = {};
  for (const kind of ['small', 'large'] as const) {
    const sendOne = sender(api, bodiesOf(kind));
    const callFor = async (count: number) => {
      let [made, httpBytes] = [0, 0];
      const callOn = async () => {
        while (made < count) {
          made++;
          httpBytes += await sendOne();
        }
      };
      await undisturbed(() => Promise.all(Array.from({ length: CALLERS }, callOn)));
      return { made, httpBytes };
    };
    await callFor(WARM_CALLS);
    await delay(SETTLE_MS);
    const before = await look();
    const { made, httpBytes } = await callFor(jobs);
    await delay(SETTLE_MS);
    const after = await look();
    const seconds = after.seconds - before.seconds;
    const perJob = each((key) => (after[key] - before[key] - few.rates[key] * seconds) / made);
    kinds[kind] = { ...perJob, httpBytes: httpBytes / made };
  }
  while (workers.length < SWEEPERS + FURTHER) await start();
  const all = await rest();
  await Promise.all([client.end(), admin.end()]);
  redisClient?.disconnect();
  return {
    throughput,
    few: each((key) => few.rates[key] - alone.rates[key]),
    further: each((key) => Math.max(0, all.rates[key] - few.rates[key]) / FURTHER),
    connections: {
      database: (all.connections.database - few.connections.database) / FURTHER,
      redis: (all.connections.redis - few.connections.redis) / FURTHER,
    },
    jobs: kinds as Measured['jobs'],
  };
}

/**
 * Measures windows until the last ones are alike, so that nothing that starts or warms up is among them.
 * @returns these; if none are alike, the last ones
 */
async function untilAlike<W extends { count: number }>(
  { alike, factor, number, most }: typeof IDLE,
  measureWindow: () => Promise<W>,
): Promise<W[]> {
  const windows: W[] = [];
  for (;;) {
    windows.push(await measureWindow());
    const last = windows.slice(-alike);
    const counts = last.map(({ count }) => count);
    const [least, greatest] = [Math.min(...counts), Math.max(...counts)];
    const areAlike = last.length === alike && greatest <= Math.max(factor * least, least + number);
    if (areAlike) return last;
    if (windows.length < most) continue;
    console.log(`not steady after ${most} windows: ${counts.map(digits).join(', ')}`);
    return last;
  }
}

/** Jobs per second while several callers wait for their answers, once workers, API and PostgreSQL are warm. */
async function measureThroughput(send: () => Promise<number>): Promise<number> {
  const windows = await untilAlike(THROUGHPUT, async () => {
    const startedMs = performance.now();
    let count = 0;
    const callOn = async () => {
      while (performance.now() - startedMs < THROUGHPUT.ms) {
        await send();
        count++;
      }
    };
    await Promise.all(Array.from({ length: THROUGHPUT_CALLERS }, callOn));
    return { count, ms: performance.now() - startedMs };
  });
  const total = (of: 'count' | 'ms') => windows.reduce((sum, window) => sum + window[of], 0);
  return (1000 * total('count')) / total('ms');
}

/** @returns a call that waits for its answer, and says how many bytes of bodies went to and fro */
function sender(api: string, bodies: readonly string[]): () => Promise<number> {
  const agent = new Agent({ keepAlive: true });
  let next = 0;
  return async () => {
    const body = bodies[next++ % bodies.length];
    const sent = request(`${api}/api/v1/optimize`, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    });
    sent.end(body);
    const [response] = await once(sent, 'response');
    const answer = await buffer(response);
    if (response.statusCode !== 200) throw new Error(String(answer));
    return Buffer.byteLength(body) + answer.length;
  };
}

const KEYS = [
  ...(['seconds', 'transactions', 'walBytes', 'databaseMs'] as const),
  ...(['redisCommands', 'redisBytes', 'redisMs', 'workerMs'] as const),
];
function each(of: (key: keyof Used) => number): Record<keyof Used, number> {
  return Object.fromEntries(KEYS.map((key) => [key, of(key)])) as Record<keyof Used, number>;
}

/** What PostgreSQL reaches here with the statements of a job, per second, in each round. */
type Rates = Record<'stores' | 'claims' | 'records', number[]>;

async function measureRates(): Promise<Rates> {
  try {
    const { postgres } = await startLoadService('postgres', places);
    const { db, close } = openDatabase(postgres.url, { poolSize: CONNECTIONS, onError: console.error });
    const perSecond = async (work: () => Promise<unknown>, most = Number.POSITIVE_INFINITY) => {
      let done = 0;
      const startedMs = performance.now();
      const workOn = async () => {
        while (done < most && performance.now() - startedMs < RATE_MS) {
          done++;
          await work();
        }
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, workOn));
      return (1000 * done) / (performance.now() - startedMs);
    };
    const [{ request: problem, locations }] = problems('small', 1);
    const outcome = await optimize({ request: problem, locations, settings: BENCH_SETTINGS });
    if (outcome.status !== 'optimal' && outcome.status !== 'feasible') throw new Error(outcome.status);
    const { result } = outcome;
    const record = await openRecord(postgres.adminUrl, locations, CONNECTIONS);
    const input = JSON.stringify(problem);
    const conditions = { locationIds: [], maxWaiting: 1_000_000 };
    const found: Rates = { stores: [], claims: [], records: [] };
    for (let round = 0; round < RATE_ROUNDS; round++) {
      let stored = 0;
      const store = async () => {
        await insertJob(db, newJob(), conditions);
        stored++;
      };
      found.stores.push(await perSecond(store, WAITING));
      found.claims.push(await perSecond(() => claimJob(db, 'bench'), stored));
      found.records.push(await perSecond(() => record.keep(problem, input, result)));
    }
    await record.close();
    await close();
    return found;
  } finally {
    await endAll();
  }
}

function reportInputs(): void {
  const row = (name: string, of: (one: Measured) => number): string[] => [
    name,
    ...measured.map((one) => figureOf(of(one))),
  ];
  const ofJob = (kind: Kind): string[][] => [
    row(`a ${kind} job: transactions`, ({ jobs: of }) => of[kind].transactions),
    row('write-ahead log, KiB', ({ jobs: of }) => of[kind].walBytes / KIB),
    row('processor time of PostgreSQL, ms', ({ jobs: of }) => of[kind].databaseMs),
    row('commands of Redis', ({ jobs: of }) => of[kind].redisCommands),
    row('to and from Redis, KiB', ({ jobs: of }) => of[kind].redisBytes / KIB),
    row('processor time of Redis, ms', ({ jobs: of }) => of[kind].redisMs),
    row('processor time of the worker, ms', ({ jobs: of }) => of[kind].workerMs),
    row('request and answer, KiB', ({ jobs: of }) => of[kind].httpBytes / KIB),
  ];
  const rate = (name: string, found: readonly number[]) => [
    name,
    ...measured.map(() => spread(found, whole, [0, 1])),
  ];
  const rows = [
    row('1 worker, 8 callers: small jobs per second', ({ throughput }) => throughput[0]),
    row('2 workers', ({ throughput }) => throughput[1]),
    row('idle, each second: transactions of the first three workers', ({ few }) => few.transactions),
    row('of a further worker', ({ further }) => further.transactions),
    row('write-ahead log of a further worker, bytes', ({ further }) => further.walBytes),
    row('commands of Redis of a further worker', ({ further }) => further.redisCommands),
    row('connections of a worker: PostgreSQL', ({ connections: of }) => of.database),
    row('Redis', ({ connections: of }) => of.redis),
    ...ofJob('small'),
    ...ofJob('large'),
    rate(`PostgreSQL alone, ${CONNECTIONS} connections, each second: jobs stored`, rates.stores),
    rate('jobs claimed', rates.claims),
    rate('small jobs stored, claimed, ended with a plan, and read', rates.records),
  ];
  reportTable({ columns: ['', ...names.map((name) => BACKENDS[name])], rows }, json, 'inputs');
}

const KIB = 1024;
/** Assumed: what a server does not do more than. Of Redis it is one core, of PostgreSQL what it reached here. */
const NETWORK_BYTES = 125_000_000;
const DATABASE_CONNECTIONS = 500;
const WORKERS = [10, 100, 1000];

/** A size of jobs with a backend: what a worker does, and the rates at which something is full. */
type Way = {
  name: string;
  used: Measured['jobs'][Kind];
  further: Measured['further'];
  few: Measured['few'];
  /** jobs per second of a worker that has a core and waits for nothing */
  perWorker: number;
  /** jobs per second at which each is full */
  limits: Record<string, number>;
};

function waysOf(): Way[] {
  const median = (found: readonly number[]) => percentile(found, 0.5);
  return measured.flatMap(({ jobs: byKind, connections, further, few }, i) =>
    (['small', 'large'] as const).map((kind) => {
      const used = byKind[kind];
      const perWorker = 1000 / used.workerMs;
      // The record of a large job costs more by as much as PostgreSQL works more for it.
      const weight = used.databaseMs / byKind.small.databaseMs;
      const limits = {
        'claims, one after the other': median(rates.claims),
        'records of jobs in PostgreSQL': median(rates.records) / weight,
        ...(used.redisMs > 0.001 && { 'a core of Redis': 1000 / used.redisMs }),
        // To and from the API, and to and from the worker.
        'a network of 1 Gbit/s at PostgreSQL': NETWORK_BYTES / (2 * used.httpBytes),
        [`${DATABASE_CONNECTIONS} connections of PostgreSQL`]:
          (perWorker * DATABASE_CONNECTIONS) / connections.database,
      };
      return { name: `${kind}, ${BACKENDS[names[i]]}`, used, further, few, perWorker, limits };
    }),
  );
}

function reportLimits(ways: readonly Way[]): void {
  const limits = [...new Set(ways.flatMap((way) => Object.keys(way.limits)))];
  const rows = [
    ['a worker with a core of its own does', ...ways.map(({ perWorker }) => `${figureOf(perWorker)} jobs/s`)],
    ...limits.map((limit) => [
      limit,
      ...ways.map(({ limits: { [limit]: most }, perWorker }) =>
        most === undefined ? '–' : `${whole(most)} jobs/s, ${whole(most / perWorker)} workers`,
      ),
    ]),
  ];
  reportTable({ columns: ['full at', ...ways.map(({ name }) => name)], rows }, json, 'limits');
}

function reportPaper(ways: readonly Way[]): void {
  const row = (name: string, of: (way: Way) => string) => [name, ...ways.map(of)];
  const rows = WORKERS.flatMap((workers) => {
    const asked = ({ perWorker }: Way) => workers * perWorker;
    const first = ({ limits }: Way) => Object.entries(limits).reduce((a, b) => (b[1] < a[1] ? b : a));
    return [
      row(`**${whole(workers)} workers**: jobs/s that they could do`, (way) => whole(asked(way))),
      row('full first', (way) => {
        const [limit, most] = first(way);
        return most < asked(way)
          ? `${limit}, at ${whole(most)} jobs/s`
          : `nothing; ${limit} at ${share(asked(way) / most)}`;
      }),
      row('all of them busy: transactions/s', (way) => whole(asked(way) * way.used.transactions)),
      row('write-ahead log, MiB/s', (way) => figureOf((asked(way) * way.used.walBytes) / KIB ** 2)),
      row('commands of Redis/s', (way) => whole(asked(way) * way.used.redisCommands)),
      row('network of PostgreSQL, Mbit/s', (way) => whole((asked(way) * 2 * way.used.httpBytes * 8) / 1e6)),
      row('all of them idle: transactions/s', ({ few, further }) =>
        whole(few.transactions + (workers - SWEEPERS) * further.transactions),
      ),
    ];
  });
  reportTable({ columns: ['', ...ways.map(({ name }) => name)], rows }, json, 'paper');
}

const share = (part: number) => `${whole(100 * part)} %`;

/** What is smaller than it can be measured is 0. */
const figureOf = (value: number) => (value < 0.0005 ? '0' : digits(value));

endAllOnFault();
const names = backends.split(',');
const rates = await measureRates();
const measured = await Promise.all(names.map(measure));
await endAll();
reportInputs();
const ways = waysOf();
reportLimits(ways);
reportPaper(ways);
console.log(`took ${whole(performance.now() / 1000)} s`);
process.exit();
