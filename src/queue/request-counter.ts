import { Redis } from 'ioredis';
import type pg from 'pg';
import {
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
  type RateLimiterStoreAbstract,
} from 'rate-limiter-flexible';
import type { Config } from '../config.ts';

export const RATE_WINDOW_SECONDS = 60;

/** The requests that a caller has left. */
type RequestCount = { isOver: boolean; remaining: number; resetSeconds: number };

export type RequestCounter = {
  /** Counts a request of a caller. @param limit requests per window; each limit has a count of its own */
  count(caller: string, limit: number): Promise<RequestCount>;
  /** Resolves once Redis is connected, or the first attempt has failed. */
  connected: Promise<void>;
  close(): void;
};

type CounterConfig = Pick<Config, 'REDIS_URL' | 'QUEUE_PREFIX'>;

/**
 * Counts requests across all API processes: in Redis if `REDIS_URL` is set, else in PostgreSQL. While that cannot be
 * reached each process counts for itself, so that requests are neither refused nor unlimited.
 */
export function openRequestCounter(
  { REDIS_URL: url, QUEUE_PREFIX: prefix }: CounterConfig,
  pool: pg.Pool,
  onError: (error: Error) => void,
): RequestCounter {
  const redis =
    url === undefined
      ? undefined
      : new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 1000 });
  redis?.on('error', onError);
  const connected = new Promise<void>((resolve) => {
    if (!redis) return resolve();
    redis.once('ready', resolve);
    redis.once('close', resolve);
  });
  const limiters = new Map<number, RateLimiterStoreAbstract>();

  const openLimiter = (points: number): RateLimiterStoreAbstract => {
    const keyPrefix = `${prefix}_rate_${points}`;
    const common = { points, duration: RATE_WINDOW_SECONDS, keyPrefix };
    const options = {
      ...common,
      // A caller who is over the limit costs its process nothing more until the window ends.
      inMemoryBlockOnConsumed: points,
      insuranceLimiter: new RateLimiterMemory(common),
    };
    return redis
      ? new RateLimiterRedis({ ...options, storeClient: redis, rejectIfRedisNotReady: true })
      : new RateLimiterPostgres({
          ...options,
          storeClient: pool,
          storeType: 'pool',
          tableName: 'request_counts',
          tableCreated: true,
        });
  };

  return {
    async count(caller, limit) {
      const limiter = limiters.get(limit) ?? openLimiter(limit);
      limiters.set(limit, limiter);
      const figures = ({ remainingPoints, msBeforeNext }: RateLimiterRes) => ({
        remaining: remainingPoints,
        resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
      });
      try {
        return { isOver: false, ...figures(await limiter.consume(caller)) };
      } catch (error) {
        // The library rejects with the figures of a caller who is over the limit.
        if (error instanceof RateLimiterRes) return { isOver: true, ...figures(error) };
        throw error;
      }
    },
    connected,
    close: () => redis?.disconnect(),
  };
}
