import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Config, loadConfig } from '../../config.ts';
import { isDatabaseUnavailable, openDatabase } from '../../db/client.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import { describeStartError, disconnect, openStartWait } from '../../process/lifecycle.ts';
import { assertQueueReachable, QueueUnavailableError } from '../../queue/queue.ts';
import { importSample, isEmpty } from '../import/sample.ts';
import { buildConsole, hasConsole } from './build-console.ts';
import { type EmbeddedPostgres, freePort, startEmbeddedPostgres } from './embedded-postgres.ts';
import { makeFirstPlan } from './first-plan.ts';
import { lockFolder } from './folder-lock.ts';
import { type Supervised, supervise } from './processes.ts';

/**
 * `npm start`: the whole service on one machine. Starts database, schema, sample data, API and workers, and makes a
 * first plan. It runs until it is stopped, and then stops everything in the reverse order.
 */
const say = (line = '') => console.log(line);
const scriptPath = (file: string) => fileURLToPath(new URL(`../../../${file}`, import.meta.url));

/** The parts that have been started, in order; they are stopped in the reverse order. */
const started: { name: string; stop: () => Promise<unknown> }[] = [];

/** Whether the console was built now, once that is known. */
let consoleBuild = Promise.resolve(false);

const interruption = new AbortController();
const interrupted = Promise.withResolvers<void>();
let isInterrupted = false;
// `disconnect`: the process of `npm start` is gone.
for (const event of ['SIGINT', 'SIGTERM', 'disconnect']) {
  // Not `once`: the terminal and npm both send Ctrl-C. The second signal would end the process at once.
  process.on(event, () => {
    isInterrupted = true;
    interruption.abort();
    interrupted.resolve();
  });
}

async function stop(): Promise<void> {
  for (const { name, stop } of started.reverse()) {
    await stop().catch((error) => console.error(`${name}: ${error.message}`));
  }
}

/**
 * Starts everything: the database first, then side by side what needs only that. A signal stops it between two steps.
 */
async function start(config: Config): Promise<string | undefined> {
  const port = config.PORT === 0 ? await freePort() : config.PORT;
  await assertPortIsFree(config.HOST, port);
  startConsoleBuild();
  const logFolder = path.resolve(config.DATA_DIR, 'logs');
  await makeFolders(path.resolve(config.DATA_DIR), logFolder);
  const isQueueAway = (error: unknown) => error instanceof QueueUnavailableError;
  const withRedis = openStartWait('Redis', isQueueAway, config, say, interruption.signal);
  if (config.REDIS_URL) await withRedis(() => assertQueueReachable(config));
  // Processes read the embedded server's password from its file: no environment variable contains it.
  const own = config.DATABASE_URL === undefined ? await startDatabase(config) : undefined;
  const databaseUrl = config.DATABASE_URL ?? own!.url;
  if (isInterrupted) return;
  const withDatabase = openStartWait('PostgreSQL', isDatabaseUnavailable, config, say, interruption.signal);
  await withDatabase(() => migrateDatabase(databaseUrl));
  if (isInterrupted) return;

  const launch = (name: string, script: string, extra: Record<string, string> = {}): Promise<Supervised> => {
    const running = supervise({
      name,
      script: scriptPath(script),
      env: {
        PORT: String(port),
        ...extra,
        ...(own && { DATABASE_URL: own.shownUrl, DATABASE_PASSWORD_FILE: own.passwordFile }),
      },
      logFolder,
      cacheFolder: path.resolve(config.DATA_DIR, 'compiled'),
      stopTimeoutMs: config.SHUTDOWN_TIMEOUT_SECONDS * 1000 + 5000,
      onNote: say,
    });
    // Whether it has started yet or not; that it could not is told by who launches it.
    const end = (process: Supervised) => process.stop();
    started.push({ name, stop: () => running.then(end, () => {}) });
    return running;
  };
  const workers = Array.from({ length: config.WORKERS }, (_, i) =>
    launch(`worker-${i + 1}`, 'workers/main.ts', workerPort(config, i)),
  );
  // Last started, first stopped: no request is accepted that nobody could work on.
  const api = launch('api', 'src/main.ts');
  await Promise.all([config.SAMPLE_DATA && loadSampleIfEmpty(databaseUrl), ...workers, api]);
  if (isInterrupted) return;
  say(
    `API and ${config.WORKERS} worker ${config.WORKERS === 1 ? 'process' : 'processes'} run; logs in ${logFolder}`,
  );
  return `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${port}`;
}

/** Each worker has a port of its own, from the setting on. */
function workerPort({ WORKER_PORT: first }: Config, index: number): Record<string, string> {
  return first ? { WORKER_PORT: String(first + index) } : {};
}

/** Nothing waits for the console: without it the service is whole. What is wrong there is said, no more. */
function startConsoleBuild(): void {
  const { signal } = interruption;
  const onBuild = () => say('building the console …');
  consoleBuild = buildConsole({ onBuild, signal }).catch((error: Error) => {
    if (!isInterrupted) say(error.message);
    return false;
  });
  started.push({
    name: 'console',
    stop: () => {
      interruption.abort();
      return consoleBuild;
    },
  });
}

/** Creates the folders so that other users can neither list nor read them. */
async function makeFolders(dataFolder: string, logFolder: string): Promise<void> {
  // If root starts the service, PostgreSQL runs as another user, who has to pass through the folder.
  await mkdir(dataFolder, { recursive: true, mode: userInfo().uid === 0 ? 0o711 : 0o700 });
  await mkdir(logFolder, { recursive: true, mode: 0o700 });
}

async function startDatabase(config: Config): Promise<EmbeddedPostgres> {
  const unlock = await lockFolder(path.resolve(config.DATA_DIR, 'lock'));
  started.push({ name: 'lock', stop: unlock });
  const postgres = await startEmbeddedPostgres(path.resolve(config.DATA_DIR, 'postgres'));
  started.push({ name: 'PostgreSQL', stop: postgres.stop });
  say(`PostgreSQL runs, data in ${postgres.folder}; for npm run import and the like:`);
  say(`  DATABASE_URL=${postgres.shownUrl} DATABASE_PASSWORD_FILE=${postgres.passwordFile}`);
  return postgres;
}

async function loadSampleIfEmpty(databaseUrl: string): Promise<void> {
  const { pool, close } = openDatabase(databaseUrl, { poolSize: 2, onError: () => {} });
  try {
    if (!(await isEmpty(pool))) return;
    say(
      'the database is empty: loading the New York sample (73 zones, four months of demand, a generated fleet) …',
    );
    await importSample(pool);
    say('the sample is loaded');
  } finally {
    await close();
  }
}

/** Reports at once if the port is taken, before the database is started. */
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
    const firstPlan = config.AUTH === 'off' ? makeFirstPlan(url).catch(explain) : explainKeys(config.AUTH);
    const lines = await Promise.race([firstPlan, interrupted.promise]);
    if (lines) {
      say();
      for (const line of lines) say(line);
      say();
      const itsConsole = hasConsole() ? `, its console at ${url}/console` : '';
      say(`The service runs at ${url}${itsConsole}. Ctrl-C stops it.`);
      if (!itsConsole)
        consoleBuild.then((isBuilt) => isBuilt && say(`It is built: console at ${url}/console.`));
      await interrupted.promise;
    }
  }
  say('stopping …');
} catch (error) {
  if (!isInterrupted) {
    for (const line of describeStartError(error)) console.error(line);
    process.exitCode = 1;
  }
} finally {
  await stop();
  disconnect();
}

function explainKeys(auth: string): string[] {
  return [
    `AUTH is "${auth}": callers need a key or a token, so there is no first plan; npm run keys makes keys`,
  ];
}

function explain(error: Error): string[] {
  return [`no first plan: ${error.message}`];
}
