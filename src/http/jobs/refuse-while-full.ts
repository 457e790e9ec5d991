import { AppError } from '../../answers/errors.ts';
import type { Config } from '../../config.ts';
import { JOB_KINDS } from '../../contracts/jobs.ts';
import type { App, Deps } from '../deps.ts';
import type { QueueRefusal } from './full-queue.ts';

const RETRY_AFTER_SECONDS = 5;

/** A call finds no room: the queue is full, or PostgreSQL cannot store what comes. */
export class NoRoomError extends AppError {
  readonly refusal: QueueRefusal;

  constructor(refusal: QueueRefusal, { QUEUE_MAX_WAITING: limit }: Pick<Config, 'QUEUE_MAX_WAITING'>) {
    const message =
      refusal === 'full'
        ? `${limit} jobs are waiting, which is the limit (setting QUEUE_MAX_WAITING); try again later`
        : 'more jobs arrive than can be stored; try again later';
    super('SERVICE_UNAVAILABLE', message, RETRY_AFTER_SECONDS);
    this.refusal = refusal;
  }
}

/**
 * Refuses calls that would make a job before their body is read, while the queue is known to be full, or more arrive
 * than can be stored: otherwise they would use up the process. A call with an `Idempotency-Key` is read: its job may be
 * stored already.
 */
export function refuseWhileFull(app: App, { config, fullQueue }: Deps): void {
  const kinds: readonly (string | undefined)[] = JOB_KINDS;
  app.addHook('onRequest', async (request) => {
    const makesJob = kinds.includes(request.routeOptions.config.operation);
    if (!makesJob || request.headers['idempotency-key'] !== undefined) return;
    const refusal = fullQueue.refuses();
    if (refusal) throw new NoRoomError(refusal, config);
  });
}
