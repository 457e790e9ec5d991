import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { QUEUE_NAME, type QueueConfig } from './queue.ts';

/** The queue on Redis for a board that shows it. */
export type BoardQueue = {
  queue: Queue;
  /** Whether Redis could be asked now. */
  isReady(): boolean;
  close(): Promise<void>;
};

/** Opens it on a connection of its own, so that nobody who looks at the queue holds up who uses it. */
export function openBoardQueue(
  config: QueueConfig & { REDIS_URL: string },
  onError: (error: Error) => void,
): BoardQueue {
  const redis = new Redis(config.REDIS_URL, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 3000,
    commandTimeout: 5000,
  });
  redis.on('error', onError);
  const queue = new Queue(QUEUE_NAME, {
    connection: redis,
    prefix: config.QUEUE_PREFIX,
    // Reading must not change options of the queue.
    skipMetasUpdate: true,
  });
  queue.on('error', onError);
  return {
    queue,
    isReady: () => redis.status === 'ready',
    async close() {
      await queue.close();
      redis.disconnect();
    },
  };
}
