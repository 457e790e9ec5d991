import { MessageChannel, type Transferable } from 'node:worker_threads';
import type { Progress } from '../../src/db/jobs/jobs.ts';
import { watchPauses } from '../duties/pauses.ts';
import type {
  ThreadProgress,
  ThreadTask,
  Threw,
  Timed,
  WorkInput,
  WorkName,
  WorkOutcome,
} from './job-thread.ts';
import { openWarmThreads } from './warm-threads.ts';

export type ThreadOutcome<W extends WorkName> =
  | (WorkOutcome<W> & Partial<Timed>)
  | (Threw & Partial<Timed>)
  | ({ status: 'cancelled' } & Partial<Timed>);

type ThreadRun<W extends WorkName> = {
  outcome: Promise<ThreadOutcome<W>>;
  /** Milliseconds since the start in which this process did not run (see `watchPauses`). */
  readPausedMs(): number;
  /** Stops the work: asks first, and ends the thread if it does not react. */
  stop(): void;
};

export type Threads = {
  /**
   * Starts work in a thread.
   * @param limitSeconds time limit of the work; the overrun is added to it, and time in which this process did not run
   * does not count
   * @param transfer memory that is moved to the thread instead of copied
   */
  start<W extends WorkName>(
    work: W,
    input: WorkInput<W>,
    limitSeconds: number,
    onProgress: (progress: Progress) => void,
    transfer?: Transferable[],
  ): ThreadRun<W>;
  close(): Promise<void>;
};

/** Time for work to notice that it must stop, before its thread is ended. It usually needs less than half of it. */
const STOP_GRACE_MS = 150;

/** On a busy machine, work may take this many times its overrun in elapsed time. */
const MAX_OVERRUN_FACTOR = 6;
const MIN_WATCH_MS = 10;

/**
 * Opens `count` threads and keeps them warm: loading the solver costs more than a small solve.
 * @param overrunSeconds processor time for building, verifying and explaining, beyond the time limit of the work
 * itself. Processor time, so that a busy machine does not use it up.
 */
export function openThreads(count: number, overrunSeconds: number): Threads {
  const pauses = watchPauses();
  const threads = openWarmThreads<ThreadTask>(new URL('./job-thread.ts', import.meta.url).href, count);

  return {
    start<W extends WorkName>(
      work: W,
      input: WorkInput<W>,
      limitSeconds: number,
      onProgress: (progress: Progress) => void,
      transfer: Transferable[] = [],
    ): ThreadRun<W> {
      const { port1, port2 } = new MessageChannel();
      const stopFlag = new Int32Array(new SharedArrayBuffer(4));
      const killer = new AbortController();
      let grace: NodeJS.Timeout | undefined;
      const stop = () => {
        Atomics.store(stopFlag, 0, 1);
        grace ??= setTimeout(() => killer.abort(), STOP_GRACE_MS);
      };
      const startedAt = performance.now();
      const pausedBefore = pauses.readPausedMs();
      const readPausedMs = () => pauses.readPausedMs() - pausedBefore;
      let watchdog: NodeJS.Timeout | undefined;
      let cpuAtLimit: NodeJS.CpuUsage | undefined;
      const watch = () => {
        const overMs = performance.now() - startedAt - readPausedMs() - limitSeconds * 1000;
        if (overMs < 0) {
          watchdog = setTimeout(watch, -overMs);
          return;
        }
        cpuAtLimit ??= process.cpuUsage();
        const { user, system } = process.cpuUsage(cpuAtLimit);
        const workedMs = Math.min(overMs, (user + system) / 1000);
        const leftMs = Math.min(
          overrunSeconds * 1000 - workedMs,
          MAX_OVERRUN_FACTOR * overrunSeconds * 1000 - overMs,
        );
        if (leftMs > 0) watchdog = setTimeout(watch, Math.max(leftMs, MIN_WATCH_MS));
        else stop();
      };
      watch();
      const allReported = Promise.withResolvers<void>();
      port1.on('message', (message: ThreadProgress | null) => {
        if (message === null) return allReported.resolve();
        const { progress, stage, incumbent = null, bound = null, gap = null, iterations = null } = message;
        onProgress({ progress, stage, incumbent, bound, gap, iterations });
      });
      const task: ThreadTask<W> = { work, input, stopFlag, progressPort: port2 };
      const outcome: Promise<ThreadOutcome<W>> = threads
        .run<ThreadOutcome<W>>(task as ThreadTask, {
          transferList: [port2, ...transfer],
          signal: killer.signal,
        })
        // The last message and the outcome use different channels. After both, all progress has been received.
        .then((outcome) => allReported.promise.then(() => outcome))
        .catch((error) => {
          if (killer.signal.aborted) return { status: 'cancelled' as const };
          throw error;
        })
        .finally(() => {
          clearTimeout(watchdog);
          clearTimeout(grace);
          port1.close();
        });
      return { outcome, readPausedMs, stop };
    },
    close() {
      pauses.close();
      return threads.close();
    },
  };
}
