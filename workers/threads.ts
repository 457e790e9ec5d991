import { MessageChannel, type Transferable } from 'node:worker_threads';

import { Piscina } from 'piscina';
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

export type ThreadOutcome<W extends WorkName> =
  | (WorkOutcome<W> & Partial<Timed>)
  | (Threw & Partial<Timed>)
  | ({ status: 'cancelled' } & Partial<Timed>);

export type ThreadRun<W extends WorkName> = {
  outcome: Promise<ThreadOutcome<W>>;
  /** Ends the work: asks first, and ends the thread where it does not answer. */
  stop(): void;
};

export type Threads = {
  /**
   * Starts work in a thread.
   * @param limitSeconds time after which it is stopped, with some for what comes beside the work itself
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

/** How long work may take to notice that it is to stop, before its thread is ended: it mostly takes less than half of that. */
const STOP_GRACE_MS = 150;
/** What building, verifying and explaining may take beside the solver's own time limit. */
const OVERRUN_MS = 10_000;

/** Opens `count` threads, kept warm: loading the solver costs more than a small solve. */
export function openThreads(count: number): Threads {
  const pool = new Piscina({
    filename: new URL('./job-thread.ts', import.meta.url).href,
    minThreads: count,
    maxThreads: count,
  });

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
      const watchdog = setTimeout(stop, limitSeconds * 1000 + OVERRUN_MS);
      const told = Promise.withResolvers<void>();
      port1.on('message', (message: ThreadProgress | null) => {
        if (message === null) return told.resolve();
        const { progress, stage, incumbent = null, bound = null, gap = null, iterations = null } = message;
        onProgress({ progress, stage, incumbent, bound, gap, iterations });
      });
      const task: ThreadTask<W> = { work, input, stopFlag, progressPort: port2 };
      const outcome: Promise<ThreadOutcome<W>> = pool
        // Piscina derives the type from a newer signature of postMessage; an array is what it hands on.
        .run(task, { transferList: [port2, ...transfer] as never, signal: killer.signal })
        // Its last message comes by another way than its outcome: then all that it told has been heard.
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
      return { outcome, stop };
    },
    close: () => pool.destroy(),
  };
}
