/**
 * `npm run bench:travel -- [--sizes 73,1000,5000] [--repeats 5] [--load]`
 *
 * The stored travel table, with the pairs of 73, 1,000 and 5,000 locations in a throwaway PostgreSQL:
 *   load   as CSV through the import command, and through the API; read back through the API
 *   read   a job takes a version, a worker reads it, and reads it again
 *   build  costs and distances of all pairs from what the worker keeps, beside those of great circles
 * Memory is the peak of the process (`VmHWM`); of PostgreSQL the memory that its processes have for themselves and the
 * temporary files that they wrote.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { greatCircleKm } from '../src/core/geo.ts';
import { greatCircleNetwork } from '../src/core/optimize/problem/network.ts';
import { travelNetwork } from '../src/core/optimize/problem/travel-network.ts';
import { createCache } from '../src/core/optimize/run/cache.ts';
import type { openDatabase } from '../src/db/client.ts';
import { insertJob } from '../src/db/jobs/job-intake.ts';
import { openTravel } from '../src/db/travel/packed-travel.ts';
import { takeTravel } from '../src/db/travel/travel-packs.ts';
import { newJob } from '../test/helpers/jobs.ts';
import { createTravelCache } from '../workers/run/travel-cache.ts';
import { digits, readArguments, reportTable, spread, whole } from './cli.ts';
import { withDatabase } from './database.ts';
import { createUniform } from './instances.ts';

const { sizes, repeats, load, json } = readArguments({ sizes: [73, 1000, 5000], repeats: 5, load: false });
const COSTS = { perKm: 1, perMinute: 0.5, perMove: 2 };
const MIB = 1024 ** 2;
const root = fileURLToPath(new URL('..', import.meta.url));
type Opened = ReturnType<typeof openDatabase>;

const random = createUniform(1);
const points = Array.from({ length: Math.max(...sizes) }, (_, i) => ({
  id: i + 1,
  latitude: 40.5 + 0.4 * random(),
  longitude: -74.2 + 0.5 * random(),
}));

/** A detour of a third, and a minute per 400 m. */
function* csv(n: number): Generator<string> {
  yield 'from_location_id,to_location_id,distance_km,duration_minutes\n';
  for (const from of points.slice(0, n)) {
    let text = '';
    for (const to of points.slice(0, n)) {
      const km = 1.33 * greatCircleKm(from, to);
      text += `${from.id},${to.id},${km.toFixed(3)},${(2.5 * km).toFixed(2)}\n`;
    }
    yield text;
  }
}

async function timed<T>(work: () => Promise<T> | T): Promise<[seconds: number, result: T]> {
  const startedMs = performance.now();
  const result = await work();
  return [(performance.now() - startedMs) / 1000, result];
}

/** A figure of /proc/PID/status in MiB; 0 if the process is gone. */
async function memoryOf(pid: number | string, figure: 'VmHWM' | 'RssAnon'): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(new RegExp(`${figure}:\\s+(\\d+)`).exec(text)?.[1] ?? 0) / 1024;
}

/** The peak of what all processes of the server have for themselves, in MiB, until `stop`. */
function watchPostgres(pool: Opened['pool']) {
  let most = 0;
  const look = async () => {
    const { rows } = await pool.query('select pid from pg_stat_activity');
    const each = await Promise.all(rows.map(({ pid }) => memoryOf(pid, 'RssAnon')));
    most = Math.max(
      most,
      each.reduce((sum, one) => sum + one, 0),
    );
  };
  const timer = setInterval(() => void look().catch(() => {}), 200);
  return () => {
    clearInterval(timer);
    return most;
  };
}

const tempBytes = async (pool: Opened['pool']) => {
  await pool.query('select pg_stat_clear_snapshot()');
  const { rows } = await pool.query<{ bytes: string }>(
    'select temp_bytes as bytes from pg_stat_database where datname = current_database()',
  );
  return Number(rows[0].bytes);
};

/** Runs a step of loading. @param work returns the peak of the process that loads, in MiB */
async function loadStep({ pool }: Opened, name: string, pairs: number, work: () => Promise<number>) {
  const stop = watchPostgres(pool);
  const before = await tempBytes(pool);
  const [seconds, peak] = await timed(work);
  const server = stop();
  const files = (await tempBytes(pool)) - before;
  const row = [whole(pairs), name, digits(seconds), whole(peak), whole(server), whole(files / MIB)];
  console.error(row.join(' | '));
  return row;
}

/** The peak of a child process while it runs. */
async function peakOf(pid: number, isOver: Promise<unknown>): Promise<number> {
  let most = 0;
  const timer = setInterval(async () => {
    most = Math.max(most, await memoryOf(pid, 'VmHWM'));
  }, 50);
  await isOver;
  clearInterval(timer);
  return most;
}

const environment = (database: Opened) => ({
  PATH: process.env.PATH ?? '',
  DATABASE_URL: database.pool.options.connectionString,
  PORT: '0',
  LOG_LEVEL: 'info',
});

async function importFile(database: Opened, file: string): Promise<number> {
  const script = path.join(root, 'src/commands/import/main.ts');
  const child = spawn(process.execPath, [script, '--travel', file], {
    env: environment(database),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  const peak = await peakOf(child.pid!, ended);
  if ((await ended)[0] !== 0) throw new Error('the import failed');
  return peak;
}

/** Starts an API process. */
async function startApi(database: Opened) {
  const child = spawn(process.execPath, [path.join(root, 'src/main.ts')], {
    env: environment(database),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { promise: url, resolve } = Promise.withResolvers<string>();
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text = `${text}${chunk}`.slice(-10_000);
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(text);
    if (found) resolve(found[0]);
  });
  const close = async () => {
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  };
  return { url: await url, pid: child.pid!, close };
}

/** Sends a request and reads its answer. Not `fetch`, which waits for an answer for at most five minutes. */
async function send(url: string, options: RequestOptions, body?: Readable) {
  const sent = request(url, options);
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  if (body) body.pipe(sent);
  else sent.end();
  const [answer] = await answered;
  let bytes = 0;
  for await (const chunk of answer) bytes += chunk.length;
  return { statusCode: answer.statusCode, bytes };
}

async function measureLoad(database: Opened, n: number, file: string): Promise<string[][]> {
  const pairs = n * n;
  const rows: string[][] = [];
  const add = async (name: string, work: () => Promise<number>) =>
    rows.push(await loadStep(database, name, pairs, work));
  await add('import', () => importFile(database, file));
  await add('import of the same file', () => importFile(database, file));
  await database.pool.query('truncate travel');
  const api = await startApi(database);
  try {
    const url = `${api.url}/api/v1/data/travel`;
    await add('PUT of CSV', async () => {
      const headers = { 'content-type': 'text/csv' };
      const { statusCode } = await send(url, { method: 'PUT', headers }, createReadStream(file));
      if (statusCode !== 201) throw new Error(`PUT was answered with ${statusCode}`);
      return memoryOf(api.pid, 'VmHWM');
    });
    for (const accept of ['text/csv', 'application/json']) {
      await add(`GET as ${accept}`, async () => {
        const { bytes } = await send(url, { headers: { accept } });
        if (bytes < 15 * pairs) throw new Error('the answer is too short');
        return memoryOf(api.pid, 'VmHWM');
      });
    }
  } finally {
    await api.close();
  }
  return rows;
}

async function measureReads({ db, pool }: Opened, n: number): Promise<string[]> {
  const ids = points.slice(0, n).map(({ id }) => id);
  const startJob = async () => {
    const job = newJob({ jobId: `opt_${n}_${performance.now()}` });
    await insertJob(db, job);
    return job.jobId;
  };
  const take = async () => {
    const job = await startJob();
    const taken = (await takeTravel(db, job, ids))!;
    await pool.query(
      "update jobs set status = 'failed', result = '{}', http_status = 500, finished_at = now()",
    );
    return taken;
  };
  const [firstSeconds] = await timed(take);
  const [takeSeconds, keys] = await timed(take);
  const read: number[] = [];
  const again: number[] = [];
  let travel = null;
  let kept = 0;
  for (let r = 0; r < repeats; r++) {
    const cache = createTravelCache();
    const [seconds] = await timed(() => cache.read(db, keys, (query) => query()));
    const [warm, packs] = await timed(() => cache.read(db, keys, (query) => query()));
    read.push(1000 * seconds);
    again.push(1000 * warm);
    travel = packs;
    kept = cache.readBytes();
  }
  const own = points.slice(0, n);
  const stored: number[] = [];
  const circles: number[] = [];
  for (let r = 0; r < repeats; r++) {
    stored.push(1000 * (await timed(() => travelNetwork(own, COSTS, openTravel(travel!), false)))[0]);
    const [seconds] = await timed(() => {
      const { network } = greatCircleNetwork(own, 1, createCache());
      return network.costUnits.length + network.distanceKm!.length;
    });
    circles.push(1000 * seconds);
  }
  const row = [
    whole(n),
    digits(1000 * firstSeconds),
    digits(1000 * takeSeconds),
    spread(read),
    spread(again),
    digits(kept / MIB),
    spread(stored),
    spread(circles),
  ];
  console.error(row.join(' | '));
  return row;
}

await withDatabase(async (database) => {
  const { pool } = database;
  await pool.query(
    `insert into locations (id, name, latitude, longitude)
     select * from unnest($1::int[], $2::text[], $3::float8[], $4::float8[])`,
    [
      points.map(({ id }) => id),
      points.map(({ id }) => `L${id}`),
      points.map(({ latitude }) => latitude),
      points.map(({ longitude }) => longitude),
    ],
  );
  const loads: string[][] = [];
  const reads: string[][] = [];
  for (const n of sizes) {
    const file = path.join(tmpdir(), `fleet-bench-travel-${process.pid}.csv`);
    await pipeline(Readable.from(csv(n)), createWriteStream(file));
    console.error(`${whole(n * n)} pairs, ${whole((await stat(file)).size / MIB)} MiB of CSV`);
    await pool.query('truncate travel');
    if (load) loads.push(...(await measureLoad(database, n, file)));
    else await importFile(database, file);
    await rm(file);
    const { rows } = await pool.query("select pg_size_pretty(pg_total_relation_size('travel')) as size");
    console.error(`table with index: ${rows[0].size}`);
    reads.push(await measureReads(database, n));
  }
  if (load) {
    const columns = ['pairs', 'step', 's', 'peak, MiB', 'PostgreSQL, MiB', 'its temporary files, MiB'];
    reportTable({ columns, rows: loads }, json, 'load');
  }
  const columns = [
    'locations',
    'a new version is taken, ms',
    'a known version, ms',
    'read by a worker, ms',
    'from its memory, ms',
    'kept, MiB',
    'build, ms',
    'build of great circles, ms',
  ];
  reportTable({ columns, rows: reads }, json);
});
