import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Config, loadConfig } from '../config.ts';
import { openDatabase } from '../db/client.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { importSample, isEmpty } from '../import/sample.ts';
import { describeStartError } from '../lifecycle.ts';
import { assertQueueReachable } from '../queue/queue.ts';
import { freePort, startEmbeddedPostgres } from './embedded-postgres.ts';
import { makeFirstPlan } from './first-plan.ts';
import { lockFolder } from './folder-lock.ts';
import { type Supervised, supervise } from './processes.ts';

/**
 * `npm start`: the whole service on one machine. Database, schema, sample data, API and workers, a first plan; then it
 * serves until it is told to stop, and stops in the reverse order.
 */
const say = (line = '') => console.log(line);
const scriptPath = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));

/** What has been started, in order; stopped from the end. */
const started: { name: string; stop: () => Promise<unknown> }[] = [];

const interrupted = Promise.withResolvers<void>();
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    isInterrupted = true;
    interrupted.resolve();
  });
}

async function stop(): Promise<void> {
  for (const { name, stop } of started.reverse()) {
    await stop().catch((error) => console.error(`${name}: ${error.message}`));
  }
}

/** Starts everything, one step after the other, and stops between two steps where it is told to. */
async function start(config: Config): Promise<string | undefined> {
  const port = config.PORT === 0 ? await freePort() : config.PORT;
  await assertPortIsFree(config.HOST, port);
  const logFolder = path.resolve(config.DATA_DIR, 'logs');
  await mkdir(logFolder, { recursive: true });
  if (config.REDIS_URL) await assertQueueReachable(config);
  const databaseUrl = config.DATABASE_URL ?? (await startDatabase(config));
  if (isInterrupted) return;
  await migrateDatabase(databaseUrl);
  await loadSampleWhereEmpty(databaseUrl);
  if (isInterrupted) return;

  const launch = async (name: string, script: string): Promise<Supervised> => {
    const process = await supervise({
      name,
      script: scriptPath(script),
      env: { DATABASE_URL: databaseUrl, PORT: String(port) },
      logFolder,
      stopTimeoutMs: config.SHUTDOWN_TIMEOUT_SECONDS * 1000 + 5000,
      onNote: say,
    });
    started.push({ name, stop: () => process.stop() });
    return process;
  };
  const workers = Array.from({ length: config.WORKERS }, (_, i) =>
    launch(`worker-${i + 1}`, 'workers/main.ts'),
  );
  await Promise.all(workers);
  if (isInterrupted) return;
  // Last up, first down: no request is taken that nobody could work on.
  await launch('api', 'src/main.ts');
  say(
    `API and ${config.WORKERS} worker ${config.WORKERS === 1 ? 'process' : 'processes'} run; logs in ${logFolder}`,
  );
  return `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${port}`;
}

async function startDatabase(config: Config): Promise<string> {
  const unlock = await lockFolder(path.resolve(config.DATA_DIR, 'lock'));
  started.push({ name: 'lock', stop: unlock });
  const postgres = await startEmbeddedPostgres(path.resolve(config.DATA_DIR, 'postgres'));
  started.push({ name: 'PostgreSQL', stop: postgres.stop });
  say(`PostgreSQL runs, data in ${postgres.folder}: ${postgres.url}`);
  return postgres.url;
}

async function loadSampleWhereEmpty(databaseUrl: string): Promise<void> {
  const { pool, close } = openDatabase(databaseUrl, { poolSize: 2, onError: () => {} });
  try {
    if (!(await isEmpty(pool))) return;
    say(
      'the database is empty: loading the New York sample (73 zones, four months of demand, a generated fleet) …',
    );
    await importSample(pool);
  } finally {
    await close();
  }
}

/** Says so at once where the port is taken, instead of after the database is up. */
function assertPortIsFree(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, host, () => server.close(() => resolve()));
  });
}

try {
  const config = loadConfig();
  const url = await start(config);
  if (url && !isInterrupted) {
    const lines = await Promise.race([makeFirstPlan(url).catch(explain), interrupted.promise]);
    if (lines) {
      say();
      for (const line of lines) say(line);
      say();
      say(`The service runs at ${url}. Ctrl-C stops it.`);
      await interrupted.promise;
    }
  }
  say('stopping …');
} catch (error) {
  for (const line of describeStartError(error)) console.error(line);
  process.exitCode = 1;
} finally {
  await stop();
}

function explain(error: Error): string[] {
  return [`no first plan: ${error.message}`];
}
