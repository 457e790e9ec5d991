import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { type Config, ConfigError, loadConfig } from '../src/config.ts';
import { isDatabaseUnavailable, openDatabase } from '../src/db/client.ts';
import { beatWorker, isAmongFirst, removeWorker } from '../src/db/jobs/turns.ts';
import { assertMigrated } from '../src/db/migrate.ts';
import { findDue } from '../src/db/schedules/due.ts';
import { readEventSecret } from '../src/db/service/event-secret.ts';
import { assertSessions } from '../src/db/service/pooler.ts';
import { openConfiguredHolidays } from '../src/inputs/holidays.ts';
import { openStartWait, type Running, runProcess } from '../src/process/lifecycle.ts';
import { createLogger, logRepeated, logWarnings } from '../src/process/logger.ts';
import { openMetrics } from '../src/process/metrics.ts';
import { openTracing } from '../src/process/tracing.ts';
import { openEventBus } from '../src/queue/bus.ts';
import { openConsumer, openQueue } from '../src/queue/queue.ts';
import { every } from './duties/every.ts';
import { applyRetention } from './duties/retention.ts';
import { runSchedules } from './duties/schedules.ts';
import { sweep } from './duties/sweeper.ts';
import { openWebhookSender } from './duties/webhooks.ts';
import { addWorkerMetrics } from './metrics.ts';
import { createLevelOrder } from './run/level-order.ts';
import { runJob } from './run/run-job.ts';
import { createRunningJobs } from './run/running-jobs.ts';
import { openThreads } from './run/threads.ts';
import { createTravelCache } from './run/travel-cache.ts';
import { openStatusPort } from './status-port.ts';

/**
 * How often PostgreSQL is asked which running jobs are to be cancelled, in case an event was lost. Together with the
 * time that a solve has to stop by itself, a cancellation takes effect within a second.
 */
const CANCEL_CHECK_MS = 400;

/** How often occurrences of schedules and events for webhooks are looked for: either is at most this late. */
const DUE_CHECK_MS = 1000;

/** So many workers sweep and clean: one that hangs, or a machine that dies, must not leave it undone. */
const SWEEPERS = 3;

/**
 * Starts a worker process: takes jobs from the queue and solves them in threads, never on its own event loop. It waits
 * for PostgreSQL.
 * @param signal ends the start while it waits
 */
export async function startWorker(
  config: Config,
  logger: Logger,
  signal = new AbortController().signal,
): Promise<Running & { statusUrl: string | undefined }> {
  if (!config.DATABASE_URL)
    throw new ConfigError([
      'DATABASE_URL is not set; set it, or run `npm start`, which has its own database',
    ]);
  const calendar = await openConfiguredHolidays(config);
  const onError = logRepeated(logger, 'connection');
  const { DATABASE_URL: databaseUrl } = config;
  const {
    db,
    pool,
    close: closeDatabase,
  } = openDatabase(databaseUrl, {
    poolSize: config.DATABASE_POOL_SIZE,
    onError,
  });
  const say = (line: string) => logger.warn(line);
  const withDatabase = openStartWait('PostgreSQL', isDatabaseUnavailable, config, say, signal);
  await withDatabase(() => assertSessions(databaseUrl));
  await withDatabase(() => assertMigrated(pool));
  // Callers see this id, so it does not name the host. The log does. Its second part has the time of the start.
  const workerId = `${process.pid}:${uuidv7()}`;
  const bus = openEventBus(config, await withDatabase(() => readEventSecret(db)), onError);
  const tracing = await openTracing('worker', config, logger);
  const queue = await withDatabase(() => openQueue(config, onError, tracing));
  const threads = openThreads(config.WORKER_CONCURRENCY, config.JOB_OVERRUN_SECONDS);
  const running = createRunningJobs();
  // The figures could not be read without the port.
  const metrics = config.METRICS && config.WORKER_PORT !== undefined ? await openMetrics(pool) : undefined;
  const status = await openStatusPort(config, pool, metrics?.registry);

  bus
    .subscribe(
      ['cancel'],
      (event) => running.stop(event.job_id, 'cancel'),
      () => {}, // the cancellation is read from PostgreSQL below
    )
    .catch(onError);
  const deps = {
    ...{ config, workerId, db, bus, queue, threads, calendar, running, logger },
    levelOrder: createLevelOrder(),
    travel: createTravelCache(undefined, metrics?.countCache),
    metrics: metrics && addWorkerMetrics(metrics, config, running),
    tracing,
  };
  const consumer = await withDatabase(() =>
    openConsumer(config, (span) => runJob(deps, span), onError, tracing),
  );
  const beat = async () => {
    await beatWorker(db, workerId, config.WORKER_CONCURRENCY);
    await running.beat(db);
    if (config.WORKER_HEALTH_FILE) await writeFile(config.WORKER_HEALTH_FILE, new Date().toISOString());
  };
  await withDatabase(beat);
  // Three heartbeats within the time after which the worker counts as dead.
  const stopBeating = every(config.JOB_LOCK_SECONDS * 333, beat, onError);
  const stopLooking = every(CANCEL_CHECK_MS, () => running.stopCancelled(db), onError);
  const ifFirst = (work: () => Promise<void>) => async () => {
    if (await isAmongFirst(db, workerId, config.JOB_LOCK_SECONDS, SWEEPERS)) await work();
  };
  const sweepEveryMs = config.SWEEP_INTERVAL_SECONDS * 1000;
  const stopSweeping = every(
    sweepEveryMs,
    ifFirst(() => sweep(deps)),
    onError,
  );
  const webhooks = openWebhookSender(deps);
  // Neither waits for the other: the queue may be slow where receivers are not.
  let scheduling: Promise<void> | undefined;
  const runDueSchedules = () =>
    runSchedules(deps)
      .catch(onError)
      .finally(() => {
        scheduling = undefined;
      });
  const workOnDue = async () => {
    const { hasOccurrences, hasDeliveries } = await findDue(db);
    if (hasOccurrences) scheduling ??= runDueSchedules();
    if (hasDeliveries) webhooks.send().catch(onError);
  };
  const stopWorkOnDue = every(DUE_CHECK_MS, workOnDue, onError);
  // Separate from the sweeps: a large removal takes long, and silent jobs must not wait for it.
  const cleaning = new AbortController();
  const clean = () => applyRetention(deps, cleaning.signal);
  const stopCleaning = every(sweepEveryMs, ifFirst(clean), onError);
  await sweep(deps).catch(onError);
  logger.info(
    {
      worker_id: workerId,
      host: hostname(),
      concurrency: config.WORKER_CONCURRENCY,
      status_url: status?.url,
    },
    'worker ready',
  );

  return {
    statusUrl: status?.url,
    async close() {
      status?.refuse();
      stopSweeping();
      stopCleaning();
      cleaning.abort();
      // Running solves may finish within the limit. The others then go back to the queue.
      const deadline = setTimeout(running.stopAll, config.SHUTDOWN_TIMEOUT_SECONDS * 1000);
      await consumer.close();
      clearTimeout(deadline);
      // The last job that ended may have an event, which another worker sends, or the next one that starts.
      stopWorkOnDue();
      await scheduling;
      await webhooks.close();
      stopBeating();
      await removeWorker(db, workerId).catch(onError);
      stopLooking();
      await Promise.all([threads.close(), queue.close(), bus.close()]);
      await tracing?.close();
      await status?.close();
      await closeDatabase();
      logger.info('stopped');
    },
  };
}

if (import.meta.main) {
  await runProcess(async (signal) => {
    const config = loadConfig();
    const logger = createLogger('worker', config);
    logWarnings(logger);
    return startWorker(config, logger, signal);
  });
}
