import { AppError } from '../answers/errors.ts';
import type { Config } from '../config.ts';
import { JOB_KINDS } from '../contracts/jobs.ts';
import type { App, Deps } from './deps.ts';

const RETRY_AFTER_SECONDS = 5;
/** The answer to a call that finds the queue full. */
export const queueFull = ({ QUEUE_MAX_WAITING: limit }: Pick<Config, 'QUEUE_MAX_WAITING'>) =>
  new AppError(
    'SERVICE_UNAVAILABLE',
    `${limit} jobs are waiting, which is the limit (setting QUEUE_MAX_WAITING); try again later`,
    RETRY_AFTER_SECONDS,
  );

/**
 * Refuses calls that would make a job before their body is read, while the queue is known to be full: otherwise they
 * would use up the process. A call with an `Idempotency-Key` is read: its job may be stored already.
 */
export function refuseWhileFull(app: App, { config, fullQueue }: Deps): void {
  const kinds: readonly (string | undefined)[] = JOB_KINDS;
  app.addHook('onRequest', async (request) => {
    const makesJob = kinds.includes(request.routeOptions.config.operation);
    if (makesJob && request.headers['idempotency-key'] === undefined && fullQueue.isFull())
      throw queueFull(config);
  });
}
