import { isDeepStrictEqual } from 'node:util';
import type { JobEvent, TextAnswer } from '../../contracts/events.ts';
import type { TraceContext } from '../../contracts/trace.ts';
import type { Database } from '../../db/client.ts';
import {
  findEnded,
  type JobAnswer,
  learnProgress,
  NOTHING_KNOWN,
  type Progress,
  readAnswer,
  readJob,
} from '../../db/jobs/jobs.ts';
import type { EventBus } from '../../queue/event-bus.ts';

type JobListener = {
  /**
   * @param progress all that is known, the same object for all listeners
   * @param trace where the worker is in its trace; undefined: not traced
   */
  progress?(progress: Progress, trace?: TraceContext): void;
  /**
   * Called once: the job has ended and its answer is in PostgreSQL.
   * @param answer gives what came with the event, or reads it, once for all listeners; undefined if it has been deleted
   * @param trace where its worker was in its trace; undefined: not traced, or not told
   * @param sent the answer, if it came with the event
   */
  ended(answer: () => Promise<JobAnswer | undefined>, trace?: TraceContext, sent?: TextAnswer): void;
};

type WatchedJob = Awaited<ReturnType<typeof readJob>>;

type Watched = {
  /**
   * Reads the job, once for all who ask meanwhile, and learns its progress. An event in between is seen by the
   * listener.
   */
  read(): Promise<{ job: WatchedJob; known: Progress }>;
  end(): void;
};

export type JobWatch = {
  /** Listens to a job until `end` is called. Earlier events are not reported. */
  watch(jobId: string, listener: JobListener): Watched;
  /**
   * Waits for a job's answer.
   * @param timeoutMs longest wait; the result is undefined when it is over, or when `signal` aborts
   * @param start called once no event can be missed any more (enqueue here)
   */
  waitForAnswer(
    jobId: string,
    timeoutMs: number,
    signal: AbortSignal,
    start?: () => Promise<void>,
  ): Promise<JobAnswer | undefined>;
  /** Ends every present and later wait at once (at shutdown): callers get the path of their job. */
  releaseWaiting(): void;
  close(): void;
};

/** Interval at which PostgreSQL is asked about watched jobs, in case an event was lost. */
const RESYNC_MS = 5000;

/** A job that is watched: what is asked or made for one of its listeners serves all. */
type Entry = { listeners: Set<JobListener>; known: Progress; reading: Promise<WatchedJob> | undefined };

/**
 * Follows jobs for waiting callers and WebSocket subscribers. Events make it fast. PostgreSQL makes it reliable:
 * watched jobs are looked up whenever an event may have been missed, and every few seconds.
 */
export function openJobWatch(deps: {
  db: Database;
  bus: EventBus;
  onError: (error: Error) => void;
}): JobWatch {
  const watched = new Map<string, Entry>();
  const waiting = new Set<() => void>();
  let isReleased = false;

  const end = (jobId: string, trace?: TraceContext, sent?: TextAnswer) => {
    const entry = watched.get(jobId);
    watched.delete(jobId);
    let reading: Promise<JobAnswer | undefined> | undefined;
    const answer = () => (reading ??= sent ? Promise.resolve(sent) : readAnswer(deps.db, jobId));
    for (const listener of entry?.listeners ?? []) listener.ended(answer, trace, sent);
  };
  const onEvent = (event: Exclude<JobEvent, { type: 'cancel' }>) => {
    if (event.type === 'ended') return end(event.job_id, event.trace, event.answer);
    const entry = watched.get(event.job_id);
    if (!entry) return;
    entry.known = learnProgress(entry.known, event);
    for (const listener of entry.listeners) listener.progress?.(entry.known, event.trace);
  };
  let looking: Promise<void> | undefined;
  let isAskedAgain = false;
  /** One look at a time: whoever asks meanwhile is served by the next one, since the present one may be too early. */
  const resync = () => {
    isAskedAgain = looking !== undefined;
    if (looking || watched.size === 0) return;
    looking = findEnded(deps.db, [...watched.keys()])
      .then((jobIds) => {
        for (const jobId of jobIds) end(jobId);
      })
      .catch(deps.onError)
      .finally(() => {
        looking = undefined;
        if (isAskedAgain) resync();
      });
  };
  deps.bus.subscribe(['ended', 'progress'], onEvent, resync).catch(deps.onError);
  const timer = setInterval(resync, RESYNC_MS);

  const watch = (jobId: string, listener: JobListener): Watched => {
    const entry = watched.get(jobId) ?? {
      listeners: new Set(),
      known: { ...NOTHING_KNOWN },
      reading: undefined,
    };
    watched.set(jobId, entry);
    entry.listeners.add(listener);
    return {
      async read() {
        entry.reading ??= readJob(deps.db, jobId).finally(() => (entry.reading = undefined));
        const job = await entry.reading;
        // Progress that was reported meanwhile is newer.
        const learnt = job ? learnProgress(job, entry.known) : entry.known;
        if (!isDeepStrictEqual(learnt, entry.known)) entry.known = learnt;
        return { job, known: entry.known };
      },
      end() {
        entry.listeners.delete(listener);
        if (entry.listeners.size === 0 && watched.get(jobId) === entry) watched.delete(jobId);
      },
    };
  };

  return {
    watch,
    async waitForAnswer(jobId, timeoutMs, signal, start) {
      const { promise, resolve } = Promise.withResolvers<{ sent: TextAnswer | undefined } | undefined>();
      const { end: unwatch } = watch(jobId, { ended: (_read, _trace, sent) => resolve({ sent }) });
      const give = () => resolve(undefined);
      waiting.add(give);
      let timer: NodeJS.Timeout | undefined;
      signal.addEventListener('abort', give, { once: true });
      try {
        if (start) {
          await start();
          // No wait: a caller that prefers an immediate answer always gets the same one, however fast the job ends.
          if (timeoutMs === 0) return undefined;
        } else {
          // The job may have ended before the watch began.
          const answer = await readAnswer(deps.db, jobId);
          if (answer) return answer;
        }
        if (signal.aborted || isReleased) return undefined;
        timer = setTimeout(give, timeoutMs);
        const ended = await promise;
        return ended && (ended.sent ?? (await readAnswer(deps.db, jobId)));
      } finally {
        clearTimeout(timer);
        waiting.delete(give);
        signal.removeEventListener('abort', give);
        unwatch();
      }
    },
    releaseWaiting() {
      isReleased = true; // for calls that start to wait later
      for (const give of waiting) give();
    },
    close() {
      clearInterval(timer);
    },
  };
}
