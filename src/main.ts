import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { isDatabaseUnavailable, openDatabase } from './db/client.ts';
import { assertMigrated } from './db/migrate.ts';
import { readEventSecret } from './db/service/event-secret.ts';
import { assertSessions } from './db/service/pooler.ts';
import { buildApp } from './http/app.ts';
import { openIntake } from './http/bodies/intake.ts';
import type { App } from './http/deps.ts';
import { openForecaster } from './http/forecasts/forecaster.ts';
import { openJobWatch } from './http/jobs/job-watch.ts';
import { openQueueRoom } from './http/jobs/queue-room.ts';
import { openConfiguredHolidays } from './inputs/holidays.ts';
import { openStartWait, type Running, runProcess } from './process/lifecycle.ts';
import { createLogger, logRepeated, logWarnings } from './process/logger.ts';
import { openMetrics } from './process/metrics.ts';
import { openTracing } from './process/tracing.ts';
import { openEventBus } from './queue/bus.ts';
import { openQueue } from './queue/queue.ts';

/** Connections that wait to be accepted: all watchers may come back at the same moment. The system may allow fewer. */
const BACKLOG = 4096;

/**
 * Starts the API process: dependencies, application, listen. It waits for PostgreSQL.
 * @param signal ends the start while it waits
 * @returns its base URL and how to close it
 */
export async function startApi(
  config: Config,
  logger: Logger,
  signal = new AbortController().signal,
): Promise<Running & { url: string; app: App }> {
  if (!config.DATABASE_URL)
    throw new ConfigError([
      'DATABASE_URL is not set; set it, or run `npm start`, which has its own database',
    ]);
  const calendar = await openConfiguredHolidays(config);
  const onError = logRepeated(logger, 'connection');
  const { DATABASE_URL: databaseUrl } = config;
  const database = openDatabase(databaseUrl, { poolSize: config.DATABASE_POOL_SIZE, onError });
  const say = (line: string) => logger.warn(line);
  const withDatabase = openStartWait('PostgreSQL', isDatabaseUnavailable, config, say, signal);
  await withDatabase(() => assertSessions(databaseUrl));
  await withDatabase(() => assertMigrated(database.pool));
  const metrics = config.METRICS ? await openMetrics(database.pool) : undefined;
  const tracing = await openTracing('api', config, logger);
  const queue = await withDatabase(() => openQueue(config, onError, tracing));
  const secret = await withDatabase(() => readEventSecret(database.db));
  const bus = openEventBus(config, secret, onError);
  const watch = openJobWatch({ db: database.db, bus, onError });
  const forecaster = openForecaster(config, database.db, calendar, metrics?.countCache);
  const intake = openIntake(config);
  const app = await buildApp({
    config,
    database,
    queue,
    bus,
    watch,
    forecaster,
    intake,
    queueRoom: openQueueRoom(config, database.db),
    logger,
    metrics,
    tracing,
  });

  const close = async () => {
    // From the outside in: accept no more requests, end those that wait, close what they waited for.
    const deadline = setTimeout(
      () => app.server.closeAllConnections(),
      config.SHUTDOWN_TIMEOUT_SECONDS * 1000,
    );
    await app.close();
    clearTimeout(deadline);
    watch.close();
    await Promise.all([forecaster.close(), intake.close(), queue.close(), bus.close()]);
    await tracing?.close();
    await database.close();
    logger.info('stopped');
  };
  try {
    await app.listen({ host: config.HOST, port: config.PORT, backlog: BACKLOG });
  } catch (error) {
    await close();
    throw error;
  }
  const { port } = app.server.address() as AddressInfo;
  const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
  return { url: `http://${host}:${port}`, app, close };
}

if (import.meta.main) {
  await runProcess(async (signal) => {
    const config = loadConfig();
    const logger = createLogger('api', config);
    logWarnings(logger);
    return startApi(config, logger, signal);
  });
}
