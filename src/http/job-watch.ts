import type { JobEvent } from '../contracts/events.ts';
import type { TraceContext } from '../contracts/trace.ts';
import type { Database } from '../db/client.ts';
import { findEnded, type JobAnswer, type Progress, readAnswer } from '../db/jobs.ts';
import type { EventBus } from '../queue/event-bus.ts';

type JobListener = {
  /** @param trace where the worker is in its trace; undefined: not traced */
  progress?(progress: Progress, trace?: TraceContext): void;
  /** Called once: the job has ended and its answer is in PostgreSQL. */
  ended(trace?: TraceContext): void;
};

export type JobWatch = {
  /** Listens to a job until the returned function is called. Earlier events are not reported. */
  watch(jobId: string, listener: JobListener): () => void;
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

/**
 * Follows jobs for waiting callers and WebSocket subscribers. Events make it fast. PostgreSQL makes it reliable:
 * watched jobs are looked up whenever the bus connects, and every few seconds.
 */
export function openJobWatch(deps: {
  db: Database;
  bus: EventBus;
  onError: (error: Error) => void;
}): JobWatch {
  const listeners = new Map<string, Set<JobListener>>();
  const waiting = new Set<() => void>();
  let isReleased = false;

  const end = (jobId: string, trace?: TraceContext) => {
    const set = listeners.get(jobId);
    listeners.delete(jobId);
    for (const listener of set ?? []) listener.ended(trace);
  };
  const onEvent = (event: Exclude<JobEvent, { type: 'cancel' }>) => {
    if (event.type === 'ended') return end(event.job_id, event.trace);
    for (const listener of listeners.get(event.job_id) ?? []) listener.progress?.(event, event.trace);
  };
  const resync = () => {
    if (listeners.size === 0) return;
    const endAll = (jobIds: string[]) => {
      for (const jobId of jobIds) end(jobId);
    };
    findEnded(deps.db, [...listeners.keys()]).then(endAll, deps.onError);
  };
  deps.bus.subscribe(['ended', 'progress'], onEvent, resync).catch(deps.onError);
  const timer = setInterval(resync, RESYNC_MS);

  const watch = (jobId: string, listener: JobListener) => {
    const set = listeners.get(jobId) ?? new Set();
    listeners.set(jobId, set.add(listener));
    return () => {
      set.delete(listener);
      if (set.size === 0 && listeners.get(jobId) === set) listeners.delete(jobId);
    };
  };

  return {
    watch,
    async waitForAnswer(jobId, timeoutMs, signal, start) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const unwatch = watch(jobId, { ended: () => resolve(true) });
      const give = () => resolve(false);
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
        return (await promise) ? await readAnswer(deps.db, jobId) : undefined;
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
