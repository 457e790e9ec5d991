import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../config.ts';
import type { Database } from '../../db/client.ts';
import { readAdmission } from '../../db/jobs/job-intake.ts';

/** How long a full queue is taken to be full, ms. Workers end fewer jobs in this time than a useful limit holds. */
const FULL_MS = 100;

/**
 * A call is refused if those before it will take longer than this to be stored: PostgreSQL cannot store what comes. A
 * short line is never too long.
 */
const MAX_LINE_MS = 3000;
const MIN_LINE = 100;
/** Stores of the moving average. */
const STORES_AVERAGED = 20;

/** How many of the connections may store jobs at the same time: the others serve those who read. */
export const storesAtOnce = ({ DATABASE_POOL_SIZE: size }: { DATABASE_POOL_SIZE: number }): number =>
  Math.max(1, size - 2);

/** The room in the queue of an API process. */
export function openFullQueue(
  config: Pick<Config, 'QUEUE_MAX_WAITING' | 'DATABASE_POOL_SIZE'>,
  db: Database,
): FullQueue {
  const { QUEUE_MAX_WAITING: maxWaiting } = config;
  const look = async () => (await readAdmission(db, { locationIds: [], maxWaiting })).waiting;
  return createFullQueue(maxWaiting, storesAtOnce(config), look);
}

/** A place that a call has taken in the queue for the job that it is about to store. */
type Place = {
  /** The job is stored. @param waiting jobs that waited before it, as the statement that stored it saw them */
  stored(waiting: number): void;
  /** Ends the turn, and gives the place back if nothing was stored. */
  leave(): void;
};

/** Why a call is refused: as many jobs wait as may, or too many calls wait to be stored. */
export type QueueRefusal = 'full' | 'busy';

/**
 * What an API process knows of the room in the queue. Each call takes a place before it stores its job, so the calls of
 * one process never exceed the limit together, and a call that would find no room is refused at once: it takes no
 * connection from calls that can be served, and does not wait for one. Several processes do not know of each other's
 * calls, but each call looks at what is stored: they exceed the limit by less than `atOnce` times their number.
 */
export type FullQueue = {
  /**
   * Whether to refuse at once. While calls are refused the process itself looks for room now and then. If nobody has
   * looked for a while, a call is let through, to look. While PostgreSQL does not answer a look, the last one counts.
   */
  refuses(): QueueRefusal | undefined;
  /** Takes a place and waits for its turn. */
  enter(): Promise<Place | QueueRefusal>;
  /** What a call has seen that stored nothing. @param waiting number of jobs */
  seen(waiting: number): void;
};

/**
 * @param most jobs that may wait
 * @param atOnce calls that store at the same time; the others wait in line, and leave connections to those who read
 * @param look counts the jobs that wait
 * @param now a clock, ms
 */
export function createFullQueue(
  most: number,
  atOnce: number,
  look: () => Promise<number>,
  now: () => number = () => performance.now(),
): FullQueue {
  /** Places that nobody has taken; less than 0 if fewer are there than were taken. */
  let room = most;
  /** Calls that have a place, and have not stored their job yet. */
  let open = 0;
  let storedCount = 0;
  let fullUntil = Number.NEGATIVE_INFINITY;
  let mayLook = false;
  let looking: Promise<void> | undefined;
  let storing = 0;
  /** Moving average of the time that a call takes to store, ms. */
  let storeMs = 0;
  const line: ((refusal: QueueRefusal | undefined) => void)[] = [];

  const isBusy = () => line.length >= MIN_LINE && (line.length * storeMs) / atOnce > MAX_LINE_MS;
  const learn = (waiting: number) => {
    room = most - waiting - open;
    if (room <= 0) fullUntil = now() + FULL_MS;
  };
  /** Others have filled the queue: nobody in line has a place any more. */
  const refuseLine = () => {
    for (const refuse of line.splice(0)) refuse('full');
  };
  const seen = (waiting: number) => {
    learn(waiting);
    if (waiting >= most) refuseLine();
  };
  const lookOnce = async () => {
    await delay(FULL_MS, undefined, { ref: false });
    const before = storedCount;
    const waiting = await look();
    // Whether those that were stored meanwhile are among them is not known.
    learn(waiting + storedCount - before);
    if (waiting >= most) refuseLine();
  };
  /** Looks in a moment. A call that is refused must not wait for PostgreSQL, nor have its body read, to learn it. */
  const lookSoon = () => {
    looking ??= lookOnce()
      // Not known then: the next call looks.
      .catch(() => {})
      .finally(() => {
        looking = undefined;
      });
  };
  const endTurn = () => {
    const next = line.shift();
    if (next) next(undefined);
    else storing--;
  };

  return {
    refuses() {
      if (isBusy()) return 'busy';
      if (room > 0) return undefined;
      // Those who have taken the last places are going to learn more.
      if (open > 0) return 'full';
      if (looking || now() < fullUntil) {
        lookSoon();
        return 'full';
      }
      fullUntil = now() + FULL_MS;
      mayLook = true;
      return undefined;
    },
    async enter() {
      if (isBusy()) return 'busy';
      if (room <= 0) {
        if (open > 0 || !mayLook) return 'full';
        mayLook = false;
      }
      room--;
      open++;
      let isOpen = true;
      const giveBack = () => {
        if (!isOpen) return;
        isOpen = false;
        open--;
        room++;
      };
      if (storing < atOnce) storing++;
      else {
        const refusal = await new Promise<QueueRefusal | undefined>((resolve) => line.push(resolve));
        if (refusal) {
          giveBack();
          return refusal;
        }
      }
      const before = storedCount;
      const startedMs = now();
      return {
        stored(waiting) {
          isOpen = false;
          open--;
          storedCount++;
          // Whether the others that were stored meanwhile are among those that were seen is not known.
          learn(waiting + storedCount - before);
        },
        leave() {
          giveBack();
          storeMs += (now() - startedMs - storeMs) / STORES_AVERAGED;
          endTurn();
        },
      };
    },
    seen,
  };
}
