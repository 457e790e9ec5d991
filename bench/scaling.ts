/**
 * `npm run bench:scaling -- [--jobs 200] [--idle 20] [--backends redis,postgres]`: what a job and an idle worker ask of
 * PostgreSQL, Redis, network and processors, measured with real processes on this machine, and what follows for more
 * workers than fit here. What is counted (transactions, bytes, processor time) hardly depends on what else the machine
 * does; the rates that PostgreSQL reaches do.
 */
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { openDatabase } from '../src/db/client.ts';
import { claimJob } from '../src/db/job-claims.ts';
import { insertJob } from '../src/db/job-intake.ts';
import { optimizeCached as optimize } from '../test/core/optimize/cached.ts';
import { newJob } from '../test/helpers/jobs.ts';
import { digits, readArguments, reportTable, whole } from './cli.ts';
import { endAll, endAllOnFault, spawnWorker } from './load/processes.ts';
import { databaseMs, processorMs } from './load/processor-time.ts';
import { openRecord } from './load/record.ts';
import { BACKENDS, startLoadService } from './load/service.ts';
import { BENCH_SETTINGS, cityRequest } from './requests.ts';

const { jobs, idle, backends, json } = readArguments({ jobs: 200, idle: 20, backends: 'redis,postgres' });

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
const CALLERS = 4;
/** A connection of PostgreSQL that has nothing to do reports what it did after ten seconds. */
const SETTLE_MS = 11_000;
const RATE_MS = 5000;
const CONNECTIONS = 16;
const WAITING = 2000;

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

type Measured = {
  /** the first workers together, which sweep, and each further one, per second while they have nothing to do */
  few: Record<keyof Used, number>;
  further: Record<keyof Used, number>;
  connections: Connections;
  jobs: Record<Kind, Record<keyof Used | 'httpBytes', number>>;
};

async function measure(backend: string): Promise<Measured> {
  try {
    const { api, env, postgres, redis } = await startLoadService(backend, places);
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
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
    const restFor = async () => {
      await delay(SETTLE_MS);
      const before = await look();
      await delay(idle * 1000);
      const after = await look();
      const seconds = after.seconds - before.seconds;
      return { rates: each((key) => (after[key] - before[key]) / seconds), connections: after.connections };
    };
    const alone = await restFor();
    for (let i = 0; i < SWEEPERS; i++) workers.push(await spawnWorker(env));
    const few = await restFor();
    workers.push(await spawnWorker(env));
    const together = await restFor();
    const kinds: Partial<Measured['jobs']> = {};
    for (const kind of ['small', 'large'] as const) {
      const bodies = problems(kind, 20).map((problem) => JSON.stringify(problem.request));
      const send = sender(api, bodies);
      for (const _ of bodies) await send(); // warm
      await delay(SETTLE_MS);
      const before = await look();
      let [made, httpBytes] = [0, 0];
      const callOn = async () => {
        while (made < jobs) {
          made++;
          httpBytes += await send();
        }
      };
      await Promise.all(Array.from({ length: CALLERS }, callOn));
      await delay(SETTLE_MS);
      const after = await look();
      const seconds = after.seconds - before.seconds;
      const perJob = each((key) => (after[key] - before[key] - together.rates[key] * seconds) / made);
      kinds[kind] = { ...perJob, httpBytes: httpBytes / made };
    }
    await client.end();
    redisClient?.disconnect();
    return {
      few: each((key) => few.rates[key] - alone.rates[key]),
      further: each((key) => together.rates[key] - few.rates[key]),
      connections: {
        database: together.connections.database - few.connections.database,
        redis: together.connections.redis - few.connections.redis,
      },
      jobs: kinds as Measured['jobs'],
    };
  } finally {
    await endAll();
  }
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

/** What PostgreSQL reaches here with the statements of a job, per second. */
type Rates = { records: number; stores: number; claims: number };

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
    const conditions = { locationIds: [], maxWaiting: 1_000_000 };
    let stored = 0;
    const store = async () => {
      await insertJob(db, newJob(), conditions);
      stored++;
    };
    const stores = await perSecond(store, WAITING);
    const claims = await perSecond(() => claimJob(db, 'bench'), stored);
    await close();
    const [{ request: problem, locations }] = problems('small', 1);
    const outcome = await optimize({ request: problem, locations, settings: BENCH_SETTINGS });
    if (outcome.status !== 'optimal' && outcome.status !== 'feasible') throw new Error(outcome.status);
    const record = await openRecord(postgres.adminUrl, locations, CONNECTIONS);
    const input = JSON.stringify(problem);
    const records = await perSecond(() => record.keep(problem, input, outcome.result));
    await record.close();
    return { stores, claims, records };
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
    row(`${kind} job: transactions`, ({ jobs: of }) => of[kind].transactions),
    row('write-ahead log, KiB', ({ jobs: of }) => of[kind].walBytes / 1024),
    row('processor time of PostgreSQL, ms', ({ jobs: of }) => of[kind].databaseMs),
    row('commands of Redis', ({ jobs: of }) => of[kind].redisCommands),
    row('to and from Redis, KiB', ({ jobs: of }) => of[kind].redisBytes / 1024),
    row('processor time of Redis, ms', ({ jobs: of }) => of[kind].redisMs),
    row('processor time of the worker, ms', ({ jobs: of }) => of[kind].workerMs),
    row('request and answer, KiB', ({ jobs: of }) => of[kind].httpBytes / 1024),
  ];
  const rows = [
    row('idle, each second: transactions of the first three workers', ({ few }) => few.transactions),
    row('of a further worker', ({ further }) => further.transactions),
    row('write-ahead log of a further worker, bytes', ({ further }) => further.walBytes),
    row('commands of Redis of a further worker', ({ further }) => further.redisCommands),
    row('connections of a worker: PostgreSQL', ({ connections: of }) => of.database),
    row('Redis', ({ connections: of }) => of.redis),
    ...ofJob('small'),
    ...ofJob('large'),
    row(`PostgreSQL here, ${CONNECTIONS} connections, each second: jobs stored`, () => rates.stores),
    row('jobs claimed', () => rates.claims),
    row('jobs stored, claimed, ended with a plan, and read', () => rates.records),
  ];
  reportTable({ columns: ['', ...names.map((name) => BACKENDS[name])], rows }, json, 'inputs');
}

/** What a server does not do more than: PostgreSQL as here, one core of Redis, a network and connections as usual. */
const NETWORK_BYTES = 125_000_000;
const DATABASE_CONNECTIONS = 500;

function reportPaper(): void {
  const ways = measured.flatMap((of, i) =>
    (['small', 'large'] as const).map((kind) => {
      const job = of.jobs[kind];
      const perWorker = 1000 / job.workerMs;
      // The record of a large job costs more by as much as PostgreSQL works more for it.
      const weight = job.databaseMs / of.jobs.small.databaseMs;
      const ends: Record<string, number> = {
        'claims, one after the other': rates.claims / perWorker,
        'records of jobs in PostgreSQL': rates.records / weight / perWorker,
        ...(job.redisMs > 0.001 && { 'a core of Redis': 1000 / job.redisMs / perWorker }),
        // To and from the caller, and to and from the worker.
        'a network of 1 Gbit/s at PostgreSQL': NETWORK_BYTES / (2 * job.httpBytes) / perWorker,
        [`${DATABASE_CONNECTIONS} connections of PostgreSQL`]: DATABASE_CONNECTIONS / of.connections.database,
      };
      return { name: `${kind}, ${BACKENDS[names[i]]}`, of, perWorker, ends };
    }),
  );
  const limits = [...new Set(ways.flatMap(({ ends }) => Object.keys(ends)))];
  const rows = [
    ['jobs per second of a worker', ...ways.map(({ perWorker }) => figureOf(perWorker))],
    ...limits.map((limit) => [
      `workers until: ${limit}`,
      ...ways.map(({ ends }) => (ends[limit] === undefined ? '–' : whole(ends[limit]))),
    ]),
    ...[10, 100, 1000].map((workers) => [
      `${whole(workers)} workers: jobs per second, and the limit that is nearest, or passed first`,
      ...ways.map(({ perWorker, ends }) => {
        const [limit, most] = Object.entries(ends).reduce((a, b) => (b[1] < a[1] ? b : a));
        return `${whole(perWorker * Math.min(workers, most))}: ${limit} (${whole((100 * workers) / most)} %)`;
      }),
    ]),
    ...[10, 100, 1000].map((workers) => [
      `${whole(workers)} idle workers: transactions per second`,
      ...ways.map(({ of }) => whole(of.few.transactions + (workers - SWEEPERS) * of.further.transactions)),
    ]),
  ];
  reportTable({ columns: ['', ...ways.map(({ name }) => name)], rows }, json, 'paper');
}

/** What is smaller than it can be measured is 0. */
const figureOf = (value: number) => (value < 0.0005 ? '0' : digits(value));

endAllOnFault();
const names = backends.split(',');
const measured: Measured[] = [];
for (const backend of names) {
  console.error(`${backend} …`);
  measured.push(await measure(backend));
}
const rates = await measureRates();
reportInputs();
reportPaper();
process.exit();
