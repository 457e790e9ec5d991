import type { Config } from '../../src/config.ts';
import { readEventSecret } from '../../src/db/service/event-secret.ts';
import { openEventBus } from '../../src/queue/bus.ts';
import { openQueue } from '../../src/queue/queue.ts';
import { openThreads } from '../../workers/run/threads.ts';
import { atEnd } from './at-end.ts';
import { openTestDatabase } from './services.ts';

/** The parts of a worker, for tests that run its jobs themselves; closed at the end of the file. */
export async function openWorkerParts(config: Config) {
  const fail = (error: Error) => {
    throw error;
  };
  const { db } = openTestDatabase(config.DATABASE_URL ?? '');
  const bus = openEventBus(config, await readEventSecret(db), fail);
  const queue = await openQueue(config, fail);
  const threads = openThreads(1, config.JOB_OVERRUN_SECONDS);
  atEnd(async () => {
    await threads.close();
    await queue.close();
    await bus.close();
  });
  return { bus, queue, threads };
}
