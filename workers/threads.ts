import { MessageChannel, type Transferable } from 'node:worker_threads';
import type { Progress } from '../src/db/jobs.ts';
import type {
  ThreadProgress,
  ThreadTask,
  Threw,
  Timed,
  WorkInput,
  WorkName,
  WorkOutcome,
} from './job-thread.ts';
import { watchPauses } from './pauses.ts';
import { openWarmThreads } from './warm-threads.ts';

export type ThreadOutcome<W extends WorkName> =
  | (WorkOutcome<W> & Partial<Timed>)
  | (Threw & Partial<Timed>)
  | ({ status: 'cancelled' } & Partial<Timed>);

type ThreadRun<W extends WorkName> = {
  outcome: Promise<ThreadOutcome<W>>;
  /** Milliseconds since the start in which this process did not run (see `watchPauses`). */
  readPausedMs(): number;
  /** Ends the work: asks first, and ends the thread where it does not answer. */
  stop(): void;
};

export type Threads = {
  /**
   * Starts work in a thread.
   * @param limitSeconds time after which it is stopped, with some for what comes beside the work itself; time in which
   *   this process did not run does not count
   * @param transfer memory that the thread gets instead of a copy
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

/** Time for work to notice that it must stop, before its thread is ended. It usually takes less than half of this. */
const STOP_GRACE_MS = 150;

/** On a busy machine, work may take this many times its overrun by the clock. */
const MAX_STARVED = 6;
const MIN_WATCH_MS = 10;

/**
 * Opens `count` threads, kept warm: loading the solver costs more than a small solve.
 * @param overrunSeconds what building, verifying and explaining may take beside the work's own time limit, of a
 * processor: a machine that has much else to do is no fault of the work
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
          MAX_STARVED * overrunSeconds * 1000 - overMs,
        );
        if (leftMs > 0) watchdog = setTimeout(watch, Math.max(leftMs, MIN_WATCH_MS));
        else stop();
      };
      watch();
      const told = Promise.withResolvers<void>();
      port1.on('message', (message: ThreadProgress | null) => {
        if (message === null) return told.resolve();
        const { progress, stage, incumbent = null, bound = null, gap = null, iterations = null } = message;
        onProgress({ progress, stage, incumbent, bound, gap, iterations });
      });
      const task: ThreadTask<W> = { work, input, stopFlag, progressPort: port2 };
      const outcome: Promise<ThreadOutcome<W>> = threads
        .run<ThreadOutcome<W>>(task as ThreadTask, {
          transferList: [port2, ...transfer],
          signal: killer.signal,
        })
        // The last message and the outcome come by different channels: after both, all progress has been received.
        .then((outcome) => told.promise.then(() => outcome))
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
