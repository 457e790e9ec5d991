/**
 * The baseline of `load.ts`: a BullMQ job that does nothing goes to another process and back. The caller waits with the
 * job's own `waitUntilFinished`. As a child process, this file is the worker.
 */
import { createPostgresBackend, Queue, QueueEvents, Worker, withBackend } from 'bullmq';

const NAME = 'bare';
const postgres = withBackend(createPostgresBackend);

/** The URL decides the backend: `redis://…` or `postgresql://…`. */
const isRedis = (url: string) => url.startsWith('redis');
const postgresOptions = (url: string) => ({
  connection: { connectionString: url, schema: 'bare_queue', migrate: true, max: 4 },
});

/** @returns one round trip, and a function that closes */
export async function openBare(url: string) {
  const redis = { connection: { url, maxRetriesPerRequest: null } };
  const queue = isRedis(url) ? new Queue(NAME, redis) : new postgres.Queue(NAME, postgresOptions(url));
  const events = isRedis(url)
    ? new QueueEvents(NAME, redis)
    : new postgres.QueueEvents(NAME, postgresOptions(url));
  await queue.waitUntilReady();
  await events.waitUntilReady();
  return {
    async roundTrip(): Promise<void> {
      const job = await queue.add('nothing', {}, { removeOnComplete: { count: 100 } });
      await (job as { waitUntilFinished(e: unknown): Promise<unknown> }).waitUntilFinished(events);
    },
    async close() {
      await events.close();
      await queue.close();
    },
  };
}

if (import.meta.main) {
  const url = process.argv[2];
  const nothing = async () => null;
  const worker = isRedis(url)
    ? new Worker(NAME, nothing, { connection: { url, maxRetriesPerRequest: null } })
    : new postgres.Worker(NAME, nothing, postgresOptions(url));
  worker.on('error', (error) => console.error(error.message));
  await worker.waitUntilReady();
  process.send?.('ready');
  process.once('disconnect', () => process.exit());
}
