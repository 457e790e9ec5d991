import { setTimeout as delay } from 'node:timers/promises';
import { type AppError, LimitError } from '../../answers/errors.ts';
import type { Config } from '../../config.ts';
import type { Database } from '../../db/client.ts';
import { readAdmission } from '../../db/jobs/job-intake.ts';
import { type FairLine, openFairLine } from '../fair-line.ts';

/** Time between two looks at a full queue, ms. Workers end fewer jobs in it than a useful limit holds. */
const FULL_MS = 100;
const RETRY_AFTER_SECONDS = 5;

/** The room in the queue, as far as an API process knows. The statement that stores a job decides. */
export type QueueRoom = {
  /**
   * Calls are refused until the process itself has found room: if one of them were to look, those of an attacker would
   * take all turns.
   * @throws AppError SERVICE_UNAVAILABLE if the queue is full, as far as is known
   */
  check(): void;
  /** A call found the queue full. @returns the error to throw */
  noteFull(): AppError;
  /** Stores jobs, a few at a time: the other connections serve those who read. Callers take turns. */
  store: FairLine;
};

type Settings = Pick<Config, 'QUEUE_MAX_WAITING' | 'DATABASE_POOL_SIZE'>;

/** How many of the connections may store jobs at the same time. */
export const storesAtOnce = ({ DATABASE_POOL_SIZE: size }: Pick<Settings, 'DATABASE_POOL_SIZE'>): number =>
  Math.max(1, size - 2);

export function openQueueRoom(config: Settings, db: Database): QueueRoom {
  const { QUEUE_MAX_WAITING: maxWaiting } = config;
  return createQueueRoom(
    config,
    async () => (await readAdmission(db, { locationIds: [], maxWaiting })).waiting,
  );
}

/** @param look counts the jobs that wait */
export function createQueueRoom(config: Settings, look: () => Promise<number>): QueueRoom {
  const { QUEUE_MAX_WAITING: maxWaiting } = config;
  const message = `${maxWaiting} jobs are waiting, which is the limit (setting QUEUE_MAX_WAITING); try again later`;
  const error = () => new LimitError('SERVICE_UNAVAILABLE', message, RETRY_AFTER_SECONDS);
  let isFull = false;
  let isWatched = false;
  const watch = async () => {
    isWatched = true;
    while (isFull) {
      await delay(FULL_MS, undefined, { ref: false });
      // If that cannot be known, the next call finds it out.
      isFull = (await look().catch(() => 0)) >= maxWaiting;
    }
    isWatched = false;
  };
  return {
    check() {
      if (isFull) throw error();
    },
    noteFull() {
      isFull = true;
      if (!isWatched) void watch();
      return error();
    },
    store: openFairLine(storesAtOnce(config)),
  };
}
