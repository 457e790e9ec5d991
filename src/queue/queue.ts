import { setTimeout as delay } from 'node:timers/promises';
import { createPostgresBackend, Queue, Worker, withBackend } from 'bullmq';
import { Redis } from 'ioredis';
import type { Config } from '../config.ts';
import type { TraceSpan, Tracing } from '../process/tracing.ts';
import { surviveLostClients } from './lost-clients.ts';
import { following, openTelemetry, type QueueSpan, tokenSpan } from './telemetry.ts';

/**
 * A token, which is all that the queue carries, says that there is work for one worker. When it arrives, PostgreSQL
 * knows which job that is, and whether it still exists. So an extra token is harmless, and the sweeper replaces lost
 * ones by counting.
 */
type Token = { v: 2 };

export type JobQueue = {
  /**
   * Announces one job to the workers.
   * @param delaySeconds delay of the announcement
   * @param span what BullMQ's span of it follows
   */
  enqueue(delaySeconds?: number, span?: TraceSpan): Promise<void>;
  /** Announces `count` jobs to the workers at once. */
  enqueueMany(count: number): Promise<void>;
  /** Number of tokens that wait for a worker. */
  countWaiting(): Promise<number>;
  /** Whether a job could be enqueued now. */
  isReady(): Promise<boolean>;
  /** The fault that keeps the queue from taking jobs, for readers; undefined: none. No answer in time is a fault. */
  fault(withinMs: number): Promise<string | undefined>;
  /** Whether Redis may forget jobs, for readers; undefined: no. */
  evictionFault(withinMs: number): Promise<string | undefined>;
  close(): Promise<void>;
};

export type QueueConfig = Pick<Config, 'DATABASE_URL' | 'REDIS_URL' | 'QUEUE_PREFIX'>;

/** The part of BullMQ's Queue that this module needs, whichever backend it is bound to. */
type Producer = {
  add(name: string, data: Token, options: { delay: number }): Promise<unknown>;
  addBulk(jobs: { name: string; data: Token }[]): Promise<unknown>;
  getJobCountByTypes(type: 'waiting'): Promise<number>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
};

export const QUEUE_NAME = 'optimization';
const TOKEN_NAME = 'job';
const TOKEN: Token = { v: 2 };
const RETRY_MS = 500;
/** A Redis that has just become ready answers within this time. */
const READY_MS = 5000;

// Ended tokens are not kept: PostgreSQL is the record.
const JOB_OPTIONS = { removeOnComplete: true, removeOnFail: true, attempts: 1 };

// BullMQ keeps 10,000 of its own events, and nobody reads them: memory or a table would grow for hours after a start.
const STREAMS = { events: { maxLen: 100 } };

const postgres = withBackend(createPostgresBackend);

function postgresConnection(config: QueueConfig, max: number) {
  surviveLostClients();
  return {
    connectionString: config.DATABASE_URL,
    schema: `${config.QUEUE_PREFIX}_queue`,
    migrate: true,
    // No wait for the disk: the sweeper replaces a token that is lost in a crash of PostgreSQL.
    options: '-c synchronous_commit=off',
    max,
    connectionTimeoutMillis: 3000,
    keepAlive: true,
  };
}

/** The tracing that BullMQ is given: none while it is off. */
const telemetryOption = (tracing: Tracing | undefined) => tracing && { telemetry: openTelemetry(tracing) };

/** Opens the producing side of the queue. */
export async function openQueue(
  config: QueueConfig,
  onError: (error: Error) => void,
  tracing?: Tracing,
): Promise<JobQueue> {
  const redis = config.REDIS_URL
    ? // A request must fail soon if Redis is down or silent: no offline queue, no retries.
      new Redis(config.REDIS_URL, {
        enableOfflineQueue: false,
        maxRetriesPerRequest: 0,
        connectTimeout: 3000,
        commandTimeout: 5000,
      })
    : undefined;
  redis?.on('error', onError);
  redis?.on('ready', () => {
    void evictionFault(redis, READY_MS).then((fault) => fault && onError(new Error(fault)));
  });
  const options = { defaultJobOptions: JOB_OPTIONS, streams: STREAMS, ...telemetryOption(tracing) };
  const queue: Producer = redis
    ? new Queue(QUEUE_NAME, { ...options, connection: redis, prefix: config.QUEUE_PREFIX })
    : new postgres.Queue(QUEUE_NAME, { ...options, connection: postgresConnection(config, 4) });
  queue.on('error', onError);
  // Without Redis the process still starts, and /health reports it: only the first attempt is awaited. The PostgreSQL
  // backend creates its schema here.
  if (redis) {
    await new Promise<void>((resolve) => {
      redis.once('ready', resolve);
      redis.once('error', () => resolve());
    });
  } else await untilReady(queue);

  const isReady = () => (redis ? redis.status === 'ready' : true);
  // BullMQ would wait for a connection forever, and our caller with it.
  const assertReady = () => {
    if (!isReady()) throw new Error('Redis cannot be reached');
  };
  return {
    async enqueue(delaySeconds = 0, span = undefined) {
      assertReady();
      const delay = Math.ceil(delaySeconds * 1000);
      await following(span, () => queue.add(TOKEN_NAME, TOKEN, { delay }));
    },
    async enqueueMany(count) {
      assertReady();
      await queue.addBulk(Array.from({ length: count }, () => ({ name: TOKEN_NAME, data: TOKEN })));
    },
    async countWaiting() {
      assertReady();
      return queue.getJobCountByTypes('waiting');
    },
    isReady: async () => isReady(),
    async fault(withinMs) {
      if (!redis) return undefined;
      if (!isReady()) return REDIS_AWAY;
      const key = `${config.QUEUE_PREFIX}:health`;
      // A write: a Redis that is full, or a replica, answers a PING.
      return within(withinMs, redis.set(key, '1', 'EX', 60)).then(() => undefined, redisFault);
    },
    evictionFault: async (withinMs) => (redis ? evictionFault(redis, withinMs) : undefined),
    async close() {
      await queue.close();
      redis?.disconnect();
    },
  };
}

const REDIS_AWAY = 'the queue cannot be reached';

/** The meaning of an error of Redis, for readers of /health. */
function redisFault(error: Error): string {
  const { message } = error;
  if (message.startsWith('OOM')) return 'Redis has no memory left; raise its maxmemory';
  if (message.startsWith('READONLY'))
    return 'Redis is a read-only replica; after a failover REDIS_URL has to lead to the primary';
  if (message.startsWith('MISCONF'))
    return 'Redis refuses writes, since it cannot save to its disk; make room';
  if (message.startsWith('NOREPLICAS')) return 'Redis refuses writes, since too few of its replicas answer';
  if (/^(NOAUTH|NOPERM|WRONGPASS)/.test(message))
    return 'Redis does not let its user write; see "Redis" in docs/operator/security.md';
  return REDIS_AWAY;
}

/** Whether Redis may forget jobs, for readers; undefined: no, or it does not answer. */
async function evictionFault(redis: Redis, withinMs: number): Promise<string | undefined> {
  const memory = await within(withinMs, redis.info('memory')).catch(() => '');
  const [, policy = 'noeviction'] = /^maxmemory_policy:(\S+)/m.exec(memory) ?? [];
  if (policy === 'noeviction') return undefined;
  return `Redis may evict keys (maxmemory-policy ${policy}), and jobs with them; set maxmemory-policy noeviction`;
}

/** The result of `work`, or an error if it takes longer. */
function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const silence = new AbortController();
  const late = delay(ms, undefined, { signal: silence.signal }).then(() => {
    throw new Error('no answer');
  });
  late.catch(() => {});
  return Promise.race([work, late]).finally(() => silence.abort());
}

/** Waits for the first connection. A part that cannot connect is closed, so it does not keep trying. */
async function untilReady(part: {
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
}): Promise<void> {
  try {
    await part.waitUntilReady();
  } catch (error) {
    await part.close().catch(() => {});
    throw error;
  }
}

/** Redis cannot be reached at the moment. */
export class QueueUnavailableError extends Error {}

/**
 * Makes sure that Redis can be reached, for a start that shall fail early.
 * @throws Error with one line, without the URL (it may contain a password); QueueUnavailableError if Redis does not
 * answer
 */
export async function assertQueueReachable(config: QueueConfig): Promise<void> {
  let reason: Error | undefined;
  const queue = await openQueue(config, (error) => {
    reason ??= error;
  });
  const isReady = await queue.isReady();
  await queue.close();
  if (isReady) return;
  const message = `cannot connect to Redis (${reason?.message}); check REDIS_URL`;
  const isRefusal = /^(NOAUTH|NOPERM|WRONGPASS|ERR) /.test(reason?.message ?? '');
  throw isRefusal ? new Error(message) : new QueueUnavailableError(message);
}

export type Consumer = {
  /** Stops taking tokens. Resolves when the tokens in progress have been handled. */
  close(): Promise<void>;
};

/**
 * Opens the consuming side: `handle` is called for every token, at most `concurrency` at a time. A token may come twice
 * (if its worker was thought dead), so `handle` must claim a job in PostgreSQL. Where tracing is on it gets the span of
 * the token, which it puts into the trace of that job.
 */
export async function openConsumer(
  config: QueueConfig & Pick<Config, 'WORKER_CONCURRENCY' | 'JOB_LOCK_SECONDS'>,
  handle: (span: QueueSpan | undefined) => Promise<void>,
  onError: (error: Error) => void,
  tracing?: Tracing,
): Promise<Consumer> {
  const options = {
    concurrency: config.WORKER_CONCURRENCY,
    lockDuration: config.JOB_LOCK_SECONDS * 1000,
    stalledInterval: config.JOB_LOCK_SECONDS * 500,
    // The attempts in PostgreSQL limit how often a job may start, not this number.
    maxStalledCount: 1_000_000,
    // BullMQ waits this long after a refused connection, even while it closes; its default is 15 s.
    runRetryDelay: RETRY_MS,
    ...telemetryOption(tracing),
  };
  const onToken = () => handle(tokenSpan());
  const redis = config.REDIS_URL ? new Redis(config.REDIS_URL, { maxRetriesPerRequest: null }) : undefined;
  redis?.on('error', onError);
  const worker = redis
    ? new Worker<Token>(QUEUE_NAME, onToken, { ...options, connection: redis, prefix: config.QUEUE_PREFIX })
    : new postgres.Worker<Token>(QUEUE_NAME, onToken, {
        ...options,
        connection: postgresConnection(config, config.WORKER_CONCURRENCY + 2),
      });
  worker.on('error', onError);
  // If a handler throws, its job has not ended, and the sweeper finds it by its silence. But the error must be seen.
  worker.on('failed', (_token, error) => onError(error));
  if (!redis) await untilReady(worker);
  return {
    async close() {
      await worker.close();
      redis?.disconnect();
    },
  };
}
